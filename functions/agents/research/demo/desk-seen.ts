import type { z } from 'zod';
import type { controlSchema } from '../desk/faults.ts';
import type { RecordedRequest } from '../desk/request-record.ts';

/** The ticket desk as somebody sees it who stands beside it: its records, and how it is told to misbehave. */
export class DeskSeen {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** What the desk received so far under an idempotency key, or asked for one, in its order. */
  async requests(key: string): Promise<RecordedRequest[]> {
    const { requests } = await this.#get<{ requests: RecordedRequest[] }>('/requests');
    return requests.filter((request) => request.key === key || request.path === findPath(key));
  }

  async tickets(key: string): Promise<{ id: string; status: string }[]> {
    const { tickets } = await this.#get<{ tickets: { id: string; key: string; status: string }[] }>(
      '/tickets',
    );
    return tickets.filter((ticket) => ticket.key === key);
  }

  async comments(key: string): Promise<{ id: string }[]> {
    const { comments } = await this.#get<{ comments: { id: string; key: string }[] }>('/comments');
    return comments.filter((comment) => comment.key === key);
  }

  async pages(key: string): Promise<{ id: string; at: string }[]> {
    const { pages } = await this.#get<{ pages: { id: string; key: string; at: string }[] }>('/pages');
    return pages.filter((page) => page.key === key);
  }

  /** Tells the desk how to misbehave; what is not named stays as it is. */
  async tell(routes: NonNullable<z.input<typeof controlSchema>['routes']>): Promise<void> {
    const answer = await fetch(`${this.url}/control`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ routes }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }

  async #get<T>(path: string): Promise<T> {
    const answer = await fetch(this.url + path);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return (await answer.json()) as T;
  }
}

function findPath(key: string): string {
  return `/tickets?key=${encodeURIComponent(key)}`;
}
