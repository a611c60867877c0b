import { writeSync } from 'node:fs';
import { openStore } from '../../lib/local/sqlite-store.ts';

// Appends until it is killed, and prints each seq when its append has returned.
const store = openStore(process.argv[2] ?? '');
for (let seq = 0; ; seq++) {
  const commit = { seq, events: [{ seq }], owner: 'owner', messageId: 'message', hash: 'hash' };
  await store.log.append({ tenant: 'tenant', runId: 'run' }, commit);
  writeSync(1, `${seq}\n`);
}
