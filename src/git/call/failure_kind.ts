/**
 * Which kind of failure a git call ended with.
 *
 * Git has one exit code for almost everything, so the kind is read from its message, which is why every
 * call runs with `LC_ALL=C`.
 */

import type { ProcessResult } from "../../base/system/mod.ts";

/** What a shell says of a program that it cannot find, in its words of dash, bash, zsh and BusyBox. */
const SHELL =
  /^(?!remote:).*?(?:: (?:line )?\d+)?: (?:\d+: )?(?<name>[^:\s]+): (?:command )?not found$|^(?!remote:).*command not found: (?<late>\S+)$/m;
/** What git itself says of one. */
const GIT = [
  /^(?:error|fatal): cannot (?:run|exec) '?(?<name>[^':]+)'?: No such file or directory$/m,
  /(?:^|\s)'?(?<name>git-lfs)'? was not found on your path/im,
] as const;
/** Git's word for a program of its own that is none: of helpers for credentials, signing in says what to do. */
const COMMAND = /^git: '(?<name>(?!credential-)[^']+)' is not a git command/m;
/** What makes the missing program of a shell why git failed, and no remark of a hook that went on. */
const BECAUSE =
  /failed 127$|^error: (?:packet write|initialization for subprocess)|filter '?[^\n]*'? failed$|the remote end hung up unexpectedly|could not read from remote repository/im;
/** What runs at the other end of a connection. */
const REMOTE_ONES = /^git-(?:upload|receive)-pack$/;

/** The program that git could not start, as it was called; null where that is not why it failed. */
export function missingProgram(stderr: string): string | null {
  for (const pattern of GIT) {
    const name = pattern.exec(stderr)?.groups?.["name"];
    if (name !== undefined) return name;
  }
  const command = COMMAND.exec(stderr)?.groups?.["name"];
  if (command !== undefined) return `git-${command}`;
  if (!BECAUSE.test(stderr)) return null;
  const { name, late } = SHELL.exec(stderr)?.groups ?? {};
  const found = name ?? late;
  return found === undefined || REMOTE_ONES.test(found) ? null : found;
}

/** Why a git call failed. */
export type GitErrorKind =
  | "auth"
  | "host_key"
  | "certificate"
  | "network"
  | "conflict"
  | "in_the_way"
  | "name_taken"
  | "non_fast_forward"
  | "remote_rejected"
  | "submodule_unpushed"
  | "not_a_repo"
  | "no_origin"
  | "signing"
  | "not_found"
  | "no_lender"
  | "unsafe_owner"
  | "lock"
  | "timeout"
  | "cancelled"
  | "no_git"
  | "no_program"
  | "filter"
  | "line_ends"
  | "identity"
  | "too_old"
  | "no_directory"
  | "disk_full"
  | "read_only"
  | "other";

/** What git says when it ended a transfer over HTTP itself. */
export const TOO_SLOW = /operation too slow\. less than .* the last (\d+) seconds/i;

const PATTERNS: readonly (readonly [GitErrorKind, RegExp])[] = [
  ["timeout", TOO_SLOW],
  ["no_lender", /unable to normalize alternate object path/i],
  ["unsafe_owner", /detected dubious ownership|unsafe repository \('/i],
  [
    "lock",
    /unable to create '.*\.lock': file exists|could not lock .*: file exists|cannot lock references$|another git process seems to be running/im,
  ],
  ["submodule_unpushed", /^not be found on any remote:$/m],
  ["disk_full", /no space left on device|disk quota exceeded|out of diskspace/i],
  ["read_only", /read-only file system|permission denied$|insufficient permission for adding/im],
  // Git passes on what goes through a filter as it does with a remote, and its end as that of one.
  [
    "filter",
    /^error: external filter .* failed|: (?:clean|smudge) filter .* failed$|^warning: clone succeeded, but checkout failed/im,
  ],
  ["line_ends", /^fatal: (?:LF|CRLF) would be replaced by (?:LF|CRLF) in /m],
  [
    "identity",
    /^\*\*\* please tell me who you are|^fatal: (?:no (?:name|email) was given|unable to auto-detect email|empty ident name)/im,
  ],
  [
    "signing",
    /failed to sign|couldn't load public key|no secret key|user\.signingkey needs to be set|cannot run gpg/i,
  ],
  ["host_key", /host key verification failed|remote host identification has changed/i],
  [
    "certificate",
    /ssl certificate problem|server certificate verification failed|unable to get local issuer certificate/i,
  ],
  [
    "auth",
    /authentication failed|could not read (?:username|password)|permission denied \((?:publickey|password|keyboard)|terminal prompts disabled|invalid username or password|access denied|permission to .* denied|the requested url returned error: 40[13]/i,
  ],
  [
    "non_fast_forward",
    /non-fast-forward|fetch first|tip of your current branch is behind|not possible to fast-forward/i,
  ],
  ["name_taken", /'refs\/[^']+' exists; cannot create 'refs\//],
  ["remote_rejected", /remote rejected|pre-receive hook declined|hook declined|protected branch/i],
  ["in_the_way", /would be overwritten by|would lose untracked files in them/i],
  ["conflict", /merge conflict|automatic merge failed|needs merge|unmerged files/i],
  [
    "network",
    /could not resolve host|connection refused|connection timed out|connection reset|network is unreachable|failed to connect|unexpected disconnect|no route to host|operation timed out|early eof|the requested url returned error: 5\d\d/i,
  ],
  ["no_origin", /^fatal: 'origin' does not appear to be a git repository/m],
  ["not_a_repo", /not a git repository|does not appear to be a git repository/i],
  [
    "not_found",
    /repository .*not found|couldn't find remote ref|remote branch .* not found|unknown revision|needed a single revision|did not match any|does not exist/i,
  ],
  // Git prints these lines after every failed transfer, so more specific patterns must come before them.
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
  // An interrupt at the terminal may reach git before it reaches this program.
  if (result.cancelled || result.signal === "SIGINT") return "cancelled";
  if (result.timedOut || result.stalledMs !== undefined) return "timeout";
  // So may the end of a run, which a time limit sends, too.
  if (result.signal === "SIGTERM") return "cancelled";
  if (result.startError !== null) {
    return result.startError === "bad_directory" ? "no_directory" : "no_git";
  }
  // Git writes to nothing but the remote that could be closed without it being told.
  if (result.signal === "SIGPIPE") return "network";
  if (missingProgram(result.stderr) !== null) return "no_program";
  const text = `${result.stderr}\n${result.stdout}`;
  const match = PATTERNS.find(([, pattern]) => pattern.test(text));
  return match?.[0] ?? "other";
}
