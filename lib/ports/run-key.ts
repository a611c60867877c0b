/** Names one run. The tenant is part of every key, so that nobody reaches another tenant's run by guessing. */
export interface RunKey {
  readonly tenant: string;
  readonly runId: string;
}
