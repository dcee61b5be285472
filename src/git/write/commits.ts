/** Making commits, and files of commits. Reached as `git.at(directory).commits`. */

import { jsonIn } from "../../base/object.ts";
import { join } from "@std/path";

import { type Sha, sha } from "../../base/ids.ts";
import { NEVER_COMMITTED, STAGING } from "../../base/system/layout.ts";
import { bytesOf } from "../odd_names.ts";
import type { OnLine } from "../call/log.ts";
import type { Runner } from "../call/runner.ts";
import { RepositoryPart } from "../call/part.ts";
import type { ChangedPath } from "../read/status_v2.ts";
import { AmofError } from "../../base/error.ts";
import { ioErrorFacts } from "../../base/io_error.ts";
import { shellWord } from "../../base/text/words.ts";
import { gitDirectory } from "../files/directory.ts";

// The copy lies in the git directory until the commit is made or has failed. A process that was killed leaves it there,
// and whoever tidies up afterwards brings it back.

/** The name of the copy in {@linkcode STAGING}. */
const KEPT = "index.kept";

/** What stands in the first line of a copy. */
interface Header {
  /** The commit that was checked out, or null where there was none. */
  readonly head: string | null;
  /** When the index was written, in milliseconds since the epoch; null where there was no index. */
  readonly modifiedMs: number | null;
}

async function copyFile(git: Runner): Promise<{ directory: string; file: string } | null> {
  const directory = await gitDirectory(git.system, git.directory);
  return directory === null ? null : { directory, file: join(directory, STAGING, KEPT) };
}

async function headOf(git: Runner): Promise<string | null> {
  const result = await git.ask(
    ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"],
    { access: "read" },
    `read the commit of "${git.name}"`,
    ({ exitCode }) => exitCode === 1,
  );
  return result?.stdout.trim() ?? null;
}

/** Copies the index beside the commit `head` it belongs to. No process. */
async function keepIndex(git: Runner, head: string | null): Promise<void> {
  const place = await copyFile(git);
  if (place === null) return;
  const { files } = git.system;
  const index = join(place.directory, "index");
  const info = await files.stat(index);
  const bytes = info === null ? null : await files.readBytes(index);
  const header: Header = {
    head,
    modifiedMs: bytes === null ? null : Math.floor(info?.modifiedMs ?? 0),
  };
  const line = new TextEncoder().encode(`${JSON.stringify(header)}\n`);
  const content = new Uint8Array(line.length + (bytes?.length ?? 0));
  content.set(line);
  content.set(bytes ?? new Uint8Array(), line.length);
  await files.remove(place.file);
  await files.create(place.file, content, { mode: 0o600, flush: false });
}

/** Forgets the copy; false where there is none. No process. */
async function forgetIndex(git: Runner): Promise<boolean> {
  const place = await copyFile(git);
  return place !== null && await git.system.files.remove(place.file);
}

/**
 * Puts the kept index back where it was, if the commit that it belongs to is still checked out, and forgets the copy.
 * Answers whether it was put back. One process where there is a copy. Throws `git_failed` where another git is at work.
 */
async function putIndexBack(git: Runner): Promise<boolean> {
  const place = await copyFile(git);
  if (place === null) return false;
  const { files } = git.system;
  const content = await files.readBytes(place.file);
  if (content === null) return false;
  const end = content.indexOf(0x0a);
  const header = headerIn(end < 0 ? "" : new TextDecoder().decode(content.subarray(0, end)));
  const mine = header !== null && await headOf(git) === header.head;
  if (mine) await replace(git, place.directory, content.subarray(end + 1), header.modifiedMs);
  await files.remove(place.file);
  return mine;
}

/** The header of a copy; null where it was cut off while it was written, which is before anything was changed. */
function headerIn(line: string): Header | null {
  return (jsonIn(line) ?? null) as Header | null;
}

async function replace(
  git: Runner,
  directory: string,
  bytes: Uint8Array,
  modifiedMs: number | null,
): Promise<void> {
  const { files } = git.system;
  const index = join(directory, "index");
  if (modifiedMs === null) {
    await files.remove(index);
    return;
  }
  // The lock that git itself takes. With a later time than the index had, git would trust the times of files that
  // were written in the same moment, and overlook changes in them.
  const lock = `${index}.lock`;
  try {
    await files.create(lock, bytes, { modifiedMs });
  } catch (cause) {
    if (ioErrorFacts(cause)?.kind !== "already_exists") throw cause;
    throw new AmofError(
      "git_failed",
      `Cannot bring the index of "${git.name}" back: another git process is working there`,
      {
        hint: `Wait for it, or where it has died: rm ${
          shellWord(lock)
        }\nThen: amof doctor --repair`,
        details: { kind: "lock" },
        cause,
      },
    );
  }
  try {
    await files.rename(lock, index);
  } catch (error) {
    await files.remove(lock);
    throw error;
  }
}

interface Committing {
  /** The commit that is checked out, or null where there is none. */
  readonly head: string | null;
  readonly onLine?: OnLine | undefined;
  /** Looks at the new commit; where it throws, the commit is taken back. */
  readonly check?: (made: Sha) => Promise<void>;
}

/** A message with the line feed at its end that git gives every one, and hooks rely on. */
export function lineEnded(message: string): string {
  return message.endsWith("\n") ? message : `${message}\n`;
}

/** Files by name, whatever signs are in it. */
export function literal(files: readonly string[]): string[] {
  return files.map((file) => `:(literal)${file}`);
}

/** The directories that a path lies in. */
function above(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

/**
 * Brings into the index what hooks staged while files were committed alone. Git puts that in the commit and
 * leaves the index without it, so that the next commit would revert it. What the user had staged besides stays.
 * One to three processes.
 */
export async function takeHooksIn(git: Runner, files: readonly string[]): Promise<void> {
  const differing = async (commit: string) => {
    const found = await git.ask(
      [
        "diff-index",
        "--cached",
        "--relative",
        "--no-renames",
        "--name-only",
        "-z",
        "--end-of-options",
        commit,
        "--",
      ],
      { access: "read" },
      `compare the index of "${git.name}"`,
    );
    return found?.stdout.split("\0").filter((name) => name !== "") ?? null;
  };
  const left = await differing("HEAD") ?? [];
  if (left.length === 0) return;
  const before = await differing("HEAD^");
  const hooked = left.filter((file) =>
    files.includes(file) || before !== null && !before.includes(file)
  );
  if (hooked.length === 0) return;
  await git.must(
    ["reset", "--quiet", "HEAD", "--", ...literal(hooked)],
    { access: "internal" },
    `take in what hooks of "${git.name}" staged`,
  );
}

/** Whoever nobody has told git of makes no commit: it would guess a name from the account, or an address from the machine. */
export const IDENTITY_REQUIRED = ["user.useConfigOnly=true"];

/** What git lacks to make a commit. */
export type Unknown = "name" | "email" | "both";

/** Making commits, and files of commits. */
export class Commits extends RepositoryPart {
  /** What git has not been told of whoever makes commits here; null where it knows both. One process, or up to three. */
  async unknown(): Promise<Unknown | null> {
    const knows = async (...settings: readonly string[]) =>
      await this.git.ask(
        ["var", "GIT_COMMITTER_IDENT"],
        { access: "read", upward: true, settings: [...IDENTITY_REQUIRED, ...settings] },
        "ask git who makes commits",
      ) !== null;
    if (await knows()) return null;
    if (await knows("user.name=A")) return "name";
    return await knows("user.email=a@localhost") ? "email" : "both";
  }

  /** Stages tracked changes and untracked files, never `.amof/` or temporary files of ours, and commits with the user's hooks. Two processes. */
  all(message: string, onLine?: OnLine): Promise<void> {
    return this.git.inTurn(() => this.#all(message, onLine));
  }

  async #all(message: string, onLine?: OnLine): Promise<void> {
    await this.git.must(
      ["add", "--all", "--", ".", ":(exclude,top).amof", NEVER_COMMITTED],
      { access: "internal" },
      `stage the changes of "${this.git.name}"`,
    );
    await this.#commit(message, onLine);
  }

  /** Commits what is staged, with the user's hooks. */
  async #commit(message: string, onLine?: OnLine): Promise<void> {
    await this.git.must(
      ["commit", "--file=-", "--cleanup=verbatim"],
      { access: "write", stdin: lineEnded(message), onLine, settings: IDENTITY_REQUIRED },
      `commit the changes of "${this.git.name}"`,
    );
  }

  /**
   * Commits exactly these changes of a working copy, and what is staged, with the user's hooks. A file that came
   * meanwhile stays out. When that fails the index is as it was. Two processes, one where all is staged.
   */
  changes(
    changes: readonly ChangedPath[],
    message: string,
    { head, onLine, check }: Committing,
  ): Promise<void> {
    return this.git.inTurn(async () => {
      await keepIndex(this.git, head);
      try {
        await this.#stage(changes);
        await this.#commit(message, onLine);
        if (check !== undefined) await this.#checked(head, check);
      } catch (error) {
        await putIndexBack(this.git.undisturbed());
        throw error;
      }
      await forgetIndex(this.git);
    });
  }

  async #stage(changes: readonly ChangedPath[]): Promise<void> {
    // Paths that are staged completely are left out; git refuses to stage a deletion twice.
    const open = changes.filter(({ code }) => code[1] !== ".");
    // Git refuses what lies beyond a link, and takes it out of the index with what replaced its directory.
    const made = new Set(open.filter(({ code }) => code[1] !== "D").map(({ path }) => path));
    const loose = open.filter(({ code, path }) =>
      code[1] !== "D" || !above(path).some((directory) => made.has(directory))
    );
    if (loose.length === 0) return;
    await this.git.must(
      ["add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"],
      {
        access: "internal",
        stdin: bytesOf(loose.map((change) => `:(top,literal)${change.path}\0`).join("")),
      },
      `stage the changes of "${this.git.name}"`,
    );
  }

  /** Takes the commit that was just made back where a check of it throws. */
  async #checked(head: string | null, check: NonNullable<Committing["check"]>): Promise<void> {
    const made =
      (await this.git.read(["rev-parse", "--verify", "HEAD^{commit}"], "read the new commit"))
        .trim();
    try {
      await check(sha(made));
    } catch (error) {
      await this.git.undisturbed().must(
        head === null
          ? ["update-ref", "-d", "HEAD", made]
          : ["update-ref", "-m", "amof: commit taken back", "HEAD", head, made],
        { access: "internal" },
        `take the commit of "${this.git.name}" back`,
      );
      throw error;
    }
  }

  /** Brings the index back that a killed commit left changed; see {@linkcode putIndexBack}. At most one process. */
  recoverIndex(): Promise<boolean> {
    return this.git.inTurn(() => putIndexBack(this.git));
  }

  /**
   * Stages new files and commits exactly them, with the user's hooks; when that fails they are not staged
   * any more. Four processes, and two where hooks staged something.
   */
  paths(paths: readonly string[], message: string): Promise<Sha> {
    return this.git.inTurn(() => this.#paths(paths, message));
  }

  async #paths(paths: readonly string[], message: string): Promise<Sha> {
    await this.git.must(
      ["add", "--", ...paths],
      { access: "internal" },
      "stage the new files",
    );
    try {
      await this.git.must(
        ["commit", "--file=-", "--cleanup=verbatim", "--only", "--", ...paths],
        { access: "write", stdin: lineEnded(message), settings: IDENTITY_REQUIRED },
        "commit the new files",
      );
    } catch (error) {
      // Anything left staged would become part of the user's next commit.
      await this.#unstage(paths);
      throw error;
    }
    await takeHooksIn(this.git, paths);
    const head = await this.git.read(["rev-parse", "--verify", "HEAD"], "read the new commit");
    return sha(head.trim());
  }

  /** Takes new files out of the index again; those that are not in it are no matter. One process. */
  unstage(paths: readonly string[]): Promise<void> {
    return this.git.inTurn(() => this.#unstage(paths));
  }

  async #unstage(paths: readonly string[]): Promise<void> {
    await this.git.run(["rm", "--cached", "--quiet", "--ignore-unmatch", "--", ...paths], {
      access: "internal",
    });
  }

  /** Puts the files of a commit into a working copy. One process. */
  async checkOut(commit: string, what: string): Promise<void> {
    await this.git.must(
      ["checkout", "--quiet", "--no-overwrite-ignore", "--detach", commit, "--"],
      { access: "internal" },
      `check out ${commit} of ${what}`,
    );
  }

  /** The bytes of a file in a commit, or null when the commit or the file does not exist. One process. */
  async fileAt(commit: string, file: string): Promise<Uint8Array | null> {
    const result = await this.git.ask(
      ["cat-file", "blob", "--end-of-options", `${commit}:${file}`],
      { access: "read", binary: true },
      `read ${file} of ${commit}`,
    );
    return result === null ? null : result.bytes ?? new Uint8Array();
  }
}
