/**
 * What a person makes in the clones while others call, and whether all of it is still to be had.
 *
 * @module
 */

import { join } from "@std/path";
import { createHash } from "node:crypto";
import type { World } from "../support/world.ts";
import type { Random } from "./random.ts";

/** How a program ends that is killed. */
const KILLED = 137;
/** The clock by which systems stamp files may be a tick or a few behind, in milliseconds. */
const TICKS_MS = 50;

/** Something that was made: a commit or a file, told by the id of its object. */
interface Made {
  readonly what: "commits made by the person" | "files made by the person";
  readonly ecosystem: string;
  readonly repo: string;
  readonly name: string;
  readonly id: string;
}

const HELD = String.raw`
git rev-list --objects --all $(git stash list --format=%H 2>/dev/null) | cut -d ' ' -f 1
[ ! -e .git ] || find . -name .git -prune -o -type f -print | git hash-object --no-filters --stdin-paths
`;

/** What an undo keeps of the files that it deleted, with consent, for the undo of the undo: all of a repository. */
const UNDONE = String.raw`
for one in "$1"/*/"$2".git; do
  grep -q '"action":"undo"' "$(dirname "$one")/operation.json" 2>/dev/null || continue
  git --git-dir="$one" cat-file --batch-all-objects --batch-check='%(objectname)'
done
`;

/** What git calls the contents of a file. */
function blobId(text: string): string {
  return createHash("sha1").update(`blob ${text.length}\0${text}`).digest("hex");
}

/** The person's work. */
export class Ledger {
  readonly #world: World;
  readonly #places: readonly { readonly ecosystem: string; readonly repo: string }[];
  readonly #made: Made[] = [];
  /** What undos have kept, by repository and id; old ones are forgotten by the program in time. */
  readonly #undone = new Set<string>();
  #serial = 0;

  constructor(world: World, ecosystems: Readonly<Record<string, readonly string[]>>) {
    this.#world = world;
    this.#places = Object.entries(ecosystems).flatMap(([ecosystem, repos]) =>
      repos.map((repo) => ({ ecosystem, repo }))
    );
  }

  /** Makes a new file somewhere, and sometimes commits it. What does not succeed was not made. */
  async work(random: Random): Promise<void> {
    const { ecosystem, repo } = random.one(this.#places);
    const clone = this.#world.clone(repo, ecosystem);
    if (!await this.#world.exists(join(clone, ".git"))) return;
    const name = `mine-${++this.#serial}.txt`;
    const file = join(clone, name);
    const add = (what: Made["what"], id: string) =>
      void this.#made.push({ what, ecosystem, repo, name, id });
    try {
      await Deno.writeTextFile(file, `mine ${this.#serial}\n`);
    } catch {
      return;
    }
    // The clone may be put away at any moment, and a directory that is gone is no place to start a program in.
    const git = async (...args: string[]) => {
      const from = Date.now();
      const ran = await this.#world.command("git", ["-C", clone, ...args], {
        cwd: this.#world.directory,
      });
      if (ran.code === KILLED) await this.#unlock(clone, from);
      return ran;
    };
    add("files made by the person", blobId(`mine ${this.#serial}\n`));
    if (random.below(2) === 0) return;
    if ((await git("add", "--", name)).code !== 0) return;
    const committed = await git("commit", "--quiet", "-m", `Mine ${this.#serial}`, "--", name);
    if (committed.code !== 0) return;
    // Others may commit at the same time; only what is certainly ours is counted.
    const found = await git("log", "--all", "-1", "--format=%H", `--grep=^Mine ${this.#serial}$`);
    if (found.stdout.trim() !== "") add("commits made by the person", found.stdout.trim());
  }

  /** Removes the lock that a git of the person took which was killed, as git tells them to. */
  async #unlock(clone: string, from: number): Promise<void> {
    const lock = join(clone, ".git", "index.lock");
    const made = (await Deno.lstat(lock).catch(() => null))?.mtime?.getTime() ?? 0;
    if (made > from - TICKS_MS) await Deno.remove(lock).catch(() => {});
  }

  /** How much was made. */
  made(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { what } of this.#made) counts.set(what, (counts.get(what) ?? 0) + 1);
    return counts;
  }

  /** What is neither in a file, nor held by a ref or stash of its clone, nor on its remote, nor kept by an undo. */
  async missing(): Promise<string[]> {
    const problems: string[] = [];
    for (const { ecosystem, repo } of this.#places) {
      const held = new Set<string>();
      for (
        const directory of [
          this.#world.clone(repo, ecosystem),
          join(this.#world.remotes, `${repo}.git`),
        ]
      ) {
        if (!await this.#world.exists(directory)) continue;
        const { stdout } = await this.#world.command("sh", ["-c", HELD], { cwd: directory });
        for (const id of stdout.split("\n")) held.add(id);
      }
      const undone = join(this.#world.env["AMOF_HOME"] ?? "", "state", "undo");
      const kept = await this.#world.command("sh", ["-c", UNDONE, "sh", undone, repo]);
      for (const id of kept.stdout.split("\n")) this.#undone.add(`${repo} ${id}`);
      problems.push(
        ...this.#made.filter((made) =>
          made.ecosystem === ecosystem && made.repo === repo && !held.has(made.id) &&
          !this.#undone.has(`${repo} ${made.id}`)
        ).map(({ what, name, id }) => `lost of ${what}: ${ecosystem}/${repo} ${name} ${id}`),
      );
    }
    return problems;
  }
}
