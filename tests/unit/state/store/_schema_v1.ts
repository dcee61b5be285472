/**
 * The first schema as it was released, for the tests of migrations. Never to be changed.
 *
 * @module
 */

/** What creates an empty database of version 1. */
export const SCHEMA_V1 = `
  CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    root TEXT NOT NULL,
    ecosystem TEXT NOT NULL,
    action TEXT NOT NULL,
    tool TEXT NOT NULL,
    args TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    lock_key TEXT,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    exit_code INTEGER,
    session_id TEXT,
    origin TEXT NOT NULL,
    requested_by TEXT NOT NULL,
    confirmation TEXT,
    fingerprint TEXT NOT NULL,
    preview TEXT NOT NULL,
    cancel_requested_at INTEGER,
    result TEXT,
    error TEXT,
    pid INTEGER,
    pid_started_at TEXT,
    boot_id TEXT,
    heartbeat_at INTEGER,
    event_count INTEGER NOT NULL DEFAULT 0,
    event_bytes INTEGER NOT NULL DEFAULT 0,
    last_event_at INTEGER,
    last_message TEXT
  ) STRICT;
  CREATE UNIQUE INDEX runs_one_holder ON runs (lock_key)
    WHERE lock_key IS NOT NULL AND status IN ('queued', 'running', 'paused');
  CREATE INDEX runs_newest ON runs (created_at DESC);
  CREATE INDEX runs_by_ecosystem ON runs (root, ecosystem, created_at DESC);
  CREATE INDEX runs_active ON runs (status) WHERE status IN ('queued', 'running', 'paused');

  CREATE TABLE run_events (
    run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    level INTEGER NOT NULL,
    type TEXT NOT NULL,
    stream TEXT,
    message TEXT NOT NULL,
    payload TEXT,
    PRIMARY KEY (run_id, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE confirmations (
    token_hash TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    tool TEXT NOT NULL,
    args TEXT NOT NULL,
    ecosystem TEXT NOT NULL,
    kind TEXT NOT NULL,
    typed_value TEXT,
    fingerprint TEXT NOT NULL,
    preview TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    settled_at INTEGER,
    outcome TEXT,
    wrong_tries INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX confirmations_live ON confirmations (owner, settled_at, created_at);

  CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    door TEXT NOT NULL,
    client TEXT NOT NULL,
    session_id TEXT NOT NULL,
    root TEXT NOT NULL,
    ecosystem TEXT NOT NULL,
    tool TEXT NOT NULL,
    args TEXT NOT NULL,
    mode TEXT NOT NULL,
    decision TEXT NOT NULL,
    way TEXT NOT NULL,
    fingerprint TEXT,
    outcome TEXT NOT NULL,
    run_id TEXT
  ) STRICT;
  CREATE INDEX audit_newest ON audit (at DESC);

  CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT;
  PRAGMA user_version = 1;
`;
