import type { Stage } from './fault-stage.ts';

/** What a downstream was asked to do. */
export interface Received {
  readonly tool: string;
  readonly key: string;
  readonly args: unknown;
  readonly at: number;
}

/**
 * A downstream that really keeps what it is told: it records every request, applies `keyed` ones once per key, and all
 * others each time they come.
 */
export function fakeDownstream({ operation, world }: Pick<Stage, 'operation' | 'world'>) {
  const received: Received[] = [];
  const applied = new Map<string, number>();
  const underway: { at: number; land: () => void }[] = [];

  const land = (request: Received, honoursKeys: boolean) => {
    received.push(request);
    if (honoursKeys && applied.has(request.key)) return;
    applied.set(request.key, (applied.get(request.key) ?? 0) + 1);
  };
  const settle = () => {
    for (const each of underway.splice(0)) {
      if (each.at <= world.clock.now()) each.land();
      else underway.push(each);
    }
  };
  return {
    received,
    applied: () => {
      settle();
      return applied;
    },
    count: (tool: string) => received.filter((request) => request.tool === tool).length,
    /** A request that lands at once, and is answered. */
    request: (
      tool: string,
      { key, args, honoursKeys }: { key: string; args: unknown; honoursKeys: boolean },
    ) =>
      operation(`downstream.${tool}`, () => {
        land({ tool, key, args, at: world.clock.now() }, honoursKeys);
        return { done: key };
      }),
    /** A request that is still under way when its sender hears nothing more. */
    requestLate: (tool: string, { key, args, afterMs }: { key: string; args: unknown; afterMs: number }) =>
      operation(`downstream.${tool}`, () => {
        const at = world.clock.now() + afterMs;
        underway.push({ at, land: () => land({ tool, key, args, at }, false) });
      }),
    find: (key: string) =>
      operation('downstream.find', () => {
        settle();
        return applied.has(key) ? { found: { done: key } } : ('not_found' as const);
      }),
  };
}

export type FakeDownstream = ReturnType<typeof fakeDownstream>;
