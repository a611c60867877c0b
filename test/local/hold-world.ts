import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isStepfoldError } from '../../lib/core/errors.ts';
import { openLocalWorld } from '../../lib/local/local-world.ts';

// Opens the world when its standard input ends, prints what came of it, and keeps the world until it is killed.
console.log('ready');
await once(process.stdin.resume(), 'end');
try {
  const world = open();
  // Nobody keeps a handle of the lock: collecting what is unreachable must not free it.
  await nextTurn();
  globalThis.gc?.();
  await nextTurn();
  console.log(world.fence.lock?.id);
  setInterval(() => world.clock.now(), 60_000);
} catch (error) {
  console.log(isStepfoldError(error) ? error.code : String(error));
}

function open() {
  return openLocalWorld({ dir: process.argv[2] ?? '', notify: console.log }).world;
}
