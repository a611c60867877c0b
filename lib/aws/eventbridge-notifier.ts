import { StepfoldError, unavailable } from '../core/errors.ts';
import type { Notice, Notifier } from '../ports/notifier.ts';
import type { EventBridge } from './aws-clients.ts';
import { attempt } from './vendor-errors.ts';

const DETAIL_TYPES: Readonly<Record<Notice['type'], string>> = {
  interrupted: 'Run interrupted',
  ended: 'Run ended',
};

/** What the bus answers for an entry that it may take another time. */
const PASSING = /Throttl|Internal|Unavailable|Timeout/i;

/** Tells a bus the facts, one event for each notice; rules of the bus decide who hears of them. */
export function eventBridgeNotifier(options: { events: () => Promise<EventBridge>; bus: string }): Notifier {
  const { events, bus } = options;
  const what = `the bus ${bus}`;

  return {
    async tell(notice) {
      const { client, sdk } = await events();
      const entry = {
        EventBusName: bus,
        Source: 'stepfold',
        DetailType: DETAIL_TYPES[notice.type],
        Detail: JSON.stringify(notice),
        Time: new Date(notice.at),
      };
      const command = new sdk.PutEventsCommand({ Entries: [entry] });
      const answer = await attempt(what, (until) => client.send(command, until));
      // A refused entry does not make the request fail.
      const [refused] = (answer.Entries ?? []).filter(({ ErrorCode }) => ErrorCode !== undefined);
      if (refused) throw refusal(what, `${refused.ErrorCode}`, refused.ErrorMessage ?? '');
    },
  };
}

function refusal(what: string, code: string, message: string): StepfoldError {
  if (PASSING.test(code)) return unavailable(what, new Error(`${code}: ${message}`));
  return new StepfoldError('aws_refused', `expected ${what} to take a notice; it said ${code}: ${message}`, {
    details: { vendorCode: code },
  });
}
