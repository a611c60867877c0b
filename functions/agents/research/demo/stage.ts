import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiClient } from '../../../../lib/cli/api-client.ts';
import type { Event } from '../../../../lib/core/events.ts';
import type { RunView } from '../../../../lib/runtime/run-view.ts';
import { assertAlive, end, launch, runToEnd } from './child-processes.ts';
import { DeskSeen } from './desk-seen.ts';
import { type Look, unmet, until } from './expectation.ts';
import type { Narrator, Voice } from './narrator.ts';
import { readModelCalls, recordFiles } from './records.ts';
import type { ReceivedCall } from './resent-calls.ts';
import { RunLog } from './run-log.ts';
import { type Holds, ServerProcess } from './server-process.ts';

/** The processes of the story, and the telling: a line is told after its claim was looked up. */
export class Stage {
  readonly desk: DeskSeen;
  /** Servers that died of SIGKILL, as the operating system said. */
  killed = 0;
  readonly #directory: string;
  readonly #narrator: Narrator;
  readonly #deskProcess: { child: ChildProcess; log: string };
  #server: ServerProcess | undefined;

  /** Sets the stage: a desk in a process of its own, and no server yet. */
  static async open(directory: string, narrator: Narrator): Promise<Stage> {
    const log = join(directory, 'desk.log');
    const child = launch(DESK, ['--port', '0', '--data', recordFiles(directory).desk], { log });
    const url = await until('the ticket desk answers', () => {
      assertAlive('the desk', child, log);
      return /http:\/\/\S+/.exec(readFileSync(log, 'utf8'))?.[0];
    });
    return new Stage(directory, narrator, { child, log, url });
  }

  private constructor(
    directory: string,
    narrator: Narrator,
    desk: { child: ChildProcess; log: string; url: string },
  ) {
    this.#directory = directory;
    this.#narrator = narrator;
    this.#deskProcess = desk;
    this.desk = new DeskSeen(desk.url);
  }

  chapter(title: string): void {
    this.#narrator.chapter(title);
  }

  /** Tells what a record was just read to say. */
  tell(voice: Voice, text: string): void {
    this.#narrator.line(voice, text);
  }

  /** Tells a claim that holds now. @throws StepfoldError `demo_failed` when it does not. */
  claim(voice: Voice, text: string, record: { held: boolean; got: unknown }): void {
    if (!record.held) throw unmet(text, record.got);
    this.tell(voice, text);
  }

  /** Waits for a claim to come true, then tells it. @throws StepfoldError `demo_failed` when it does not in time. */
  async see<T>(voice: Voice, text: string, look: Look<T>): Promise<T> {
    const seen = await until(text, () => {
      assertAlive('the desk', this.#deskProcess.child, this.#deskProcess.log);
      this.#server?.assertAlive();
      return look();
    });
    this.tell(voice, text);
    return seen;
  }

  /** Starts the server, the first or one more on the same directory. */
  async serve(holds?: Holds): Promise<void> {
    const server = await ServerProcess.start(this.#directory, this.desk.url, holds);
    this.#server = server;
    const { url, pid, unfinished } = server;
    const runs = unfinished === 1 ? '1 unfinished run goes on' : `${unfinished} unfinished runs go on`;
    const again = this.killed === 0 ? '' : ` on the same directory: ${runs}`;
    this.tell('server', `started, pid ${pid}, at ${url}${again}`);
  }

  /** Kills the server with SIGKILL. */
  async kill(when: string): Promise<void> {
    const server = this.#theServer();
    server.assertAlive();
    const held = await server.kill();
    this.claim('KILL', `kill -9 ${server.pid}: ${when}`, { held, got: 'another end' });
    this.killed += 1;
    this.#server = undefined;
  }

  /** Stops server and desk, so that their files are whole. */
  async close(): Promise<void> {
    await this.#server?.stop();
    await end(this.#deskProcess.child, 'SIGTERM');
  }

  /** Runs the real command line against the server. */
  async stepfold(command: string, args: readonly string[]): Promise<Record<string, unknown>> {
    const typed = args.map((arg) => (/^[\w-]+$/.test(arg) ? arg : `'${arg}'`)).join(' ');
    this.tell('person', `$ stepfold ${command} ${typed}`);
    const said = await runToEnd(CLI, [command, ...args, '--url', this.url, '--json']);
    return JSON.parse(said) as Record<string, unknown>;
  }

  get url(): string {
    return this.#theServer().url;
  }

  async log(runId: string): Promise<RunLog> {
    const path = `/runs/${runId}/events?limit=500`;
    return new RunLog((await apiClient(this).get<{ events: Event[] }>(path)).events);
  }

  run(runId: string): Promise<RunView> {
    return apiClient(this).get(`/runs/${runId}`);
  }

  /** The calls that the model received so far. */
  modelCalls(): ReceivedCall[] {
    return readModelCalls(recordFiles(this.#directory).model);
  }

  #theServer(): ServerProcess {
    if (!this.#server) throw unmet('a server that runs', 'none');
    return this.#server;
  }
}

const DESK = fileURLToPath(new URL('../desk/main.ts', import.meta.url));
const CLI = fileURLToPath(new URL('../../../../lib/cli/main.ts', import.meta.url));
