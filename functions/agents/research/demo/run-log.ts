import type { Event, EventOf } from '../../../../lib/core/events.ts';

/** A run's log, as the story asks it. */
export class RunLog {
  readonly events: readonly Event[];

  constructor(events: readonly Event[]) {
    this.events = events;
  }

  get head(): number {
    return this.events.at(-1)?.seq ?? -1;
  }

  /** The attempts at model calls, in their order. */
  modelRequests(): EventOf<'model_call_requested'>[] {
    return this.events.filter((event) => event.type === 'model_call_requested');
  }

  /** The attempt at a model call that got the answer, if there is one: the last before it. */
  answeredAttempt(step: number): number | undefined {
    const answer = this.events.find((event) => event.type === 'model_responded' && event.step === step);
    if (!answer) return undefined;
    return this.modelRequests().findLast((event) => event.step === step && event.seq < answer.seq)?.attempt;
  }

  /** The attempts at the calls of a tool, in their order. */
  toolRequests(name: string): EventOf<'tool_call_requested'>[] {
    const requests = this.events.filter((event) => event.type === 'tool_call_requested');
    return requests.filter((event) => event.name === name);
  }

  /** How the first call of a tool was resolved, if it was. */
  toolReturned(name: string): EventOf<'tool_returned'> | undefined {
    const callId = this.toolRequests(name)[0]?.callId;
    return this.events
      .filter((event) => event.type === 'tool_returned')
      .find((event) => event.callId === callId);
  }

  /** How the first attempt at a tool failed, if one did. */
  toolFailed(name: string): EventOf<'tool_call_failed'> | undefined {
    const callId = this.toolRequests(name)[0]?.callId;
    const failed = this.events.filter((event) => event.type === 'tool_call_failed');
    return failed.find((event) => event.callId === callId);
  }

  /** The first pause for a reason. */
  interrupted(reason: EventOf<'interrupted'>['reason']): EventOf<'interrupted'> | undefined {
    return this.events
      .filter((event) => event.type === 'interrupted')
      .find((event) => event.reason === reason);
  }
}
