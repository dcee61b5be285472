/**
 * One commit that travels without its repository. It is made of what a program has left in a clone, packed
 * together with what it changes, and looked at where it arrives. Reached as `git.at(directory).part(Bundles)`.
 *
 * A bundle holds the commit, its parent, and of both the directories and files in which they differ. So whoever
 * receives it can see for themselves what it changes, without the rest of the repository.
 */

import { type Sha, sha } from "../../base/ids.ts";
import { NEVER_COMMITTED } from "../../base/system/layout.ts";
import { gitFailure } from "../call/error.ts";
import { parsePatch, type Patch } from "../read/integrated.ts";
import { type PushOutcome, pushOutcome } from "../call/log.ts";
import { reason } from "../call/failure_kind.ts";
import type { Runner } from "../call/runner.ts";
import { RepositoryPart } from "../call/part.ts";

/** How much git may tell of the paths of one change, in bytes. */
const MOST_PATHS = 16 * 1024 * 1024;
/** How much of contents of files is read of one change, in bytes. */
const MOST_PATCH = 64 * 1024 * 1024;

/** Who makes a commit, and when. */
export interface Authorship {
  /** Without `<`, `>` and line ends. */
  readonly name: string;
  readonly email: string;
  /** Seconds since the epoch. */
  readonly at: number;
}

/** Everything that a commit says besides its files. */
interface CommitWords {
  readonly parent: Sha;
  readonly author: Authorship;
  readonly message: string;
}

/** A path in which two commits differ. */
export interface PathChange {
  readonly path: string;
  /** Added, modified, deleted, or of another type. */
  readonly status: "A" | "M" | "D" | "T";
  /** As git writes them, such as `100644`; zeros where there is none. */
  readonly modes: readonly [string, string];
}

/** What is in the directory, as a tree. */
interface Staged {
  readonly tree: Sha;
  readonly changes: readonly PathChange[];
  /** The objects in which it differs from the parent, on both sides. */
  readonly objects: readonly string[];
}

/** The text of a commit: the same words and the same files make the same commit, whoever makes it. */
export function commitText(tree: string, { parent, author, message }: CommitWords): string {
  const who = `${author.name} <${author.email}> ${author.at} +0000`;
  const lines = [`tree ${tree}`, `parent ${parent}`, `author ${who}`, `committer ${who}`];
  return `${lines.join("\n")}\n\n${message.trimEnd()}\n`;
}

const DIFFERENCES = [
  "diff-tree",
  "-r",
  "--no-renames",
  "--no-ext-diff",
  "--ignore-submodules=none",
];

/** A submodule, whose commit is no object of the repository. */
const LINK = "160000";
const DIRECTORY = "040000";

/** Commits that travel. */
export class Bundles extends RepositoryPart {
  /**
   * Takes everything that is in the working copy and not ignored as it is, whatever a program has staged or committed
   * there, and compares it with `parent`. `index` is a file that is not there yet, absolute. Four processes, no hooks.
   */
  async stage(parent: Sha, index: string): Promise<Staged> {
    const what = `look at what was changed in "${this.git.name}"`;
    const how = { access: "internal", patient: true, index } as const;
    await this.git.must(["read-tree", parent], how, what);
    await this.git.must(
      ["add", "--all", "--", ".", ":(exclude,top).amof", NEVER_COMMITTED],
      how,
      what,
    );
    const tree = sha((await this.git.must(["write-tree"], how, what)).trim());
    return { tree, ...await this.#differing(parent, tree, what) };
  }

  async #differing(from: string, to: string, what: string): Promise<Omit<Staged, "tree">> {
    const output = await this.git.must(
      [...DIFFERENCES, "-t", "--raw", "-z", from, to],
      { access: "read", maxOutputBytes: MOST_PATHS },
      what,
    );
    const tokens = output.split("\0");
    const changes: PathChange[] = [];
    const objects = new Set<string>();
    for (let at = 0; at + 1 < tokens.length; at += 2) {
      const [before = "", after = "", old = "", made = "", status = ""] =
        tokens[at]?.slice(1).split(" ") ?? [];
      for (const [mode, id] of [[before, old], [after, made]] as const) {
        if (mode !== LINK && !/^0*$/.test(id)) objects.add(id);
      }
      if (before === DIRECTORY || after === DIRECTORY) {
        // A directory that became a file, or the other way round, is told a second time as that.
        if (before === after || before === "000000" || after === "000000") continue;
      }
      const letter = status === "A" || status === "D" || status === "T" ? status : "M";
      changes.push({ path: tokens[at + 1] ?? "", status: letter, modes: [before, after] });
    }
    return { changes, objects: [...objects] };
  }

  /** Who would make commits here, by name and address; null where nobody has told git. One process. */
  async author(): Promise<Pick<Authorship, "name" | "email"> | null> {
    const result = await this.git.ask(
      ["var", "GIT_AUTHOR_IDENT"],
      { access: "read", upward: true, settings: ["user.useConfigOnly=true"] },
      "ask git for the author of new commits",
    );
    const [, name, email] = /^(.*) <(.*)> \d+ [-+]\d+\s*$/.exec(result?.stdout ?? "") ?? [];
    return name === undefined || email === undefined ? null : { name, email };
  }

  /** Makes a commit of a tree, without hooks, signature or the user's own name. One process. */
  async commit(tree: Sha, words: CommitWords): Promise<Sha> {
    const output = await this.git.must(
      ["hash-object", "-t", "commit", "-w", "--stdin"],
      { access: "internal", stdin: commitText(tree, words) },
      `commit the changes of "${this.git.name}"`,
    );
    return sha(output.trim());
  }

  /** The pack of a bundle; null where it has more bytes than `most`. Two processes. */
  async pack(
    { tree, objects }: Staged,
    { commit, parent, most }: { readonly commit: Sha; readonly parent: Sha; readonly most: number },
  ): Promise<Uint8Array | null> {
    const what = `pack the commit of "${this.git.name}"`;
    const old = await this.git.read(["rev-parse", "--verify", `${parent}^{tree}`], what);
    const all = new Set([commit, parent, tree, old.trim(), ...objects]);
    const result = await this.git.run(["pack-objects", "--stdout", "-q"], {
      access: "internal",
      patient: true,
      stdin: `${[...all].join("\n")}\n`,
      binary: true,
      maxOutputBytes: most + 1,
    });
    const bytes = result.bytes ?? new Uint8Array();
    if (result.truncated || bytes.length > most) return null;
    if (result.exitCode !== 0) throw new TypeError(`Cannot ${what}: ${reason(result)}`);
    return bytes;
  }

  /**
   * The commits of a chain that begins on `base`, the newest first. Null where not all commits of `tip` lead to
   * `base` alone, or there are more than `most`. One process.
   */
  async chain(base: Sha, tip: Sha, most: number): Promise<readonly string[] | null> {
    const output = await this.git.must(
      ["rev-list", "--parents", "--topo-order", `--max-count=${most + 1}`, tip, `^${base}`, "--"],
      { access: "read", maxOutputBytes: MOST_PATHS },
      `look at the commits of "${this.git.name}"`,
    );
    const lines = output.split("\n").filter((line) => line !== "").map((line) => line.split(" "));
    const known = new Set([base as string, ...lines.map(([commit = ""]) => commit)]);
    const isWhole = lines.length <= most &&
      lines.every(([, ...parents]) =>
        parents.length > 0 && parents.every((parent) => known.has(parent))
      );
    return isWhole ? lines.map(([commit = ""]) => commit) : null;
  }

  /** How many commits of branches and stashes neither `tip` nor a remote-tracking branch has. One process. */
  async besides(tip: Sha): Promise<number> {
    const output = await this.git.read([
      "rev-list",
      "--count",
      "--all",
      "--not",
      tip,
      "--remotes",
      "--",
    ], `look for other commits of "${this.git.name}"`);
    return Number(output.trim());
  }

  /**
   * The pack of everything that `tip` has and `base` has not; null where it has more bytes than `most`. Throws where
   * something of it is missing. One process.
   */
  async packSince(base: Sha, tip: Sha, most: number): Promise<Uint8Array | null> {
    const result = await this.git.run(["pack-objects", "--stdout", "-q", "--revs"], {
      access: "internal",
      patient: true,
      stdin: `${tip}\n^${base}\n`,
      binary: true,
      maxOutputBytes: most + 1,
    });
    const bytes = result.bytes ?? new Uint8Array();
    if (result.truncated || bytes.length > most) return null;
    if (result.exitCode !== 0) {
      throw gitFailure(result, `pack the commits of "${this.git.name}"`, this.git.label);
    }
    return bytes;
  }

  /**
   * Takes a pack in, and looks at each object. With `whole` it also checks that no object is missing which
   * another one names, for which the parent has to be there. Throws where the pack is damaged. One process.
   */
  async take(pack: Uint8Array, whole: boolean): Promise<void> {
    await this.git.must(
      [
        "index-pack",
        whole ? "--strict" : "--fsck-objects",
        `--max-input-size=${pack.length}`,
        "--stdin",
      ],
      { access: "internal", stdin: pack },
      `take in the commit of "${this.git.name}"`,
    );
  }

  /** All objects of the repository. One process. */
  async objects(): Promise<
    readonly { readonly type: string; readonly id: string; readonly bytes: number }[]
  > {
    const output = await this.git.must(
      [
        "cat-file",
        "--batch-all-objects",
        "--batch-check=%(objecttype) %(objectname) %(objectsize)",
      ],
      { access: "read", maxOutputBytes: MOST_PATHS },
      `list the objects of "${this.git.name}"`,
    );
    return output.split("\n").filter((line) => line !== "").map((line) => {
      const [type = "", id = "", bytes = ""] = line.split(" ");
      return { type, id, bytes: Number(bytes) };
    });
  }

  /** What a commit says, byte for byte, with UTF-8 read as such. One process. */
  text(commit: Sha): Promise<string> {
    return this.git.read(["cat-file", "commit", commit], `read the commit of "${this.git.name}"`);
  }

  /** In which files a commit differs from its parent. One process. */
  async changes(parent: Sha, commit: Sha): Promise<readonly PathChange[]> {
    const what = `look at the commit of "${this.git.name}"`;
    return (await this.#differing(parent, commit, what)).changes;
  }

  /** The lines in which it differs, without those around them; one character for each byte. One process. */
  async patch(parent: Sha, commit: Sha): Promise<Patch["hunks"]> {
    const bytes = await this.git.mustBytes(
      [...DIFFERENCES, "--no-textconv", "--patch", "--text", "--unified=0", parent, commit],
      { access: "read", maxOutputBytes: MOST_PATCH },
      `look at the commit of "${this.git.name}"`,
    );
    return parsePatch(new TextDecoder("latin1").decode(bytes)).hunks;
  }

  /**
   * Sends a commit to a branch of `origin`, which has to be at `expected` there, or not to be there at all (null): git
   * itself refuses else. No hooks, no tags. One process, network.
   */
  async send(
    { commit, branch, expected }: {
      readonly commit: Sha | null;
      readonly branch: string;
      readonly expected: Sha | null;
    },
  ): Promise<PushOutcome> {
    const ref = `refs/heads/${branch}`;
    return await pushed(this.git, [
      `--force-with-lease=${ref}:${expected ?? ""}`,
      "--end-of-options",
      "origin",
      `${commit ?? ""}:${ref}`,
    ]);
  }
}

/** Pushes without hooks and without a look at submodules, whose commits nobody has here. */
async function pushed(git: Runner, words: readonly string[]): Promise<PushOutcome> {
  const options = ["--porcelain", "--progress", "--no-follow-tags", "--recurse-submodules=no"];
  const result = await git.run(
    ["push", ...options, ...words],
    { access: "internal", network: true, sends: true },
  );
  return pushOutcome(result);
}
