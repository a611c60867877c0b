import type * as z from 'zod';
import { StepfoldError } from '../core/errors.ts';
import { jsonSchemaOf } from '../core/json-schema-of.ts';
import type { Pause, Tool } from '../tool.ts';

/** A tool that runs nothing: its call opens an interrupt, and what ends it is the call's result. */
export function pauseTool<S extends z.ZodType>(options: {
  name: string;
  description: string;
  input: S;
  reason: Pause['reason'];
  child?: Pause['child'];
  open: (args: z.output<S>, now: number) => ReturnType<Pause['open']>;
}): Tool {
  const { name, description, input, reason, child, open } = options;
  return {
    kind: 'tool',
    name,
    description,
    input,
    inputSchema: jsonSchemaOf(`the input of ${name}`, input),
    effect: { kind: 'read' },
    timeoutMs: 20_000,
    attempts: 1,
    resultLimit: 100_000,
    pause: { reason, open: open as Pause['open'], ...(child && { child }) },
    run: () => {
      throw new StepfoldError('not_run', `${name} waits, and is never run`);
    },
    warnings: [],
  };
}
