import * as z from 'zod';
import { defineAgent, defineTool } from '../../lib/index.ts';
import { scriptedModel } from '../../lib/testing/index.ts';

/** An agent whose tool is at work until it is told to end, and who is counted meanwhile. */
export function slowAgent() {
  const open = Promise.withResolvers<void>();
  const full = Promise.withResolvers<void>();
  const counted = { inFlight: 0, most: 0 };
  const work = defineTool({
    name: 'work',
    description: 'Work for a second and more.',
    input: z.object({}),
    effect: 'read',
    timeout: '60s',
    run: async () => {
      counted.inFlight++;
      counted.most = Math.max(counted.most, counted.inFlight);
      if (counted.inFlight === SLOTS) full.resolve();
      await open.promise;
      await new Promise((resolve) => setTimeout(resolve, WORK_MS));
      counted.inFlight--;
      return 'worked';
    },
  });
  const agent = defineAgent({
    name: 'worker',
    revision: '1',
    instructions: '',
    tools: [work],
    model: scriptedModel([{ toolCalls: [{ name: 'work', args: {} }] }, 'done']),
  });
  return { agent, counted, full: full.promise, finish: () => open.resolve() };
}

/** How many steps the server has in flight at once. */
export const SLOTS = 16;
const WORK_MS = 1_000;
