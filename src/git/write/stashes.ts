/** Work that was put away. Reached as `git.at(directory).stashes`. */

import { type Sha, sha } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import { RepositoryPart } from "../call/part.ts";

/** One entry of `git stash list`. */
export interface StashEntry {
  readonly commit: Sha;
  /** As git shows it, such as `On main: amof:T-1`. */
  readonly subject: string;
  /** The name it was given: git puts "On <branch>: " in front of it. */
  readonly title: string;
  /** The branch it was made on; null where git says none. */
  readonly branch: string | null;
  /** Its number: `stash@{0}` is the newest. */
  readonly number: number;
  /** The whole message of its commit. */
  readonly message: string;
}

/** How often dropping is tried again when somebody else changes the list of stashes meanwhile. */
const TRIES = 5;

/** Work that was put away. */
export class Stashes extends RepositoryPart {
  /** All stashes, newest first. Needs no working copy. One process. */
  async list(): Promise<StashEntry[]> {
    const result = await this.git.ask(
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
      { access: "read", depends: "names" },
      `list the stashes of "${this.git.name}"`,
      ({ stderr }) => /bad revision/.test(stderr),
    );
    const parts = result === null ? [] : result.stdout.split("\0");
    const found: StashEntry[] = [];
    for (let at = 0; at + 2 < parts.length; at += 3) {
      const [commit = "", subject = "", message = ""] = parts.slice(at, at + 3);
      const [said = "", branch = null] = /^On ([^:]*): /.exec(subject) ?? [];
      const title = subject.slice(said.length);
      found.push({ commit: sha(commit), subject, title, branch, message, number: found.length });
    }
    return found;
  }

  /** The newest stash with exactly this name, of a branch where one is named, or null. One process. */
  async find(name: string, branch?: string): Promise<StashEntry | null> {
    return (await this.list()).find((entry) =>
      entry.title === name && (branch === undefined || entry.branch === branch)
    ) ?? null;
  }

  /** Puts a commit that has the form of a stash on top of the list. One process. */
  async store(commit: Sha, subject: string): Promise<void> {
    await this.git.must(
      ["stash", "store", "--quiet", "--message", subject, commit],
      { access: "internal" },
      `keep the changes of "${this.git.name}"`,
    );
  }

  /** Takes a stash off the list, also where a killed git has done half of that. Two processes or more. */
  async drop(commit: Sha): Promise<void> {
    for (let turn = 0; turn < TRIES; turn++) {
      const list = await this.list();
      const entry = list.find((one) => one.commit === commit);
      if (entry === undefined) return await this.#mend(commit, list[0]?.commit ?? null);
      const said = await this.git.must(
        ["stash", "drop", `stash@{${entry.number}}`],
        { access: "internal" },
        `drop the stash of "${this.git.name}"`,
      );
      const dropped = /\(([0-9a-f]+)\)\s*$/.exec(said)?.[1];
      if (dropped === undefined || dropped === commit) return;
      // Somebody made a stash between the look and the work, so that the number meant another one.
      const subject = await this.git.read([
        "log",
        "-1",
        "--no-show-signature",
        "--format=%s",
        dropped,
        "--",
      ], `read a stash of "${this.git.name}"`);
      await this.store(sha(dropped), subject.trim());
    }
    throw new AmofError(
      "repo_changed",
      `Cannot drop a stash of "${this.git.name}": the list changes all the time`,
      { details: { repo: this.git.name } },
    );
  }

  /**
   * Lists a stash under another subject instead, as the newest one; it is on the list at any moment. Two processes more
   * than {@linkcode store} and {@linkcode drop}.
   */
  async retitle(commit: Sha, subject: string): Promise<void> {
    const git = this.git;
    const text = await git.read(["cat-file", "commit", commit], `read a stash of "${git.name}"`);
    // Git lists a commit once however often it is stored, so this is another one, with the same work.
    const copy = await git.must(
      ["hash-object", "-t", "commit", "-w", "--stdin"],
      { access: "internal", stdin: `${text.slice(0, text.indexOf("\n\n"))}\n\n${subject}\n` },
      `keep the changes of "${git.name}"`,
    );
    await this.store(sha(copy.trim()), subject);
    await this.drop(commit);
  }

  /** Makes the ref follow the list where a killed git has taken an entry off the list alone. */
  async #mend(commit: string, newest: string | null): Promise<void> {
    const result = await this.git.run(
      ["rev-parse", "--verify", "--quiet", "refs/stash"],
      { access: "read" },
    );
    if (result.exitCode !== 0 || result.stdout.trim() !== commit) return;
    await this.git.must(
      newest === null
        ? ["update-ref", "-d", "refs/stash", commit]
        : ["update-ref", "--no-deref", "refs/stash", newest, commit],
      { access: "internal" },
      `drop the stash of "${this.git.name}"`,
    );
  }
}
