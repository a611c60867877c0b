import { describe, expect, test } from 'vitest';
import type { FaultMode } from '../support/fault-stage.ts';
import { type Edit, withMutation } from '../support/mutate.ts';
import type { Scenario } from '../support/scenario.ts';
import { sweepScenario } from '../support/sweep-scenario.ts';
import { SCENARIOS } from '../support/sweep-scenarios.ts';

interface Rule {
  readonly rule: string;
  readonly edits: readonly Edit[];
  /** The scenario and the kind of fault in which it must be missed. */
  readonly scenario: string;
  readonly mode: FaultMode;
}

const RULES: readonly Rule[] = [
  {
    rule: 'the claim is committed before the call is sent',
    scenario: 'a once call',
    mode: 'crash_after',
    edits: [
      {
        file: 'runtime/send-call.ts',
        passage: '  if (!(await claim(visit, call.callId, requested))) return;\n',
        replacement:
          '  const early = await runTool(visit, { tool, args, values, step, attempt: 1, idempotencyKey, timeoutMs: tool.timeoutMs });\n' +
          '  if (!(await claim(visit, call.callId, requested))) return;\n',
      },
      {
        file: 'runtime/send-call.ts',
        passage: 'await runTool(visit, { tool, args, values, step, attempt, idempotencyKey, timeoutMs })',
        replacement: 'early',
      },
    ],
  },
  {
    rule: 'a claim that was lost sends nothing',
    scenario: 'a once call',
    mode: 'duplicate',
    edits: [
      {
        file: 'runtime/send-call.ts',
        passage: 'if (!(await claim(visit, call.callId, requested))) return;',
        replacement: 'await claim(visit, call.callId, requested);',
      },
    ],
  },
  {
    rule: 'a model response is committed before its calls are taken up',
    scenario: 'a once call',
    mode: 'crash_before',
    edits: [
      {
        file: 'runtime/model-step.ts',
        passage: "  await commitOutcome(visit, { key: MODEL, step, attempt, by: 'claim', drafts });",
        replacement:
          "  for (const part of outcome.answer ? outcome.answer.completion.content.filter((each) => each.type === 'tool-call') : []) {\n" +
          '    const tool = agent.tools.find((each) => each.name === part.toolName);\n' +
          "    const idempotencyKey = visit.run.runId + ':' + (step + 1);\n" +
          '    early.set(step + 1, await runTool(visit, { tool, args: JSON.parse(part.input), values: await toolState(visit), step: step + 1, attempt: 1, idempotencyKey, timeoutMs: 1000 }));\n' +
          '  }\n' +
          "  await commitOutcome(visit, { key: MODEL, step, attempt, by: 'claim', drafts });",
      },
      {
        file: 'runtime/model-step.ts',
        passage: '/** How long one model call may take, in ms. */',
        replacement:
          "import { runTool } from './run-tool.ts';\nimport { toolState } from './tool-state.ts';\nexport const early = new Map();\n",
      },
      {
        file: 'runtime/send-call.ts',
        passage: 'await runTool(visit, { tool, args, values, step, attempt, idempotencyKey, timeoutMs })',
        replacement: 'early.get(step)',
      },
      {
        file: 'runtime/send-call.ts',
        passage: '/** Claims a call, runs its tool once',
        replacement: "import { early } from './model-step.ts';\n/** Claims a call, runs its tool once",
      },
    ],
  },
  {
    rule: 'a lost response is recognised as our own write',
    scenario: 'a once call',
    mode: 'lost',
    edits: [
      {
        file: 'runtime/visit.ts',
        passage: 'return there?.seq === made.seq && there.owner === made.owner && there.hash === made.hash;',
        replacement: 'return false;',
      },
    ],
  },
  {
    rule: 'who sees a live claim through its own message leaves a watching wake',
    scenario: 'a keyed call',
    mode: 'duplicate_crash',
    edits: [
      {
        file: 'runtime/finish.ts',
        passage: 'if (heir && pending.length > 0) await watch(visit, pending);',
        replacement: '',
      },
    ],
  },
  {
    rule: 'a lookup call is not asked about before its horizon has passed',
    scenario: 'a lookup call whose request lands after its connection has dropped',
    mode: 'crash_before',
    edits: [
      {
        file: 'core/next.ts',
        passage: 'return isLookup(call) ? (call.horizon ?? 0) : 0;',
        replacement: 'return isLookup(call) ? 0 : 0;',
      },
    ],
  },
  {
    rule: 'payloads are in the blob store before the commit that names them',
    scenario: 'results that spill, and a snapshot at every other step',
    mode: 'crash_after',
    edits: [
      {
        file: 'runtime/visit.ts',
        passage: 'sealed.map((event) => spill(rt, run, event))',
        replacement: 'sealed.map((event) => spill(lazy, run, event))',
      },
      {
        file: 'runtime/visit.ts',
        passage: '  const { messageId } = message;\n',
        replacement:
          '  const { messageId } = message;\n  const putAll = async () => { for (const put of later) await put(); };\n',
      },
      {
        file: 'runtime/visit.ts',
        passage: '  const at = instant(rt.world.clock.now());\n',
        replacement:
          '  const at = instant(rt.world.clock.now());\n' +
          '  const later: (() => Promise<void>)[] = [];\n' +
          '  const put = async (...args: Parameters<typeof rt.world.blobs.put>) => { later.push(() => rt.world.blobs.put(...args)); };\n' +
          '  const lazy = { ...rt, world: { ...rt.world, blobs: { ...rt.world.blobs, put } } };\n',
      },
      {
        file: 'runtime/visit.ts',
        passage: '  note(visit, after);\n  return true;\n',
        replacement: '  note(visit, after);\n  await putAll();\n  return true;\n',
      },
    ],
  },
  {
    rule: 'an outcome is appended only while the claim is our own',
    scenario: 'a keyed call',
    mode: 'takeover',
    edits: [
      {
        file: 'runtime/commit-outcome.ts',
        passage: 'while (isOurs(visit, outcome)) {',
        replacement: 'while (true) {',
      },
    ],
  },
  {
    rule: 'a once call that was cut off is never sent again by itself',
    scenario: 'a once call',
    mode: 'crash_after',
    edits: [
      {
        file: 'core/reconcile.ts',
        passage: "    default:\n      return 'doubt';",
        replacement: "    default:\n      return 'send';",
      },
    ],
  },
  {
    rule: 'wakes go out before the message is acknowledged',
    scenario: 'four calls at once, one of each effect',
    mode: 'crash_before',
    edits: [
      {
        file: 'runtime/finish.ts',
        passage: '  await sendWakes(visit, (key) => open.has(key));',
        replacement: '  if (visit.wakes.size < 3) await sendWakes(visit, (key) => open.has(key));',
      },
    ],
  },
];

describe.each(RULES)('without "$rule"', (rule) => {
  test(`the sweep of ${rule.mode} over ${rule.scenario} fails`, async () => {
    const scenario = SCENARIOS.find((each) => each.title === rule.scenario) as Scenario;
    const { failures } = await withMutation(rule.edits, (library) =>
      sweepScenario(scenario, rule.mode, { library }),
    );
    expect(failures).not.toEqual([]);
    expect(failures.filter((what) => /SyntaxError|ReferenceError|TypeError/.test(what))).toEqual([]);
  });
});
