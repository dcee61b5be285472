/**
 * What git says while it works: cleaned, cut, and not taken for more than it is.
 *
 * @module
 */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { logLines } from "../../../../src/git/call/log.ts";
import { Git, tail } from "../../../../src/git/mod.ts";
import { World } from "../../../support/world.ts";
import { hermetic } from "../../_support.ts";
import { failed } from "../_failures.ts";

Deno.test("what git does all the time is progress, and no warning in a log", () => {
  const logged: unknown[] = [];
  const levels = { stdout: "info", stderr: "warn" } as const;
  const told: unknown[] = [];
  const onLine = logLines(
    (level, message, { payload }) => {
      logged.push([level, message]);
      if (payload !== undefined) told.push(payload);
    },
    "api",
    levels,
  );
  onLine("stderr", "Delta compression using up to 2 threads");
  onLine("stderr", "remote: Resolving deltas: 100% (2/2), done.");
  onLine("stderr", "remote: the branch is protected");
  assertEquals(logged, [
    ["debug", "api: Delta compression using up to 2 threads"],
    ["debug", "api: remote: Resolving deltas: 100% (2/2), done."],
    ["warn", "api: remote: the branch is protected"],
  ]);
  onLine("stderr", "Receiving objects:  38% (38/100), 1.20 MiB | 600.00 KiB/s");
  onLine("stderr", "remote: Enumerating objects: 5, done.");
  assertEquals(told, [
    { repo: "api", phase: "unpacking", percent: 100 },
    { repo: "api", phase: "receiving", percent: 38 },
  ]);
});

Deno.test("names that git has quoted are readable in a log, unless they are no text", () => {
  const said: Readonly<Record<string, string>> = {
    'create mode 100644 "dir/\\303\\274b \\"x\\".txt"': 'create mode 100644 dir/üb "x".txt',
    'create mode 100644 "bad\\377.txt"': 'create mode 100644 "bad\\377.txt"',
    'create mode 100644 "line\\nfeed\\303\\274"': 'create mode 100644 "line\\nfeed\\303\\274"',
    'create mode 100644 "esc\\033[31m\\303\\274"': 'create mode 100644 "esc\\033[31m\\303\\274"',
    'a hook says "yes\\no" and "ü"': 'a hook says "yes\\no" and "ü"',
  };
  for (const [line, shown] of Object.entries(said)) {
    const logged: string[] = [];
    const levels = { stdout: "info", stderr: "warn" } as const;
    logLines((_level, message) => void logged.push(message), "api", levels)("stdout", line);
    assertEquals(logged, [`api: ${shown}`]);
  }
});

Deno.test("tail() cleans lines and drops empty ones", () => {
  assertEquals(tail("\u001b[31mred\u001b[0m  \n\n\u202eb\r\n", 5), ["red", "b"]);
});

Deno.test("tail() keeps the last lines", () => {
  assertMatch(tail("a\nb\nc", 2).join(), /^b,c$/);
});

Deno.test("Git takes no part of an answer for the whole of it", async () => {
  await using world = await World.make();
  const system = hermetic(world);
  const cut = {
    ...system,
    processes: {
      ...system.processes,
      run: () => Promise.resolve(failed({ exitCode: 0, stdout: "half", truncated: true })),
    },
  };
  const error = await assertRejects(
    () =>
      new Git(cut).at(world.directory, "api").history.localOnlyCommits({ head: null, most: 10 }),
    AmofError,
    "git answered more than can be read",
  );
  assertEquals(error.code, "git_failed");
});
