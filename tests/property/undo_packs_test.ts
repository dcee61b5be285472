// The law of clones that went: whatever their branches and tags had become, a new clone of the mirror with what was kept
// of them has the same names, commits and files, and nothing is missing in it.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import fc from "fast-check";
import { Git } from "../../src/git/mod.ts";
import { type Bounds, Checkpoints } from "../../src/git/checkpoint/mod.ts";
import { smallRepository } from "../support/file_deeds.ts";
import { cases, THOROUGHLY } from "../support/sample.ts";
import { World } from "../support/world.ts";
import { hermetic } from "../unit/_support.ts";

const BOUNDS: Bounds = {
  fileBytes: 1_000_000,
  allBytes: 10_000_000,
  untracked: true,
  isExcluded: () => false,
};

/** A line of git's in the clone; what cannot be done is passed over. */
const deed: fc.Arbitrary<readonly string[]> = fc.oneof(
  { weight: 4, arbitrary: fc.nat(99).map((n) => ["commit", "-q", "--allow-empty", "-m", `c${n}`]) },
  {
    weight: 6,
    arbitrary: fc.constantFrom("main", "side", "feature/x").chain((branch) =>
      fc.constantFrom(
        ["switch", "-q", branch],
        ["switch", "-q", "-C", branch],
        ["branch", "-q", "-D", branch],
        ["branch", "-f", branch, "HEAD"],
        ["merge", "-q", "--no-edit", branch],
        ["push", "-q", "origin", branch],
      )
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ["commit", "-q", "--amend", "-m", "again"],
      ["rm", "-q", "-r", "--ignore-unmatch", "dir"],
      ["mv", "a", "b"],
      ["commit", "-q", "-a", "-m", "all"],
      ["checkout", "-q", "--detach"],
      ["tag", "v1"],
      ["tag", "-a", "-m", "Second", "v2"],
      ["tag", "-d", "v1"],
      ["reset", "-q", "--hard", "HEAD~1"],
    ),
  },
);

/** What git says of a clone, and that it has every object that it names. */
async function seen(world: World, repo: string): Promise<string> {
  return [
    await world.git(repo, "for-each-ref", "refs/heads", "refs/tags"),
    await Deno.readTextFile(join(repo, ".git", "HEAD")),
    await world.git(repo, "status", "--porcelain", "-uall"),
    await world.git(repo, "rev-parse", "HEAD^{tree}"),
    await world.git(repo, "fsck", "--connectivity-only", "--no-dangling"),
  ].join("\n");
}

/** Lets a clone become something, keeps it, and makes it again. */
async function check(world: World, turn: number, deeds: readonly (readonly string[])[]) {
  const at = (name: string) => join(world.directory, `${name}-${turn}`);
  const [mirror, clone, packs, again] = [at("mirror"), at("clone"), at("packs"), at("again")];
  const template = join(world.directory, "template");
  await world.git(world.directory, "clone", "-q", "--bare", template, mirror);
  await world.git(world.directory, "clone", "-q", "--shared", mirror, clone);
  for (const args of deeds) await world.command("git", [...args], { cwd: clone });
  await world.command("git", ["merge", "--abort"], { cwd: clone });
  await world.git(clone, "reset", "-q", "--hard");
  const git = new Git(hermetic(world));
  const checkpoints = git.at(clone, "it").part(Checkpoints);
  const checkpoint = await checkpoints.names();
  const tip = await world.git(clone, "rev-parse", "refs/remotes/origin/main");
  await Deno.mkdir(packs);
  const objects = [checkpoint.head ?? "", ...Object.values(checkpoint.refs)];
  await checkpoints.pack(packs, { objects: [...new Set(objects)], without: [tip] });
  const before = await seen(world, clone);
  await Deno.remove(clone, { recursive: true });

  await world.git(world.directory, "clone", "-q", "--shared", "--no-checkout", mirror, again);
  for await (const { name } of Deno.readDir(packs)) {
    await Deno.copyFile(join(packs, name), join(again, ".git", "objects", "pack", name));
  }
  const branch = checkpoint.branch ?? "main";
  const start = checkpoint.refs[`refs/heads/${branch}`] ?? checkpoint.head ?? "";
  await world.git(again, "switch", "-q", "--no-track", "-C", branch, start);
  const made = git.at(again, "it").part(Checkpoints);
  const from = await made.take(BOUNDS);
  const to = { ...from, head: checkpoint.head, branch: checkpoint.branch, refs: checkpoint.refs };
  await made.bring({ from, to, bounds: BOUNDS, objects: at("objects") });
  assertEquals(await seen(world, again), before);
  for (const directory of [mirror, packs, again]) await Deno.remove(directory, { recursive: true });
}

Deno.test("a clone that went is made again out of its mirror and what was kept, whatever it had become", async () => {
  await using world = await World.make();
  await smallRepository(world, "template", "sha1");
  let turn = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(deed, { minLength: 1, maxLength: 10 }),
      (deeds) => check(world, turn++, deeds),
    ),
    {
      numRuns: Number(Deno.env.get("AMOF_RUNS") ?? cases(250, 8)),
      endOnFailure: !THOROUGHLY,
      examples: [
        [[
          ["switch", "-q", "-C", "feature/x"],
          ["commit", "-q", "--allow-empty", "-m", "c"],
          [
            "tag",
            "-a",
            "-m",
            "Second",
            "v2",
          ],
          ["checkout", "-q", "--detach"],
          ["branch", "-q", "-D", "main"],
        ]],
      ],
    },
  );
  assert(turn > 0);
});
