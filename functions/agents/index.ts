import { research } from './research/agent.ts';

export default [research];
