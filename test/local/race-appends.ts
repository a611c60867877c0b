import { once } from 'node:events';
import { openStore } from '../../lib/local/sqlite-store.ts';

// Appends one commit after another at seqs for which others append too, and prints the seqs that it won.
const [path = '', owner = '', count = ''] = process.argv.slice(2);
console.log('ready');
await once(process.stdin.resume(), 'end');
const store = openStore(path);
const won: number[] = [];
for (let seq = 0; seq < Number(count); seq++) {
  const commit = { seq, events: [{ seq, owner }], owner, messageId: 'message', hash: owner };
  if ((await store.log.append({ tenant: 'tenant', runId: 'run' }, commit)) === 'appended') won.push(seq);
}
console.log(JSON.stringify(won));
store.close();
