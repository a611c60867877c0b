/** Who said something, in words: the names of runs and of the runtime itself are its own. */
export function who(by: string): string {
  const [, run] = /^run:(.*)$/s.exec(by) ?? [];
  return run === undefined ? by : `run ${run}`;
}
