import type { Notice, Notifier } from '../ports/notifier.ts';

/** Keeps every notice in the order in which it was told, repetitions included. */
export interface MemoryNotifier extends Notifier {
  notices(): Notice[];
}

export function memoryNotifier(): MemoryNotifier {
  const told: string[] = [];

  return {
    async tell(notice) {
      told.push(JSON.stringify(notice));
    },
    notices: () => told.map((text) => JSON.parse(text) as Notice),
  };
}
