import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../lib/agent.ts';
import type { Event } from '../../lib/core/events.ts';
import { payloadSlots } from '../../lib/core/payload.ts';
import { sweep } from '../../lib/runtime/sweep.ts';
import { sendMessage, sendSignal } from '../../lib/runtime/tell-run.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { defineTool } from '../../lib/tool.ts';
import { agentTool } from '../../lib/tools/agent-tool.ts';
import { askHuman } from '../../lib/tools/ask-human.ts';
import { awaitSignal } from '../../lib/tools/await-signal.ts';
import { scene } from '../support/scene.ts';

const DAY = 86_400_000;

/** A run in which everything that can spill has spilled, left where a person is to approve the last call. */
async function waiting() {
  const input = z.object({ text: z.string().default('') });
  const child = defineAgent({
    name: 'child',
    revision: '1',
    instructions: 'Be a child.',
    model: scriptedModel(['grown up by now']),
  });
  const sent: string[] = [];
  const note = defineTool({
    name: 'note',
    description: 'Note.',
    input,
    effect: 'read',
    run: ({ text }, { state }) => {
      state.set('noted', `noted: ${text}`);
      return `a result of ${text}`;
    },
  });
  const gate = defineTool({
    name: 'gate',
    description: 'Send.',
    input,
    effect: 'once',
    approval: {},
    run: ({ text }, { state }) => {
      sent.push(text);
      return `sent, ${String(state.get('noted'))}`;
    },
  });
  const call = (name: string, args: unknown) => ({ name, args });
  const question = { question: 'How?', schema: { type: 'string', description: 'In a few words.' } };
  const played = await scene({
    spillAt: 3,
    beside: [child],
    tools: [note, gate, agentTool(child), askHuman, awaitSignal],
    script: [
      {
        text: 'I begin with it now.',
        toolCalls: [
          call('note', { text: 'something to note' }),
          call('child', { input: 'grow up, please' }),
          call('askHuman', question),
          call('awaitSignal', { name: 'paid' }),
        ],
      },
      { toolCalls: [call('gate', { text: 'what is approved' })] },
      'all of it is done',
    ],
  });
  const { rt, run, drive, view, decide } = played;
  await sendMessage(rt, run, { content: 'take your time with it' });
  await sendSignal(rt, run, { name: 'paid', payload: { by: 'somebody else' } });
  await drive();
  const asked = (await view()).interrupts.find(({ reason }) => reason === 'awaiting_input');
  await decide(asked?.interruptId ?? '', 'answer', { value: 'as it was agreed' });
  await drive();
  const open = (await view()).interrupts[0]?.interruptId ?? '';
  return { ...played, sent, approve: () => decide(open, 'approve') };
}

/** Every payload that an event names, by the event's type and the field. */
function spilled(events: readonly Event[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const event of events) {
    for (const { holder, field } of payloadSlots(event)) {
      const ref = holder[`${field}Ref`] as { sha256: string } | undefined;
      if (ref) found.set(`${event.type}.${field}`, ref.sha256);
    }
  }
  return found;
}

const story = (events: readonly Event[]) => events.map(({ type }) => type);
const outcome = (events: readonly Event[]) => JSON.stringify([...spilled(events)]);

test('whatever payload is lost, nothing is guessed: the run goes on as if nothing had been, or waits until it is back', async () => {
  const whole = await waiting();
  const before = [...spilled(await whole.events()).keys()];
  await whole.approve();
  await whole.drive();
  const wanted = await whole.events();
  expect(before).toEqual(
    expect.arrayContaining([
      'run_started.input',
      'model_responded.completion',
      'tool_call_requested.args',
      'tool_returned.result',
      'state_patched.value',
      'message_received.content',
      'signal_received.payload',
      'interrupted.args',
      'interrupted.schema',
      'resumed.value',
    ]),
  );
  let stopped = 0;
  for (const place of before) {
    for (const instead of [undefined, Buffer.from('"something else"')]) {
      const played = await waiting();
      const { world, rt, sent } = played;
      const hash = spilled(await played.events()).get(place);
      const { get } = world.blobs;
      world.blobs.get = async (key, sha256) => (sha256 === hash ? instead : get(key, sha256));
      await played.approve();
      await played.drive();
      const { status, stalled } = await played
        .view()
        .catch(() => ({ status: 'stalled', stalled: undefined }));
      const header = await world.index.get(played.run);
      if (status !== 'completed') {
        stopped++;
        const { code } = header?.stalled ?? stalled ?? {};
        expect([place, code]).toEqual([place, instead ? 'payload_altered' : 'payload_missing']);
        expect(story(await played.events()).at(-1)).not.toBe('run_completed');
      }
      world.blobs.get = get;
      world.advanceTo(world.clock.now() + DAY);
      await sweep(rt);
      await played.drive();
      const events = await played.events();
      expect([place, story(events)]).toEqual([place, story(wanted)]);
      expect([place, outcome(events)]).toEqual([place, outcome(wanted)]);
      expect(sent).toEqual(['what is approved']);
      expect(await played.verify()).toEqual([]);
    }
  }
  expect(stopped).toBeGreaterThanOrEqual(10);
});
