// Covers the workspace's state file: round trips, unknown keys, refusal of what cannot be used.

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  damagedName,
  freshState,
  loadState,
  saveState,
  STATE_VERSION,
  stateFile,
} from "../../../src/workspace/state.ts";
import { AmofError } from "../../../src/base/error.ts";
import { memoryWorld } from "../../support/memory.ts";

const FILE = "/w/.amof/state.json";

const STATE = {
  version: 3,
  ecosystem: "demo",
  workspace_branch: "workspace/demo",
  active_ticket: "T-1",
  tickets: {
    "T-1": {
      created_at: "2026-01-01T00:00:00.000Z",
      ecosystem: "demo",
      repos: { api: "feature/T-1" },
      phase: "started",
    },
  },
  repos: [{
    name: "api",
    last_push: { branch: "main", commit: "abc", commit_full: "abcdef", pushed_at: "x" },
    extra: 1,
  }],
  created_at: "2026-01-01T00:00:00.000Z",
  last_modified: "2026-01-01T00:00:00.000Z",
  plan_items: [{ any: "thing" }],
};

Deno.test("stateFile() lies in the workspace", () => assertEquals(stateFile("/w"), FILE));

Deno.test("freshState() knows neither tickets nor pushes", () => {
  const { system } = memoryWorld({ now: 0 });
  assertEquals(freshState(system, "demo", "workspace/demo"), {
    version: STATE_VERSION,
    ecosystem: "demo",
    workspace_branch: "workspace/demo",
    active_ticket: null,
    tickets: {},
    repos: [],
    created_at: "1970-01-01T00:00:00.000Z",
    last_modified: "1970-01-01T00:00:00.000Z",
  });
});

Deno.test("loadState() is null without a file", async () => {
  assertEquals(await loadState(memoryWorld().system, "/w"), null);
});

Deno.test("loadState() answers the file as it is, keys it does not know too", async () => {
  const { system } = memoryWorld({ files: { [FILE]: JSON.stringify(STATE) } });
  assertEquals<unknown>(await loadState(system, "/w"), STATE);
});

Deno.test("loadState() fills in what may be absent", async () => {
  const { system } = memoryWorld({ files: { [FILE]: '{"version":3,"ecosystem":"demo"}' } });
  const state = await loadState(system, "/w");
  assertEquals([state?.tickets, state?.repos, state?.active_ticket], [{}, [], null]);
});

Deno.test("saveState() keeps keys it does not know, at every level", async () => {
  const { system, files } = memoryWorld({ files: { [FILE]: JSON.stringify(STATE) }, now: 0 });
  const state = await loadState(system, "/w");
  if (state === null) throw new Error("no state");
  await saveState(system, "/w", { ...state, active_ticket: null });
  assertEquals(JSON.parse(files.get(FILE) ?? ""), {
    ...STATE,
    active_ticket: null,
    last_modified: "1970-01-01T00:00:00.000Z",
  });
});

Deno.test("saveState() writes lines a person can read, with a newline at the end", async () => {
  const { system, files } = memoryWorld();
  await saveState(system, "/w", freshState(system, "demo", "workspace/demo"));
  assertEquals(files.get(FILE)?.startsWith('{\n  "version": 3,\n'), true);
  assertEquals(files.get(FILE)?.endsWith("}\n"), true);
});

const CORRUPT: readonly (readonly [string, string, string])[] = [
  ["half a file", '{"version": 3, "tick', "not valid JSON"],
  ["an empty file", "", "not valid JSON"],
  ["a list", "[]", "does not hold an object"],
  ["null", "null", "does not hold an object"],
  ["no version", "{}", "older version"],
  ["an older version", '{"version":2}', "older version"],
  ["a version that is no number", '{"version":"3"}', "older version"],
  ["a newer version", '{"version":4}', "newer amof"],
  ["tickets that are a list", '{"version":3,"tickets":[]}', "tickets are damaged"],
  ["a ticket that is none", '{"version":3,"tickets":{"T":5}}', "tickets are damaged"],
  ["a ticket without repositories", '{"version":3,"tickets":{"T":{}}}', "tickets are damaged"],
  ["repositories that are a mapping", '{"version":3,"repos":{}}', "repositories are damaged"],
  ["a repository without a name", '{"version":3,"repos":[{}]}', "repositories are damaged"],
  ["an active ticket that is none", '{"version":3,"active_ticket":5}', "active ticket is unknown"],
  [
    "an active ticket nobody knows",
    '{"version":3,"active_ticket":"T"}',
    "active ticket is unknown",
  ],
];

for (const [what, text, why] of CORRUPT) {
  Deno.test(`loadState() refuses ${what} and leaves the file alone`, async () => {
    const { system, files } = memoryWorld({ files: { [FILE]: text } });
    const error = await assertRejects(() => loadState(system, "/w"), AmofError);
    assertEquals(error.code, "state_corrupt");
    assertStringIncludes(error.message, why);
    assertEquals([...files], [[FILE, text]]);
  });
}

Deno.test("damagedName() is another name for every moment, beside the file", () => {
  const { system, advance } = memoryWorld({ now: 0 });
  assertEquals(damagedName(system, "/w"), `${FILE}.corrupt-19700101T000000000Z`);
  advance(1);
  assertEquals(damagedName(system, "/w"), `${FILE}.corrupt-19700101T000000001Z`);
});
