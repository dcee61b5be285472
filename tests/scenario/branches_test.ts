/**
 * `amof branches`, from outside.
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { rows } from "../support/answers.ts";
import { callsOfGit, perClone } from "../support/calls_of_git.ts";
import { type Ran, World } from "../support/world.ts";

/** Commits a file at a moment. */
async function commit(world: World, repo: string, file: string, at = "2026-01-02T03:04:05Z") {
  const cwd = world.clone(repo);
  await Deno.writeTextFile(join(cwd, file), `${file}\n`);
  await world.git(cwd, "add", file);
  const ran = await world.command("git", ["commit", "--quiet", "-m", file], {
    cwd,
    env: { GIT_COMMITTER_DATE: at },
  });
  assertEquals(ran.code, 0, ran.stderr);
}

/**
 * Branches of every kind: `work` ahead in both and behind in one, `done` merged, `squashed` in the base by its content,
 * `mixed` merged in one of two, `old` not touched for long, and one that only the remote has.
 */
function busy(): Promise<World> {
  return World.like("branches", async (world) => {
    await world.makeInstalled({ repos: ["api", "web", "lib"] });
    const [api, web] = [world.clone("api"), world.clone("web")];
    const branch = async (repo: string, name: string, ...files: string[]) => {
      await world.git(world.clone(repo), "switch", "--quiet", "-c", name, "main");
      for (const file of files) await commit(world, repo, file, "2026-03-01T00:00:00Z");
    };
    await branch("api", "work", "w1", "w2");
    await branch("api", "squashed", "s1", "s2");
    await branch("api", "mixed", "m1");
    await world.git(api, "switch", "--quiet", "-c", "old", "main");
    await commit(world, "api", "o1", "2020-01-01T00:00:00Z");
    await world.git(api, "switch", "--quiet", "main");
    await world.git(api, "branch", "done");
    await world.git(api, "merge", "--quiet", "--squash", "squashed");
    await world.git(api, "commit", "--quiet", "-m", "Squashed");
    await world.git(api, "push", "--quiet", "origin", "main", "work:theirs");
    await world.git(api, "fetch", "--quiet");
    await branch("web", "work", "w1");
    await world.git(web, "branch", "mixed", "main");
  });
}

function all(ran: Ran): Record<string, unknown> {
  return Object.fromEntries(
    rows(ran.json(), "branches").map((row) => [
      row["name"],
      rows(row, "places").map(({ repo, ahead, behind, merged }) => [repo, ahead, behind, merged]),
    ]),
  );
}

const FOUND = {
  main: [["api", null, null, null], ["web", null, null, null], ["lib", null, null, null]],
  work: [["api", 2, 1, null], ["web", 1, 0, null]],
  squashed: [["api", 2, 1, "squashed"]],
  mixed: [["api", 1, 1, null], ["web", 0, 0, "commits"]],
  old: [["api", 1, 1, null]],
  done: [["api", 0, 1, "commits"]],
};

Deno.test("amof branches compares every branch with its base, also by content", async () => {
  await using world = await busy();
  const { ran, calls } = await callsOfGit(world, ["branches", "--no-content", "--json"]);
  assertEquals(all(ran), { ...FOUND, squashed: [["api", 2, 1, null]] });
  // Where nothing has parted from the base one process is enough; an older git needs two more for the others.
  const each = perClone(calls);
  assertEquals(each["lib"]?.filter((verb) => verb !== "for-each-ref"), []);
  // And one that counts what is only here.
  assertEquals((each["api"]?.length ?? 9) <= 5, true, String(each["api"]));
  assertEquals(all(await world.amof(["branches", "--json"])), FOUND);
  const shown = await world.amof(["branches"]);
  assertMatch(shown.stdout, /^BRANCH +REPOS +AHEAD +BEHIND +UNPUSHED +MERGED +NEWEST$/m);
  assertMatch(shown.stdout, /^work \* +api and web +1–2 +0–1 +1 +no /m);
  assertMatch(shown.stdout, /^mixed +api and web +0–1 +0–1 +1 +1 of 2 /m);
  assertMatch(shown.stdout, /^squashed +api +2 +1 +— +as one commit /m);
  assertMatch(shown.stdout, /^main \* +api, web and lib +— +— +— +base /m);
});

Deno.test("amof branches shows a name whole, however long, since it is there to be pasted", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const name = `feature/${"very-long-".repeat(9)}name`;
  await world.git(world.clone("api"), "branch", name);
  assertStringIncludes((await world.amof(["branches", "--all"])).stdout, `${name}  api`);
});

Deno.test("amof branches shows those that are merged, stale, or only on the remote", async () => {
  await using world = await busy();
  const names = async (...args: string[]) =>
    Object.keys(all(await world.amof(["branches", "--json", ...args]))).sort();
  assertEquals(await names("--merged"), ["done", "squashed"]);
  const { stdout } = await world.amof(["branches", "--merged"]);
  assertStringIncludes(stdout, "Merged in some repositories only: mixed\n");
  assertEquals(await names("--merged", "--no-content"), ["done"]);
  assertEquals(await names("--stale", "2021-01-01"), ["old"]);
  assertEquals(await names("--repo", "web"), ["main", "mixed", "work"]);
  assertEquals(await names("--repo", "lib", "--merged"), []);
  const remote = await world.amof(["branches", "--all", "--json", "--repo", "api"]);
  assertEquals(all(remote)["theirs"], [["api", 2, 1, null]]);
  assertEquals((await world.amof(["branches", "--stale", "soon"])).code, 2);
});

Deno.test("amof branches believes a git that compares by itself", async () => {
  await using world = await busy();
  // Git 2.41 and later count while they list; this one is taught to.
  const env = await world.wrapGit([
    'case "$*" in *for-each-ref*ahead-behind*)',
    '  dir=$PWD; base=$(printf %s "$*" | sed "s/.*ahead-behind:\\([^)]*\\)).*/\\1/")',
    '  git() { command env PATH="${PATH#*:}" git "$@"; }',
    '  git rev-parse --verify --quiet "$base" >/dev/null || { echo "fatal: failed to find \'$base\'" >&2; exit 128; }',
    '  git for-each-ref --format="%(refname) %(objectname) %(committerdate:unix) %(HEAD)" refs/heads/ "$base" |',
    "  while read -r ref id at head; do",
    '    set -- $(git rev-list --left-right --count "$ref...$base")',
    '    [ "$head" = "*" ] || head=" "',
    '    printf "%s\\0%s\\0%s\\0%s\\0\\0%s %s\\n" "$ref" "$id" "$at" "$head" "$1" "$2"',
    "  done; exit 0 ;;",
    "esac",
  ].join("\n"));
  const ran = await world.amof(["branches", "--json"], { env });
  assertEquals(all(ran), FOUND);
});

Deno.test("amof branches compares with the local base where origin has none, and with nothing where there is none", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "update-ref", "-d", "refs/remotes/origin/main");
  await world.commitOnFeature("api", "feature/T-1");
  assertEquals(all(await world.amof(["branches", "--json"])), {
    "feature/T-1": [["api", 1, 0, null]],
    main: [["api", null, null, null]],
  });
  await world.git(clone, "branch", "--quiet", "-D", "main");
  assertEquals(all(await world.amof(["branches", "--json"])), {
    "feature/T-1": [["api", null, null, null]],
  });
});

Deno.test("amof branches calls a branch that never had a commit of its own empty, and not merged", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  await world.git(clone, "branch", "fresh");
  await world.git(clone, "switch", "--quiet", "--create", "landed");
  await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", "Work");
  await world.git(clone, "push", "--quiet", "origin", "landed:main");
  const { stdout } = await world.amof(["branches"]);
  assertMatch(stdout, /^fresh .* no commits /m);
  assertMatch(stdout, /^landed .* yes /m);
});
