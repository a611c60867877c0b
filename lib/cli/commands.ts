import type { AnyCommand } from './any-command.ts';

/** Every command, loaded only when it is used. */
export const commands: Record<string, () => Promise<AnyCommand>> = {
  dev: async () => (await import('./commands/dev.ts')).devCommand,
  start: async () => (await import('./commands/start.ts')).startCommand,
  runs: async () => (await import('./commands/runs.ts')).runsCommand,
  show: async () => (await import('./commands/show.ts')).showCommand,
  events: async () => (await import('./commands/events.ts')).eventsCommand,
  interrupts: async () => (await import('./commands/interrupts.ts')).interruptsCommand,
  approve: async () => (await import('./commands/approve.ts')).approveCommand,
  deny: async () => (await import('./commands/deny.ts')).denyCommand,
  answer: async () => (await import('./commands/answer.ts')).answerCommand,
  resolve: async () => (await import('./commands/resolve.ts')).resolveCommand,
  send: async () => (await import('./commands/send.ts')).sendCommand,
  signal: async () => (await import('./commands/signal.ts')).signalCommand,
  cancel: async () => (await import('./commands/cancel.ts')).cancelCommand,
  resume: async () => (await import('./commands/resume.ts')).resumeCommand,
  verify: async () => (await import('./commands/verify.ts')).verifyCommand,
};
