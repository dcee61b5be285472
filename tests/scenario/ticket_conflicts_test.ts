// `amof ticket conflicts`, from outside: which tickets get into each other's way, and that looking changes nothing.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { rows } from "../support/answers.ts";
import { callsOfGit, perClone } from "../support/calls_of_git.ts";
import { textWidth } from "../../src/base/text/table.ts";
import { Screen } from "../support/screen.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { type Ran, World } from "../support/world.ts";

const LINES = Array.from({ length: 9 }, (_, index) => `line ${index}`).join("\n");

async function commit(world: World, repo: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(world.clone(repo), name), text);
  }
  await world.git(world.clone(repo), "add", ".");
  await world.git(world.clone(repo), "commit", "--quiet", "-m", "Change");
}

/** The text with another first line. */
function begun(word: string): string {
  return LINES.replace("line 0", word);
}

/**
 * Four tickets: A and B change the same line of api, C another file there and one of web that its base has changed
 * since, D has no branch in lib.
 */
function busy(): Promise<World> {
  return World.like("ticket conflicts", async (world) => {
    await world.makeInstalled({ repos: ["api", "web", "lib"] });
    const [api, web] = [world.clone("api"), world.clone("web")];
    for (const repo of ["api", "web"]) await commit(world, repo, { "f.txt": LINES });
    await world.git(api, "push", "--quiet", "origin", "main");
    for (const [id, files] of [["A", begun("a")], ["B", begun("b")]] as const) {
      await world.git(api, "switch", "--quiet", "-c", `feature/${id}`, "main");
      await commit(world, "api", { "f.txt": files });
    }
    await world.git(api, "switch", "--quiet", "-c", "feature/C", "main");
    await commit(world, "api", { "c.txt": "c\n" });
    await world.git(web, "switch", "--quiet", "-c", "feature/C", "main");
    await commit(world, "web", { "f.txt": begun("c") });
    await world.git(web, "switch", "--quiet", "main");
    await world.git(web, "rm", "--quiet", "f.txt");
    await world.git(web, "commit", "--quiet", "-m", "Remove");
    await world.git(web, "push", "--quiet", "origin", "main");
    await world.git(web, "switch", "--quiet", "feature/C");
    const ticket = (repos: Record<string, string>) => ({
      created_at: "2026-01-02T03:04:05Z",
      ecosystem: "demo",
      repos,
    });
    await world.patchState({
      active_ticket: "C",
      tickets: {
        A: ticket({ api: "feature/A" }),
        B: ticket({ api: "feature/B" }),
        C: ticket({ api: "feature/C", web: "feature/C" }),
        D: ticket({ lib: "feature/D" }),
      },
    });
  });
}

/** The pairs of an answer, each in a line. */
function pairs(ran: Ran): string[] {
  return rows(ran.json(), "pairs").map((pair) => {
    const files = rows(pair, "files").map(({ repo, path, kind }) => `${repo}:${path} ${kind}`);
    const unknown = rows(pair, "unknown").map(({ repo }) => `${repo}?`);
    return `${pair["a"]} ${pair["b"]} ${pair["state"]}: ${[...files, ...unknown].join(", ")}`;
  });
}

Deno.test("ticket conflicts names files and kinds, what is unknown, an order to land, and changes nothing", async () => {
  await using world = await busy();
  const [trace, temporary] = ["driver-ran", "temporary"].map((name) => join(world.directory, name));
  assert(trace !== undefined && temporary !== undefined);
  await Deno.mkdir(temporary);
  world.env["TMPDIR"] = temporary;
  for (const [name, value] of [["default", "evil"], ["evil.driver", `touch '${trace}'; false`]]) {
    await world.git(world.clone("api"), "config", `merge.${name}`, value ?? "");
  }
  const before = await world.fingerprint();
  const { ran, calls } = await callsOfGit(world, ["ticket", "conflicts", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(await world.changesSince(before), []);
  assertEquals(pairs(ran), [
    "A B conflict: api:f.txt content",
    "C null conflict: web:f.txt modify/delete",
    "D null unknown: lib?",
  ]);
  const answer = ran.json();
  assertEquals([answer["compared"], answer["repos_read"], answer["merges"]], [10, 3, 7]);
  assertEquals(
    rows(answer, "order").map(({ ticket_id, resolves, because }) => [ticket_id, resolves, because]),
    [
      ["C", 1, "conflicts with its base branch"],
      ["D", 0, "not all of it could be compared"],
      ["A", 0, "B will resolve what it changed"],
      ["B", 1, "resolves what A changed"],
    ],
  );
  // One process for all merges of a repository, and none that the settings of a clone name.
  const merges = calls.filter(({ verb }) => verb === "merge-tree");
  assertEquals(merges.length, 2);
  assert(merges.every(({ directory }) => directory.startsWith(temporary)));
  assertEquals(perClone(calls)["lib"], ["for-each-ref"]);
  assert(!await world.exists(trace));
  assertEquals(await Array.fromAsync(Deno.readDir(temporary)), []);
});

Deno.test("uncommitted work of the active ticket counts, unless it is left out or in the middle of something", async () => {
  await using world = await busy();
  const api = world.clone("api");
  await Deno.writeTextFile(join(api, "f.txt"), begun("mine"));
  const before = await world.fingerprint();
  const counted = await world.amof(["ticket", "conflicts", "A", "C", "--json"]);
  assertEquals(pairs(counted), [
    "A C conflict: api:f.txt content",
    "C null conflict: web:f.txt modify/delete",
  ]);
  assertEquals(counted.json()["uncommitted"], { counted: ["api"], left: [] });
  assertEquals(await world.changesSince(before), []);
  const without = await world.amof(
    ["ticket", "conflicts", "A", "C", "--repo", "api", "--no-uncommitted", "--json", "--check"],
  );
  assertEquals([without.code, pairs(without)], [0, []]);
  await Deno.writeTextFile(
    join(api, ".git", "MERGE_HEAD"),
    `${await world.git(api, "rev-parse", "feature/B")}\n`,
  );
  const middle = await world.amof(["ticket", "conflicts", "A", "C", "--repo", "api", "--json"]);
  assertEquals(pairs(middle), []);
  assertEquals(middle.json()["uncommitted"], {
    counted: [],
    left: [{ ticket_id: "C", repo: "api", reason: "a merge is in progress" }],
  });
});

Deno.test("uncommitted work of tickets with a workspace of their own counts, and what is not counted is named", async () => {
  await using world = await busy();
  const [own, other] = ["W", "X"].map((id) =>
    join(world.control, "worktrees", `demo@${id}`, "repos", "api")
  );
  await makeTicket(world, "W", { repos: ["api"] });
  await makeTicket(world, "X", { repos: ["api"] });
  await Deno.writeTextFile(join(own ?? "", "f.txt"), begun("w"));
  await Deno.writeTextFile(join(other ?? "", "f.txt"), begun("x"));
  await world.git(other ?? "", "add", ".");
  const objects = () => world.git(own ?? "", "count-objects");
  const [before, had] = [await world.fingerprint(), await objects()];
  const counted = await world.amof(["ticket", "conflicts", "W", "X", "--json"]);
  assertEquals(pairs(counted), ["W X conflict: api:f.txt content"]);
  assertEquals(counted.json()["uncommitted"], { counted: ["api"], left: [] });
  assertEquals([await world.changesSince(before), await objects()], [[], had]);
  const without = await world.amof(
    ["ticket", "conflicts", "W", "X", "--no-uncommitted", "--check", "--json"],
  );
  assertEquals([without.code, pairs(without)], [0, []]);
  const head = await world.git(other ?? "", "rev-parse", "HEAD");
  await Deno.writeTextFile(join(other ?? "", ".git", "MERGE_HEAD"), `${head}\n`);
  const middle = await world.amof(["ticket", "conflicts", "W", "X"]);
  assertStringIncludes(middle.stdout, "Found no conflicts among 2 tickets in 1 repo.");
  assertStringIncludes(middle.stdout, "Uncommitted work was counted, too: in api");
  assertStringIncludes(
    middle.stdout.replaceAll(/\s+/g, " "),
    "Uncommitted work of X in api was not counted: a merge is in progress",
  );
});

Deno.test("ticket conflicts fails with --check alone, knows its tickets, and tells a clone that is not there", async () => {
  await using world = await busy();
  const check = await world.amof(["ticket", "conflicts", "--check", "--json"]);
  assertEquals(check.code, 3, check.stdout);
  assertStringIncludes(check.stdout, "A with B");
  const unknown = await world.amof(["ticket", "conflicts", "AB", "--json"]);
  assertEquals([unknown.code, unknown.json()["error"]], [2, "ticket_not_found"]);
  await Deno.remove(world.clone("web"), { recursive: true });
  const missing = await world.amof(["ticket", "conflicts", "C"]);
  assertEquals(missing.code, 0, missing.stderr);
  assertStringIncludes(missing.stdout, "unknown");
  assertStringIncludes(missing.stdout, "it is not cloned");
});

Deno.test({
  name: "a git that takes one merge at a time is asked once for each, and an older one is named",
  ignore: Deno.build.os === "windows", // a program named git that is a script
  async fn() {
    await using world = await busy();
    const pretend = (option: string) =>
      world.wrapGit(
        `case " $* " in *" merge-tree "*) case " $* " in *" ${option} "*) echo usage >&2; exit 129;; esac;; esac`,
      );
    const older = await world.amof(["ticket", "conflicts", "A", "B", "C", "--json"], {
      env: await pretend("--stdin"),
    });
    assertEquals(pairs(older), [
      "A B conflict: api:f.txt content",
      "C null conflict: web:f.txt modify/delete",
    ]);
    const oldest = await world.amof(["ticket", "conflicts", "A", "B", "--json"], {
      env: await pretend("--write-tree"),
    });
    assertStringIncludes(oldest.stdout, "this needs git 2.38 or later");
    assert(oldest.code !== 0);
  },
});

Deno.test({
  name: "ticket conflicts fits a terminal of any width, with the pairs and the order in it",
  ignore: Deno.build.os === "windows", // a terminal is made by script
  async fn() {
    await using world = await busy();
    for (const columns of [40, 80, 160]) {
      const screen = Screen.start(world, ["ticket", "conflicts"], { columns, rows: 60 });
      assertEquals(await screen.ends(), 0);
      const lines = screen.all().split("\n").map((line) => line.trimEnd());
      for (const line of lines) assert(textWidth(line) <= columns, line);
      const text = lines.join(" ").replaceAll(/\s+/g, " ");
      for (const told of ["api:f.txt", "modify/delete", "unknown", "B will resolve"]) {
        assertStringIncludes(text, told, `${columns}: ${lines.join("\n")}`);
      }
    }
  },
});

Deno.test("tickets with a workspace of their own take part; what their clones say of merging does not count", async () => {
  await using world = await busy();
  const ran = join(world.directory, "own-driver-ran");
  await makeTicket(world, "W", { repos: ["api"], context: ["web"] });
  await makeTicket(world, "X", { repos: ["lib"] });
  const clone = join(world.control, "worktrees", "demo@W", "repos", "api");
  await Deno.writeTextFile(join(clone, "f.txt"), begun("w"));
  await Deno.writeTextFile(join(clone, ".gitattributes"), "* merge=evil\n");
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", "Work");
  await world.git(clone, "config", "merge.evil.driver", `touch '${ran}'; true`);
  await world.git(clone, "config", "core.fsmonitor", `touch '${ran}'; false`);
  await world.write("control/worktrees/demo@X/.amof/ticket.json", "{}");
  const before = await world.fingerprint();
  const found = await world.amof(["ticket", "conflicts", "--no-uncommitted", "--json"]);
  assertEquals(found.code, 0, found.stderr);
  assertEquals(pairs(found), [
    "A B conflict: api:f.txt content",
    "A W conflict: api:f.txt content",
    "B W conflict: api:f.txt content",
    "C null conflict: web:f.txt modify/delete",
    "D null unknown: lib?",
  ]);
  const unreadable = rows(found.json(), "unreadable").map(({ ticket_id }) => ticket_id);
  assertEquals(unreadable, ["X"]);
  assertEquals(await world.changesSince(before), []);
  assert(!await world.exists(ran));
  const two = await world.amof(["ticket", "conflicts", "A", "W"]);
  assertStringIncludes(two.stdout, "Found conflicts in 1 pair of 3, among 2 tickets in 1 repo.");
  assertStringIncludes(two.stdout, "X was not compared: its record cannot be used");
});
