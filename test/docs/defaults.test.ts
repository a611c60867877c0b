import { expect, test } from 'vitest';
import * as z from 'zod';
import { remedyOf } from '../../lib/core/reconcile.ts';
import type { ToolCall } from '../../lib/core/state.ts';
import { defineAgent, defineTool, keyed, lookup, once } from '../../lib/index.ts';
import { scriptedModel } from '../../lib/testing/index.ts';

const plain = { description: '', input: z.object({}), run: () => null };

test('the defaults of a tool are those that the page names', () => {
  const tool = defineTool({ name: 'plain', ...plain });
  expect(tool).toMatchObject({
    effect: { kind: 'once', horizon: 60_000 },
    timeoutMs: 20_000,
    attempts: 4,
    resultLimit: 100_000,
  });
  expect(tool.approval).toBeUndefined();
  expect(tool.warnings).toEqual([expect.stringContaining("counts as 'once'")]);
  expect(once()).toEqual({ kind: 'once', horizon: 60_000 });
  expect(lookup({ find: () => 'unknown' })).toMatchObject({ horizon: 60_000 });
});

test('an approval asks about every call and never expires, unless it says otherwise', () => {
  const { approval } = defineTool({ name: 'gated', ...plain, effect: 'once', approval: {} });
  expect(approval?.when({})).toBe(true);
  expect(approval?.expiresInMs).toBeUndefined();
});

test('an agent has no limits but the depth, and refuses changed code', () => {
  const agent = defineAgent({ name: 'a', revision: '1', model: scriptedModel([]), instructions: '' });
  expect(agent).toMatchObject({ limits: { depth: 5 }, onVersionChange: 'refuse', snapshotEvery: 20 });
});

test('a keyed window below the timeout and 75 s never allows a second send', () => {
  const sentAt = Date.UTC(2026, 0, 1);
  const remedy = (window: string, after: number) => remedyOf(cutOff(window, sentAt), terms(sentAt + after));
  expect(remedy('94s', 0)).toBe('doubt');
  expect(remedy('95s', 0)).toBe('send');
  expect(remedy('95s', 1_000)).toBe('doubt');
  expect(remedy('24h', 3_600_000)).toBe('send');
});

/** A call of the default timeout whose worker is known to be dead. */
function cutOff(window: string, sentAt: number): ToolCall {
  const at = new Date(sentAt).toISOString();
  return {
    callId: '1.0',
    index: 0,
    name: 'pay',
    toolCallId: 'c',
    phase: 'unknown',
    step: 2,
    attempt: 1,
    crashes: 0,
    effect: 'keyed',
    window: keyed({ window }).window ?? 0,
    firstClaimAt: at,
    unknownAt: at,
  };
}

function terms(now: number) {
  return { now, margin: 0, attempts: 4, deadline: now + 20_000 + 15_000 };
}
