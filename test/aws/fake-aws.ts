import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import dynalite from 'dynalite';

/** A request as a service sees it. */
export interface Asked {
  readonly service: 'dynamodb' | 's3' | 'sqs' | 'scheduler' | 'events';
  /** The operation, or the method where there is none. */
  readonly operation: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** An answer as it goes over the wire; `undefined` cuts the connection. */
export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string | number>;
  readonly body: string | Buffer;
  /** The connection breaks after this much of the body. */
  readonly cut?: true;
}

/** A message on a queue. */
export interface Queued {
  readonly messageId: string;
  readonly queueUrl: string;
  readonly body: string;
  readonly delaySeconds: number;
  readonly group?: string;
}

/** A schedule as it was asked for. */
export interface Scheduled {
  readonly name: string;
  readonly group: string;
  readonly expression: string;
  readonly arn: string;
  readonly input: string;
}

type Disturb = (asked: Asked, pass: () => Promise<Answer>) => Promise<Answer | undefined>;

/**
 * The wire of AWS: dynalite for DynamoDB, and for the other services answers as they give them. It knows nothing of time:
 * whoever drives it decides when a message is received and when a schedule fires.
 */
export interface FakeAws {
  readonly url: string;
  readonly asked: Asked[];
  readonly sent: Queued[];
  readonly schedules: Scheduled[];
  readonly events: Record<string, unknown>[];
  readonly objects: Map<string, Buffer>;
  /** Comes between the requests and the services, until it is called again. */
  disturb(by?: Disturb): void;
  close(): Promise<void>;
}

export async function startFakeAws(): Promise<FakeAws> {
  const dynamo = dynalite({ createTableMs: 0 });
  const dynamoPort = await listen(dynamo);
  const state = { asked: [] as Asked[], sent: [] as Queued[], schedules: [] as Scheduled[] };
  const objects = new Map<string, Buffer>();
  const events: Record<string, unknown>[] = [];
  let disturbance: Disturb = (_, pass) => pass();

  async function serve(asked: Asked): Promise<Answer> {
    if (asked.service === 'dynamodb') return forward(dynamoPort, asked);
    if (asked.service === 's3') return s3(objects, asked);
    const input = JSON.parse(asked.body.toString()) as Record<string, unknown>;
    if (asked.service === 'sqs') return sqs(state.sent, input);
    if (asked.service === 'scheduler') return scheduler(state.schedules, asked, input);
    const entries = input.Entries as Record<string, unknown>[];
    events.push(...entries);
    return json(200, { FailedEntryCount: 0, Entries: entries.map(() => ({ EventId: randomUUID() })) });
  }

  const server = createServer(async (incoming, outgoing) => {
    const asked = await read(incoming);
    state.asked.push(asked);
    const answer = await disturbance(asked, () => serve(asked));
    if (!answer) return void incoming.socket.destroy();
    outgoing.writeHead(answer.status, { ...answer.headers, ...(answer.cut && { 'content-length': 1_000 }) });
    if (answer.cut) outgoing.write(answer.body, () => incoming.socket.destroy());
    else outgoing.end(answer.body);
  });
  const port = await listen(server);

  return {
    ...state,
    objects,
    events,
    url: `http://127.0.0.1:${port}`,
    disturb: (by = (_, pass) => pass()) => {
      disturbance = by;
    },
    async close() {
      for (const each of [server, dynamo]) {
        each.closeAllConnections();
        await new Promise<void>((resolve) => each.close(() => resolve()));
      }
    },
  };
}

/** The error of a service with a JSON protocol. */
export function fault(status: number, type: string, fields: Record<string, unknown> = {}): Answer {
  return json(status, { __type: type, message: `${type} as the service says it`, ...fields });
}

/** The error of S3. */
export function s3Fault(status: number, code: string, message = code): Answer {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}

export function json(status: number, value: unknown): Answer {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: JSON.stringify(value) };
}

const TARGETS = { DynamoDB_20120810: 'dynamodb', AmazonSQS: 'sqs', AWSEvents: 'events' } as const;

async function read(incoming: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const path = decodeURIComponent((incoming.url ?? '').split('?')[0] ?? '');
  const [prefix = '', operation = ''] = `${incoming.headers['x-amz-target'] ?? ''}`.split('.');
  const byTarget = TARGETS[prefix as keyof typeof TARGETS];
  const byPath = path.startsWith('/schedules/') ? 'scheduler' : 's3';
  return {
    service: byTarget ?? byPath,
    operation: operation || `${incoming.method}`,
    path,
    headers: incoming.headers,
    body: Buffer.concat(chunks),
  };
}

async function forward(port: number, { headers, body }: Asked): Promise<Answer> {
  const outgoing = request({ host: '127.0.0.1', port, method: 'POST', path: '/', headers });
  outgoing.end(body);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve).on('error', reject);
  });
  const { 'content-type': type, 'x-amz-crc32': crc } = answer.headers;
  const passed = { ...(type && { 'content-type': type }), ...(crc && { 'x-amz-crc32': `${crc}` }) };
  return { status: answer.statusCode ?? 500, headers: passed, body: await text(answer) };
}

/** Without the permission to list, what is missing is denied. */
function s3(objects: Map<string, Buffer>, { operation, path, headers, body }: Asked): Answer {
  const held = objects.get(path);
  if (operation === 'GET') {
    return held ? { status: 200, body: held } : s3Fault(403, 'AccessDenied', 'Access Denied');
  }
  if (held && headers['if-none-match'] === '*') {
    return s3Fault(
      412,
      'PreconditionFailed',
      'At least one of the pre-conditions you specified did not hold',
    );
  }
  const checksum = createHash('sha256').update(body).digest('base64');
  if (headers['x-amz-checksum-sha256'] !== checksum) return s3Fault(400, 'BadDigest');
  objects.set(path, body);
  return { status: 200, headers: { etag: '"1"' }, body: '' };
}

function sqs(sent: Queued[], input: Record<string, unknown>): Answer {
  const body = String(input.MessageBody);
  const group = input.MessageGroupId as string | undefined;
  const messageId = randomUUID();
  const delaySeconds = Number(input.DelaySeconds ?? 0);
  sent.push({
    messageId,
    queueUrl: String(input.QueueUrl),
    body,
    delaySeconds,
    ...(group !== undefined && { group }),
  });
  return json(200, { MessageId: messageId, MD5OfMessageBody: createHash('md5').update(body).digest('hex') });
}

function scheduler(schedules: Scheduled[], { path }: Asked, input: Record<string, unknown>): Answer {
  const name = path.slice('/schedules/'.length);
  const group = String(input.GroupName);
  if (schedules.some((each) => each.name === name && each.group === group)) {
    const conflict = json(409, { Message: `Schedule ${name} already exists.` });
    return { ...conflict, headers: { ...conflict.headers, 'x-amzn-errortype': 'ConflictException' } };
  }
  const target = input.Target as { Arn: string; Input: string };
  const expression = String(input.ScheduleExpression);
  schedules.push({ name, group, expression, arn: target.Arn, input: target.Input });
  return json(200, { ScheduleArn: `arn:aws:scheduler:eu-central-1:123456789012:schedule/${group}/${name}` });
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
