import { setTimeout as sleep } from 'node:timers/promises';
import { isStepfoldError } from '../core/errors.ts';
import type { ApiClient } from './api-client.ts';
import type { Progress } from './progress.ts';

/** A server that was killed is started again: that long it is waited for. */
const PATIENCE_MS = 300_000;
const RETRY_MS = 500;

/** A client whose reads wait for a server that goes away. One that never answered is an error at once. */
export function patientClient(api: ApiClient, progress: Progress): ApiClient {
  let answered = false;
  return {
    ...api,
    async get<T>(path: string): Promise<T> {
      const end = Date.now() + PATIENCE_MS;
      for (;;) {
        try {
          const answer = await api.get<T>(path);
          answered = true;
          return answer;
        } catch (error) {
          if (!answered || !isStepfoldError(error, 'no_server') || Date.now() > end) throw error;
          progress.say('the server is gone; waiting for it to come back');
          await sleep(RETRY_MS);
        }
      }
    },
  };
}
