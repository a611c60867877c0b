import type { Event } from '../core/events.ts';

/** Keeps in mind which tool a call or an interrupt is about, from the events that say so. */
export function callNames() {
  const names = new Map<string, string>();
  return {
    of: (id: string) => names.get(id),
    remember(event: Event) {
      if (event.type === 'tool_call_requested') names.set(event.callId, event.name);
      if (event.type === 'interrupted' && event.tool) {
        names.set(event.interruptId, event.tool);
        if (event.callId) names.set(event.callId, event.tool);
      }
      if (event.type !== 'model_responded') return;
      for (const [index, call] of event.calls.entries()) names.set(`${event.step}.${index}`, call.name);
    },
  };
}
