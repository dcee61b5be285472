// Covers openDatabase() on real files: schema versions, foreign files, two connections at once.

import { runId } from "../../../../src/base/ids.ts";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { AmofError } from "../../../../src/base/error.ts";
import { openDatabase } from "../../../../src/state/store/database.ts";
import { anchorDigits } from "../../../../src/state/store/mod.ts";
import { openStore } from "../../../../src/state/store/open.ts";
import { temporaryDirectory } from "../../_support.ts";
import { alone, newRun } from "./_records.ts";
import { SCHEMA_V1 } from "./_schema_v1.ts";

/** Every file of a directory with the hash of its bytes. */
async function snapshot(directory: string): Promise<readonly string[]> {
  const names = (await Array.fromAsync(Deno.readDir(directory))).map((entry) => entry.name).sort();
  return await Promise.all(names.map(async (name) => {
    const hash = await crypto.subtle.digest("SHA-256", await Deno.readFile(join(directory, name)));
    return `${name} ${new Uint8Array(hash).toHex()}`;
  }));
}

Deno.test("openDatabase() makes missing directories, readable by their owner only", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "a", "b", "amof.db");
  openDatabase(path).close();
  assert((await Deno.stat(path)).isFile);
  if (Deno.build.os !== "windows") {
    assertEquals(((await Deno.stat(join(directory.path, "a", "b"))).mode ?? 0) & 0o777, 0o700);
  }
});

Deno.test("openDatabase() keeps what was stored before", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "amof.db");
  const first = openStore(path);
  first.settings.set("a", "1");
  first.close();
  const second = openStore(path);
  assertEquals(second.settings.get("a"), "1");
  second.close();
});

Deno.test("openDatabase() continues an empty file", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "amof.db");
  await Deno.writeTextFile(path, "");
  openDatabase(path).close();
  assert((await Deno.stat(path)).size > 0);
});

Deno.test("openDatabase() brings a database of the first version up to date and keeps what it holds", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "amof.db");
  const old = new DatabaseSync(path);
  old.exec(SCHEMA_V1);
  old.exec(`
    INSERT INTO settings VALUES ('choice', 'demo');
    INSERT INTO runs (run_id, root, ecosystem, action, tool, args, status, created_at, origin, requested_by, fingerprint, preview)
      VALUES ('r1', '/space', 'demo', 'push', 'amof_push_ecosystem', '{}', 'running', 1, 'cli', 'tester', 'f', 'null');
  `);
  old.close();
  const store = openStore(path);
  assertEquals(store.settings.get("choice"), "demo");
  assertEquals(store.runs.get("r1")?.status, "running");
  store.runs.move(runId("r1"), "success", 2);
  assert(store.runs.add(newRun({ runId: runId("r2") })));
  assertEquals(store.runs.list({ limit: 9 }).length, 2);
  store.close();
  openStore(path).close();
});

Deno.test("openDatabase() keeps what active runs and journals of an older version hold", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "amof.db");
  const old = new DatabaseSync(path);
  old.exec(SCHEMA_V1);
  for (const [id, status, lock] of [["r1", "running", "k"], ["r2", "success", "k"]]) {
    old.exec(`
      INSERT INTO runs (run_id, root, ecosystem, action, tool, args, status, lock_key, created_at, origin, requested_by, fingerprint, preview)
      VALUES ('${id}', '/space', 'demo', 'push', 'amof_push_ecosystem', '{}', '${status}', '${lock}', 1, 'cli', 'tester', 'f', 'null')`);
  }
  old.close();
  const store = openStore(path);
  assertEquals(store.runs.holders(alone("k")).map((run) => [run.runId, run.ticket]), [[
    "r1",
    null,
  ]]);
  assertEquals(store.runs.add(newRun({ locks: alone("k") })), false);
  assertEquals(store.runs.add(newRun({ locks: [{ key: "k", shared: true }] })), false);
  store.runs.move(runId("r1"), "success", 2);
  assert(store.runs.add(newRun({ locks: alone("k") })));
  store.close();
});

for (const journal of ["WAL", "DELETE"]) {
  Deno.test(`openDatabase() refuses a newer schema in ${journal} mode and leaves the file untouched`, async () => {
    await using directory = temporaryDirectory();
    const path = join(directory.path, "amof.db");
    const newer = new DatabaseSync(path);
    newer.exec(
      `PRAGMA journal_mode = ${journal}; CREATE TABLE future (x); PRAGMA user_version = 999`,
    );
    newer.close();
    const before = await snapshot(directory.path);
    const error = assertThrows(() => openDatabase(path), AmofError);
    assertEquals([error.code, error.details["version"]], ["state_corrupt", 999]);
    assertEquals(await snapshot(directory.path), before);
  });
}

for (
  const [what, content] of [
    ["text", "This is no database, it only has the name of one.\n".repeat(100)],
    ["a short text", "no"],
    ["a database with a damaged header", `SQLite format 3\u0000${"x".repeat(5000)}`],
  ] as const
) {
  Deno.test(`openDatabase() refuses ${what} and leaves the file untouched`, async () => {
    await using directory = temporaryDirectory();
    const path = join(directory.path, "amof.db");
    await Deno.writeTextFile(path, content);
    const before = await snapshot(directory.path);
    const error = assertThrows(() => openDatabase(path), AmofError);
    assertEquals([error.code, error.details["path"]], ["state_corrupt", path]);
    assertEquals(await snapshot(directory.path), before);
  });
}

Deno.test("openDatabase() refuses a directory", async () => {
  await using directory = temporaryDirectory();
  assertEquals(assertThrows(() => openDatabase(directory.path), AmofError).code, "state_corrupt");
});

Deno.test("openStore() lets two connections to one file see each other's changes at once", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "amof.db");
  const [one, two] = [openStore(path), openStore(path)];
  const run = newRun({ locks: alone("k") });
  assert(one.runs.add(run));
  assertEquals(two.runs.add(newRun({ locks: alone("k") })), false);
  two.runs.move(run.runId, "running", 2);
  assertEquals(one.runs.get(run.runId)?.status, "running");
  const error = assertThrows(() => one.runs.move(run.runId, "queued", 3), AmofError);
  assertEquals(error.code, "invalid_transition");
  one.close();
  two.close();
});

interface Writer {
  /** Fulfilled when the thread waits for its task. */
  readonly ready: Promise<string>;
  /** Gives the thread its task; answers what it says in the end. */
  work(task: Readonly<Record<string, unknown>>): Promise<string>;
}

function writer(): Writer {
  const worker = new Worker(new URL("./_append_worker.ts", import.meta.url), { type: "module" });
  const said = (): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    worker.onmessage = (event: MessageEvent<string>) => resolve(event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    return promise;
  };
  return {
    ready: said(),
    work(task) {
      const answer = said();
      worker.postMessage(task);
      return answer.finally(() => worker.terminate());
    },
  };
}

Deno.test("openStore() lets two writers append to one run at once: no gap, none lost, one lock holder", async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "amof.db");
  const store = openStore(path);
  const times = 300;
  store.runs.add(newRun({ runId: runId("shared") }));
  const writers = [writer(), writer()];
  await Promise.all(writers.map(({ ready }) => ready));
  const answers = await Promise.all(
    writers.map(({ work }, n) => work({ path, id: "shared", name: `writer ${n}`, times })),
  );
  const events = store.events.after(runId("shared"), 0, 10_000);
  assertEquals(
    events.map((event) => event.seq),
    Array.from({ length: 4 * times }, (_, n) => n + 1),
  );
  for (const n of [0, 1]) {
    const own = events.map((event) => event.message).filter((message) =>
      message.startsWith(`writer ${n}`)
    );
    assertEquals(own, Array.from({ length: times }, (_, index) => `writer ${n} ${index}`));
  }
  assertEquals(answers.sort(), ["holds", "refused"]);
  // Each entry of the audit log holds the hash of the one before, whoever wrote that (AUDIT-1).
  const entries = store.audit.stored(0, 10_000);
  assertEquals(entries.length, 2 * times);
  entries.forEach((entry, n) => assertEquals(entry.previous, entries[n - 1]?.hash ?? ""));
  assertEquals(
    store.audit.anchored()?.toSorted((a, b) => a.id - b.id),
    entries.map(({ id, hash }) => ({ id, hash: anchorDigits(hash) })),
  );
  store.close();
});
