/** Who is asking, as far as it is verified. */
export interface Identity {
  /** The owner of the runs that this caller may see. */
  readonly tenant: string;
  /** The name under which decisions are logged. */
  readonly by: string;
}

/** Verifies a caller; undefined is answered with 401. */
export type Identify = (request: Request) => Identity | undefined | Promise<Identity | undefined>;
