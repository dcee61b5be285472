/**
 * Work that was put away. Reached as `git.stashes`.
 *
 * @module
 */

import { AmofError } from "../error.ts";
import type { Runner } from "./runner.ts";

/** One entry of `git stash list`. */
export interface StashEntry {
  readonly commit: string;
  /** As git shows it, such as `On main: amof:T-1`. */
  readonly subject: string;
  /** Its number: `stash@{0}` is the newest. */
  readonly number: number;
  /** The whole message of its commit. */
  readonly message: string;
}

/** The name a stash was given: git puts "On <branch>: " in front of it. */
export function stashTitle({ subject }: Pick<StashEntry, "subject">): string {
  return subject.replace(/^On [^:]*: /, "");
}

/** How often dropping is tried again when somebody else changes the list of stashes meanwhile. */
const TRIES = 5;

/** Work that was put away. */
export class Stashes {
  readonly #git: Runner;

  constructor(git: Runner) {
    this.#git = git;
  }

  /** All stashes, newest first. Needs no working copy. One process. */
  async list(path: string, repo: string): Promise<StashEntry[]> {
    const result = await this.#git.ask(
      [
        "log",
        "--walk-reflogs",
        "--first-parent",
        "--no-show-signature",
        "--format=%H%x00%gs%x00%B",
        "-z",
        "refs/stash",
        "--",
      ],
      { cwd: path, access: "read" },
      `list the stashes of "${repo}"`,
      repo,
      ({ stderr }) => /bad revision/.test(stderr),
    );
    const parts = result === null ? [] : result.stdout.split("\0");
    const found: StashEntry[] = [];
    for (let at = 0; at + 2 < parts.length; at += 3) {
      const [commit = "", subject = "", message = ""] = parts.slice(at, at + 3);
      found.push({ commit, subject, message, number: found.length });
    }
    return found;
  }

  /** The newest stash with exactly this name, or null. One process. */
  async find(path: string, name: string, repo: string): Promise<StashEntry | null> {
    return (await this.list(path, repo)).find((entry) => stashTitle(entry) === name) ?? null;
  }

  /** Puts a commit that has the form of a stash on top of the list. One process. */
  async store(path: string, commit: string, subject: string, repo: string): Promise<void> {
    await this.#git.must(
      ["stash", "store", "--quiet", "--message", subject, commit],
      { cwd: path, access: "internal" },
      `keep the changes of "${repo}"`,
      repo,
    );
  }

  /** Takes a stash off the list, also where a killed git has done half of that. Two processes or more. */
  async drop(path: string, commit: string, repo: string): Promise<void> {
    for (let turn = 0; turn < TRIES; turn++) {
      const list = await this.list(path, repo);
      const entry = list.find((one) => one.commit === commit);
      if (entry === undefined) return await this.#mend(path, commit, list[0]?.commit ?? null, repo);
      const said = await this.#git.must(
        ["stash", "drop", `stash@{${entry.number}}`],
        { cwd: path, access: "internal" },
        `drop the stash of "${repo}"`,
        repo,
      );
      const dropped = /\(([0-9a-f]+)\)\s*$/.exec(said)?.[1] ?? commit;
      if (dropped === commit) return;
      // Somebody made a stash between the look and the deed, so that the number meant another one.
      const subject = await this.#git.must(
        ["log", "-1", "--no-show-signature", "--format=%s", dropped, "--"],
        { cwd: path, access: "read" },
        `read a stash of "${repo}"`,
        repo,
      );
      await this.store(path, dropped, subject.trim(), repo);
    }
    throw new AmofError(
      "repo_changed",
      `Cannot drop a stash of "${repo}": the list changes all the time`,
      { details: { repo } },
    );
  }

  /** Makes the ref follow the list where a killed git has taken an entry off the list alone. */
  async #mend(path: string, commit: string, newest: string | null, repo: string): Promise<void> {
    const result = await this.#git.run(
      ["rev-parse", "--verify", "--quiet", "refs/stash"],
      { cwd: path, access: "read" },
    );
    if (result.exitCode !== 0 || result.stdout.trim() !== commit) return;
    await this.#git.must(
      newest === null
        ? ["update-ref", "-d", "refs/stash", commit]
        : ["update-ref", "--no-deref", "refs/stash", newest, commit],
      { cwd: path, access: "internal" },
      `drop the stash of "${repo}"`,
      repo,
    );
  }
}
