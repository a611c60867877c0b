import { expect } from 'vitest';
import type { Order } from './agents.ts';
import type { MortalServer } from './mortal-server.ts';

/** Starts a run as a client who asks again, with the same key, until the answer has arrived. */
export async function startOnce(server: MortalServer, order: Order): Promise<string> {
  const body = { agent: 'clerk', input: order };
  const answer = await server.call<{ runId: string }>('/runs', body, { 'Idempotency-Key': order.name });
  expect(answer).toMatchObject({ status: 202, body: { runId: expect.any(String) } });
  return answer.body.runId;
}
