import type { Event } from '../core/events.ts';
import { describeEvent } from './describe-event.ts';
import { formatClock, formatDay } from './format-time.ts';
import { paint } from './paint.ts';

/** Gives each event its line: time, step, what happened. Keeps in mind the day and the names of calls. */
export function createTimeline(stream: { isTTY?: boolean }): (event: Event) => string {
  const colour = paint(stream);
  const tools = new Map<string, string>();
  let day = '';
  return (event) => {
    remember(tools, event);
    const { kind, text } = describeEvent(event, (callId) => tools.get(callId) ?? `call ${callId}`);
    const dress = { good: colour.green, bad: colour.red, ask: colour.yellow, plain: (line: string) => line }[
      kind
    ];
    const step = event.step === 0 ? '' : `step ${event.step}`;
    const heading = formatDay(event.at) === day ? '' : `${colour.dim(formatDay(event.at))}\n`;
    day = formatDay(event.at);
    return `${heading}${colour.dim(formatClock(event.at))}  ${step.padEnd(8)}  ${dress(text)}\n`;
  };
}

function remember(tools: Map<string, string>, event: Event): void {
  if (event.type === 'tool_call_requested') tools.set(event.callId, event.name);
  if (event.type === 'interrupted' && event.callId && event.tool) tools.set(event.callId, event.tool);
  if (event.type !== 'model_responded') return;
  for (const [index, call] of event.calls.entries()) tools.set(`${event.step}.${index}`, call.name);
}
