import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Event, eventSchema } from '../../lib/core/events.ts';
import { fold } from '../../lib/core/fold.ts';
import { parseEvent } from '../../lib/core/parse-event.ts';
import type { RunState } from '../../lib/core/state.ts';
import { tellStories } from './tell-stories.ts';

interface Golden {
  readonly title: string;
  readonly events: readonly Event[];
  readonly state: RunState;
}

const FOLDER = join(import.meta.dirname, 'logs');
const logs = readdirSync(FOLDER).map(
  (name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Golden,
);

test.each(logs.map((log) => [log.title, log] as const))(
  'the log of %s is read, and folds to the same state',
  (_, log) => {
    const events = log.events.map(parseEvent);
    expect(events).toEqual(log.events);
    expect(JSON.parse(JSON.stringify(fold(events)))).toEqual(log.state);
  },
);

test('the logs hold every type of event', () => {
  const known = eventSchema.options.map((option) => option.shape.type.value);
  const held = new Set(logs.flatMap((log) => log.events.map((event) => event.type)));
  expect([...held].sort()).toEqual([...known].sort());
});

test('this release still writes these logs', async () => {
  for (const [title, events] of await tellStories()) {
    const golden = logs.find((log) => log.title === title);
    const types = (log: readonly Event[] | undefined) => log?.map((event) => event.type);
    expect(types(events), title).toEqual(types(golden?.events));
  }
});
