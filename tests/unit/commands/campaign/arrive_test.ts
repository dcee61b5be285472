// What comes home of a campaign is what was agreed to, and its shape says what it changes.

import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { dirname, join } from "@std/path";
import { AmofError } from "../../../../src/base/error.ts";
import { sha } from "../../../../src/base/ids.ts";
import { Bundles, commitText } from "../../../../src/git/write/mod.ts";
import { inspectPack, shapeOf } from "../../../../src/commands/campaign/arrive.ts";
import { World } from "../../../support/world.ts";
import { repositoryIn } from "../../_support.ts";

const CAMPAIGN = {
  author: { name: "Tester", email: "tester@example.com", at: 1_700_000_000 },
  message: "Tidy up",
};

/** A repository in which commits are made as a campaign makes them, and packed. */
async function shard(world: World) {
  const { directory, git, ctx } = await repositoryIn(world);
  const base = await git("rev-parse", "HEAD");
  /** Writes files and commits them, on top of the base. */
  const commit = async (
    files: Readonly<Record<string, string>>,
    { message = CAMPAIGN.message, name = CAMPAIGN.author.name, executable = false } = {},
  ) => {
    await git("checkout", "--quiet", "--force", "--detach", base);
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(join(directory, path)), { recursive: true });
      await Deno.writeTextFile(join(directory, path), text);
      if (executable) await Deno.chmod(join(directory, path), 0o755);
    }
    await git("add", "--all");
    const words = { parent: sha(base), author: { ...CAMPAIGN.author, name }, message };
    const made = await world.command("git", ["hash-object", "-t", "commit", "-w", "--stdin"], {
      cwd: directory,
      stdin: commitText(await git("write-tree"), words),
    });
    return made.stdout.trim();
  };
  /** A pack of some commits with all that they are made of. */
  const pack = async (...commits: readonly string[]) => {
    const list = await git("rev-list", "--objects", ...commits);
    const child = new Deno.Command("git", {
      args: ["-C", directory, "pack-objects", "--stdout", "--quiet"],
      env: world.env,
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(`${list}\n`));
    await writer.close();
    return (await child.output()).stdout;
  };
  return { ctx, directory, base, commit, pack };
}

type Shard = Awaited<ReturnType<typeof shard>>;

interface Sent {
  /** What the shard made: the commit it tells of, and what is in its pack. */
  readonly made: (shard: Shard) => Promise<readonly [told: string, ...packed: string[]]>;
  /** What is wrong, or null. */
  readonly refused: string | null;
  readonly held?: string;
}

const tidy = ({ commit }: Shard) => commit({ "a": "tidy\n" });

const SENT: Readonly<Record<string, Sent>> = {
  "what was agreed to": {
    made: async (shard) => [await tidy(shard), await tidy(shard)],
    refused: null,
  },
  "another message": {
    made: async ({ commit }) => {
      const made = await commit({ "a": "tidy\n" }, { message: "Tidy up more" });
      return [made, made];
    },
    refused: "its base, author, date or message differ",
  },
  "another author": {
    made: async ({ commit }) => {
      const made = await commit({ "a": "tidy\n" }, { name: "Somebody" });
      return [made, made];
    },
    refused: "its base, author, date or message differ",
  },
  "another commit beside it": {
    made: async (shard) => {
      const made = await tidy(shard);
      return [made, made, await shard.commit({ "b": "more\n" })];
    },
    refused: "there is another commit beside it",
  },
  "another commit than it tells of": {
    made: async (shard) => [await tidy(shard), await shard.commit({ "b": "more\n" })],
    refused: "it is not in the pack",
  },
  "a guarded file": {
    made: async ({ commit }) => {
      const made = await commit({ "guarded/key": "mine\n" });
      return [made, made];
    },
    refused: null,
    held: "guarded/key",
  },
};

for (const [what, { made, refused, held }] of Object.entries(SENT)) {
  Deno.test({
    name: `what came home of a campaign: ${what}`,
    ignore: Deno.build.os === "windows", // line ends
    async fn() {
      await using world = await World.make();
      const there = await shard(world);
      const [told, ...packed] = await made(there);
      const pack = await there.pack(...packed);
      const agreed = { campaign: CAMPAIGN, base: sha(there.base), commit: sha(told) };
      const look = () => inspectPack(there.ctx, pack, { ...agreed, noTouch: ["guarded/**"] });
      if (refused !== null) {
        const error = await assertRejects(look, AmofError, refused);
        return assertEquals(error.code, "git_failed");
      }
      const arrived = await look();
      assertEquals(arrived.files, 1);
      if (held === undefined) assertEquals(arrived.held, null);
      else assert(arrived.held?.includes(held), arrived.held ?? "null");
    },
  });
}

Deno.test({
  name: "shapeOf() goes by what is added and removed, wherever and however deep, and by rights",
  ignore: Deno.build.os === "windows", // rights
  async fn() {
    await using world = await World.make();
    const { ctx, directory, base, commit } = await shard(world);
    const repository = ctx.git.at(directory);
    const hash = async (made: string) => {
      const changes = await repository.part(Bundles).changes(sha(base), sha(made));
      return (await shapeOf(repository, { base: sha(base), commit: sha(made), changes })).hash;
    };
    const added = await hash(await commit({ "a": "first\nline\n" }));
    assertEquals(await hash(await commit({ "a": "line\nfirst\n" })), added);
    const removed = await hash(await commit({ "a": "" }));
    const other = await hash(await commit({ "a": "first\nother\n" }));
    const rights = await hash(await commit({ "a": "first\nline\n" }, { executable: true }));
    assertEquals(new Set([added, removed, other, rights]).size, 4);
    const [shallow, deep] = [{ "x/b": "if\n  line\n" }, { "y/z/b": "  if\n    line\n" }];
    assertEquals(await hash(await commit(shallow)), await hash(await commit(deep)));
    assertNotEquals(
      await hash(await commit({ "c": "line\n" })),
      await hash(await commit({ "b": "line\n" })),
    );
    // The same lines, taken away in place of brought in.
    const swapped = async (one: string, two: string) => {
      const from = sha(await commit({ "a": one }));
      await world.git(directory, "checkout", "--quiet", "--detach", from);
      await Deno.writeTextFile(join(directory, "a"), two);
      await world.git(directory, "commit", "--quiet", "-am", "Swap");
      const to = sha(await world.git(directory, "rev-parse", "HEAD"));
      const changes = await repository.part(Bundles).changes(from, to);
      return (await shapeOf(repository, { base: from, commit: to, changes })).hash;
    };
    assertNotEquals(await swapped("x\n", "x\ny\n"), await swapped("x\ny\n", "x\n"));
  },
});
