import * as z from 'zod';
import { StepfoldError } from '../../../../lib/index.ts';

const healthSchema = z.object({ service: z.literal('ticket-desk'), pid: z.int(), data: z.string() });

/**
 * Which desk answers at an address; undefined when nobody listens there.
 *
 * @throws StepfoldError `desk_unreachable` when somebody else does.
 */
export async function askHealth(url: string) {
  const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).catch(
    (error: unknown) => {
      if (isRefused(error)) return undefined;
      throw deskUnreachable(url, String(error), error);
    },
  );
  if (!answer) return undefined;
  const health = healthSchema.safeParse(await answer.json().catch(() => undefined));
  if (!health.success) throw deskUnreachable(url, 'something else answers there');
  return { pid: health.data.pid, data: health.data.data };
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && (error.cause as { code?: unknown } | undefined)?.code === 'ECONNREFUSED';
}

export function deskUnreachable(url: string, why: string, cause?: unknown): StepfoldError {
  return new StepfoldError(
    'desk_unreachable',
    `expected the ticket desk at ${url}, but ${why}; set STEPFOLD_DESK_URL to where it is, or to a free port of this machine`,
    { cause },
  );
}
