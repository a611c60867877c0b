/** Something that people want to hear of. `id` is the same however often it is told. */
export interface Notice {
  readonly id: string;
  readonly type: 'interrupted' | 'ended';
  readonly tenant: string;
  readonly runId: string;
  readonly agent: string;
  readonly at: string;
  readonly interruptId?: string;
  readonly reason?: string;
  readonly summary?: string;
  readonly tool?: string;
  readonly status?: string;
}

/** Tells people, at least once. Telling the same id again may be heard twice; a notice that was told is never lost. */
export interface Notifier {
  tell(notice: Notice): Promise<void>;
}
