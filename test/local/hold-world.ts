import { once } from 'node:events';
import { isStepfoldError } from '../../lib/core/errors.ts';
import { openLocalWorld } from '../../lib/local/local-world.ts';

// Opens the world when its standard input ends, prints what came of it, and keeps the world until it is killed.
console.log('ready');
await once(process.stdin.resume(), 'end');
try {
  const { world } = openLocalWorld({ dir: process.argv[2] ?? '' });
  // The caller keeps no handle of the lock: collecting what is unreachable must not free it.
  for (let i = 0; i < 5; i++) globalThis.gc?.();
  console.log(world.fence.lock?.id);
  setInterval(() => world.clock.now(), 60_000);
} catch (error) {
  console.log(isStepfoldError(error) ? error.code : String(error));
}
