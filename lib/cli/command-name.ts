/** A command line as its reader has to type it: inside the repository `stepfold` is an npm script. */
export function stepfold(rest: string): string {
  const script =
    process.env.npm_lifecycle_event === 'stepfold' || process.env.npm_lifecycle_event === 'start';
  return script ? `npm run -s stepfold -- ${rest}` : `stepfold ${rest}`;
}
