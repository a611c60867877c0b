import { ulid } from 'ulid';
import type { RunKey } from '../../lib/ports/run-key.ts';
import type { World } from '../../lib/ports/world.ts';

/** What a suite is run against: a world that nobody else uses, and how to be rid of it. */
export type Open<Ports extends keyof World> = () => Promise<Opened<Ports>>;

export interface Opened<Ports extends keyof World> {
  readonly world: Pick<World, Ports>;
  close(): Promise<void>;
}

/** A run that no other test speaks of. */
export function freshRun(tenant = 'tenant'): RunKey {
  return { tenant, runId: ulid() };
}
