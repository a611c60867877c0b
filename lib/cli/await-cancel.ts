import { setTimeout as sleep } from 'node:timers/promises';
import type { RunView } from '../runtime/run-view.ts';
import type { ApiClient } from './api-client.ts';
import { patientClient } from './patient-client.ts';
import { startProgress } from './progress.ts';

const WAIT_SECONDS = 20;
const LOOK_MS = 200;
/** A run that was set aside is tried again for the cancel; that long it may stay so. */
const STALLED_MS = 5_000;

/** Waits until a run that somebody has cancelled has ended; gives up on one that stays stalled. */
export async function awaitCancel(api: ApiClient, run: string): Promise<RunView> {
  const progress = startProgress(`cancelling ${run}`);
  const patient = patientClient(api, progress);
  const giveUp = Date.now() + STALLED_MS;
  try {
    for (;;) {
      const view = await patient.get<RunView>(`/runs/${encodeURIComponent(run)}?wait=${WAIT_SECONDS}`);
      if (view.endedAt !== undefined || (view.status === 'stalled' && Date.now() > giveUp)) return view;
      progress.say(`cancelling ${run}`);
      // The answer comes at once while the run rests and nobody has taken the cancel up yet.
      await sleep(LOOK_MS);
    }
  } finally {
    progress.stop();
  }
}
