import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Desk, openDesk } from '../../functions/agents/research/desk/desk.ts';
import { DeskProcess } from '../agents/desk-process.ts';
import { MortalServer } from './mortal-server.ts';

/** The processes of a test: a server that is to be killed, and the desk that its agent works with. */
export interface Stage {
  readonly server: MortalServer;
  readonly deskProcess: DeskProcess;
  /** The desk's file, as its owner sees it. */
  readonly desk: Desk;
  /** The server's data directory. */
  readonly data: string;
  /** Where the model writes down its calls. */
  readonly record: string;
}

/**
 * Opens a stage that ends with the test, however that ends.
 *
 * @param options.ms how long the test may take: then everything that is waited for fails.
 * @param options.control how the desk is told to misbehave.
 */
export async function openStage({ ms, control }: { ms: number; control: object }): Promise<Stage> {
  const directory = mkdtempSync(join(tmpdir(), 'kills-'));
  const deskFile = join(directory, 'desk.db');
  const record = join(directory, 'model.jsonl');
  const data = join(directory, 'data');
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const deskProcess = await DeskProcess.start(deskFile, control);
  onTestFinished(async () => {
    await deskProcess.end('SIGKILL');
  });
  const desk = openDesk(deskFile);
  onTestFinished(() => desk.database.close());
  const server = new MortalServer(data, { KILLS_DESK: deskProcess.url, KILLS_MODEL_RECORD: record });
  onTestFinished(() => server.kill());
  const timer = setTimeout(() => server.giveUp(new Error(`the test took longer than ${ms} ms`)), ms);
  onTestFinished(() => {
    clearTimeout(timer);
    server.giveUp(new Error('the test is over'));
  });
  return { server, deskProcess, desk, data, record };
}
