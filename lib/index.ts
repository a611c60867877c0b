export {
  type Agent,
  type AgentOptions,
  defineAgent,
  type LimitOptions,
  type Prices,
  type Settings,
} from './agent.ts';
export type { Duration } from './core/duration.ts';
export { type Effect, type FindContext, type Found, keyed, lookup, once } from './core/effect.ts';
export { isStepfoldError, StepfoldError } from './core/errors.ts';
export type { Json } from './core/json.ts';
export type { Migratable, Migration } from './core/migration.ts';
export {
  type Approval,
  defineTool,
  type Tool,
  type ToolContext,
  ToolError,
  type ToolOptions,
} from './tool.ts';
export { agentTool } from './tools/agent-tool.ts';
export { askHuman } from './tools/ask-human.ts';
export { awaitSignal } from './tools/await-signal.ts';
export { sleepUntil } from './tools/sleep-until.ts';
