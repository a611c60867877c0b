/** How often an operation was called, and how many requests that took: the difference are retries. */
interface RequestCount {
  calls: number;
  requests: number;
}

/** What was asked of AWS, by client and operation, as in `DynamoDBClient.PutItemCommand`. */
export type RequestCounts = Map<string, RequestCount>;

type Next = (args: unknown) => Promise<unknown>;
type Middleware = (next: Next, context: { clientName?: string; commandName?: string }) => Next;

/** The stack of any client; the types of the SDK differ from client to client. */
interface Stack {
  add(middleware: Middleware, options: { step: 'initialize' | 'deserialize'; name: string }): void;
}

/** Counts what a client is asked and what it sends. There is one layer of retries, and it lies between the two. */
export function countRequests<C extends { middlewareStack: { use(plugin: never): void } }>(
  client: C,
  counts: RequestCounts,
): C {
  const counting =
    (field: keyof RequestCount): Middleware =>
    (next, { clientName, commandName }) =>
    (args) => {
      const operation = `${clientName}.${commandName}`;
      const count = counts.get(operation) ?? { calls: 0, requests: 0 };
      count[field]++;
      counts.set(operation, count);
      return next(args);
    };
  const applyToStack = (stack: Stack) => {
    stack.add(counting('calls'), { step: 'initialize', name: 'countCalls' });
    stack.add(counting('requests'), { step: 'deserialize', name: 'countRequests' });
  };
  client.middlewareStack.use({ applyToStack } as never);
  return client;
}
