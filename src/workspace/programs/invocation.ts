/** What is run in repositories: a program with arguments, a line for the shell, or a task of the manifest. */

import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import type { ProcessResult } from "../../base/system/mod.ts";
import { parseDuration } from "../../base/text/moment.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { shellWord } from "../../base/text/words.ts";

/** How long a program may take that nobody waits for at a terminal, in seconds. */
const UNATTENDED_LIMIT_S = 1_800;

/** The words that select repositories, as they were given. */
export interface SelectionWords {
  readonly repos: readonly string[];
  readonly tags: readonly string[];
  readonly only: readonly string[];
}

/** What is to be run, and where it may be. */
export interface Invocation {
  /** The task it is, or null. */
  readonly task: string | null;
  /** Program and arguments, or null for a shell line. */
  readonly argv: readonly string[] | null;
  /** A line for `sh -c`, or null for a program. */
  readonly shell: string | null;
  /** Arguments behind those of the task. */
  readonly more: readonly string[];
  /** Names of variables it gets besides the usual ones where it does not get all. */
  readonly env: readonly string[];
  /** The words that select its repositories; an approval is bound to them. */
  readonly selection: SelectionWords;
  /** The engine it runs on, in clones of its own; null for the workspace. */
  readonly engine: string | null;
}

/** Program and arguments as they are started. */
export function vectorOf({ argv, shell, more }: Invocation): readonly [string, readonly string[]] {
  if (shell === null) return [argv?.[0] ?? "", [...(argv ?? []).slice(1), ...more]];
  // The arguments are handed over as such, so that none of them is read as a part of the line.
  return ["sh", more.length === 0 ? ["-c", shell] : ["-c", `${shell} "$@"`, "sh", ...more]];
}

/** What is started as a person would type it: `make test`, `sh -c 'a | b'`. */
export function lineOf(invocation: Invocation): string {
  const [program, args] = vectorOf(invocation);
  return [program, ...args].map(shellWord).join(" ");
}

/** What is started, short and clean, for messages. */
export function shownLine(invocation: Invocation): string {
  return cleanLine(invocation.shell === null ? lineOf(invocation) : invocation.shell, 60);
}

/** The hash that an approval is for: of everything that decides what runs where with what (EXEC-7). */
export function hashOf(ecosystem: string, invocation: Invocation): string {
  const { task, argv, shell, more, env, selection, engine } = invocation;
  const { repos, tags, only } = selection;
  return sha256(canonicalJson({
    ecosystem,
    task,
    argv,
    shell,
    more,
    env: env.toSorted(),
    selection: { repos, tags, only },
    // Without an engine the hash stays the one from before there were engines.
    engine: engine ?? undefined,
  }));
}

/** How the names begin under which approvals are kept; none of a provisioner does, because it has no slash. */
export function approvalsPrefix(ecosystem: string): string {
  return `exec/${ecosystem}/`;
}

/** Under which name approvals of it are kept: those of one task, or of one line, belong together. */
export function approvalName(
  ecosystem: string,
  invocation: Pick<Invocation, "task"> & { readonly line: string },
): string {
  return `${approvalsPrefix(ecosystem)}${
    invocation.task === null ? `line/${invocation.line}` : `task/${invocation.task}`
  }`;
}

/** The time limit of a call that names none, in seconds; null where a person waits for it at a terminal. */
export function usualLimit({ door }: Pick<CommandContext, "door">): number | null {
  return door === "cli" ? null : UNATTENDED_LIMIT_S;
}

/** A time limit as it is written, in seconds; throws `invalid_arguments`. */
export function timeLimitOf(text: string): number {
  const limit = parseDuration(text);
  if (limit !== null) return limit;
  throw new AmofError("invalid_arguments", `Cannot use the time limit "${cleanLine(text, 40)}"`, {
    hint: "Write seconds, or 90s, 10m, 1h30m, up to a week",
  });
}

/** The exit code that shells give for a program that could not be started. */
export function startCode({ startError }: Pick<ProcessResult, "startError">): number {
  return startError === "not_found" ? 127 : 126;
}
