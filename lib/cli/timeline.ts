import type { Event } from '../core/events.ts';
import { callNames } from './call-names.ts';
import { describeEvent } from './describe-event.ts';
import { formatClock, formatDay } from './format-time.ts';
import { paint } from './paint.ts';

/** Gives each event its line: time, step, what happened. Keeps in mind the day and the names of calls. */
export function createTimeline(stream: { isTTY?: boolean }): (event: Event) => string {
  const colour = paint(stream);
  const names = callNames();
  let day = '';
  return (event) => {
    names.remember(event);
    const { kind, text } = describeEvent(event, names.of);
    const dress = { good: colour.green, bad: colour.red, ask: colour.yellow, plain: (line: string) => line }[
      kind
    ];
    const step = event.step === 0 ? '' : `step ${event.step}`;
    const heading = formatDay(event.at) === day ? '' : `${colour.dim(formatDay(event.at))}\n`;
    day = formatDay(event.at);
    return `${heading}${colour.dim(formatClock(event.at))}  ${step.padEnd(8)}  ${dress(text)}\n`;
  };
}
