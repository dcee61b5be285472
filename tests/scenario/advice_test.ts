/**
 * Whatever a status advises is carried out in the state in which it advises it: it must do something (NEXT-6), and a
 * push that is refused leads to one that is not in a single step.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { actionLine } from "../../src/doors/cli/next_steps.ts";
import { writtenLines } from "../../src/pipeline/line/written.ts";
import { splitWords } from "../../src/base/text/split_words.ts";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

/** Makes the state of the clone of api; `branch` is the one that is checked out. */
type State = (world: World, clone: string, branch: string) => Promise<void>;

const write = (clone: string, file: string, text: string) =>
  Deno.writeTextFile(join(clone, file), text);

const commit: State = async (world, clone) => {
  await write(clone, "work.txt", "work\n");
  await world.git(clone, "add", "--all");
  await world.git(clone, "commit", "--quiet", "-m", "Work");
};

const dirty: State = (_world, clone) => write(clone, "more.txt", "more\n");

/** A commit that only the remote has. */
const behind: State = async (world, clone, branch) => {
  await commit(world, clone, branch);
  await world.git(clone, "push", "--quiet", "--set-upstream", "origin", branch);
  await world.git(clone, "reset", "--quiet", "--hard", "HEAD~1");
};

const diverged: State = async (world, clone, branch) => {
  await behind(world, clone, branch);
  await write(clone, "other.txt", "other\n");
  await world.git(clone, "add", "--all");
  await world.git(clone, "commit", "--quiet", "-m", "Other");
};

const STATES: Readonly<Record<string, State>> = {
  clean: () => Promise.resolve(),
  ahead: commit,
  dirty,
  "ahead and dirty": async (world, clone, branch) => {
    await commit(world, clone, branch);
    await dirty(world, clone, branch);
  },
  behind,
  "behind and dirty": async (world, clone, branch) => {
    await behind(world, clone, branch);
    await dirty(world, clone, branch);
  },
  diverged,
  conflict: async (world, clone, branch) => {
    const both = async (text: string) => {
      await write(clone, "both.txt", text);
      await world.git(clone, "add", "--all");
      await world.git(clone, "commit", "--quiet", "-m", text);
    };
    await world.git(clone, "switch", "--quiet", "--create", "theirs");
    await both("theirs");
    await world.git(clone, "switch", "--quiet", branch);
    await both("ours");
    const merged = await world.command("git", ["merge", "theirs"], { cwd: clone });
    assertEquals(merged.code, 1, merged.stdout);
  },
  detached: async (world, clone) => {
    await world.git(clone, "switch", "--quiet", "--detach");
  },
  "read-only and dirty": (world) => dirty(world, world.clone("docs"), "main"),
  "ahead beside a dirty one": async (world, clone, branch) => {
    await commit(world, clone, branch);
    await dirty(world, world.clone("web"), branch);
  },
};

/** Where it happens, and how one gets there. */
const PLACES = {
  "on the base branch": () => Promise.resolve(),
  "in a ticket": async (world: World) => {
    const ran = await world.amof(["ticket", "start", "T-1", "--quiet"]);
    assertEquals(ran.code, 0, ran.stderr);
  },
} as const;

async function placed(place: keyof typeof PLACES): Promise<World> {
  const world = await World.installed({ readonly: ["docs"] });
  await PLACES[place](world);
  return world;
}

/** The words of a command line behind the name of the program. */
function wordsOf(line: string): string[] {
  return splitWords(line)?.slice(1) ?? [];
}

/** Carries a line out as a preview; what it answers. */
async function rehearsed(world: World, words: readonly string[]) {
  const command = words.join(" ");
  const reads = /\b(?:status|list|describe|logs|validate)\b/.test(command);
  return await world.amof([...words, ...(reads ? [] : ["--dry-run"]), "--json"]);
}

for (const place of Object.keys(PLACES) as (keyof typeof PLACES)[]) {
  Deno.test(`what a status advises ${place} works in every state`, async () => {
    const useless: string[] = [];
    for (const [state, make] of Object.entries(STATES)) {
      await using world = await placed(place);
      await make(world, world.clone("api"), place === "in a ticket" ? "feature/T-1" : "main");
      const answer = (await world.amof(["status", "--json"])).json();
      for (const { id, tool, args } of rows(answer, "suggested_actions")) {
        const line = actionLine(String(tool), args as Record<string, unknown>);
        assert(line !== null, String(id));
        const ran = await rehearsed(world, wordsOf(line));
        const facts = pick(ran.json(), "preview", "repos_affected");
        const idle = Array.isArray(facts) && facts.length === 0;
        if (ran.code !== 0 || idle) {
          useless.push(`${state}: ${line}: ${String(pick(ran.json(), "summary"))}`);
        }
      }
    }
    assertEquals(useless, []);
  });
}

Deno.test("a push that is refused says the command that is not, and keeps what was asked for", async () => {
  for (const state of ["ahead", "dirty", "ahead and dirty"]) {
    await using world = await placed("on the base branch");
    await STATES[state]?.(world, world.clone("api"), "main");
    for (const flags of [[], ["--commit", "-m", "My words"]]) {
      const refused = await world.amof(["push", "--yes", "--json", ...flags]);
      const hint = String(pick(refused.json(), "hint"));
      const [line, ...others] = writtenLines(hint);
      assert(line !== undefined && others.length === 0, hint);
      const ran = await rehearsed(world, line.words);
      assertEquals(
        [ran.code, pick(ran.json(), "preview", "repos_affected")],
        [0, ["api"]],
        `${state}: ${hint}`,
      );
      if (flags.length > 0) assert(line.words.includes("My words"), hint);
    }
  }
});
