/** What every command takes. */
export const outputArgs = {
  json: { type: 'boolean', description: 'Print one JSON value for programs' },
} as const;

/** What every command that asks a server takes. */
export const serverArgs = {
  ...outputArgs,
  url: {
    type: 'string',
    description: 'The API to talk to; else STEPFOLD_URL, else the embedded world on port 4870',
    valueHint: 'URL',
  },
} as const;

export const runArg = {
  run: { type: 'positional', description: 'The id of the run', required: true },
} as const;

/** What every command that decides takes. */
export const decisionArgs = {
  ...runArg,
  interrupt: { type: 'string', description: 'Which interrupt, where several are open', valueHint: 'ID' },
  by: { type: 'string', description: 'Who decides; else your user name', valueHint: 'NAME' },
  note: { type: 'string', description: 'A note that is logged with the decision', valueHint: 'TEXT' },
} as const;
