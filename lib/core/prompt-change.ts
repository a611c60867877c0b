interface Prompt {
  instructions?: string;
  tools?: { name: string; description?: string; inputSchema?: unknown }[];
  model?: string;
  settings?: unknown;
  output?: unknown;
}

const MOST = 20;

/** What differs between two stored prompts, in words: which line of the instructions, which tool, which setting. */
export function describeChange(before: string, after: string): string[] {
  const old = JSON.parse(before) as Prompt;
  const now = JSON.parse(after) as Prompt;
  const words = [
    ...lines(old.instructions ?? '', now.instructions ?? ''),
    ...tools(old.tools ?? [], now.tools ?? []),
    ...(old.model === now.model ? [] : [`the model was ${old.model} and is ${now.model}`]),
    ...(same(old.settings, now.settings)
      ? []
      : [`the settings were ${show(old.settings)} and are ${show(now.settings)}`]),
    ...(same(old.output, now.output) ? [] : ['the schema of the output differs']),
  ];
  if (words.length === 0) return ['the prompt is the same; only the revision differs'];
  return words.length > MOST
    ? [...words.slice(0, MOST), `and ${words.length - MOST} more differences`]
    : words;
}

/** Line by line, leaving out what both begin and end with. */
function lines(before: string, after: string): string[] {
  if (before === after) return [];
  const old = before.split('\n');
  const now = after.split('\n');
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail))
    tail++;
  const gone = old
    .slice(head, old.length - tail)
    .map((line, index) => `line ${head + index + 1} of the instructions was: ${line}`);
  const come = now
    .slice(head, now.length - tail)
    .map((line, index) => `line ${head + index + 1} of the instructions is: ${line}`);
  return [...gone, ...come];
}

function tools(before: NonNullable<Prompt['tools']>, after: NonNullable<Prompt['tools']>): string[] {
  const words: string[] = [];
  for (const tool of before) {
    const now = after.find((each) => each.name === tool.name);
    if (!now) words.push(`the tool ${tool.name} is gone`);
    else if (now.description !== tool.description)
      words.push(`the description of the tool ${tool.name} differs`);
    if (now && !same(now.inputSchema, tool.inputSchema))
      words.push(`the input of the tool ${tool.name} differs`);
  }
  for (const tool of after)
    if (!before.some((each) => each.name === tool.name)) words.push(`the tool ${tool.name} is new`);
  const order = (list: typeof before) => list.map((each) => each.name).join();
  if (words.length === 0 && order(before) !== order(after)) words.push('the order of the tools differs');
  return words;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function show(value: unknown): string {
  return JSON.stringify(value ?? {}).slice(0, 200);
}
