export { type Agent, type AgentOptions, defineAgent } from './agent.ts';
export type { Duration } from './core/duration.ts';
export { type Effect, type FindContext, type Found, keyed, lookup, once } from './core/effect.ts';
export { isStepfoldError, StepfoldError } from './core/errors.ts';
export {
  type Approval,
  defineTool,
  type Tool,
  type ToolContext,
  ToolError,
  type ToolOptions,
} from './tool.ts';
