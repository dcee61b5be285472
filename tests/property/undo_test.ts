// The law of checkpoints, on real repositories: whatever was done between two of them, going back leaves everything as the
// first one has it, and going forth again everything as the second one does: bytes, permissions, links, index, what is
// checked out, branches, tags and stashes.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import fc from "fast-check";
import { Git } from "../../src/git/mod.ts";
import { type Bounds, Checkpoints } from "../../src/git/checkpoint/mod.ts";
import {
  actOnFile,
  deletions,
  type FileDeed,
  filesBelow,
  links,
  modes,
  path,
  smallRepository,
  writes,
} from "../support/file_deeds.ts";
import { cases, THOROUGHLY } from "../support/sample.ts";
import { World } from "../support/world.ts";
import { hermetic } from "../unit/_support.ts";

/** Files and links with names and links are POSIX matters. */
const POSIX = Deno.build.os !== "windows";

const BOUNDS: Bounds = {
  fileBytes: 1_000_000,
  allBytes: 10_000_000,
  untracked: true,
  isExcluded: () => false,
};

const BRANCHES = ["main", "side", "feature/x"];

/** One thing that is done in a repository; what cannot be done is passed over. */
type Deed = FileDeed | { readonly do: "git"; readonly args: readonly string[] };

const branch = fc.constantFrom(...BRANCHES);
const git = (...args: readonly string[]): Deed => ({ do: "git", args });

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 5, arbitrary: writes },
  { weight: 1, arbitrary: modes },
  { weight: 1, arbitrary: links },
  { weight: 2, arbitrary: deletions },
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constantFrom(
        ["add", "-A", "--"],
        ["add", "-N", "--"],
        ["rm", "-r", "-q", "-f", "--cached", "--"],
        ["rm", "-r", "-q", "-f", "--"],
      ),
      path,
    ).map(([args, name]) => git("--literal-pathspecs", ...args, name)),
  },
  {
    weight: 5,
    arbitrary: fc.oneof(
      fc.constantFrom(
        git("commit", "-q", "--no-verify", "-a", "-m", "all"),
        git("commit", "-q", "--no-verify", "-m", "staged"),
        git("commit", "-q", "--amend", "--no-verify", "-m", "again"),
        git("stash", "push", "-q", "-u", "-m", "away"),
        git("stash", "push", "-q"),
        git("stash", "pop", "-q", "--index"),
        git("stash", "drop", "-q"),
        git("reset", "-q", "--hard"),
        git("reset", "-q", "--soft", "HEAD~1"),
        git("clean", "-q", "-f", "-d"),
        git("checkout", "-q", "--detach"),
        git("tag", "v1"),
        git("tag", "-d", "v1"),
      ),
      branch.map((name) => git("switch", "-q", name)),
      branch.map((name) => git("switch", "-q", "-C", name)),
      branch.map((name) => git("branch", "-q", "-D", name)),
      branch.map((name) => git("branch", "-f", name, "HEAD")),
      branch.map((name) => git("merge", "-q", "--no-edit", name)),
      branch.map((name) => git("merge", "-q", "--no-commit", "--no-ff", name)),
    ),
  },
);

async function act(world: World, repo: string, one: Deed): Promise<void> {
  if (one.do !== "git") return await actOnFile(repo, one);
  await world.command("git", [...one.args], { cwd: repo });
  // What is begun and not ended is no matter of checkpoints: only the index that it leaves is.
  for (const name of ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE"]) {
    await Deno.remove(join(repo, ".git", name)).catch(() => {});
  }
}

/** Everything below the working copy, and what git holds and says of it, asked of git and the disk alone. */
async function seen(world: World, repo: string): Promise<string> {
  const status = await world.git(
    repo,
    "status",
    "--porcelain=v2",
    "--branch",
    "-uall",
    "--no-renames",
    "-z",
  );
  const changed = new Set(
    status.split("\0").map((line) =>
      line.split(" ").slice({ "1": 8, u: 10, "?": 1 }[line[0] ?? ""] ?? 0).join(" ")
    ),
  );
  // Permissions beyond what git knows are nobody's work where nothing else was changed.
  const files = await filesBelow(
    repo,
    (path, mode) => changed.has(path) ? mode & 0o777 : mode & 0o100,
  );
  const committed = await world.git(repo, "ls-tree", "-r", "-z", "--name-only", "HEAD");
  const announced = new Set(
    [...status.matchAll(/(?:^|\0)1 (.A|DD|.D) (?:\S+ ){6}([^\0]*)/g)].flatMap(
      ([, letters, name = ""]) =>
        letters === ".D" && committed.split("\0").includes(name) ? [] : [name],
    ),
  );
  const staged = (await world.git(repo, "ls-files", "--stage", "-z")).split("\0").map((line) =>
    // An announced path has no content in the index yet, and takes the kind of its file when it is announced.
    announced.has(line.split("\t")[1] ?? "") ? line.replace(/^\d+/, "announced") : line
  );
  return [
    ...files,
    ...staged,
    ...status.split("\0").map((line) =>
      announced.has(line.split(" ").slice(8).join(" "))
        ? line.replaceAll(/\d{6}/g, "announced")
        : line
    ),
    await world.git(repo, "for-each-ref", "refs/heads", "refs/tags", "refs/stash"),
    await Deno.readTextFile(join(repo, ".git", "HEAD")),
    await world.git(repo, "stash", "list", "--format=%H %gs"),
  ].join("\n");
}

/** A repository with two branches to go through. */
async function template(world: World, format: "sha1" | "sha256"): Promise<string> {
  const repo = await smallRepository(world, `template-${format}`, format);
  await world.git(repo, "switch", "-q", "-c", "side");
  await Deno.writeTextFile(join(repo, "a"), "other alpha\n");
  await Deno.remove(join(repo, "dir", "f"));
  await world.git(repo, "commit", "-q", "-a", "-m", "Aside");
  await world.git(repo, "switch", "-q", "main");
  return repo;
}

/** What chance finds seldom, and a run meets every day. */
const DAILY: readonly Omit<Case, "format">[] = [
  {
    // A ticket that is left with its work put away, and its branch deleted.
    earlier: [
      git("switch", "-q", "-C", "feature/x"),
      { do: "write", path: "a", content: "one\n" },
      git("stash", "push", "-q", "-u", "-m", "away"),
      { do: "write", path: "a", content: "two\r\n" },
    ],
    deeds: [
      git("stash", "push", "-q", "-m", "more"),
      git("stash", "drop", "-q", "stash@{1}"),
      git("switch", "-q", "main"),
      git("branch", "-q", "-D", "feature/x"),
    ],
  },
  {
    // A merge that stopped over a file, on both sides of the run.
    earlier: [
      { do: "write", path: "a", content: "one\n" },
      git("commit", "-q", "-a", "-m", "all"),
      git("merge", "-q", "--no-edit", "side"),
    ],
    deeds: [
      git("reset", "-q", "--hard"),
      git("switch", "-q", "side"),
      { do: "write", path: "a", content: "two\r\n" },
      git("commit", "-q", "-a", "-m", "all"),
      git("merge", "-q", "--no-edit", "main"),
    ],
  },
  {
    // Announced and taken out of the index, before and after.
    earlier: [
      { do: "write", path: "we ird", content: "" },
      git("add", "-N", "--", "we ird"),
      git("rm", "-q", "--cached", "--", "a"),
    ],
    deeds: [
      { do: "delete", path: "we ird" },
      git("add", "-A"),
      { do: "delete", path: "dir" },
      { do: "write", path: "dir", content: "one\n" },
      git("add", "-N", "--", "dir"),
      { do: "delete", path: "dir" },
    ],
  },
];

interface Case {
  readonly format: "sha1" | "sha256";
  readonly earlier: readonly Deed[];
  readonly deeds: readonly Deed[];
}

/** Goes through one history, back to its first checkpoint, forth to the second, and back again. */
async function check(world: World, turn: number, { format, earlier, deeds }: Case): Promise<void> {
  const repo = join(world.directory, `repo-${turn}`);
  await world.command("cp", ["-a", join(world.directory, `template-${format}`), repo]);
  const checkpoints = new Git(hermetic(world)).at(repo, "it").part(Checkpoints);
  const objects = join(world.directory, `objects-${turn}`);
  const keeping = checkpoints.store(objects);
  for (const one of earlier) await act(world, repo, one);
  const before = await seen(world, repo);
  const from = await checkpoints.take(BOUNDS, keeping);
  assertEquals(await seen(world, repo), before, "a checkpoint touches nothing");
  for (const one of deeds) await act(world, repo, one);
  const after = await seen(world, repo);
  const to = await checkpoints.take(BOUNDS, keeping);
  await checkpoints.bring({ from: to, to: from, bounds: BOUNDS, objects });
  assertEquals(await seen(world, repo), before, "back");
  await checkpoints.bring({ from, to, bounds: BOUNDS, objects });
  assertEquals(await seen(world, repo), after, "forth");
  await checkpoints.bring({ from: to, to: from, bounds: BOUNDS, objects });
  assertEquals(await seen(world, repo), before, "back again");
  assertEquals(await world.git(repo, "for-each-ref", "refs/amof"), "");
  await Deno.remove(repo, { recursive: true });
  await Deno.remove(objects, { recursive: true }).catch(() => {});
}

Deno.test({
  name:
    "going back to a checkpoint of a repository undoes whatever was done since, and going forth does it again",
  ignore: !POSIX,
  async fn() {
    await using world = await World.make();
    await template(world, "sha1");
    await template(world, "sha256");
    let turn = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          format: fc.constantFrom("sha1" as const, "sha1" as const, "sha256" as const),
          earlier: fc.array(deed, { maxLength: 8 }),
          deeds: fc.array(deed, { minLength: 1, maxLength: 10 }),
        }),
        (one) => check(world, turn++, one),
      ),
      {
        numRuns: Number(Deno.env.get("AMOF_RUNS") ?? cases(1000, 8)),
        endOnFailure: !THOROUGHLY,
        examples: DAILY.map((one): [Case] => [{ format: "sha1", ...one }]),
      },
    );
    assert(turn > 0);
  },
});
