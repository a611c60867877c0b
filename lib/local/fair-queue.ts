/**
 * A queue of queues: items of one key leave in order, and the next item is one of the key with the fewest items taken and
 * not done; among equals, of the one that was served longest ago.
 */
export interface FairQueue<T> {
  push(key: string, item: T): void;
  take(): T | undefined;
  /** Says that an item of this key that was taken is done with. */
  done(key: string): void;
}

interface Line<T> {
  readonly key: string;
  readonly items: T[];
  taken: number;
}

export function createFairQueue<T>(): FairQueue<T> {
  const lines = new Map<string, Line<T>>();
  /** The lines that have items, by how many of theirs are taken; a set keeps the order in which they came. */
  const waiting: Set<Line<T>>[] = [];

  function place(line: Line<T>): void {
    if (line.items.length > 0) {
      for (let i = waiting.length; i <= line.taken; i++) waiting.push(new Set());
      waiting[line.taken]?.add(line);
    } else if (line.taken === 0) {
      lines.delete(line.key);
    }
  }

  return {
    push(key, item) {
      const line = lines.get(key) ?? { key, items: [], taken: 0 };
      lines.set(key, line);
      line.items.push(item);
      place(line);
    },

    take() {
      const group = waiting.find((lines) => lines.size > 0);
      const [line] = group ?? [];
      if (!group || !line) return undefined;
      group.delete(line);
      line.taken++;
      const item = line.items.shift();
      place(line);
      return item;
    },

    done(key) {
      const line = lines.get(key);
      if (!line) return;
      waiting[line.taken]?.delete(line);
      line.taken--;
      place(line);
    },
  };
}
