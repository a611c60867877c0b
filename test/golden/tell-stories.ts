import { APICallError } from '@ai-sdk/provider';
import * as z from 'zod';
import type { Event } from '../../lib/core/events.ts';
import { registryOf } from '../../lib/registry.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { defineTool } from '../../lib/tool.ts';
import { drive } from '../support/drive.ts';
import { play } from '../support/play-scenario.ts';
import { callOnce, scene } from '../support/scene.ts';
import { SCENARIOS } from '../support/sweep-scenarios.ts';
import { CANCELS, WAITS } from '../support/wait-scenarios.ts';

const TITLES = [
  'a keyed call whose connection drops after the work',
  'a lookup call whose connection drops after the work',
  'a once call whose connection drops after the work',
  'a call that cannot connect at first',
  'an approval that is given',
  'an approval that is denied',
  'an approval that expires in a week',
  'results that spill, and a snapshot at every other step',
  'a sleep of a day',
  'a question that is answered',
  'a signal that comes before anything awaits it',
  'a conversation of two turns',
  'a child run',
  'a budget that is met and raised',
  'state that a tool writes',
  'a cancel from the very start',
];

/** The events of runs that meet everything there is, by what happens in them. */
export async function tellStories(): Promise<Map<string, readonly Event[]>> {
  const stories = new Map<string, readonly Event[]>();
  for (const title of TITLES) {
    const scenario = [...SCENARIOS, ...WAITS, ...CANCELS].find((each) => each.title === title);
    if (!scenario) throw new Error(`there is no scenario ${title}`);
    stories.set(title, (await play(scenario)).events);
  }
  stories.set('an agent that has moved on by a migration', await migrated());
  stories.set('a provider that fails, then refuses', await troubled());
  stories.set('an output that never fits', await misfitting());
  return stories;
}

async function migrated(): Promise<readonly Event[]> {
  const gate = defineTool({
    name: 'gate',
    description: 'Gate.',
    input: z.object({}),
    effect: 'read',
    approval: {},
    run: () => 1,
  });
  const played = await scene({ tools: [gate], script: callOnce('gate') });
  await played.drive();
  const migrate = (state: { messages: never[]; values: object }) => ({
    messages: state.messages,
    values: { moved: true },
  });
  const agent = played.agentOf({
    revision: '2',
    migrations: [{ from: '1', to: '2', migrate: migrate as never }],
  });
  await played.decide((await played.view()).interrupts[0]?.interruptId ?? '', 'approve');
  await drive(played.world, { ...played.rt, agents: registryOf([agent]) });
  return played.events();
}

async function troubled(): Promise<readonly Event[]> {
  const failures = [529, 400].map(
    (statusCode) =>
      new APICallError({
        message: `status ${statusCode}`,
        url: 'http://provider',
        requestBodyValues: {},
        statusCode,
      }),
  );
  const model = scriptedModel(['done']);
  const played = await scene({
    model: {
      ...model,
      doGenerate: (options) =>
        failures.length > 0 ? Promise.reject(failures.shift()) : model.doGenerate(options),
    },
  });
  await played.drive();
  return played.events();
}

async function misfitting(): Promise<readonly Event[]> {
  const played = await scene({
    output: z.object({ answer: z.number() }),
    script: Array.from({ length: 9 }, () => 'no JSON'),
  });
  await played.drive();
  return played.events();
}
