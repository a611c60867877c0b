import { StepfoldError } from '../core/errors.ts';
import { copyJson, type Json } from '../core/json.ts';
import type { ToolContext } from '../tool.ts';
import { fetchPayload } from './payloads.ts';
import type { Visit } from './visit.ts';

/** `ctx.state` of one attempt: it reads what the log says, and its writes are committed with the call's result. */
export async function toolState({ rt, run, state }: Visit) {
  const values = new Map<string, Json>();
  for (const { key, value } of state.values) values.set(key, await fetchPayload(rt, run, value));
  const written = new Map<string, Json>();
  const access: ToolContext['state'] = {
    get: (key) => structuredClone(written.has(key) ? written.get(key) : values.get(key)),
    set(key, value) {
      const copied = typeof key === 'string' ? copyJson(value) : { problem: 'the key is not a string' };
      if ('problem' in copied) {
        throw new StepfoldError(
          'not_json',
          `expected state.set(${JSON.stringify(key)}) to be given what JSON can carry, but ${copied.problem}`,
        );
      }
      written.set(key, copied.value);
    },
  };
  return { state: access, patches: () => [...written].map(([key, value]) => ({ key, value })) };
}

export type ToolState = Awaited<ReturnType<typeof toolState>>;
