import * as z from 'zod';
import { milliseconds } from '../../../../lib/core/duration.ts';

/** The desk's operations, by the names under which faults are set and requests are recorded. */
const ROUTES = [
  'create_ticket',
  'post_comment',
  'close_ticket',
  'page_oncall',
  'find_ticket',
  'read',
  'unknown',
] as const;
export type Route = (typeof ROUTES)[number];

const duration = z.union([z.string(), z.int()]).transform((value, context) => {
  try {
    return milliseconds(value);
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : String(error));
    return z.NEVER;
  }
});

const routeFaults = z.strictObject({
  /** How long the desk waits before it does the work. It is done even if the client is gone by then. */
  delayBefore: duration.optional(),
  /** How long the desk waits after it has done the work, before it answers. */
  delayAfter: duration.optional(),
  /** For how many requests the connection is dropped after the work, in place of an answer. */
  drop: z.int().min(0).optional(),
});

/** What `POST /control` takes; what it does not name stays as it is. */
export const controlSchema = z.strictObject({
  /** How long an idempotency key is honoured, from its first use. */
  keyWindow: duration.optional(),
  /** Faults by route; `all` is every route that has none of its own. */
  routes: z.partialRecord(z.enum([...ROUTES, 'all']), routeFaults).optional(),
  /** `true` answers 503 until told otherwise; `refuseFor` accepts no connection for that long. */
  down: z.union([z.boolean(), z.strictObject({ refuseFor: duration })]).optional(),
});
export type Control = z.output<typeof controlSchema>;

interface RouteFaults {
  delayBefore: number;
  delayAfter: number;
  drop: number;
}

/** How the desk misbehaves at present. Kept in memory: a desk that starts again behaves. */
export class Faults {
  keyWindow = milliseconds('24h');
  down = false;
  readonly #routes = new Map<Route | 'all', RouteFaults>();

  apply(control: Control): void {
    if (control.keyWindow !== undefined) this.keyWindow = control.keyWindow;
    if (typeof control.down === 'boolean') this.down = control.down;
    for (const [route, { delayBefore, delayAfter, drop }] of Object.entries(control.routes ?? {})) {
      const now = this.of(route as Route | 'all');
      this.#routes.set(route as Route | 'all', {
        delayBefore: delayBefore ?? now.delayBefore,
        delayAfter: delayAfter ?? now.delayAfter,
        drop: drop ?? now.drop,
      });
    }
  }

  of(route: Route | 'all'): Readonly<RouteFaults> {
    return this.#routes.get(route) ?? this.#routes.get('all') ?? { delayBefore: 0, delayAfter: 0, drop: 0 };
  }

  /** Whether this request's answer is to be dropped; each one that is counts. */
  takeDrop(route: Route): boolean {
    const faults = this.#routes.get(route) ?? this.#routes.get('all');
    if (!faults || faults.drop === 0) return false;
    faults.drop -= 1;
    return true;
  }

  toJSON(): Record<string, unknown> {
    return { keyWindow: this.keyWindow, down: this.down, routes: Object.fromEntries(this.#routes) };
  }
}
