import { expect, test } from 'vitest';
import type { Event } from '../../lib/core/events.ts';
import { sha256 } from '../../lib/core/hash.ts';
import { sendMessage, sendSignal } from '../../lib/runtime/tell-run.ts';
import { scene } from '../support/scene.ts';

test('a message is folded before the end even where another worker has folded what came before it meanwhile', async () => {
  const { world, rt, run, drive, types, verify } = await scene({ script: ['done', 'done'] });
  await sendSignal(rt, run, { name: 'paid', signalId: 's1' });
  await sendMessage(rt, run, { content: 'and this', messageId: 'm1' });
  const { append } = world.log;
  world.log.append = async (key, commit) => {
    const events = commit.events as Event[];
    if (!events.some((event) => event.type === 'message_received')) return append(key, commit);
    world.log.append = append;
    // A worker that read the inbox when only the signal was there is a moment faster.
    const earlier = events.slice(0, 1);
    await append(key, { ...commit, events: earlier, owner: 'other', hash: sha256(JSON.stringify(earlier)) });
    return append(key, commit);
  };
  await drive();
  expect((await types()).filter((type) => type.endsWith('_received'))).toEqual([
    'signal_received',
    'message_received',
  ]);
  expect(await verify()).toEqual([]);
});
