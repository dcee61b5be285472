/** Opens the SQLite database in which several processes keep runs, events, confirmations and audit lines. */

import { dirname } from "@std/path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { AmofError, reasonOf } from "../../base/error.ts";
import { sealOlder } from "./audit.ts";
import { Database, isFull, stateFull } from "./sql.ts";

/** A change of the schema, and of what is there already. */
interface Migration {
  readonly sql: string;
  readonly then: (database: Database) => void;
}

/** Each entry brings the schema one version further; entries are never edited, only added. */
const MIGRATIONS: readonly (string | Migration)[] = [
  `
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
  `,
  `
  CREATE TABLE journals (
    run_id TEXT PRIMARY KEY REFERENCES runs (run_id) ON DELETE CASCADE,
    point_of_no_return INTEGER,
    closed TEXT
  ) STRICT;
  CREATE INDEX journals_open ON journals (run_id) WHERE closed IS NULL;
  CREATE TABLE journal_steps (
    run_id TEXT NOT NULL REFERENCES journals (run_id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    op TEXT NOT NULL,
    args TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE runs ADD COLUMN inline INTEGER NOT NULL DEFAULT 0;
  `,
  `
  CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE REFERENCES confirmations (token_hash) ON DELETE CASCADE,
    root TEXT NOT NULL,
    session_id TEXT NOT NULL,
    client TEXT NOT NULL,
    place TEXT NOT NULL,
    summary TEXT NOT NULL,
    decision TEXT,
    decided_at INTEGER,
    decided_by TEXT
  ) STRICT;
  CREATE INDEX audit_by_root ON audit (root, id DESC);
  `,
  `
  CREATE TABLE trusted_provisioners (
    root TEXT NOT NULL,
    provisioner TEXT NOT NULL,
    hash TEXT NOT NULL,
    approved_at INTEGER NOT NULL,
    approved_by TEXT NOT NULL,
    PRIMARY KEY (root, provisioner, hash)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE environments (
    root TEXT NOT NULL,
    ecosystem TEXT NOT NULL,
    action TEXT NOT NULL,
    outcome TEXT NOT NULL,
    run_id TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    provisioner TEXT NOT NULL,
    hash TEXT NOT NULL,
    deployed_at INTEGER,
    deployed_by TEXT,
    deployed_hash TEXT,
    PRIMARY KEY (root, ecosystem)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE confirmations ADD COLUMN token_only INTEGER NOT NULL DEFAULT 0;
  `,
  `
  ALTER TABLE runs ADD COLUMN starter TEXT;
  `,
  `
  ALTER TABLE confirmations ADD COLUMN timeout_s INTEGER;
  `,
  `
  CREATE TABLE sign_in_links (
    code_hash TEXT PRIMARY KEY,
    instance TEXT NOT NULL,
    user TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE passkeys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    public_key TEXT NOT NULL,
    counter INTEGER NOT NULL,
    transports TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER
  ) STRICT;
  `,
  {
    sql: `
  ALTER TABLE audit ADD COLUMN evidence TEXT;
  ALTER TABLE audit ADD COLUMN chained INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE audit ADD COLUMN previous TEXT NOT NULL DEFAULT '';
  ALTER TABLE audit ADD COLUMN hash TEXT NOT NULL DEFAULT '';
  `,
    then: sealOlder,
  },
  `
  CREATE TABLE ticket_ports (
    base INTEGER PRIMARY KEY,
    directory TEXT NOT NULL UNIQUE,
    root TEXT NOT NULL,
    ecosystem TEXT NOT NULL,
    ticket TEXT NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE borrowers (
    directory TEXT PRIMARY KEY,
    mirror TEXT NOT NULL,
    root TEXT NOT NULL,
    ecosystem TEXT NOT NULL,
    ticket TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX borrowers_of_mirror ON borrowers (mirror);
  `,
  `
  ALTER TABLE runs ADD COLUMN ticket TEXT;
  ALTER TABLE confirmations ADD COLUMN ticket TEXT;
  ALTER TABLE audit ADD COLUMN ticket TEXT;
  `,
  `
  CREATE TABLE seals (
    directory TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    parts TEXT NOT NULL,
    sealed_at INTEGER NOT NULL,
    sealed_by TEXT,
    boxed_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE sealed_roots (
    root TEXT PRIMARY KEY,
    begun_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE run_locks (
    run_id TEXT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    shared INTEGER NOT NULL,
    PRIMARY KEY (key, run_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX run_locks_of_run ON run_locks (run_id);
  CREATE TRIGGER run_locks_freed AFTER UPDATE OF status ON runs
    WHEN NEW.status IN ('success', 'failed', 'cancelled')
    BEGIN DELETE FROM run_locks WHERE run_id = NEW.run_id; END;
  INSERT INTO run_locks SELECT run_id, lock_key, 0 FROM runs
    WHERE lock_key IS NOT NULL AND status IN ('queued', 'running', 'paused');
  ALTER TABLE journals ADD COLUMN locks TEXT;
  UPDATE journals SET locks = (SELECT json_array(json_object('key', lock_key, 'shared', 0))
    FROM runs WHERE runs.run_id = journals.run_id AND lock_key IS NOT NULL) WHERE closed IS NULL;
  DROP INDEX runs_one_holder;
  ALTER TABLE runs DROP COLUMN lock_key;
  `,
  `
  CREATE TABLE environments_of_places (
    root TEXT NOT NULL,
    ecosystem TEXT NOT NULL,
    ticket TEXT NOT NULL,
    action TEXT NOT NULL,
    outcome TEXT NOT NULL,
    run_id TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    provisioner TEXT NOT NULL,
    hash TEXT NOT NULL,
    deployed_at INTEGER,
    deployed_by TEXT,
    deployed_hash TEXT,
    PRIMARY KEY (root, ecosystem, ticket)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO environments_of_places SELECT root, ecosystem, '', action, outcome, run_id, changed_at,
    provisioner, hash, deployed_at, deployed_by, deployed_hash FROM environments;
  DROP TABLE environments;
  ALTER TABLE environments_of_places RENAME TO environments;
  `,
  `
  ALTER TABLE runs ADD COLUMN owes_entry INTEGER NOT NULL DEFAULT 0;
  UPDATE runs SET owes_entry = 1 WHERE status IN ('queued', 'running', 'paused');
  CREATE INDEX runs_owing ON runs (run_id) WHERE owes_entry = 1;
  CREATE INDEX audit_of_run ON audit (run_id) WHERE run_id IS NOT NULL;
  CREATE TRIGGER runs_noted AFTER INSERT ON audit WHEN NEW.run_id IS NOT NULL
    BEGIN UPDATE runs SET owes_entry = 0 WHERE run_id = NEW.run_id; END;
  `,
];

/**
 * Opens the database and brings its schema up to date; `:memory:` gives a private one.
 *
 * Throws `state_corrupt` when the file is not a database or was written by a newer program: it is never
 * deleted or changed then. Throws `file_failed` where the disk has no space for it.
 */
export function openDatabase(path: string): Database {
  try {
    if (path !== ":memory:") {
      // An import of the module would read each of its exports, and some of them load all streams of Node.
      process.getBuiltinModule("node:fs").mkdirSync(dirname(path), {
        recursive: true,
        mode: 0o700,
      });
    }
    const db = new DatabaseSync(path);
    try {
      const database = new Database(db, path);
      // Before anything is set: setting the journal mode writes to the file.
      refuseNewer(database, path);
      // Writers of several processes take turns; a killed process loses nothing that was committed.
      database.exec(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;",
      );
      migrate(db, database);
      return database;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof AmofError) throw error;
    if (isFull(error)) throw stateFull(error);
    throw new AmofError(
      "state_corrupt",
      `Cannot open the state database "${path}": ${reasonOf(error)}`,
      {
        hint:
          "Check the permissions and free space, or if the file is damaged, move it away and repeat",
        details: { path },
        cause: error,
      },
    );
  }
}

function schemaVersion(database: Database): number {
  return Number(database.get("PRAGMA user_version")?.["user_version"] ?? 0);
}

function refuseNewer(database: Database, path: string): void {
  const version = schemaVersion(database);
  if (version <= MIGRATIONS.length) return;
  throw new AmofError(
    "state_corrupt",
    `The state database "${path}" was written by a newer amof`,
    {
      hint: "Use the newer program, or set AMOF_HOME to another directory",
      details: { path, version, known: MIGRATIONS.length },
    },
  );
}

function migrate(db: DatabaseSync, database: Database): void {
  if (schemaVersion(database) === MIGRATIONS.length) return;
  database.transaction(() => {
    // Another process may have migrated while this one waited for the lock.
    for (let next = schemaVersion(database); next < MIGRATIONS.length; next++) {
      const step = MIGRATIONS[next] ?? "";
      db.exec(typeof step === "string" ? step : step.sql);
      if (typeof step !== "string") step.then(database);
      db.exec(`PRAGMA user_version = ${next + 1}`);
    }
  });
}
