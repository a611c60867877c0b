import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished, vi } from 'vitest';
import { type Served, serve } from '../../lib/cli/serve.ts';
import type { Event } from '../../lib/core/events.ts';
import type { Agent } from '../../lib/index.ts';
import type { RunView } from '../../lib/runtime/run-view.ts';

/** An answer of the API; each has some of what is named in its body. */
export interface Answer {
  readonly status: number;
  readonly body: {
    readonly code?: string;
    readonly runId?: string;
    readonly by?: string;
    readonly decision?: string;
    readonly at?: string;
    readonly runs?: { runId: string; status: string }[];
    readonly [member: string]: unknown;
  };
}

/** The embedded world as `stepfold dev` serves it, in this process and with a client; it ends with the test. */
export class EmbeddedServer {
  readonly data: string;
  readonly #served: Served;

  private constructor(served: Served, data: string) {
    this.#served = served;
    this.data = data;
  }

  static async open(agents: readonly Agent[]): Promise<EmbeddedServer> {
    vi.stubEnv('STEPFOLD_TOKEN', undefined);
    const directory = mkdtempSync(join(tmpdir(), 'concurrency-'));
    const data = join(directory, 'data');
    const served = await serve({ agents, port: 0, dataDir: data });
    onTestFinished(async () => {
      await served.close().finally(() => rmSync(directory, { recursive: true, force: true }));
    });
    return new EmbeddedServer(served, data);
  }

  async get(path: string): Promise<Answer> {
    return answerOf(await fetch(this.#served.url + path));
  }

  async post(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    return answerOf(
      await fetch(this.#served.url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    );
  }

  async start(agent: string): Promise<string> {
    return String((await this.post('/runs', { agent, input: 'go' })).body.runId);
  }

  /** The run once it is paused or has ended. */
  async rest(runId: string): Promise<RunView> {
    return (await this.get(`/runs/${runId}?wait=20`)).body as unknown as RunView;
  }

  async events(runId: string): Promise<Event[]> {
    return (await this.get(`/runs/${runId}/events?limit=500`)).body.events as Event[];
  }

  /** Everything that the data directory holds, as text: equal texts mean that nothing was written in between. */
  contents(): string {
    const database = new DatabaseSync(join(this.data, 'stepfold.db'), { readOnly: true });
    try {
      const tables = database
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        .all();
      const rows = tables.map(({ name }) => [name, database.prepare(`SELECT * FROM "${name}"`).all()]);
      const blobs = readdirSync(join(this.data, 'blobs'), { recursive: true }).sort();
      const notices = readFileSync(join(this.data, 'notifications.jsonl'), 'utf8');
      return JSON.stringify({ rows, blobs, notices });
    } finally {
      database.close();
    }
  }
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

/** Twenty times the same, all at once. */
export function twenty<T>(each: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: 20 }, (_, index) => each(index)));
}
