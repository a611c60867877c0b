import type { World } from '../ports/world.ts';
import type { Registry } from '../registry.ts';
import type { RunMemory } from './run-memory.ts';

/** Something that the service's log should hold. Never a payload, a link or a secret. */
export interface Report {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly runId?: string;
  readonly step?: number;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** What every use case of the runtime works with. */
export interface Runtime {
  readonly world: World;
  readonly agents: Registry;
  /** Payloads of more bytes than this go to the blob store. @default 8192 */
  readonly spillAt?: number;
  /** What this process remembers of runs. @default nothing: each visit loads its run */
  readonly memory?: RunMemory;
  readonly report: (report: Report) => void;
}
