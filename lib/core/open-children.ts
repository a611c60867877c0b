import type { OpenInterrupt, RunState } from './state.ts';

/** A child run that its parent waits for. */
export type OpenChild = NonNullable<OpenInterrupt['child']> & { readonly interrupt: OpenInterrupt };

export function openChildren(state: RunState): OpenChild[] {
  return state.interrupts.flatMap((interrupt) =>
    interrupt.child ? [{ ...interrupt.child, interrupt }] : [],
  );
}
