/** The version of the tables below, kept in `PRAGMA user_version`. */
export const SCHEMA_VERSION = 3;

/**
 * The tables of `stepfold.db`. Commits and manifests are packed JSON, other values JSON text, in which NUL characters and
 * lone surrogates are escapes; the columns beside it are what is searched, compared or changed alone.
 *
 * A commit's id is its run's number, times 2^32, plus its seq: the commits of a run lie side by side, and need no index.
 */
export const SCHEMA = `
  CREATE TABLE runs (
    number INTEGER PRIMARY KEY, tenant TEXT NOT NULL, run TEXT NOT NULL,
    UNIQUE (tenant, run)
  ) STRICT;

  CREATE TABLE commits (
    id INTEGER PRIMARY KEY, last INTEGER NOT NULL, body BLOB NOT NULL
  ) STRICT;

  CREATE TABLE manifests (
    number INTEGER PRIMARY KEY, seq INTEGER NOT NULL, body BLOB NOT NULL
  ) STRICT;

  CREATE TABLE evidence (
    tenant TEXT NOT NULL, run TEXT NOT NULL, call_id TEXT NOT NULL, attempt INTEGER NOT NULL, owner TEXT NOT NULL,
    at TEXT NOT NULL, evidence TEXT NOT NULL,
    PRIMARY KEY (tenant, run, call_id, attempt, owner)
  ) STRICT;

  CREATE TABLE headers (
    tenant TEXT NOT NULL, run TEXT NOT NULL, seq INTEGER NOT NULL, agent TEXT NOT NULL, status TEXT NOT NULL,
    created_at TEXT NOT NULL, wake_at REAL, stalled TEXT, rest TEXT NOT NULL,
    PRIMARY KEY (tenant, run)
  ) STRICT;
  CREATE INDEX headers_by_age ON headers (tenant, created_at, run);
  CREATE INDEX headers_by_wake ON headers (wake_at) WHERE wake_at IS NOT NULL;

  CREATE TABLE inbox (
    tenant TEXT NOT NULL, run TEXT NOT NULL, number INTEGER NOT NULL, entry TEXT NOT NULL,
    PRIMARY KEY (tenant, run, number)
  ) STRICT;

  CREATE TABLE decisions (
    tenant TEXT NOT NULL, run TEXT NOT NULL, interrupt TEXT NOT NULL, decision TEXT NOT NULL,
    PRIMARY KEY (tenant, run, interrupt)
  ) STRICT;
`;
