import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type Agent, defineAgent } from '../../lib/agent.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import type { FakeDownstream } from './fake-downstream.ts';
import type { Stage } from './fault-stage.ts';
import type { Scenario } from './scenario.ts';

/**
 * The agent of a scenario, and those that it may start. Its model notes each call it gets, by the number of answers that
 * the prompt holds.
 */
export function agentsFor(
  scenario: Scenario,
  stage: Pick<Stage, 'operation' | 'world'>,
  downstream: FakeDownstream,
  asked: (answers: number) => void,
): Agent[] {
  const scripted = scriptedModel(scenario.script);
  const doGenerate = (options: LanguageModelV4CallOptions) =>
    stage.operation('model', () => {
      asked(options.prompt.filter((message) => message.role === 'assistant').length);
      return scripted.doGenerate(options);
    });
  const agent = defineAgent({
    name: 'agent',
    revision: '1',
    instructions: 'Do what the script says.',
    tools: scenario.tools({ stage, downstream }),
    model: { ...scripted, doGenerate },
    ...(scenario.snapshotEvery !== undefined && { snapshotEvery: scenario.snapshotEvery }),
    ...scenario.agent,
  });
  return [agent, ...(scenario.children?.(downstream) ?? [])];
}
