import type { Agent } from '../agent.ts';
import { StepfoldError } from '../core/errors.ts';

/**
 * A limit in US dollars holds only where it is known what a token costs.
 *
 * @throws StepfoldError `no_prices`
 */
export function assertPriced({ name, prices }: Agent): void {
  if (prices) return;
  throw new StepfoldError(
    'no_prices',
    `expected no \`limits.costUsd\`: agent ${name} declares no \`prices\`, so that nobody knows what its tokens cost`,
  );
}
