import * as z from 'zod';
import type { Json } from './json.ts';

/** What a migration may change of a run: the messages as the AI SDK has them, and the values of `ctx.state`. */
export interface Migratable {
  messages: Json[];
  values: Record<string, Json>;
}

/** How a run of one revision becomes one of the next. */
export interface Migration {
  readonly from: string;
  readonly to: string;
  readonly migrate: (state: Migratable) => Migratable | Promise<Migratable>;
}

export const migrationsSchema = z
  .array(
    z.strictObject({
      from: z.string().min(1),
      to: z.string().min(1),
      migrate: z.custom<Migration['migrate']>((value) => typeof value === 'function', 'a function'),
    }),
  )
  .refine(
    (all) => new Set(all.map(({ from }) => from)).size === all.length,
    'one migration from each revision',
  );

/** The migrations that lead from one revision to another, in order; undefined where the chain has a hole. */
export function migrationChain(
  migrations: readonly Migration[],
  from: string,
  to: string,
): Migration[] | undefined {
  const chain: Migration[] = [];
  for (let at = from; at !== to; ) {
    const next = migrations.find((each) => each.from === at);
    if (!next || chain.includes(next)) return undefined;
    chain.push(next);
    at = next.to;
  }
  return chain.length > 0 ? chain : undefined;
}
