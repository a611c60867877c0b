import { printReport } from './print-report.ts';
import { stackOf } from './thrown-text.ts';

/** An agent's code that fails in the background is reported; it must not end the runs of the others. */
export function outliveFailures(): void {
  process.on('unhandledRejection', (reason) => say('a rejection that nobody handles', reason));
  process.on('uncaughtException', (error) => say('an error that nobody catches', error));
}

function say(message: string, thrown: unknown): void {
  printReport({ level: 'error', message, fields: { error: stackOf(thrown) } });
}
