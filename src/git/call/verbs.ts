/** Which git calls only read: what a read-only world lets through. */

import { isAbsolute } from "@std/path";
import { isBelow } from "../../base/paths.ts";
import type { ProcessRequest } from "../../base/system/mod.ts";

const READING = new Set([
  "cat-file",
  "check-ignore",
  "check-ref-format",
  "describe",
  "diff",
  "diff-index",
  "diff-tree",
  "for-each-ref",
  "fsck",
  "grep",
  "log",
  "ls-files",
  "ls-remote",
  "ls-tree",
  "merge-base",
  "rev-list",
  "rev-parse",
  "show",
  "show-ref",
  "status",
  "var",
  "version",
]);

/** Verbs that count as reading where everything they write goes to a place apart from every repository. */
const APART = new Set(["checkout", "fast-import", "merge-tree"]);

/** The variables that say where that is. */
const PLACES = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"];

/** Whether what is written goes into a directory that is not in the one where git runs. */
function packsApart(args: readonly string[], cwd: string | undefined): boolean {
  const path = args.at(-1) ?? "";
  return cwd !== undefined && isAbsolute(path) && !isBelow(cwd, path);
}

/** Verbs that read or write depending on their first argument, with the reading ones. */
const READING_WORDS: Readonly<Record<string, readonly string[]>> = {
  branch: ["--show-current"],
  // It only says what helpers of the user know.
  credential: ["fill"],
  config: ["--get", "--get-all", "--get-regexp", "--list"],
  // Given -w it would write.
  "hash-object": ["--stdin-paths"],
  lfs: ["version"],
  remote: ["get-url"],
  stash: ["list"],
  worktree: ["list"],
};

/** Whether a program is git with a verb that changes neither refs, index, objects nor files. */
export function isReadOnlyGit(request: ProcessRequest): boolean {
  if (request.command !== "git") return false;
  const args = [...request.args];
  // Only options this program itself puts in front of the verb are skipped; anything else is no verb.
  while (args[0] === "-c") args.splice(0, 2);
  const verb = args.shift() ?? "";
  if (args.some((arg) => arg === "--output" || arg.startsWith("--output="))) return false;
  // It would write what nothing needs into files.
  if (verb === "fsck" && args.some((arg) => arg.startsWith("--lost"))) return false;
  // It would show what it finds in a program of the user's.
  if (verb === "grep" && args.some((arg) => /^(?:-O|--open)/.test(arg))) return false;
  if (READING.has(verb)) return true;
  if (verb === "hash-object" && args.length > 1) return false;
  // These write to places of their own, where nobody keeps anything.
  if (APART.has(verb)) {
    return PLACES.every((name) => typeof request.env?.[name] === "string");
  }
  // Into a directory that is not in the one where git runs, too: to hear what a remote tells only then.
  if (verb === "pack-objects" || (verb === "clone" && args.includes("--bare"))) {
    return packsApart(args, request.cwd);
  }
  const words = Object.hasOwn(READING_WORDS, verb) ? READING_WORDS[verb] : undefined;
  return words?.includes(args[0] ?? "") ?? false;
}
