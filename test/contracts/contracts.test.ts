import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openLocalWorld } from '../../lib/local/local-world.ts';
import { createMemoryWorld, type MemoryWorld } from '../../lib/memory/memory-world.ts';
import type { Notice } from '../../lib/ports/notifier.ts';
import type { Message } from '../../lib/ports/wakes.ts';
import type { World } from '../../lib/ports/world.ts';
import { closeAws, openAws } from '../aws/open-for-contracts.ts';
import { blobsContract } from './blobs.contract.ts';
import { decisionsContract } from './decisions.contract.ts';
import { eventLogContract } from './event-log.contract.ts';
import { idsContract } from './ids.contract.ts';
import { inboxContract } from './inbox.contract.ts';
import { notifierContract, type WithNotices } from './notifier.contract.ts';
import { runIndexContract } from './run-index.contract.ts';
import { timersContract } from './timers.contract.ts';
import { type WithDelivery, wakesContract } from './wakes.contract.ts';

type OpenWorld = () => Promise<WithDelivery & WithNotices & { world: World }>;
const worlds: Record<string, OpenWorld> = { memory: openMemory, local: openLocal, aws: openOnAws };
afterAll(closeAws);

for (const [name, open] of Object.entries(worlds)) {
  eventLogContract(name, open);
  runIndexContract(name, open);
  inboxContract(name, open);
  decisionsContract(name, open);
  blobsContract(name, open);
  wakesContract(name, open);
  timersContract(name, open);
  notifierContract(name, open);
  idsContract(name, open);
}

async function openMemory(): ReturnType<OpenWorld> {
  return driven(createMemoryWorld());
}

async function openOnAws(): ReturnType<OpenWorld> {
  return driven((await openAws()).world);
}

/** A world in which messages are received as its driver moves its clock. */
function driven(world: MemoryWorld) {
  return {
    world,
    async deliver(count: number, handler: (message: Message) => Promise<void>) {
      for (let delivered = 0; delivered < count; delivered++) {
        world.advanceTo(world.nextAt()!);
        const { receipt, ...message } = world.receive()!;
        await handler(message).then(
          () => world.acknowledge(receipt),
          () => {},
        );
      }
    },
    notices: async () => world.notices(),
    close: async () => {},
  };
}

async function openLocal(): ReturnType<OpenWorld> {
  const dir = await mkdtemp(join(tmpdir(), 'stepfold-contract-'));
  const { world, start, close } = openLocalWorld({ dir });
  const mail = mailbox();
  start(mail.put);
  return {
    world,
    async deliver(count, handler) {
      for (let delivered = 0; delivered < count; delivered++) {
        const { message, acknowledge, fail } = await mail.take();
        await handler(message).then(acknowledge, fail);
      }
    },
    notices: async () => {
      const text = await readFile(join(dir, 'notifications.jsonl'), 'utf8');
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Notice);
    },
    async close() {
      await close();
      await rm(dir, { recursive: true });
    },
  };
}

interface Letter {
  message: Message;
  acknowledge: () => void;
  fail: (error: unknown) => void;
}

/** Lets a test take messages one by one from workers that are pushed to. */
function mailbox() {
  const letters: Letter[] = [];
  const takers: ((letter: Letter) => void)[] = [];
  return {
    put(message: Message): Promise<void> {
      const { promise, resolve: acknowledge, reject: fail } = Promise.withResolvers<void>();
      const letter = { message, acknowledge, fail };
      const taker = takers.shift();
      if (taker) taker(letter);
      else letters.push(letter);
      return promise;
    },
    async take(): Promise<Letter> {
      return letters.shift() ?? new Promise((resolve) => takers.push(resolve));
    },
  };
}
