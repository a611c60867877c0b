import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Reply } from './fake-service.ts';

/** What a model says, in words that all services have. */
export interface Said {
  readonly text?: string;
  /** `args` is JSON text. */
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  /** @default `tool_calls` where there are calls, else `stop` */
  readonly finish?: 'stop' | 'length' | 'refusal';
  /** Input tokens read from the cache stand beside the fresh ones. */
  readonly usage?: { readonly fresh: number; readonly cached: number; readonly output: number };
}

/** A provider of the AI SDK, and how the service behind it answers. */
export interface Service {
  model(url: string): LanguageModelV4;
  says(said: Said): Reply;
  /** As the service's reference documents them. */
  readonly errors: {
    readonly rateLimited: (headers: Record<string, string>) => Reply;
    readonly overloaded: Reply;
    readonly broken: Reply;
    readonly quota: Reply;
    readonly tooLong: Reply;
  };
}

export const USAGE = { fresh: 70, cached: 30, output: 10 };
