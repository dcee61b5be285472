/** What a push would take along: commits and files as a person recognises them, and what must not go. */

import { basename } from "@std/path";
import type { ChangedPath, PushOutcome, Sent } from "../../git/mod.ts";
import type { PathChange } from "../../git/write/mod.ts";
import { AmofError } from "../../base/error.ts";
import type { System } from "../../base/system/mod.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { writerOf } from "../../base/system/layout.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few } from "../../base/text/words.ts";
import {
  checkManifest,
  ecosystemNames,
  type Guard,
  keptTouches,
  makeGuard,
  type Touch,
  touchedBy,
  touches,
  touchText,
} from "../../workspace/manifest/mod.ts";
import { looksSecret, newSecrets } from "../../workspace/mod.ts";
import { shortSha } from "../../base/ids.ts";
import { type PullRequest, pullRequestIn } from "../../git/changing.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { layOut } from "../../base/text/table.ts";

/** Commits or files shown of all repositories together, and at least and at most of one. */
const ROOM = { all: 200, least: 3, most: 20 } as const;

/** A file that would be committed. */
export interface FileFact {
  readonly path: string;
  readonly change: string;
}

/** What would go of one repository. */
export interface Contents {
  /** The newest commits as `4e8c1d7 Subject`; not all where there are many. */
  readonly commit_subjects: readonly string[];
  /** The files that would be committed first; not all where there are many. */
  readonly files: readonly FileFact[];
  /** Guarded files that go because somebody let them. */
  readonly no_touch: readonly Touch[];
  /** New files that look secret and go because somebody named them. */
  readonly secrets: readonly string[];
}

/** Files that hold a push back. */
export interface Held {
  readonly reason: "no_touch" | "secret_files";
  /** All of them. */
  readonly paths: readonly string[];
  readonly touches: readonly Touch[];
}

/** How many commits, and how many files, a preview shows of each of so many repositories. */
export function roomFor(repos: number): number {
  const share = Math.floor(ROOM.all / Math.max(1, repos));
  return Math.min(ROOM.most, Math.max(ROOM.least, share));
}

/** The changes that a commit would take: everything but temporary files of this program. */
export function committable(changes: readonly ChangedPath[]): ChangedPath[] {
  return changes.filter(({ path }) => writerOf(basename(path), "beside") === null);
}

const CHANGES: Readonly<Record<string, string>> = {
  "?": "untracked",
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  C: "copied",
  T: "changed its type",
};

/** What happened to a file, in a word. */
function wordFor({ code }: ChangedPath): string {
  const [index = ".", tree = "."] = code;
  // A deletion counts first, then the change in the index, then the one in the working tree.
  return CHANGES[tree === "D" ? "D" : index === "." ? tree : index] ?? "changed";
}

interface Load {
  readonly repo: string;
  readonly directory: string;
  /** The commits that go; null when there is none. */
  readonly sent: Sent | null;
  /** Those that a person is shown; null when there is none, the lines for them where they are known already. */
  readonly shown: Sent | readonly string[] | null;
  /** What would be committed first. */
  readonly changes: readonly ChangedPath[];
  readonly guard: Guard;
  readonly allowedTouches: readonly string[];
  readonly allowedSecrets: readonly string[];
  readonly room: number;
}

/** Looks at what would go. Costs one git process where commits go, and those of the guard. */
export async function contentsOf(
  ctx: CommandContext,
  load: Load,
): Promise<Contents | Held> {
  const { repo, directory, sent, shown, changes, guard, room } = load;
  const paths = changes.flatMap(({ path, from }) => from === undefined ? [path] : [path, from]);
  const repository = ctx.git.at(directory, repo);
  const all = [
    ...touches(guard, paths),
    ...sent === null ? [] : await touchedBy(repository, guard, sent),
  ];
  const allowed = load.allowedTouches;
  const held = all.filter(({ path, glob }) => !allowed.includes(path) && !allowed.includes(glob));
  if (held.length > 0) {
    return { reason: "no_touch", paths: [...new Set(held.map(({ path }) => path))], touches: held };
  }
  const secrets = newSecrets(changes);
  const unnamed = secrets.filter((path) => !load.allowedSecrets.includes(path));
  if (unnamed.length > 0) return { reason: "secret_files", paths: unnamed, touches: [] };
  return {
    commit_subjects: shown === null
      ? []
      : "head" in shown
      ? (await repository.sending.commits(shown, room)).map(({ commit, subject }) =>
        `${shortSha(commit)} ${cleanLine(subject, 100)}`
      )
      : shown,
    files: changes.slice(0, room).map((change) => ({
      path: cleanLine(change.path, 120),
      change: wordFor(change),
    })),
    no_touch: keptTouches(all),
    secrets,
  };
}

/** What would go, one indented line each. */
export function contentLines(
  { commit_subjects, files, no_touch, secrets }: Contents,
  total: { readonly commits: number; readonly files: number },
): string[] {
  const rest = (shown: number, of: number, word: string) =>
    of > shown ? [`    … and ${count(of - shown, `more ${word}`)}`] : [];
  return [
    ...commit_subjects.map((line) => `    ${line}`),
    ...rest(commit_subjects.length, total.commits, "commit"),
    ...files.map(({ path, change }) => `    ${change.padEnd(9)}  ${path}`),
    ...rest(files.length, total.files, "file"),
    ...no_touch.map(({ path, glob }) =>
      `    ⚠ ${cleanLine(path, 120)} is a no-touch path (${cleanLine(glob, 60)})`
    ),
    ...secrets.map((path) => `    ⚠ ${cleanLine(path, 120)} looks secret`),
  ];
}

// What rows of pushes tell of pull requests.

/** What a row has where the remote told of a pull request. */
export interface OfPullRequest {
  /** Where it can be begun, or is: an address of the remote's own host. */
  readonly pull_request_url?: string;
  /** What the remote said of one where its link leads to another host. */
  readonly pull_request_text?: string;
}

/** What the remote told of a pull request in answer to a push to `url`. */
export function pullRequestOf({ result }: PushOutcome, url: string): OfPullRequest {
  const found: PullRequest | null = pullRequestIn(result.stderr, url);
  if (found === null) return {};
  return "url" in found
    ? { pull_request_url: maskSecrets(found.url) }
    : { pull_request_text: maskSecrets(found.text) };
}

/** The links of rows, one line each, behind an empty one; nothing where no remote told of any. */
export function pullRequestLines(
  rows: readonly (OfPullRequest & { readonly name: string })[],
): readonly string[] {
  const told = rows.flatMap(({ name, pull_request_url: url, pull_request_text: text }) =>
    url !== undefined
      ? [[name, "pull request", url]]
      : text !== undefined
      ? [[name, "the remote says", text]]
      : []
  );
  return told.length === 0 ? [] : ["", ...layOut(told)];
}

// What is guarded, and which changes that a program made must not become a commit (CAMP-3), as a push holds them back.

/**
 * The guard of the control repository, which all of its ecosystems share: what any of them guards. An ecosystem whose
 * manifest cannot be used adds nothing to it.
 */
export async function guardOfControl(system: System, root: string): Promise<Guard> {
  const globs: string[] = [];
  for (const name of await ecosystemNames(system, root)) {
    try {
      const { manifest } = await checkManifest(system, root, name);
      globs.push(...manifest?.noTouchPaths ?? []);
    } catch (error) {
      // One broken ecosystem must not keep the others from being released.
      if (!(error instanceof AmofError)) throw error;
    }
  }
  return await makeGuard(globs);
}

const LINK = "160000";

/** Why these changes are held back, or null; `noTouch` are the globs of what nobody should change. */
export async function heldBack(
  changes: readonly PathChange[],
  noTouch: readonly string[],
): Promise<string | null> {
  const touched = touches(await makeGuard(noTouch), changes.map(({ path }) => path));
  if (touched.length > 0) return `no-touch paths would change: ${touchText(touched)}`;
  const named = (found: readonly PathChange[]) =>
    few(found.map(({ path }) => cleanLine(path, 80)), 3);
  const secret = changes.filter(({ path, status }) => status === "A" && looksSecret(path));
  if (secret.length > 0) return `new files look secret: ${named(secret)}`;
  const nested = changes.filter(({ modes }) => modes[1] === LINK);
  return nested.length === 0
    ? null
    : `repositories inside of it would be recorded: ${named(nested)}`;
}
