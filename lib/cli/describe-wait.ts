import type { EventOf } from '../core/events.ts';
import type { Json } from '../core/json.ts';
import { payloadOf } from '../core/payload.ts';
import { formatLimits } from './format-limits.ts';
import { formatInstant } from './format-time.ts';
import { brief } from './visible.ts';
import { who } from './who.ts';

type Interrupted = EventOf<'interrupted'>;
type Resumed = EventOf<'resumed'>;

/** The words of an interrupt's reason. */
export const REASONS: Record<Interrupted['reason'], string> = {
  awaiting_approval: 'waits for approval',
  awaiting_input: 'waits for an answer',
  awaiting_message: 'waits for a message',
  awaiting_signal: 'waits for a signal',
  timer: 'waits for a time',
  awaiting_child: 'waits for a child run',
  in_doubt: 'in doubt: nobody knows whether it happened',
  version_mismatch: 'waits because the agent has changed',
  budget_exceeded: 'waits because its budget is spent',
  provider_blocked: 'waits because the model provider refuses',
};

/** What a run waits for from now on, on a line. */
export function describeInterrupted(event: Interrupted): string {
  const tool = event.tool === undefined ? '' : `${event.tool} `;
  const until = event.expiresAt === undefined ? '' : `, until ${formatInstant(event.expiresAt)}`;
  const about = aboutOf(event);
  return `${tool}${REASONS[event.reason]}${until}${about === undefined ? '' : `: ${about}`} [${event.interruptId}]`;
}

function aboutOf(event: Interrupted): string | undefined {
  const { summary, question, name, child, error } = event;
  if (child) return `${child.agent} in ${child.runId}`;
  const text = summary ?? question ?? name ?? factsOf(event);
  if (text !== undefined) return brief(text);
  if (error) return `${brief(error.message, 200)} (${error.code})`;
  const args = payloadOf(event, 'args');
  if (!args) return undefined;
  return 'ref' in args ? `${args.ref.bytes} bytes` : brief(args.value);
}

/** What is known of an interrupt that concerns the run as a whole. */
export interface Facts {
  /** `budget_exceeded` */
  limit?: string;
  allowed?: number;
  used?: number;
  /** `version_mismatch` */
  started?: { revision: string };
  deployed?: { revision: string };
  differences?: string[];
}

function factsOf(event: Interrupted): string | undefined {
  const { limit, used, allowed, started, deployed, differences = [] } = (event.facts ?? {}) as Facts;
  if (limit !== undefined) return `${limit} ${used} of ${allowed}`;
  if (!started || !deployed) return undefined;
  return `from revision ${started.revision} to ${deployed.revision}; ${differences.join('; ')}`;
}

/** How a wait ended, on a line. */
export function describeResumed(event: Resumed, tool: string | undefined): string {
  const { by, outcome } = event;
  const { decision, note } = outcome;
  const words = WORDS[decision]?.(event) ?? `resumed: ${decision} by ${who(by)}`;
  const about = tool === undefined ? '' : `${tool} `;
  return `${about}${words}${note === undefined ? '' : `: ${note}`}`;
}

const WORDS: Record<string, (event: Resumed) => string> = {
  approve: ({ by }) => `approved by ${by}`,
  deny: ({ by }) => `denied by ${by}`,
  answer: ({ by, outcome }) => `answered by ${by}: ${shown(outcome)}`,
  happened: ({ by }) => `settled by ${by}: it happened`,
  retry: ({ by }) => `settled by ${by}: it is sent again`,
  skip: ({ by }) => `settled by ${by}: it is skipped`,
  fail: ({ by }) => `settled by ${by}: it failed`,
  expired: () => 'expired: nobody decided in time',
  reverted: () => 'goes on: the code that it was started with is served again',
  message: () => 'goes on with the message',
  signal: () => 'goes on with the signal',
  timer: () => 'goes on: the time has come',
  verbatim: resumedAsItIs,
  migrate: ({ by }) => `resumed by ${by}, by the migrations of its author`,
  completed: childEnded,
  failed: childEnded,
  cancelled: childEnded,
};

function resumedAsItIs({ by, outcome }: Resumed): string {
  const { accepted, limits } = outcome;
  const under = accepted ? ` under revision ${accepted.revision}` : '';
  // Written where the agent's author has said so beforehand.
  if (by === 'stepfold:policy') return `goes on${under}, as the agent declares (onVersionChange)`;
  return `resumed by ${by}${under}${limits ? ` with ${formatLimits(limits)}` : ''}`;
}

function childEnded({ by, outcome }: Resumed): string {
  const { used } = outcome;
  return `${who(by)} has ${outcome.decision === 'cancelled' ? 'been cancelled' : outcome.decision}${used ? ` (${used.steps} steps, ${used.tokens} tokens)` : ''}`;
}

function shown(outcome: { value?: Json | undefined; valueRef?: { bytes: number } | undefined }): string {
  return outcome.valueRef ? `${outcome.valueRef.bytes} bytes` : brief(outcome.value);
}
