import { expect, test } from 'vitest';
import { assertReadable, parseEvent } from '../../lib/core/parse-event.ts';

const started = {
  v: 1,
  seq: 0,
  step: 0,
  at: '2026-01-01T00:00:00.000Z',
  type: 'run_started',
  agent: 'a',
  revision: '1',
  promptHash: 'h',
  input: 'go',
} as const;

test.each([
  ['of a type that this code does not know', { ...started, type: 'run_dreamt' }],
  ['of a later version', { ...started, v: 2 }],
  ['with a field that this code does not know', { ...started, mood: 'good' }],
  ['without a field that it must have', { ...started, agent: undefined }],
  ['that is none', null],
])('an event %s is not read', (_, event) => {
  expect(() => parseEvent(event)).toThrow(expect.objectContaining({ code: 'unknown_event' }));
});

test('what could not be read back is refused before it is written, and says where', () => {
  expect(() => assertReadable(started)).not.toThrow();
  const far = { ...started, at: '+010000-01-01T00:00:00.000Z' };
  expect(() => assertReadable(far)).toThrow(/run_started at seq 0[\s\S]*at at/);
  expect(() => assertReadable(far)).toThrow(expect.objectContaining({ code: 'bad_event' }));
});
