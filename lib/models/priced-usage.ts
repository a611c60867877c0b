import type { Prices } from '../agent.ts';
import type { TokenUsage } from '../core/event-parts.ts';

/** What was used, with what it cost where the agent's author has given prices. */
export function pricedUsage(usage: TokenUsage, prices: Prices | undefined): TokenUsage {
  if (!prices) return usage;
  const { inputTokens, cachedInputTokens, outputTokens } = usage;
  const fresh = Math.max(0, inputTokens - cachedInputTokens);
  const cached = cachedInputTokens * (prices.cachedInput ?? prices.input);
  return { ...usage, costUsd: (fresh * prices.input + cached + outputTokens * prices.output) / 1_000_000 };
}
