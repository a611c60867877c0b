import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory that lasts as long as the test. */
export async function testDirectory(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'stepfold-local-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
