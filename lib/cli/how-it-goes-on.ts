import { setTimeout as sleep } from 'node:timers/promises';
import type { RunView } from '../runtime/run-view.ts';
import type { ApiClient } from './api-client.ts';
import { stepfold } from './command-name.ts';
import { REASONS } from './describe-wait.ts';
import { visible } from './visible.ts';

const LOOK_MS = 50;
/** A run that cannot go on says so by then. */
const PATIENCE_MS = 750;

/**
 * How a run goes on after a decision, in a sentence: by itself, unless it is set aside or waits for something else, too.
 * The decision itself holds, whether or not the run can be looked at.
 */
export async function howItGoesOn(
  api: ApiClient,
  { run, decided }: { run: string; decided: string },
): Promise<string> {
  const view = await lookAt(api, run, decided).catch(() => undefined);
  const said = view === undefined ? 'The decision holds' : inWords(view, decided);
  return `${visible(said)}; see \`${stepfold(`show ${run}`)}\`.\n`;
}

/** The run once it rests after the decision, or as it is after a moment. */
async function lookAt(api: ApiClient, run: string, decided: string): Promise<RunView> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(LOOK_MS)) {
    const view = await api.get<RunView>(`/runs/${encodeURIComponent(run)}`);
    const taken = !view.interrupts.some(({ interruptId }) => interruptId === decided);
    const rests = view.status !== 'running' && view.status !== 'queued';
    if ((taken && rests) || Date.now() > end) return view;
  }
}

function inWords({ stalled, interrupts }: RunView, decided: string): string {
  if (stalled) return `The run is set aside and cannot go on: ${stalled.cause} (${stalled.code})`;
  const others = interrupts.filter(({ interruptId }) => interruptId !== decided);
  if (others.length === 0) return 'The run goes on by itself';
  const waits = others.map(({ interruptId, reason, tool }) => {
    const words = REASONS[reason as keyof typeof REASONS] ?? reason;
    return `${tool === undefined ? '' : `${tool} `}${words} (interrupt ${interruptId})`;
  });
  return `Still open: ${waits.join(', ')}`;
}
