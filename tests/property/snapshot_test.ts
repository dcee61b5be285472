// The law of snapshots, on real repositories: whatever is uncommitted, taking it out leaves the commit, and bringing it
// back leaves everything as it was: bytes, permissions, links, index and what git says about it.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import fc from "fast-check";
import { Git } from "../../src/git/mod.ts";
import { Snapshots } from "../../src/git/snapshot/mod.ts";
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
import { cases } from "../support/sample.ts";
import { World } from "../support/world.ts";
import { hermetic } from "../unit/_support.ts";

/** Files and links with names and links are POSIX matters. */
const POSIX = Deno.build.os !== "windows";

/** One thing a person does to uncommitted work; what cannot be done is passed over. */
type Deed = FileDeed | {
  readonly do: "add" | "announce" | "uncache" | "ignore";
  readonly path: string;
};

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: writes },
  { weight: 1, arbitrary: deletions },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("add" as const, "announce" as const, "uncache" as const),
      path,
    }),
  },
  { weight: 1, arbitrary: modes },
  { weight: 1, arbitrary: links },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("ignore" as const),
      path: fc.constantFrom("a", "run.sh"),
    }),
  },
);

/** Arguments of git for what is done to the index. */
const STAGING = {
  add: ["add", "-A"],
  announce: ["add", "-N"],
  uncache: ["rm", "-r", "-q", "-f", "--cached"],
};

async function act(world: World, repo: string, one: Deed): Promise<void> {
  switch (one.do) {
    case "ignore":
      return await Deno.writeTextFile(join(repo, ".git/info/exclude"), `/${one.path}\n`);
    case "add":
    case "announce":
    case "uncache": {
      const args = ["--literal-pathspecs", ...STAGING[one.do], "--", one.path];
      return void await world.command("git", args, { cwd: repo });
    }
    default:
      return await actOnFile(repo, one);
  }
}

/** Everything below the working copy, and what git holds and says of it. */
async function picture(world: World, repo: string): Promise<string> {
  const files = await filesBelow(repo, (_, mode) => mode);
  const status = await world.git(
    repo,
    "status",
    "--porcelain=v2",
    "--branch",
    "-uall",
    "--no-renames",
  );
  const announced = new Set(
    [...status.matchAll(/^1 .A (?:\S+ ){6}(.*)$/gm)].map((match) => match[1]),
  );
  const staged = (await world.git(repo, "ls-files", "--stage")).split("\n").map((line) =>
    // An announced path has no content in the index yet, and takes the kind of its file when it is announced.
    announced.has(line.split("\t")[1]) ? line.replace(/^\d+/, "announced") : line
  );
  return [
    ...files,
    ...staged,
    status,
    await world.git(repo, "diff", "--cached"),
  ].join("\n");
}

Deno.test({
  name: "what a snapshot takes out of a repository it brings back exactly",
  ignore: !POSIX,
  async fn() {
    await using world = await World.make();
    const git = new Git(hermetic(world));
    let turn = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 1, maxLength: 12 }), async (deeds) => {
        const repo = await smallRepository(world, `repo-${turn++}`);
        const clean = await picture(world, repo);
        for (const one of deeds) await act(world, repo, one);
        const before = await picture(world, repo);
        const taken = await git.at(repo, "it").part(Snapshots).take({
          id: "abcd",
          branch: "main",
          name: "test",
          at: 1_700_000_000_000,
        });
        assertEquals(await picture(world, repo), before, "taking touches nothing");
        assertEquals(await world.git(repo, "for-each-ref", "refs/amof"), "");
        if (taken === null) {
          assertEquals(await world.git(repo, "status", "--porcelain"), "");
          return;
        }
        const stored = await git.at(repo, "it").part(Snapshots).read(taken.commit);
        assertEquals(stored.view, taken.view);
        const none = { conflicts: [], strangers: [] };
        for (let round = 0; round < 2; round++) {
          assertEquals(await git.at(repo, "it").part(Snapshots).apply(taken.commit, "head"), none);
          assertEquals(await world.git(repo, "status", "--porcelain", "-uall"), "");
          assertEquals(await git.at(repo, "it").part(Snapshots).apply(taken.commit, "kept"), none);
          assertEquals(await picture(world, repo), before);
        }
        await git.at(repo, "it").part(Snapshots).apply(taken.commit, "head");
        // Permissions beyond what git knows are nobody's work where nothing else was changed.
        if (!deeds.some((one) => one.do === "ignore" || one.do === "mode")) {
          assertEquals(await picture(world, repo), clean);
        }
        await Deno.remove(repo, { recursive: true });
      }),
      {
        numRuns: Number(Deno.env.get("AMOF_RUNS") ?? cases(15, 7)),
        endOnFailure: false,
        examples: [[[
          // Announced as a program, and then replaced by a link.
          { do: "uncache", path: "run.sh" },
          { do: "announce", path: "run.sh" },
          { do: "link", path: "run.sh", target: "a" },
        ]]],
      },
    );
    assert(turn > 0);
  },
});

/** A picture of one clone as that of another one: where it lies, what it follows and permissions beyond git's aside. */
function elsewhere(shown: string, place: string): string {
  return shown.replaceAll(place, "").replaceAll(/^# branch\.(?:upstream|ab) .*\n/gm, "")
    .replaceAll(
      /^(\S.*) (\d{6}) /gm,
      (_, path, mode) => `${path} ${(parseInt(mode, 8) & 0o100) === 0 ? "-" : "x"} `,
    );
}

Deno.test({
  name: "work that is uncommitted in one clone is exactly the same in the clone it is brought into",
  ignore: !POSIX,
  async fn() {
    await using world = await World.make();
    const git = new Git(hermetic(world));
    let turn = 0;
    const own = deed.filter((one) => one.do !== "ignore");
    await fc.assert(
      fc.asyncProperty(fc.array(own, { minLength: 1, maxLength: 12 }), async (deeds) => {
        const repo = await smallRepository(world, `repo-${turn++}`);
        const other = `${repo}-other`;
        await world.git(world.directory, "clone", "--quiet", "--template=", repo, other);
        for (const one of deeds) await act(world, repo, one);
        const before = await picture(world, repo);
        const title = { id: "abcd", branch: "main", name: "test", at: 1_700_000_000_000 };
        const taken = await git.at(repo, "it").part(Snapshots).take(title);
        if (taken !== null) {
          const target = git.at(other, "it");
          await target.remotes.takeFrom(repo, [taken.commit]);
          const none = { conflicts: [], strangers: [] };
          assertEquals(await target.part(Snapshots).apply(taken.commit, "kept"), none);
        }
        assertEquals(await picture(world, repo), before, "nothing is touched where it comes from");
        assertEquals(elsewhere(await picture(world, other), other), elsewhere(before, repo));
        await Deno.remove(repo, { recursive: true });
        await Deno.remove(other, { recursive: true });
      }),
      { numRuns: Number(Deno.env.get("AMOF_RUNS") ?? cases(8, 4)), endOnFailure: false },
    );
  },
});
