import type { Json } from '../core/json.ts';
import type { InterruptView, RunView } from '../runtime/run-view.ts';
import { stepfold } from './command-name.ts';
import type { Facts } from './describe-wait.ts';
import { exampleOf } from './example-of.ts';
import { raisedLimit } from './format-limits.ts';
import type { Row } from './rows.ts';
import { shellWord } from './shell-word.ts';
import { visible } from './visible.ts';

/** The commands that end a wait, each on a line of its own, to be copied. */
export function waysOn(run: RunView, interrupt: InterruptView): Row[] {
  if (run.cancelRequested) return [];
  return commandsFor(run, interrupt).map(
    (command, index): Row => [index === 0 ? (HEADINGS[interrupt.reason] ?? 'decide') : 'or', command],
  );
}

const HEADINGS: Record<string, string> = {
  awaiting_input: 'answer',
  awaiting_message: 'send',
  awaiting_signal: 'signal',
  awaiting_child: 'see',
  budget_exceeded: 'raise it',
  provider_blocked: 'try again',
  version_mismatch: 'go on',
};

function commandsFor(run: RunView, interrupt: InterruptView): string[] {
  const { runId } = run;
  const { interruptId, reason, decisions, name = 'NAME', child } = interrupt;
  const which = `${runId} --interrupt ${interruptId}`;
  switch (reason) {
    case 'awaiting_approval':
      return [stepfold(`approve ${which}`), stepfold(`deny ${which} --note "why"`)];
    case 'awaiting_input':
      return [stepfold(`answer ${which} ${word(exampleOf(interrupt.schema))}`)];
    case 'awaiting_message':
      return [stepfold(`send ${runId} "your message"`)];
    case 'awaiting_signal':
      return [stepfold(`signal ${runId} ${word(name)} '{"any":"JSON"}'`)];
    case 'awaiting_child':
      return child ? [stepfold(`show ${child.runId}`)] : [];
    case 'budget_exceeded':
      return [stepfold(`resume ${runId} --limit ${raised(interrupt)}`), stepfold(`cancel ${runId}`)];
    case 'provider_blocked':
      return [stepfold(`resume ${runId}`), stepfold(`cancel ${runId}`)];
    case 'version_mismatch':
      return otherCode(run, interrupt);
    case 'in_doubt':
      return decisions.map((decision) =>
        stepfold(
          `resolve ${which} --decision ${decision}${decision === 'happened' ? " --value 'null'" : ''}`,
        ),
      );
    default:
      return [];
  }
}

function otherCode({ runId, agent }: RunView, { facts }: InterruptView): string[] {
  const { started, deployed } = (facts ?? {}) as Facts;
  const revision = visible(started?.revision ?? 'of the start');
  return [
    stepfold(`resume ${runId} --mode verbatim`),
    `${stepfold(`resume ${runId} --mode migrate`)}   # once migrations lead from ${revision} to ${visible(deployed?.revision ?? 'this')}`,
    `${stepfold(`resume --all --agent ${word(agent)} --mode verbatim`)}   # every such run`,
    `# serve revision ${revision} again, as it was: the run goes on by itself`,
    stepfold(`cancel ${runId}`),
  ];
}

function raised({ facts, since }: InterruptView): string {
  const { limit = 'NAME', used } = (facts ?? {}) as Facts;
  if (used === undefined) return `${visible(limit)}=VALUE`;
  const now = limit === 'wallClock' ? used + Date.now() - Date.parse(since) : used;
  return `${visible(limit)}=${raisedLimit(limit, now)}`;
}

/** A value of somebody else's as one word of a command, which nothing in it can leave. */
function word(value: Json): string {
  return visible(shellWord(typeof value === 'string' ? value : JSON.stringify(value)));
}
