/**
 * What shards may ask of hosts, and how work is dealt out to them.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { budgetsOf, mixed, shardCount } from "../../../src/engine/plan/plan.ts";
import { Budgets, type Talk, talkIn } from "../../../src/engine/shard/budget.ts";
import { Queue } from "../../../src/engine/shard/item.ts";
import { AmofError } from "../../../src/base/error.ts";
import { hostOf } from "../../../src/git/mod.ts";

/** A clock that goes on only while somebody sleeps. */
function clock() {
  const sleeps: number[] = [];
  let now = 0;
  return {
    sleeps,
    now: () => now,
    sleep(ms: number) {
      sleeps.push(Math.round(ms));
      now += ms;
      return Promise.resolve();
    },
  };
}

const URL = "https://git.example.com/shop/api.git";
const signal = new AbortController().signal;

function item(host: string, name: string) {
  return { repo: name, url: `https://${host}/${name}.git`, branch: "main", commit: null };
}

const silent = () => Promise.resolve(null);
const often = () =>
  Promise.reject(new AmofError("git_failed", "The requested URL returned error: 429"));

Deno.test("a host is asked no more often than its budget says, and nothing is saved up", async () => {
  const time = clock();
  const budgets = new Budgets([{ host: "git.example.com", perMinute: 6 }], {
    clock: time,
    signal,
    chance: () => 0,
  });
  const ask = (talk: () => Promise<Talk | null> = silent) =>
    budgets.once(URL, () => Promise.resolve(), talk);
  for (let at = 0; at < 3; at++) await ask();
  // Three requests of six in a minute each time.
  assertEquals(time.sleeps, [30_000, 30_000, 30_000]);
  await time.sleep(600_000);
  await ask(() => Promise.resolve({ requests: 6, retryAfterMs: null }));
  assertEquals(time.sleeps.length, 4);
  await ask();
  assertEquals(time.sleeps.at(-1), 60_000);
  await budgets.once("/srv/git/api.git", () => Promise.resolve(), silent);
  assertEquals(time.sleeps.length, 5);
});

Deno.test("a host that was asked too often is left alone for longer and longer, then for good", async () => {
  const time = clock();
  const budgets = new Budgets([], { clock: time, signal, chance: () => 1 });
  const waits: number[] = [];
  for (let at = 0; at < 4; at++) {
    await assertRejects(() => budgets.once(URL, often, silent), AmofError);
    waits.push(budgets.closedFor(URL));
    await time.sleep(budgets.closedFor(URL) === Infinity ? 0 : budgets.closedFor(URL));
  }
  assertEquals(waits, [30_000, 60_000, 120_000, Infinity]);
  const gone = () => Promise.reject(new AmofError("remote_unreachable", "Repository not found"));
  const other = URL.replace("git.", "other.");
  await assertRejects(() => budgets.once(other, gone, silent), AmofError, "not found");
  assertEquals(budgets.closedFor(other), 0);
});

Deno.test("turn() asks again after each wait, and tells what was said last", async () => {
  const time = clock();
  const budgets = new Budgets([], { clock: time, signal, chance: () => 1 });
  let left = 2;
  const answer = await budgets.turn(URL, () => left-- > 0 ? often() : Promise.resolve("here"));
  assertEquals(answer, "here");
  assertEquals(time.sleeps, [30_000, 60_000]);
  await assertRejects(() => budgets.turn(URL, often), AmofError, "429");
  assertEquals(time.sleeps, [30_000, 60_000, 30_000, 60_000, 120_000]);
});

Deno.test("those who ask a host at once are refused at once, which counts as one refusal", async () => {
  let now = 0;
  const waiting: { readonly until: number; readonly go: () => void }[] = [];
  const time = {
    now: () => now,
    sleep: (ms: number) => new Promise<void>((go) => void waiting.push({ until: now + ms, go })),
  };
  const budgets = new Budgets([], { clock: time, signal, chance: () => 0 });
  const told = () => Promise.resolve({ requests: 1, retryAfterMs: 5_000 });
  const asked: number[] = [];
  const answers = Array.from({ length: 8 }, (_, at) =>
    budgets.turn(URL, async () => {
      asked.push(now);
      // What was asked before comes back when the host has refused the others.
      await Promise.resolve();
      return now === 0 && at > 0 ? await often() : at;
    }, told));
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
  await settle();
  for (; waiting.length > 0; await settle()) {
    const next = Math.min(...waiting.map(({ until }) => until));
    now = next;
    const due = waiting.filter(({ until }) => until <= next);
    for (const one of due) {
      waiting.splice(waiting.indexOf(one), 1);
      one.go();
    }
  }
  assertEquals(await Promise.all(answers), [0, 1, 2, 3, 4, 5, 6, 7]);
  assertEquals(asked.filter((at) => at === 0).length, 8);
  assert(asked.every((at) => at === 0 || at >= 5_000), String(asked));
  assertEquals(asked.length, 8 + 7);
});

Deno.test("a host that says when it may be asked again is not asked before", async () => {
  const time = clock();
  const budgets = new Budgets([], { clock: time, signal, chance: () => 0 });
  const said = (seconds: number) => () =>
    Promise.resolve({ requests: 1, retryAfterMs: seconds * 1_000 });
  await assertRejects(() => budgets.once(URL, often, said(90)), AmofError);
  assertEquals(budgets.closedFor(URL), 90_000);
  await budgets.once(URL, () => Promise.resolve(), silent);
  assertEquals(budgets.closedFor(URL), 0);
  await assertRejects(() => budgets.once(URL, often, said(3_600)), AmofError);
  assertEquals(budgets.closedFor(URL), Infinity);
});

Deno.test("requests are counted, and the wait is read, in what git writes of a talk", () => {
  const trace = (...lines: string[]) =>
    lines.map((line) => `14:51:00.123456 http.c:701              ${line}`).join("\n");
  const talk = talkIn(
    trace(
      "=> Send header, 0000000214 bytes (0x000000d6)",
      "=> Send header: GET /a.git/info/refs?service=git-upload-pack HTTP/1.1",
      "=> Send header: Authorization: Basic <redacted>",
      "<= Recv header: HTTP/1.1 200 OK",
      "=> Send header: POST /a.git/git-upload-pack HTTP/1.1",
      "<= Recv header: HTTP/1.1 429 Too Many Requests",
      "<= Recv header: retry-after: 7",
    ),
    0,
  );
  assertEquals(talk, { requests: 2, retryAfterMs: 7_000 });
  const date = "Retry-After: Thu, 01 Jan 1970 00:01:00 GMT";
  assertEquals(talkIn(trace(`<= Recv header: ${date}`), 1_000).retryAfterMs, 59_000);
  assertEquals(talkIn(trace("<= Recv header: Retry-After: soon"), 0).retryAfterMs, null);
});

Deno.test("items of a host that is to be left alone come later, in their order", () => {
  const closed = new Map<string, number>();
  const queue = new Queue(
    ["a1", "b1", "a2", "b2"].map((name, at) => ({ at, item: item(name.slice(0, 1), name) })),
    { closedFor: (url) => closed.get(hostOf(url)) ?? 0 },
  );
  const next = () => {
    const found = queue.next();
    return found === null ? null : [found.item.repo, found.waitMs];
  };
  const first = queue.next();
  assertEquals(first?.item.repo, "a1");
  closed.set("a", 500);
  if (first !== null) queue.again(first, "asked too often");
  assertEquals([next(), next()], [["b1", 0], ["b2", 0]]);
  assertEquals([next(), next()], [["a1", 500], ["a1", 500]]);
  closed.delete("a");
  assertEquals(next(), ["a1", 0]);
  closed.set("a", Infinity);
  assertEquals([next(), next()], [["a2", Infinity], null]);
});

Deno.test("neighbours are of different hosts, all are there once, and known hosts bound what runs at once", () => {
  const items = [
    ...Array.from({ length: 6 }, (_, at) => item("github.com", `g${at}`)),
    ...Array.from({ length: 3 }, (_, at) => item("gitlab.com", `l${at}`)),
  ];
  const order = mixed(items);
  assertEquals(new Set(order.map(({ repo }) => repo)).size, items.length);
  const hosts = order.map(({ repo }) => repo.slice(0, 1)).join("");
  assert(!hosts.includes("ggg") && !hosts.includes("ll"), hosts);
  const { parallel, budgets } = budgetsOf(items, { parallel: 100 }, { hosts: {} });
  assertEquals(parallel, 8);
  assertEquals(budgets, [
    { host: "github.com", perMinute: 225 },
    { host: "gitlab.com", perMinute: 112.5 },
  ]);
  const told = budgetsOf(items, { parallel: 100 }, {
    hosts: { "gitlab.com": { concurrent: 20, per_minute: 160 } },
  });
  assertEquals(told, {
    parallel: 16,
    budgets: [
      { host: "github.com", perMinute: 112.5 },
      { host: "gitlab.com", perMinute: 10 },
    ],
  });
});

Deno.test("shards are as many as asked for, and never more than repositories or the engine takes", () => {
  const limits = { shards: 10 };
  assertEquals(shardCount(null, { items: 100, parallel: 2, limits }), 8);
  assertEquals(shardCount(50, { items: 100, parallel: 2, limits }), 10);
  assertEquals(shardCount(50, { items: 3, parallel: 2, limits }), 3);
});
