import * as z from 'zod';
import { StepfoldError } from '../../../lib/index.ts';

const wholeMs = z.coerce.number().int().min(0);

const schema = z.object({
  /** Where the ticket desk answers. */
  STEPFOLD_DESK_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:4871'),
  /** How long a request of a dead worker may still reach the desk. */
  STEPFOLD_DESK_HORIZON: z.string().default('60s'),
  /** How long, in ms, a tool waits before it sends, so that a kill can hit a claimed call that was not sent. */
  STEPFOLD_DESK_SEND_DELAY: wholeMs.default(0),
  /** How long, in ms, each answer of the scripted model takes, so that a kill can hit a model call. */
  STEPFOLD_SCRIPT_DELAY: wholeMs.default(300),
  /** A file that gets one JSON line for each call that the scripted model receives. */
  STEPFOLD_MODEL_RECORD: z.string().min(1).optional(),
});

/**
 * What the sample takes from its environment.
 *
 * @throws StepfoldError `bad_environment` that names the variable.
 */
export const settings = read();

function read() {
  const parsed = schema.safeParse(process.env);
  if (!parsed.success) {
    throw new StepfoldError(
      'bad_environment',
      `the environment does not fit:\n${z.prettifyError(parsed.error)}`,
    );
  }
  const env = parsed.data;
  return {
    deskUrl: env.STEPFOLD_DESK_URL.replace(/\/$/, ''),
    deskHorizon: env.STEPFOLD_DESK_HORIZON,
    deskSendDelay: env.STEPFOLD_DESK_SEND_DELAY,
    scriptDelay: env.STEPFOLD_SCRIPT_DELAY,
    modelRecord: env.STEPFOLD_MODEL_RECORD,
  };
}
