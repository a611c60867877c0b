import type { Agent, AgentOptions } from '../../lib/agent.ts';
import type { RunKey } from '../../lib/ports/run-key.ts';
import type { InterruptView } from '../../lib/runtime/run-view.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import type { ScriptItem } from '../../lib/testing/index.ts';
import type { Tool } from '../../lib/tool.ts';
import type { FakeDownstream } from './fake-downstream.ts';
import type { Stage } from './fault-stage.ts';

/** Something that the outside does to a run. */
export type Outside = (rt: Runtime, run: RunKey) => Promise<unknown>;

/** What a person answers to an interrupt, or what happens about it; undefined leaves it to its time. */
export type Person = (
  interrupt: InterruptView,
  downstream: FakeDownstream,
) => { decision: string; value?: unknown } | Outside | undefined;

export interface Scenario {
  readonly title: string;
  readonly tools: (parts: {
    stage: Pick<Stage, 'operation' | 'world'>;
    downstream: FakeDownstream;
  }) => Tool[];
  readonly script: readonly ScriptItem[];
  readonly person?: Person;
  /** What the outside does right after the start. */
  readonly early?: Outside;
  /** What the outside does in the middle of some operation (fault mode `interject`). */
  readonly interject?: Outside;
  /** More of the agent under test. */
  readonly agent?: Partial<AgentOptions>;
  /** Agents that it may start as child runs. */
  readonly children?: (downstream: FakeDownstream) => Agent[];
  readonly snapshotEvery?: number;
  readonly spillAt?: number;
  /** How long the clock may run on at rest, for expiries. */
  readonly within?: number;
  readonly output?: unknown;
  /** How the run must end. @default completed */
  readonly ends?: readonly string[];
  /** How often each tool's effect must have been applied, whatever went wrong; a range where a person had to guess. */
  readonly effects: Readonly<Record<string, number | readonly [number, number]>>;
}
