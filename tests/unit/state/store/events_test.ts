// Covers EventLog: numbering, cutting, the size limit, masking and reading back (RUN-3).

import { runId } from "../../../../src/base/ids.ts";
import { assert, assertEquals } from "@std/assert";
import type { Store } from "../../../../src/state/store/mod.ts";
import { openStore } from "../../../../src/state/store/open.ts";
import { line, newRun } from "./_records.ts";

interface Log extends Disposable {
  readonly store: Store;
  readonly id: string;
}

/** A private store with one run. */
function log(): Log {
  const store = openStore(":memory:");
  const run = newRun();
  store.runs.add(run);
  return { store, id: run.runId, [Symbol.dispose]: () => store.close() };
}

const bytes = (text: string) => new TextEncoder().encode(text).length;
const all = ({ store, id }: Log) => store.events.after(runId(id), 0, 1_000_000);

Deno.test("EventLog.append() numbers events from one without gaps", () => {
  using run = log();
  run.store.events.append(runId(run.id), [line("a"), line("b")]);
  run.store.events.append(runId(run.id), []);
  run.store.events.append(runId(run.id), [line("c")]);
  assertEquals(all(run).map(({ seq, message }) => [seq, message]), [[1, "a"], [2, "b"], [3, "c"]]);
});

Deno.test("EventLog.append() numbers the events of each run on their own", () => {
  using run = log();
  const other = newRun();
  run.store.runs.add(other);
  run.store.events.append(runId(run.id), [line("a")]);
  run.store.events.append(other.runId, [line("b")]);
  assertEquals(run.store.events.after(other.runId, 0, 10).map((event) => event.seq), [1]);
});

Deno.test("EventLog.append() keeps every field of an event", () => {
  using run = log();
  const event = line("x", {
    at: 5,
    level: "warn",
    type: "repo",
    stream: "stderr",
    payload: { repo: "api", n: [1] },
  });
  run.store.events.append(runId(run.id), [event]);
  assertEquals(all(run), [{ seq: 1, ...event }]);
});

Deno.test("EventLog.append() tells the run how many events there are and which was the last", () => {
  using run = log();
  run.store.events.append(runId(run.id), [line("a"), line("last", { at: 7 })]);
  const record = run.store.runs.get(run.id);
  assertEquals([record?.eventCount, record?.lastEventAt, record?.lastMessage], [2, 7, "last"]);
});

Deno.test("EventLog.append() for a run that does not exist keeps nothing", () => {
  using run = log();
  run.store.events.append(runId("nope"), [line("a")]);
  assertEquals(run.store.events.after(runId("nope"), 0, 10), []);
});

Deno.test("EventLog.append() keeps all of an append or none of it", () => {
  using run = log();
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  try {
    run.store.events.append(runId(run.id), [line("a"), line("b", { payload: circular })]);
  } catch (error) {
    assert(error instanceof TypeError);
  }
  assertEquals([all(run), run.store.runs.get(run.id)?.eventCount], [[], 0]);
});

Deno.test("EventLog.append() masks secrets and removes what a terminal would obey", () => {
  using run = log();
  run.store.events.append(runId(run.id), [
    line("\u001b[31mhttps://me:hunter2@host\u001b[0m\u202e"),
  ]);
  assertEquals(all(run)[0]?.message, "https://***@host");
});

Deno.test("EventLog.append() masks a secret that only appears when control characters go", () => {
  using run = log();
  run.store.events.append(runId(run.id), [line("pass\u200bword=hunter2")]);
  assertEquals(all(run)[0]?.message, "password=***");
});

Deno.test("EventLog.append() keeps a message of exactly 8 KiB", () => {
  using run = log();
  run.store.events.append(runId(run.id), [line("é".repeat(4096))]);
  assertEquals(all(run)[0]?.message, "é".repeat(4096));
});

for (
  const [name, character] of [["one", "x"], ["two", "é"], ["three", "你"], ["four", "💥"]] as const
) {
  Deno.test(`EventLog.append() cuts a message of ${name}-byte characters between two of them`, () => {
    using run = log();
    run.store.events.append(runId(run.id), [line(character.repeat(9000))]);
    const message = all(run)[0]?.message ?? "";
    assert(bytes(message) <= 8192);
    assert(bytes(message) > 8192 - 4 - bytes(character), "as much is kept as fits");
    assertEquals(message.replaceAll(character, ""), "…");
  });
}

Deno.test("EventLog.append() puts one truncated event where a run passes 20 MiB", () => {
  using run = log();
  const block = Array<ReturnType<typeof line>>(640).fill(line("word ".repeat(1638)));
  for (let n = 0; n < 6; n++) run.store.events.append(runId(run.id), block);
  const events = all(run);
  const kept = events.filter((event) => event.type === "log");
  assertEquals(events.filter((event) => event.type === "truncated").length, 1);
  assertEquals(events.at(-1)?.type, "truncated");
  assertEquals(events.at(-1)?.level, "warn");
  assertEquals(events.map((event) => event.seq), events.map((_, index) => index + 1));
  const size = kept.reduce((sum, event) => sum + bytes(event.message), 0);
  assert(size <= 20 * 1024 * 1024);
  assert(size > 20 * 1024 * 1024 - 8192);
});

/** A run whose log lines fill the limit to the byte. */
function full(): Log {
  const run = log();
  const block = Array<ReturnType<typeof line>>(512).fill(line(".".repeat(8192)));
  for (let n = 0; n < 5; n++) run.store.events.append(runId(run.id), block);
  return run;
}

Deno.test("EventLog.append() keeps what is no log line after the limit", () => {
  using run = full();
  run.store.events.append(runId(run.id), [
    line("dropped"),
    line("dropped"),
    line("Ended", { type: "exit" }),
  ]);
  assertEquals(all(run).slice(-2).map(({ type, message }) => [type, message.slice(0, 12)]), [
    ["truncated", "The log is f"],
    ["exit", "Ended"],
  ]);
});

Deno.test("EventLog.append() says that lines are missing also when another event comes at the limit", () => {
  using run = full();
  run.store.events.append(runId(run.id), [
    line("Ended api", { type: "repo" }),
    line("dropped"),
    line("dropped"),
  ]);
  assertEquals(all(run).slice(-2).map((event) => event.type), ["repo", "truncated"]);
});

Deno.test("EventLog.append() takes 10,000 events at once", () => {
  using run = log();
  run.store.events.append(
    runId(run.id),
    Array.from({ length: 10_000 }, (_, n) => line(`line ${n}`)),
  );
  assertEquals(run.store.runs.get(run.id)?.eventCount, 10_000);
  assertEquals(run.store.events.tail(runId(run.id), 1)[0]?.seq, 10_000);
});

/** Events 1 to 6 with levels debug, info, warn, error, info, debug. */
function levelled(): Log {
  const run = log();
  const levels = ["debug", "info", "warn", "error", "info", "debug"] as const;
  run.store.events.append(runId(run.id), levels.map((level, n) => line(`m${n + 1}`, { level })));
  return run;
}

const READS: readonly (readonly [
  string,
  (run: Log) => readonly { readonly seq: number }[],
  readonly number[],
])[] = [
  ["after() begins behind the number", ({ store, id }) => store.events.after(runId(id), 4, 10), [
    5,
    6,
  ]],
  ["after() stops at the limit", ({ store, id }) => store.events.after(runId(id), 1, 2), [2, 3]],
  [
    "after() the last event is nothing",
    ({ store, id }) => store.events.after(runId(id), 6, 10),
    [],
  ],
  [
    "after() shows a level and all above",
    ({ store, id }) => store.events.after(runId(id), 0, 10, "warn"),
    [3, 4],
  ],
  ["tail() shows the last, oldest first", ({ store, id }) => store.events.tail(runId(id), 2), [
    5,
    6,
  ]],
  [
    "tail() counts only events of the level",
    ({ store, id }) => store.events.tail(runId(id), 3, "info"),
    [3, 4, 5],
  ],
  ["tail() of more than there are is all", ({ store, id }) => store.events.tail(runId(id), 100), [
    1,
    2,
    3,
    4,
    5,
    6,
  ]],
];

for (const [what, read, expected] of READS) {
  Deno.test(`EventLog.${what}`, () => {
    using run = levelled();
    assertEquals(read(run).map((event) => event.seq), [...expected]);
  });
}
