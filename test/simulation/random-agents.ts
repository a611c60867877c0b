import { type Agent, defineAgent } from '../../lib/agent.ts';
import { type ScriptItem, scriptedModel } from '../../lib/testing/index.ts';
import type { Tool } from '../../lib/tool.ts';
import { agentTool } from '../../lib/tools/agent-tool.ts';
import { askHuman } from '../../lib/tools/ask-human.ts';
import { awaitSignal } from '../../lib/tools/await-signal.ts';
import { sleepUntil } from '../../lib/tools/sleep-until.ts';
import type { FakeDownstream } from '../support/fake-downstream.ts';
import { dropping, kinds, toolOf } from '../support/scenario-tools.ts';
import type { Chance } from './chance.ts';

/** An agent that does a little of everything, in an order of its own, and a child that it may start. */
export function randomAgents(chance: Chance, downstream: FakeDownstream): Agent[] {
  const child = randomChild(chance, downstream);
  const expiry = (expiresIn: string) => (chance.happens(0.5) ? { expiresIn } : {});
  const tools: Tool[] = [
    ...kinds.map((kind) => toolOf(kind, downstream)),
    ...kinds.map((kind) => ({ ...dropping(kind, downstream), name: `dropped_${kind}` })),
    toolOf('keyed', downstream, { name: 'gated', gated: true, ...expiry(chance.pick(['20s', '5m'])) }),
    toolOf('once', downstream, { name: 'gated_once', gated: true, ...expiry('60s') }),
    sleepUntil,
    awaitSignal,
    askHuman,
    agentTool(child),
  ];
  const limits = {
    ...(chance.happens(0.3) && { parallelCalls: 1 + chance.int(2) }),
    ...(chance.happens(0.15) && { steps: 1 + chance.int(6) }),
  };
  const agent = defineAgent({
    name: 'agent',
    revision: '1',
    instructions: 'Act.',
    model: scriptedModel(randomScript(chance, [...tools.map(({ name }) => name), 'unknown'])),
    tools,
    limits,
    snapshotEvery: chance.pick([1, 2, 20]),
    conversation: chance.happens(0.2),
  });
  return [agent, child];
}

function randomChild(chance: Chance, downstream: FakeDownstream): Agent {
  const work: ScriptItem[] = chance.happens(0.5) ? [{ toolCalls: [{ name: 'chore', args: {} }] }] : [];
  return defineAgent({
    name: 'child',
    revision: '1',
    instructions: 'Be a child.',
    tools: [toolOf('keyed', downstream, { name: 'chore' })],
    model: scriptedModel([...work, 'grown']),
  });
}

function randomScript(chance: Chance, names: readonly string[]): ScriptItem[] {
  const script: ScriptItem[] = [];
  for (let turns = 1 + chance.int(3); turns > 0; turns--) {
    const calls = Array.from({ length: 1 + chance.int(4) }, () => randomCall(chance, chance.pick(names)));
    script.push({ toolCalls: calls });
    if (chance.happens(0.3)) script.push('so far');
  }
  // Messages may ask for more.
  return [...script, ...Array.from({ length: 12 }, () => 'done')];
}

function randomCall(chance: Chance, name: string): { name: string; args: unknown } {
  const timeout = chance.happens(0.5) ? { timeout: chance.pick(['10s', '60s', '5m']) } : {};
  switch (name) {
    case 'sleepUntil':
      return { name, args: { for: chance.pick(['0s', '5s', '60s', '10m']) } };
    case 'awaitSignal':
      return { name, args: { name: chance.pick(['paid', 'sent']), ...timeout } };
    case 'askHuman':
      return { name, args: { question: 'Well?', ...timeout } };
    case 'child':
      return { name, args: { input: 'go' } };
    default:
      return { name, args: {} };
  }
}
