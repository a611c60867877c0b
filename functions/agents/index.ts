import { research } from './research/agent.ts';
import { deskWarnings } from './research/desk/desk-warnings.ts';

export default [research];

/** `stepfold dev` asks for these when it serves the sample. */
export const warnings = deskWarnings;
