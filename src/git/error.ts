/**
 * What went wrong when git failed.
 *
 * Git has one exit code for almost everything, so the kind is read from its message, which is why every
 * call runs with `LC_ALL=C` (amof.md §8.2).
 *
 * @module
 */

import { AmofError, type ErrorCode } from "../error.ts";
import type { ProcessResult } from "../system/mod.ts";
import { maskSecrets } from "../text/mask.ts";
import { stripUnsafe } from "../text/sanitize.ts";

/** Why a git call failed. */
export type GitErrorKind =
  | "auth"
  | "network"
  | "conflict"
  | "non_fast_forward"
  | "remote_rejected"
  | "submodule_unpushed"
  | "not_a_repo"
  | "not_found"
  | "unsafe_owner"
  | "lock"
  | "timeout"
  | "cancelled"
  | "no_git"
  | "disk_full"
  | "read_only"
  | "other";

const PATTERNS: readonly (readonly [GitErrorKind, RegExp])[] = [
  ["unsafe_owner", /detected dubious ownership/i],
  [
    "lock",
    /unable to create '.*\.lock': file exists|could not lock .*: file exists|another git process seems to be running/i,
  ],
  ["submodule_unpushed", /^not be found on any remote:$/m],
  ["disk_full", /no space left on device|disk quota exceeded/i],
  ["read_only", /read-only file system|permission denied$|insufficient permission for adding/im],
  [
    "auth",
    /authentication failed|could not read (?:username|password)|permission denied \((?:publickey|password|keyboard)|terminal prompts disabled|invalid username or password|access denied|permission to .* denied|host key verification failed|the requested url returned error: 40[13]/i,
  ],
  [
    "non_fast_forward",
    /non-fast-forward|fetch first|tip of your current branch is behind|not possible to fast-forward/i,
  ],
  ["remote_rejected", /remote rejected|pre-receive hook declined|hook declined|protected branch/i],
  [
    "conflict",
    /merge conflict|automatic merge failed|would be overwritten by|needs merge|unmerged files/i,
  ],
  [
    "network",
    /could not resolve host|connection refused|connection timed out|connection reset|network is unreachable|ssl certificate problem|server certificate verification failed|failed to connect|unexpected disconnect|no route to host|operation timed out|early eof|the requested url returned error: 5\d\d/i,
  ],
  ["not_a_repo", /not a git repository|does not appear to be a git repository/i],
  [
    "not_found",
    /repository .*not found|couldn't find remote ref|remote branch .* not found|unknown revision|needed a single revision|did not match any|does not exist/i,
  ],
  // These follow every failure of a transport: what stands before them decides.
  ["network", /could not read from remote|the remote end hung up/i],
];

/**
 * Whether a push was refused, in git's own words, because the remote has commits that are not here. A remote that
 * moved while the push went on says so in other words.
 */
export function isOvertaken(why: string): boolean {
  return /non-fast-forward|fetch first|atomic transaction failed|is at \S+ but expected/i.test(why);
}

/** The kind of failure of a finished git call. */
export function classifyGitFailure(result: ProcessResult): GitErrorKind {
  if (result.cancelled) return "cancelled";
  if (result.timedOut) return "timeout";
  if (result.startError === "not_found") return "no_git";
  const text = `${result.stderr}\n${result.stdout}`;
  const match = PATTERNS.find(([, pattern]) => pattern.test(text));
  return match?.[0] ?? "other";
}

const CODES: Readonly<Partial<Record<GitErrorKind, ErrorCode>>> = {
  auth: "auth_failed",
  network: "remote_unreachable",
  submodule_unpushed: "push_refused",
  timeout: "timeout",
  cancelled: "cancelled",
};

const HINTS: Readonly<Record<GitErrorKind, string | undefined>> = {
  auth: "Sign in first: set up a credential helper or an SSH key for this host, then repeat",
  network: "Check the connection and the URL, then repeat",
  conflict: "Resolve or abort the merge in that repository, then repeat",
  non_fast_forward: "Fetch and integrate the remote's commits first: amof sync",
  remote_rejected: "The remote's rules refused the update; its own message says why",
  submodule_unpushed: "Push the submodules first, then repeat",
  not_a_repo: "Check that the directory or URL is a git repository: amof status",
  not_found:
    "Compare URL and branch in the manifest with what the remote has: git ls-remote --heads URL",
  unsafe_owner: "The directory belongs to another user; git config safe.directory can allow it",
  lock: "Another git process is working there; wait for it, or remove a stale lock file",
  timeout: "Repeat; if it persists, run the git command by hand to see where it waits",
  cancelled: undefined,
  no_git: "Install git and make sure that it is on PATH",
  disk_full: "Free some disk space, then repeat",
  read_only: "Check the permissions of the directory",
  other: undefined,
};

/** The last `n` non-empty lines of what a program said, masked and cleaned. */
export function tail(text: string, n = 10): string[] {
  return maskSecrets(stripUnsafe(text)).split("\n").map((line) => line.trimEnd())
    .filter((line) => line !== "").slice(-n);
}

/** The submodules without whose commits git refused to push. */
function submodulesNotPushed(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => line.startsWith("not be found on any remote:"));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("  "));
  return start < 0
    ? []
    : lines.slice(start + 1, end < 0 ? undefined : end).map((line) => line.trim());
}

/** The line of git's output that says best what happened. */
export function reason(result: ProcessResult): string {
  const lines = tail(result.stderr === "" ? result.stdout : result.stderr, 50);
  const submodules = submodulesNotPushed(lines);
  if (submodules.length > 0) {
    return `commits of submodules are on none of their remotes: ${submodules.join(", ")}`.slice(
      0,
      300,
    );
  }
  const telling = lines.find((line) => /^(?:fatal|error|remote: error):/.test(line));
  return (telling ?? lines[lines.length - 1] ?? `exit code ${result.exitCode}`).slice(0, 300);
}

/**
 * The error of a failed git call, `details` as in amof.md §8.2: repo, args (masked), exit_code,
 * stderr_tail, kind.
 */
export function gitFailure(result: ProcessResult, what: string, repo: string | null): AmofError {
  const kind = classifyGitFailure(result);
  const hint = HINTS[kind];
  const message = kind === "no_git"
    ? `Cannot ${what}: git was not found`
    : kind === "timeout"
    ? `Cannot ${what}: git did not finish within ${Math.round(result.durationMs / 1000)} s`
    : kind === "cancelled"
    ? `Stopped while trying to ${what}`
    : `Cannot ${what}: ${reason(result)}`;
  return new AmofError(CODES[kind] ?? "git_failed", message, {
    ...(hint === undefined ? {} : { hint }),
    details: {
      ...(repo === null ? {} : { repo }),
      kind,
      args: result.args.map(maskSecrets),
      exit_code: result.exitCode,
      stderr_tail: tail(result.stderr),
    },
  });
}
