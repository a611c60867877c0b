import type { DatabaseSync } from 'node:sqlite';
import { openDatabase } from './database.ts';
import { Faults } from './faults.ts';
import { HonouredKeys } from './honoured-keys.ts';
import { RequestRecord } from './request-record.ts';
import { Tickets } from './tickets.ts';

/** What the desk's operations work with. */
export interface Desk {
  readonly file: string;
  readonly database: DatabaseSync;
  readonly record: RequestRecord;
  readonly keys: HonouredKeys;
  readonly tickets: Tickets;
  readonly faults: Faults;
}

/** Opens the desk that lives in `file`, also while another process serves it, or after that was killed. */
export function openDesk(file: string): Desk {
  const database = openDatabase(file);
  return {
    file,
    database,
    record: new RequestRecord(database),
    keys: new HonouredKeys(database),
    tickets: new Tickets(database),
    faults: new Faults(),
  };
}
