import { expect, test } from 'vitest';
import { createFairQueue } from '../../lib/local/fair-queue.ts';

test('the items of one key leave in order', () => {
  const queue = createFairQueue<number>();
  for (let i = 0; i < 5; i++) queue.push('a', i);
  expect(Array.from({ length: 6 }, () => queue.take())).toEqual([0, 1, 2, 3, 4, undefined]);
});

test('keys take turns, however many items one of them has', () => {
  const queue = createFairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.push('a', item);
  for (const item of ['b1', 'b2']) queue.push('b', item);
  queue.push('c', 'c1');
  expect(Array.from({ length: 7 }, () => queue.take())).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('a key that comes late is served before one that already has items at work', () => {
  const queue = createFairQueue<string>();
  for (const item of ['a1', 'a2', 'a3']) queue.push('a', item);
  queue.take();
  queue.take();
  queue.push('b', 'b1');
  expect(queue.take()).toBe('b1');
  queue.push('b', 'b2');
  expect(queue.take()).toBe('b2');
});

test('an item that is done counts no more', () => {
  const queue = createFairQueue<string>();
  for (const item of ['a1', 'a2', 'a3']) queue.push('a', item);
  queue.take();
  queue.push('b', 'b1');
  queue.push('b', 'b2');
  queue.take();
  queue.done('a');
  expect(queue.take()).toBe('a2');
  queue.done('unknown');
});
