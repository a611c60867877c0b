import type { Timers } from '../ports/timers.ts';
import type { Wakes } from '../ports/wakes.ts';
import type { Alarms } from './alarms.ts';

/** Timers in the memory of this process, armed again when it starts. A name is free again once its timer has fired. */
export function localTimers({ alarms, wakes }: { alarms: Alarms; wakes: Wakes }): Timers {
  const armed = new Set<string>();

  return {
    async arm({ name, at, wake, lane }) {
      if (armed.has(name)) return;
      armed.add(name);
      alarms.at(at, () => {
        armed.delete(name);
        void wakes.send(wake, { lane });
      });
    },
  };
}
