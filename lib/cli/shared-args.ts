import { limitsSchema } from '../core/event-parts.ts';

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

export const byArg = {
  by: { type: 'string', description: 'Who says so; else your user name', valueHint: 'NAME' },
} as const;

export const limitArg = {
  limit: {
    type: 'string',
    description: `A limit (${Object.keys(limitsSchema.shape).join(', ')}); may be given several times`,
    valueHint: 'NAME=VALUE',
  },
} as const;

/** What every command that decides takes. */
export const decisionArgs = {
  ...runArg,
  interrupt: { type: 'string', description: 'Which interrupt, where several are open', valueHint: 'ID' },
  ...byArg,
  note: { type: 'string', description: 'A note that is logged with the decision', valueHint: 'TEXT' },
} as const;
