/**
 * What shards may ask of hosts, and how work is dealt out to them.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { budgetsOf, mixed, shardCount } from "../../../src/engine/deal.ts";
import { Budgets } from "../../../src/engine/shard/budget.ts";
import { AmofError } from "../../../src/error.ts";

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

Deno.test("a host is asked no more often than its budget says, after what was saved up is used", async () => {
  const time = clock();
  const budgets = new Budgets([{ host: "git.example.com", perMinute: 3 }], {
    clock: time,
    signal,
    chance: () => 0,
  });
  for (let at = 0; at < 6; at++) await budgets.turn(URL, () => Promise.resolve());
  assertEquals(time.sleeps, [20_000, 20_000, 20_000]);
  await budgets.turn("/srv/git/api.git", () => Promise.resolve());
  assertEquals(time.sleeps.length, 3);
});

Deno.test("a host that was asked too often is left alone for longer and longer, and other failures are told at once", async () => {
  const time = clock();
  const budgets = new Budgets([], { clock: time, signal, chance: () => 1 });
  let left = 2;
  await budgets.turn(URL, () => {
    if (left-- > 0) {
      throw new AmofError("remote_unreachable", "The requested URL returned error: 429");
    }
    return Promise.resolve();
  });
  assertEquals(time.sleeps, [30_000, 60_000]);
  const gone = () => Promise.reject(new AmofError("remote_unreachable", "Repository not found"));
  await assertRejects(() => budgets.turn(URL, gone), AmofError, "not found");
  assertEquals(time.sleeps.length, 2);
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
  const { parallel, budgets } = budgetsOf(items, { parallel: 100 });
  assertEquals(parallel, 8);
  assertEquals(budgets, [
    { host: "github.com", perMinute: 75 },
    { host: "gitlab.com", perMinute: 37.5 },
  ]);
});

Deno.test("shards are as many as asked for, and never more than repositories or the engine takes", () => {
  const limits = { shards: 10 };
  assertEquals(shardCount(null, { items: 100, parallel: 2, limits }), 8);
  assertEquals(shardCount(50, { items: 100, parallel: 2, limits }), 10);
  assertEquals(shardCount(50, { items: 3, parallel: 2, limits }), 3);
});
