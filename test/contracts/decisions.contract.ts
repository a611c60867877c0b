import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Decision, Decisions } from '../../lib/ports/decisions.ts';
import { AWKWARD_VALUES, expectIdentical } from './awkward-values.ts';
import { freshRun, type Open } from './open.ts';

/** What every store of decisions does. */
export function decisionsContract(name: string, open: Open<'decisions'>): void {
  describe(`decisions: ${name}`, () => {
    let decisions: Decisions;
    let close: () => Promise<void>;

    beforeEach(async () => {
      const opened = await open();
      decisions = opened.world.decisions;
      close = opened.close;
    });
    afterEach(() => close());

    test('a slot is empty until somebody decides', async () => {
      expect(await decisions.get(freshRun(), 'int-1')).toBeUndefined();
    });

    test('the first decision wins its slot and is what the slot holds', async () => {
      const run = freshRun();
      const decision = decisionBy('ada');
      expect(await decisions.put(run, decision)).toEqual({ won: true, holds: decision });
      expect(await decisions.get(run, 'int-1')).toEqual(decision);
    });

    test('a later decision loses and is told what the slot holds, the same decision again too', async () => {
      const run = freshRun();
      await decisions.put(run, decisionBy('ada'));
      expect(await decisions.put(run, decisionBy('bob'))).toEqual({ won: false, holds: decisionBy('ada') });
      expect(await decisions.put(run, decisionBy('ada'))).toEqual({ won: false, holds: decisionBy('ada') });
    });

    test('of 20 people who decide at once one wins and all are told the same', async () => {
      const run = freshRun();
      const people = Array.from({ length: 20 }, (_, i) => `person ${i}`);
      const answers = await Promise.all(people.map((by) => decisions.put(run, decisionBy(by))));
      expect(answers.filter(({ won }) => won)).toHaveLength(1);
      const winner = people[answers.findIndex(({ won }) => won)]!;
      for (const { holds } of answers) expect(holds).toEqual(decisionBy(winner));
      expect(await decisions.get(run, 'int-1')).toEqual(decisionBy(winner));
    });

    test('interrupts, runs and tenants have slots of their own', async () => {
      const run = freshRun();
      await decisions.put(run, decisionBy('ada'));
      expect((await decisions.put(run, { ...decisionBy('bob'), interruptId: 'int-2' })).won).toBe(true);
      expect((await decisions.put({ ...run, tenant: 'other' }, decisionBy('bob'))).won).toBe(true);
      expect((await decisions.put(freshRun(), decisionBy('bob'))).won).toBe(true);
      expect(await decisions.get(run, 'int-1')).toEqual(decisionBy('ada'));
    });

    test.each(Object.keys(AWKWARD_VALUES))('%s comes back identical', async (which) => {
      const run = freshRun();
      const decision = { ...decisionBy('ada'), note: 'a\u0000b\ud800', value: AWKWARD_VALUES[which] };
      expectIdentical((await decisions.put(run, decision)).holds, decision);
      expectIdentical(await decisions.get(run, 'int-1'), decision);
    });
  });
}

function decisionBy(by: string): Decision {
  return { interruptId: 'int-1', decision: 'approve', by, at: '2026-01-01T00:00:00.000Z' };
}
