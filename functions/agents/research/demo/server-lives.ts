/** One life of a server, as its own log tells it. */
export interface ServerLife {
  pid: number;
  url: string;
  /** How many runs of earlier lives it took on. */
  unfinished: number;
  /** Whether it said that it stops. One that was killed had no time to. */
  saidGoodbye: boolean;
}

const GOODBYE = 'stopping:';

/** The lives in a log to which one server after the other appended: each begins with the JSON of its announcement. */
export function serverLives(log: string): ServerLife[] {
  const lives: ServerLife[] = [];
  for (const line of log.split('\n')) {
    const announced = announcement(line);
    const last = lives.at(-1);
    if (announced) lives.push({ ...announced, saidGoodbye: false });
    else if (last && line.startsWith(GOODBYE)) last.saidGoodbye = true;
  }
  return lives;
}

function announcement(line: string): Omit<ServerLife, 'saidGoodbye'> | undefined {
  if (!line.startsWith('{"url":')) return undefined;
  try {
    const { pid, url, unfinished } = JSON.parse(line) as ServerLife;
    return { pid, url, unfinished };
  } catch {
    return undefined;
  }
}
