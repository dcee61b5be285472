/** The refs of a repository, by full name. Reached as `git.at(directory).refs`. */

import { join } from "@std/path";
import { type Loose, type Sha, sha } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import { type BranchUse, branchUses, useFix, useText } from "./branch_use.ts";
import { refsAreFiles } from "../files/directory.ts";
import { gitFailure } from "../call/error.ts";
import { isOddName } from "../odd_names.ts";
import { elsewhereOf } from "./tracking.ts";
import { RepositoryPart } from "../call/part.ts";

/** The refusal to change a branch that a working copy stands on. */
export function branchInUse(what: string, use: BranchUse, directory: string): AmofError {
  return new AmofError("would_lose_work", `Cannot ${what}: ${useText(use)}`, {
    hint: `Let go of it: ${useFix(use, directory)}`,
    details: { branch: use.branch, path: use.path },
  });
}

const HEADS = "refs/heads/";
const ORIGIN = "refs/remotes/origin/";
/** What git calls a move of a branch on which commits only come on top, and one that makes commits anew. */
const GROWS =
  /\t(?:commit(?: \((?:merge|cherry-pick|initial)\))?|merge\b[^:]*|cherry-pick|revert): /;
/** What git calls a fetch that brought commits on top of those that were there. */
const FORWARDS = /\t[^\t]*: fast-forward$/;
/** And one that brought others in their place. */
const REWRITTEN = /\t[^\t]*: forced-update$/;
/** So many of those are looked at. */
const MOST_REPLACED = 5;
const REWRITES = /\t(?:rebase\b[^:]*|pull\b[^:]*--rebase[^:]*|commit \(amend\)): /;

/** A base branch at its remote (WORKSPACE-35). */
interface RemoteBase {
  /** Such as `refs/remotes/origin/main`. */
  readonly ref: string;
  /** Such as `origin/main`. */
  readonly name: string;
}

/** The same, and where it is as last fetched. */
export interface BaseTip extends RemoteBase {
  /** Undefined where none was fetched. */
  readonly commit: Sha | undefined;
}

function remoteBase(remote: string, branch: string): RemoteBase {
  return { ref: `refs/remotes/${remote}/${branch}`, name: `${remote}/${branch}` };
}

/** The refs that begin so, by the rest of their names. */
function below(refs: ReadonlyMap<string, Sha>, prefix: string): ReadonlyMap<string, Sha> {
  return new Map(
    [...refs].filter(([name]) => name.startsWith(prefix))
      .map(([name, commit]) => [name.slice(prefix.length), commit]),
  );
}

/** The refs of a repository, by full name. */
export class Refs extends RepositoryPart {
  /** The commit a full ref name points to, or null. One process. */
  async resolve(ref: string): Promise<Sha | null> {
    const result = await this.git.ask(
      ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`],
      { access: "read" },
      `look up ${ref}`,
      ({ exitCode }) => exitCode === 1,
    );
    return result === null ? null : sha(result.stdout.trim());
  }

  /** Throws when a branch is in use where `counts` says that this matters; see {@linkcode branchUses}. */
  async #refuseInUse(
    ref: string,
    what: string,
    counts: (use: BranchUse) => boolean,
  ): Promise<void> {
    if (!ref.startsWith("refs/heads/")) return;
    const use = (await branchUses(this.git))
      .find((entry) => ref === `refs/heads/${entry.branch}` && counts(entry));
    if (use !== undefined) throw branchInUse(`${what} ${ref}`, use, this.git.directory);
  }

  /**
   * Deletes a ref only if it still points to `expected`; false when it does not. Throws for a branch that any working
   * copy stands on. One process, two when it fails.
   */
  async delete(ref: string, expected: Loose<Sha>): Promise<boolean> {
    // Without an expected value git would delete whatever is there.
    if (expected === "") return false;
    await this.#refuseInUse(ref, "delete", () => true);
    const result = await this.git.run(["update-ref", "-d", ref, expected], {
      access: "internal",
    });
    if (result.exitCode === 0) return true;
    if (await this.resolve(ref) !== expected) return false;
    throw gitFailure(result, `delete ${ref}`, null);
  }

  /** The same for taking back what was made: a branch that any working copy stands on stays, and the answer is false. */
  async deleteUnused(ref: string, expected: Loose<Sha>): Promise<boolean> {
    const uses = await branchUses(this.git);
    if (uses.some(({ branch }) => ref === `refs/heads/${branch}`)) return false;
    return await this.delete(ref, expected);
  }

  /** The commits of refs by full name; those that do not exist are absent. One process. */
  async list(
    patterns: readonly string[],
  ): Promise<ReadonlyMap<string, Sha>> {
    const output = await this.git.must(
      ["for-each-ref", "--format=%(refname) %(objectname)", "--end-of-options", ...patterns],
      { access: "read", depends: "names" },
      `read the refs of "${this.git.name}"`,
    );
    return new Map(
      output.split("\n").filter((line) => line !== "").map((line) => {
        const at = line.lastIndexOf(" ");
        return [line.slice(0, at), sha(line.slice(at + 1))] as const;
      }),
    );
  }

  /**
   * The commits of refs by full name, as git's own files say them; those that do not exist are absent. No process, and
   * one where git keeps them otherwise, or one stands for another.
   */
  async peek(names: readonly string[]): Promise<ReadonlyMap<string, Sha>> {
    const { system: { files }, directory } = this.git;
    const place = await this.git.common() ??
      (await files.lstat(join(directory, "refs")) === null ? null : directory);
    if (place === null) return new Map();
    const read = await refsAreFiles(this.git.system, place) ? await this.#read(place, names) : null;
    if (read !== null && !read.symbolic) return read.found;
    const all = await this.list(names);
    return new Map([...all].filter(([name]) => names.includes(name)));
  }

  /** What files say of refs, whether one only names another, and the text of the file for many, which was read last. */
  async #read(place: string, names: readonly string[]): Promise<{
    readonly found: ReadonlyMap<string, Sha>;
    readonly symbolic: boolean;
    readonly packed: string;
  }> {
    const { files } = this.git.system;
    const found = new Map<string, Sha>();
    let symbolic = false;
    const take = (name: string, text: string | undefined) => {
      if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text ?? "")) found.set(name, sha(text ?? ""));
    };
    for (const name of names) {
      const path = join(place, name);
      const kind = await files.exists(path) ? (await files.lstat(path))?.kind : undefined;
      const text = kind === "file" ? (await files.readText(path))?.trim() : undefined;
      symbolic ||= kind === "symlink" || text?.startsWith("ref:") === true;
      take(name, text);
    }
    // Git writes this file before it removes what it took into it.
    const packed = await files.readText(join(place, "packed-refs")) ?? "";
    const rest = new Set(names.filter((name) => !found.has(name)));
    for (const [, commit, name = ""] of packed.matchAll(/^([0-9a-f]+) (.+)$/gm)) {
      if (rest.has(name)) take(name, commit);
    }
    return { found, symbolic, packed };
  }

  /**
   * A base branch at its remote (WORKSPACE-35). That is the branch of another remote that the local one
   * follows, where that was fetched. Else it is the one of `origin` that has its name. No process; where it
   * follows another remote those of {@linkcode Refs.peek}.
   */
  async base(name: string): Promise<RemoteBase> {
    return (await this.#elsewhere([name])).get(name) ?? remoteBase("origin", name);
  }

  /** Those of base branches that are at another remote than `origin`. */
  async #elsewhere(names: readonly string[]): Promise<ReadonlyMap<string, BaseTip>> {
    const followed = await elsewhereOf(this.git.system, this.git.directory, names);
    const there = [...followed].map(([name, { remote, branch }]) =>
      [name, remoteBase(remote, branch)] as const
    );
    if (there.length === 0) return new Map();
    const found = await this.peek(there.map(([, { ref }]) => ref));
    return new Map(
      there.filter(([, { ref }]) => found.has(ref))
        .map(([name, at]) => [name, { ...at, commit: found.get(at.ref) }]),
    );
  }

  /**
   * The local branches, the branches of `origin` of the same names as last fetched, and where the base branches `bases`
   * are at their remotes, as git's own files say. No process, and one where git keeps them otherwise, or a name is no UTF-8.
   */
  async peekBranches(bases: readonly string[]): Promise<{
    readonly heads: ReadonlyMap<string, Sha>;
    readonly remotes: ReadonlyMap<string, Sha>;
    readonly base: (name: string) => BaseTip;
  }> {
    const found = await this.#peekBranches(bases);
    const elsewhere = await this.#elsewhere(bases);
    return {
      ...found,
      base: (name) =>
        elsewhere.get(name) ?? { ...remoteBase("origin", name), commit: found.remotes.get(name) },
    };
  }

  async #peekBranches(others: readonly string[]): Promise<{
    readonly heads: ReadonlyMap<string, Sha>;
    readonly remotes: ReadonlyMap<string, Sha>;
  }> {
    const place = await this.git.common();
    if (place === null) return { heads: new Map(), remotes: new Map() };
    const areFiles = await refsAreFiles(this.git.system, place);
    const names = areFiles ? await this.#looseUnder(join(place, HEADS)) : new Set<string>();
    // No file can be read by a name that is no UTF-8.
    if (!areFiles || [...names].some(isOddName)) {
      const all = await this.list([HEADS, ORIGIN]);
      return { heads: below(all, HEADS), remotes: below(all, ORIGIN) };
    }
    const read = () =>
      this.#read(place, [
        ...[...names].map((name) => HEADS + name),
        ...[...new Set([...names, ...others])].map((name) => ORIGIN + name),
      ]);
    const { found: first, packed } = await read();
    const before = names.size;
    for (const [, name = ""] of packed.matchAll(/^[0-9a-f]{40,64} refs\/heads\/(.+)$/gm)) {
      names.add(name);
    }
    // Nothing may be taken of a file that was read before those which it may have taken in.
    const found = names.size === before ? first : (await read()).found;
    return { heads: below(found, HEADS), remotes: below(found, ORIGIN) };
  }

  /**
   * The branches below a prefix, and with `remote` those that only `origin` has, as last fetched: their commits by name. No
   * process, and one where git keeps them otherwise, or a name is no UTF-8.
   */
  async peekUnder(
    prefix: string,
    { remote }: { readonly remote: boolean },
  ): Promise<ReadonlyMap<string, Sha>> {
    const roots = [HEADS, ...remote ? [ORIGIN] : []].map((root) => `${root}${prefix}/`);
    const all = await this.under(roots);
    return new Map([...below(all, ORIGIN), ...below(all, HEADS)]);
  }

  /**
   * The refs below some roots, as `refs/heads/feature/`: their commits by full name. No process, and one where git keeps
   * them otherwise, or a name is no UTF-8.
   */
  async under(roots: readonly string[]): Promise<ReadonlyMap<string, Sha>> {
    const place = await this.git.common();
    if (place === null) return new Map();
    if (!await refsAreFiles(this.git.system, place)) return await this.list(roots);
    const names = new Set<string>();
    for (const root of roots) {
      for (const name of await this.#looseUnder(join(place, root), root)) names.add(name);
    }
    if ([...names].some(isOddName)) return await this.list(roots);
    const { packed } = await this.#read(place, []);
    for (const [, name = ""] of packed.matchAll(/^[0-9a-f]{40,64} (.+)$/gm)) {
      if (roots.some((root) => name.startsWith(root))) names.add(name);
    }
    return (await this.#read(place, [...names])).found;
  }

  /** The names of the files below a directory, with `/`. */
  async #looseUnder(directory: string, prefix = ""): Promise<Set<string>> {
    const names = new Set<string>();
    for (const { name, kind } of await this.git.system.files.list(directory)) {
      if (name.endsWith(".lock")) continue;
      if (kind !== "directory") names.add(prefix + name);
      else {
        const inside = await this.#looseUnder(join(directory, name), `${prefix}${name}/`);
        for (const each of inside) names.add(each);
      }
    }
    return names;
  }

  /**
   * Whether a rebase or an amended commit took a local branch away from a commit, or from what came on top of
   * it. It goes as far back as the reflog. What was reset away may be another person's, and does not count. No
   * process.
   */
  async rewrittenFrom(branch: string, commit: Sha): Promise<boolean> {
    const moves = await this.#moves(`${HEADS}${branch}`);
    const last = moves.findLastIndex((line) => line.startsWith(`${commit} `));
    const next = last < 0 ? undefined : moves.slice(last).find((line) => !GROWS.test(line));
    return next !== undefined && REWRITES.test(next);
  }

  /**
   * What a branch of `origin` has done since it was at a commit: moved forward, so that it still has that, or been
   * rewritten. Null where its reflog tells neither. No process.
   */
  async since(branch: string, commit: Sha): Promise<"forwards" | "rewritten" | null> {
    const moves = await this.#moves(`${ORIGIN}${branch}`);
    const last = moves.findLastIndex((line) => line.startsWith(`${commit} `));
    const later = last < 0 ? [] : moves.slice(last);
    // What was rewritten before that may have kept the commit, and what came on top may have brought it back.
    if (later.length === 1 && REWRITTEN.test(later[0] ?? "")) return "rewritten";
    return later.length > 0 && later.every((line) => FORWARDS.test(line)) ? "forwards" : null;
  }

  /**
   * What a remote-tracking branch was before its remote rewrote it, newest first: a few, as far as git's file of what it
   * fetched goes. No process.
   */
  async replaced(ref: string): Promise<readonly Sha[]> {
    const lines = (await this.#moves(ref)).filter((line) => REWRITTEN.test(line)).toReversed();
    return [...new Set(lines.map((line) => sha(line.split(" ")[0] ?? "")))].slice(0, MOST_REPLACED);
  }

  /**
   * The commits that a local branch has been at since it was begun here, without those where it only moved forward to
   * its base branch `base`. Null where its reflog does not tell, and where it began with what its remote had of it. No
   * process.
   */
  async madeOn(branch: string, base: string): Promise<ReadonlySet<string> | null> {
    const [first = "", ...later] = await this.#moves(`${HEADS}${branch}`);
    const start = first.split(" ")[1] ?? "";
    const there = await this.#moves(`${ORIGIN}${branch}`);
    if (!/^0+ /.test(first) || there.some((line) => line.split(" ").slice(0, 2).includes(start))) {
      return null;
    }
    const made = later.filter((line) => !line.includes(`\tmerge ${base}: Fast-forward`));
    return new Set(made.map((line) => line.split(" ")[1] ?? ""));
  }

  /** The lines of the file in which git keeps the moves of a ref, oldest first; none where there is no such file. */
  async #moves(ref: string): Promise<string[]> {
    const { files } = this.git.system;
    const place = await this.git.common();
    const log = place === null ? null : join(place, "logs", ref);
    if (log === null || (await files.lstat(log))?.kind !== "file") return [];
    return (await files.readText(log) ?? "").split("\n").filter((line) => line !== "");
  }

  /**
   * Points a ref to the commit `to`, only if it still points to `expected`; false when it does not. Throws for a branch that
   * another working copy stands on. One process, two when it fails.
   */
  async move(
    ref: string,
    { to, expected }: { readonly to: Sha; readonly expected: Sha },
  ): Promise<boolean> {
    await this.#refuseInUse(ref, "move", (use) => !use.own);
    const result = await this.git.run(
      ["update-ref", "-m", "amof", ref, to, expected],
      { access: "internal" },
    );
    if (result.exitCode === 0) return true;
    if (await this.resolve(ref) !== expected) return false;
    throw gitFailure(result, `move ${ref}`, null);
  }

  /** Makes a ref that must not exist yet; false when it does. One process, two when it fails. */
  async create(ref: string, commit: Loose<Sha>): Promise<boolean> {
    const result = await this.git.run(["update-ref", "-m", "amof", ref, commit, ""], {
      access: "internal",
    });
    if (result.exitCode === 0) return true;
    if (await this.resolve(ref) !== null) return false;
    throw gitFailure(result, `make ${ref}`, null);
  }
}
