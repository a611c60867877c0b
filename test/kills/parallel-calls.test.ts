import { expect, test, vi } from 'vitest';
import type { Verdict } from '../../lib/core/verify.ts';
import type { RunView } from '../../lib/runtime/run-view.ts';
import type { Order } from './agents.ts';
import { attend } from './attend.ts';
import { openStage } from './stage.ts';
import { startOnce } from './start-once.ts';

const PLAN: Order['plan'] = [['look', 'post_comment', 'create_ticket', 'page_oncall']];

test('of parallel calls that one kill cut off, all go on after the restart, not only the first', async () => {
  const control = { routes: { all: { delayAfter: '15s' } } };
  const { server, desk, deskProcess } = await openStage({ ms: 50_000, control });
  const shift = String(desk.tickets.create({ title: 'shift', body: 'over already' }, null).id);
  desk.tickets.close(shift, { resolution: 'enough' });
  await server.start();
  const runId = await startOnce(server, { name: 'clerk', shift, plan: PLAN });
  await vi.waitFor(() => expect(desk.record.all().map(({ route }) => route)).toHaveLength(4), 20_000);
  await server.kill();
  await deskProcess.post('/control', { routes: { all: { delayAfter: 0 } } });
  await server.start();

  const { events } = await attend(server, runId, desk);
  const requests = events.filter((event) => event.type === 'tool_call_requested');
  expect(requests.map(({ name, attempt }) => `${name} ${attempt}`).sort()).toEqual([
    'create_ticket 1',
    'look 1',
    'look 2',
    'page_oncall 1',
    'post_comment 1',
    'post_comment 2',
  ]);
  expect((await server.call<RunView>(`/runs/${runId}`)).body).toMatchObject({ status: 'completed' });
  expect((await server.call<Verdict>(`/runs/${runId}/verify`)).body).toMatchObject({ ok: true });
}, 60_000);
