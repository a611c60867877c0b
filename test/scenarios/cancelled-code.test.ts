import { expect, test } from 'vitest';
import * as z from 'zod';
import { lookup } from '../../lib/core/effect.ts';
import { registryOf } from '../../lib/registry.ts';
import { cancelRun } from '../../lib/runtime/tell-run.ts';
import { defineTool } from '../../lib/tool.ts';
import { drive } from '../support/drive.ts';
import { callOnce, scene } from '../support/scene.ts';

const ask = defineTool({
  name: 'ask',
  description: 'Ask.',
  input: z.object({}),
  effect: lookup({ find: () => ({ found: 1 }), horizon: '60s' }),
  run: () => {
    throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  },
});

test.each([
  ['differs', (played: Awaited<ReturnType<typeof scene>>) => [played.agentOf({ revision: '2' })]],
  ['is gone', (played: Awaited<ReturnType<typeof scene>>) => [played.agentOf({ name: 'other' })]],
])(
  'a run whose code %s can still be cancelled; what its code could have asked is named as unresolved',
  async (_, deployed) => {
    const played = await scene({ tools: [ask], script: callOnce('ask') });
    await played.drive(1_000);
    expect((await played.types()).at(-1)).toBe('tool_call_failed');
    await cancelRun(played.rt, played.run, { by: 'ann' });
    await drive(played.world, { ...played.rt, agents: registryOf(deployed(played)) });
    expect(await played.view()).toMatchObject({ status: 'cancelled', unresolved: ['1.0'] });
    expect(await played.verify()).toEqual([]);
  },
);

test('a cancelled run asks where it can, and names nothing that is known', async () => {
  const played = await scene({ tools: [ask], script: callOnce('ask') });
  await played.drive(1_000);
  await cancelRun(played.rt, played.run, { by: 'ann' });
  await played.drive();
  expect(await played.view()).toMatchObject({ status: 'cancelled', unresolved: [] });
  expect((await played.events()).find((event) => event.type === 'tool_returned')).toMatchObject({
    source: 'reconciled',
  });
});
