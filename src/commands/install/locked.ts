/** What `install --locked` adds: the commits of a lock, and the clones that are put there (LOCK-2). */

import { join, resolve } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { few } from "../../base/text/words.ts";
import type { InstallFacts } from "../../workspace/changing.ts";
import { lockFile, type Pin, type Pinned, readLock } from "../../workspace/lock/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";

/** What says that a lock counts, and which. */
interface LockedInput {
  readonly locked: boolean;
  readonly lock_file?: string | undefined;
}

/** The lock that counts; a type alias, so that it counts as plain JSON. */
export type LockFacts = {
  readonly file: string;
  /** Commits by the name of the repository. */
  readonly commits: Readonly<Record<string, string>>;
};

/** Whether a lock counts. */
export function isLocked({ locked, lock_file }: LockedInput): boolean {
  return locked || lock_file !== undefined;
}

/** Reads the lock. Throws where it does not name every enabled repository of the manifest: nothing could be said of those. */
export async function lockFor(
  ctx: CommandContext,
  { repos }: Manifest,
  input: LockedInput,
): Promise<LockFacts | null> {
  if (!isLocked(input)) return null;
  const shown = input.lock_file ?? lockFile(ctx.ecosystem);
  const path = input.lock_file === undefined
    ? join(ctx.root, shown)
    : resolve(ctx.system.env.cwd, shown);
  const text = await ctx.system.files.readText(path);
  const lock = text === null ? "it is not there" : readLock(text);
  if (typeof lock === "string") {
    throw new AmofError(
      "invalid_arguments",
      `Cannot install what is locked in ${cleanLine(shown, 120)}: ${lock}`,
      {
        hint: "Make it where the repositories are as they should be: amof lock",
        details: { file: shown },
      },
    );
  }
  const commits = new Map(lock.repos.map(({ name, commit }) => [name, commit]));
  const absent = repos.filter((repo) => repo.enabled && !commits.has(repo.name));
  if (absent.length > 0) {
    throw new AmofError(
      "check_failed",
      `Cannot install what is locked: ${cleanLine(shown, 120)} lacks ${
        few(absent.map(({ name }) => `"${name}"`), 5)
      }`,
      {
        hint: "Lock anew where they are cloned: amof lock\nInstall without: amof install",
        details: { file: shown, repos: absent.map(({ name }) => name) },
      },
    );
  }
  return { file: shown, commits: Object.fromEntries(commits) };
}

/** The clones of an install with the commits they are to be at. */
export function pinsOf(manifest: Manifest, facts: InstallFacts, { commits }: LockFacts): Pin[] {
  return facts.repos.flatMap(({ name, present, problem }) => {
    const repo = manifest.repos.find((entry) => entry.name === name);
    const commit = commits[name];
    if (repo === undefined || commit === undefined || problem !== null) return [];
    return [{ repo, commit, fresh: !present }];
  });
}

/** The failure of an install that left clones elsewhere than at their commits; nothing when it did not. */
export function unpinned(pinned: readonly Pinned[]): { readonly failure?: AmofError } {
  const off = pinned.filter(({ result }) => result === "skipped" || result === "failed");
  const [first] = off;
  if (first === undefined) return {};
  return {
    failure: new AmofError(
      "partial_failure",
      `${few(off.map(({ name }) => `"${name}"`), 5)} ${
        off.length === 1 ? "is" : "are"
      } not at the commit of the lock: ${first.name}: ${cleanLine(first.detail, 160)}`,
      {
        hint: "See how they stand: amof status\nCompare: amof lock --check",
        details: { repos: off.map(({ name, code, detail }) => ({ name, code, detail })) },
      },
    ),
  };
}
