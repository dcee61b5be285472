/**
 * What a repository holds besides branches: other refs, what only they have, and files that git was told not to look
 * at. Reached as `git.at(directory).part(Everything)`.
 */

import { type CommitLine, commitLines } from "./history.ts";
import { bytesOf } from "../odd_names.ts";
import { RepositoryPart } from "../call/part.ts";
import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";

/** A ref of whatever kind. */
export interface Ref {
  /** In full, such as `refs/notes/commits`. */
  readonly name: string;
  readonly object: string;
  /** `commit`, `tag`, `tree` or `blob`: what it leads to, tags looked through. */
  readonly leadsTo: string;
  /** Whether it is an object of its own, as an annotated tag is, with a message that nothing else has. */
  readonly annotated: boolean;
  /** The upstream of a branch as `remote/branch`, or null. */
  readonly upstream: string | null;
}

/** A commit and the ref that has it. */
export interface RefCommit extends CommitLine {
  readonly ref: string;
}

/** A file that git was told to take for unchanged, by `skip-worktree` or `assume-unchanged`. */
export interface FlaggedFile {
  readonly path: string;
  readonly mode: string;
  /** What the index holds of it. */
  readonly object: string;
}

/** What an index says that a status does not. */
interface IndexFacts {
  /** Paths where another repository is: submodules, or clones that were added like files. */
  readonly gitlinks: readonly string[];
  readonly flagged: readonly FlaggedFile[];
}

/** Everything else that a repository holds. */
export class Everything extends RepositoryPart {
  /** All refs but those that tell of remotes, or keep what undo would bring back. One process. */
  async refs(): Promise<Ref[]> {
    const output = await this.git.read([
      "for-each-ref",
      "--format=%(refname)%09%(objectname)%09%(objecttype)%09%(*objecttype)%09%(upstream:short)",
    ], `read the refs of "${this.git.name}"`);
    return output.split("\n").flatMap((line) => {
      const [name = "", object = "", kind = "", behind = "", upstream = ""] = line.split("\t");
      // Git's own background fetches keep what they got under refs/prefetch; what is kept for undo was dropped on purpose.
      // What jj keeps has a question of its own.
      if (name === "" || /^refs\/(?:remotes|prefetch|jj|amof\/keep)\//.test(name)) return [];
      return [{
        name,
        object,
        leadsTo: behind === "" ? kind : behind,
        annotated: kind === "tag",
        upstream: upstream === "" ? null : upstream,
      }];
    });
  }

  /**
   * The newest commits of some refs that neither a branch, a remote-tracking branch nor one of the commits
   * `known` has. At most `most`, each with the ref that has it. Replacements are not followed. One process.
   */
  async onlyIn(
    { refs, known, most }: {
      readonly refs: readonly Pick<Ref, "name" | "object">[];
      readonly known: readonly string[];
      readonly most: number;
    },
  ): Promise<RefCommit[]> {
    const names = new Map(refs.toReversed().map(({ name, object }) => [object, name]));
    const output = await this.git.must(
      [
        "log",
        "--no-show-signature",
        `--max-count=${most}`,
        "--source",
        "--format=%H%x09%s%x09%S",
        "-z",
        "--ignore-missing",
        "--stdin",
        // Before 2.42 git takes these only from the command line.
        "--not",
        "--branches",
        "--remotes",
      ],
      {
        access: "read",
        // Git is asked by objects: a name that is no UTF-8 would be missing, and be ignored.
        stdin: [...names.keys(), ...known.map((commit) => `^${commit}`), ""].join("\n"),
      },
      `list what only other refs of "${this.git.name}" have`,
    );
    return commitLines(output).map(({ commit, subject }) => {
      const at = subject.lastIndexOf("\t");
      return { commit, subject: subject.slice(0, at), ref: names.get(subject.slice(at + 1)) ?? "" };
    });
  }

  /**
   * The newest commits of jj that change files, and that neither a branch, a remote-tracking branch nor one of
   * the commits `known` has. At most `most`; none where jj is not used beside git. One process where it is.
   */
  async onlyInJj(known: readonly string[], most: number): Promise<CommitLine[]> {
    const { system, directory } = this.git;
    if (!await hasJj(system, directory)) return [];
    // Where its files are read in vain, everything that it keeps may be work.
    const heads = await jjHeads(system, directory);
    const output = await this.git.read([
      "log",
      "--no-show-signature",
      `--max-count=${most}`,
      "--format=%H%x09%s",
      "-z",
      "--ignore-missing",
      "--full-history",
      ...(heads === null ? ["--glob=refs/jj/keep/*"] : heads),
      "--not",
      "--branches",
      "--remotes",
      ...known,
      "--",
      ".",
    ], `list what only jj has of "${this.git.name}"`);
    return commitLines(output);
  }

  /** The commits that only the log of past positions has, besides those that are `known`. One process. */
  async onlyInReflog(known: readonly string[]): Promise<string[]> {
    const output = await this.git.read([
      "rev-list",
      "--reflog",
      "--not",
      "--exclude=refs/amof/keep/*",
      "--all",
      ...known,
      "--",
    ], `list what only the log of past positions of "${this.git.name}" has`);
    return output.split("\n").filter((line) => line !== "");
  }

  /** What the index says that a status does not. One process. */
  async index(): Promise<IndexFacts> {
    const output = await this.git.read(
      ["ls-files", "--stage", "-v", "-z"],
      `read the index of "${this.git.name}"`,
    );
    const gitlinks = new Set<string>();
    const flagged: FlaggedFile[] = [];
    for (const line of output.split("\0")) {
      const at = line.indexOf("\t");
      const [tag = "", mode = "", object = ""] = line.slice(0, at).split(" ");
      const file = line.slice(at + 1);
      if (mode === "160000") gitlinks.add(file);
      // A small letter means assume-unchanged, S skip-worktree.
      else if (/^(?:[a-z]|S)$/.test(tag)) flagged.push({ path: file, mode, object });
    }
    return { gitlinks: [...gitlinks], flagged };
  }

  /** What files would be in a commit as they are on the disk; all must be there. One process. */
  async hash(files: readonly string[]): Promise<string[]> {
    const output = await this.git.must(
      ["hash-object", "--stdin-paths"],
      { access: "read", stdin: bytesOf(files.map((file) => `${file}\n`).join("")) },
      `read files of "${this.git.name}"`,
    );
    return output.split("\n").filter((line) => line !== "");
  }
}

// What jj, which may work in a clone beside git, has of its own there, as its files say: no jj is started.
//
// Under `refs/jj/keep` it keeps every commit that it ever made, what was rewritten too, so that git does not remove them (WORKSPACE-32).
// Which of them are work of today its view of the repository says: a message of Protocol Buffers, of which one field is
// read.

/** Whether jj works in a clone beside git. No process. */
export async function hasJj({ files }: System, clone: string): Promise<boolean> {
  return await files.lstat(join(clone, ".jj")) !== null;
}

/** The values of the first field of a message, each a string of bytes; null for what is no message. */
export function firstField(message: Uint8Array): Uint8Array[] | null {
  const values: Uint8Array[] = [];
  let at = 0;
  const number = (): number | null => {
    let value = 0;
    for (let factor = 1; at < message.length; factor *= 128) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    return null;
  };
  while (at < message.length) {
    const tag = number();
    const length = tag === null ? null : number();
    if (tag === null || length === null) return null;
    // What is no string of bytes is a number, which has been read as the length.
    if ((tag & 7) === 0) continue;
    if ((tag & 7) !== 2 || at + length > message.length) return null;
    if (tag >> 3 === 1) values.push(message.subarray(at, at + length));
    at += length;
  }
  return values;
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The commits at which the work of jj in a clone ends today; null where its files do not say it. No process. */
async function jjHeads({ files }: System, clone: string): Promise<string[] | null> {
  const repo = join(clone, ".jj", "repo");
  const field = async (...parts: string[]) => {
    const bytes = await files.readBytes(join(repo, ...parts));
    return bytes === null ? null : firstField(bytes);
  };
  const operations = (await files.list(join(repo, "op_heads", "heads"))).map(({ name }) => name);
  const heads = new Set<string>();
  for (const operation of operations) {
    const [view] = await field("op_store", "operations", operation) ?? [];
    const found = view === undefined ? null : await field("op_store", "views", hex(view));
    if (found === null) return null;
    // The root of all is no commit of git.
    for (const head of found.map(hex)) if (/[1-9a-f]/.test(head)) heads.add(head);
  }
  return operations.length === 0 ? null : [...heads];
}
