/**
 * A remote that was rewritten without commits that it had: what was begun on them is told so, and neither an update nor a
 * push brings them back.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { World } from "../support/world.ts";

async function commit(world: World, clone: string, text: string): Promise<string> {
  await Deno.writeTextFile(join(clone, `${text}.txt`), `${text}\n`);
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", text);
  return await world.git(clone, "rev-parse", "HEAD");
}

const colleague = (world: World) => join(world.directory, "colleague");

/** A ticket in `api` whose base branch has a commit of a colleague, made once. */
function begun(): Promise<World> {
  return World.like("a ticket on a commit of a colleague", async (world) => {
    await world.makeInstalled({ repos: ["api"] });
    await world.git(world.directory, "clone", "--quiet", world.url("api"), colleague(world));
    await commit(world, colleague(world), "secret");
    await world.git(colleague(world), "push", "--quiet");
    assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
    assertEquals((await world.amof(["ticket", "start", "T-1", "--quiet"])).code, 0);
  });
}

/** The colleague takes the newest commit of the remote back, or with `root` everything, and commits another. */
async function rewritten(world: World, how: "newest" | "root" | "nothing more"): Promise<void> {
  const git = (...args: string[]) => world.git(colleague(world), ...args);
  await git("fetch", "--quiet");
  if (how === "root") {
    await git("checkout", "--quiet", "--orphan", "anew");
    await git("commit", "--quiet", "-m", "Anew");
  } else await git("reset", "--quiet", "--hard", "origin/main~1");
  if (how !== "nothing more") await commit(world, colleague(world), "other");
  await git("push", "--quiet", "--force", "origin", "HEAD:main");
}

/** Pastes a command of git into a shell. */
async function paste(world: World, line: string): Promise<void> {
  const words = line.split(" ");
  assertEquals(words[0], "git");
  await world.git(world.directory, ...words.slice(1));
}

const fixIn = (text: string) => /fix: (git .+)/.exec(text)?.[1] ?? "";

for (const how of ["newest", "root", "nothing more"] as const) {
  Deno.test(`what a ticket was begun on, and its remote has taken back (${how}), is left out and not pushed`, async () => {
    await using world = await begun();
    const api = world.clone("api");
    const secret = await world.git(api, "rev-parse", "HEAD");
    await commit(world, api, "own");
    await rewritten(world, how);
    assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
    const note = `it has commits that origin/main was rewritten without, up to ${
      secret.slice(0, 7)
    }`;
    const status = await world.amof(["status"]);
    assertStringIncludes(status.stdout, note);
    assertEquals(status.stdout.includes("amof ticket update"), false, status.stdout);
    const before = await world.git(api, "rev-parse", "HEAD");
    for (const flags of [["--offline"], [], ["--dry-run"], ["--rebase"]]) {
      const update = await world.amof(["ticket", "update", "--yes", ...flags]);
      assertStringIncludes(update.stdout + update.stderr, note, flags.join(" "));
      assertEquals(await world.git(api, "rev-parse", "HEAD"), before);
    }
    const push = await world.amof(["push", "--yes"]);
    assertEquals(push.code, 1);
    assertStringIncludes(push.stderr, note);
    assertMatch(push.stderr, /Push it all the same: amof push --repo api --allow-merged/);
    const fix = fixIn(status.stdout);
    assertStringIncludes(push.stderr, fix);
    await paste(world, fix);
    assertEquals(
      await world.git(api, "log", "--format=%s", "origin/main..HEAD"),
      "own",
    );
    const after = await world.amof(["status"]);
    assertEquals(after.stdout.includes("fix:"), false, after.stdout);
    assertEquals((await world.amof(["push", "--yes", "--quiet"])).code, 0);
    const there = join(world.remotes, "api.git");
    assertEquals(
      await world.git(there, "branch", "--contains", secret),
      "",
    );
  });
}

Deno.test("what was taken back is told also where an update moved forward to it, and where it comes with the fetch", async () => {
  await using world = await begun();
  const api = world.clone("api");
  const base = await commit(world, colleague(world), "bad");
  await world.git(colleague(world), "push", "--quiet");
  assertEquals((await world.amof(["ticket", "update", "--yes", "--quiet"])).code, 0);
  assertEquals(await world.git(api, "rev-parse", "HEAD"), base);
  await commit(world, api, "own");
  await rewritten(world, "newest");
  const update = await world.amof(["ticket", "update", "--yes"]);
  assertEquals(update.code, 1);
  assertStringIncludes(update.stderr, `up to ${base.slice(0, 7)}`);
  assertMatch(update.stderr, /Leave them out: git -C \S+ rebase --onto origin\/main/);
});

Deno.test("work of the ticket itself that its base branch had and has no more is nothing to leave out", async () => {
  await using world = await begun();
  const api = world.clone("api");
  const own = await commit(world, api, "own");
  await world.git(api, "push", "--quiet", "origin", "HEAD:main");
  await commit(world, api, "more");
  await rewritten(world, "newest");
  assertEquals((await world.amof(["sync", "--quiet"])).code, 0);
  const status = await world.amof(["status"]);
  assertEquals(status.stdout.includes("rewritten without"), false, status.stdout);
  assertEquals((await world.amof(["push", "--yes", "--quiet"])).code, 0);
  const there = join(world.remotes, "api.git");
  assertStringIncludes(await world.git(there, "branch", "--contains", own), "feature/T-1");
});

Deno.test("a branch that its remote was rewritten without is told apart from work that was never there", async () => {
  await using world = await begun();
  const api = world.clone("api");
  await commit(world, api, "own");
  assertEquals((await world.amof(["push", "--yes", "--quiet"])).code, 0);
  await rewritten(world, "newest");
  // The base branch, which is not checked out.
  const sync = await world.amof(["sync"]);
  const note = "what is only here was there, and its remote was rewritten without it";
  assertStringIncludes(sync.stdout, `main is 1 ahead and 1 behind: ${note}`);
  assert(fixIn(sync.stdout).endsWith("branch --force main origin/main"), sync.stdout);
  await paste(world, fixIn(sync.stdout));
  assertEquals((await world.amof(["sync"])).stdout.includes("fix:"), false);
  // The branch of the ticket, amended by the colleague.
  const git = (...args: string[]) => world.git(colleague(world), ...args);
  await git("fetch", "--quiet");
  await git("checkout", "--quiet", "feature/T-1");
  await git("commit", "--quiet", "--amend", "-m", "own, better");
  await git("push", "--quiet", "--force");
  await world.amof(["sync", "--quiet"]);
  const status = await world.amof(["status"]);
  assertStringIncludes(status.stdout, `1 ahead of origin/feature/T-1 and 1 behind: ${note}`);
});
