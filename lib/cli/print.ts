import { jsonText } from './visible.ts';

/** Prints an answer on stdout: one JSON value, or words for people. */
export function print(args: { json?: boolean | undefined }, answer: unknown, words: () => string): void {
  process.stdout.write(args.json ? `${jsonText(answer)}\n` : words());
}
