/**
 * Which kind of failure a git call ended with.
 *
 * Git has one exit code for almost everything, so the kind is read from its message, which is why every
 * call runs with `LC_ALL=C`.
 */

import type { ProcessResult, System } from "../../base/system/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { stripUnsafe } from "../../base/text/sanitize.ts";
import { join } from "@std/path";
import { commonDirectory, gitDirectory } from "../files/directory.ts";

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
  | "damaged_index"
  | "unrelated"
  | "identity"
  | "too_old"
  | "no_directory"
  | "disk_full"
  | "read_only"
  | "other";

/** What git says when it ended a transfer over HTTP itself. */
const TOO_SLOW = /operation too slow\. less than .* the last (\d+) seconds/i;

const PATTERNS: readonly (readonly [GitErrorKind, RegExp])[] = [
  ["timeout", TOO_SLOW],
  [
    "damaged_index",
    /index file (?:smaller than expected|corrupt)|bad (?:signature|index version) (?:0x)?[0-9a-f]+|index uses .+ extension, which we do not understand/i,
  ],
  ["unrelated", /no merge base|refusing to merge unrelated histories/i],
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

/** What git says where it had a remote and lost it. */
const LOST =
  /hung up|unexpected disconnect|early eof|connection reset|broken pipe|returned error: 5\d\d/i;

/** Whether a transfer may have ended behind the moment when the remote took what was sent, of which git was not told. */
export function mayHaveArrived(result: ProcessResult): boolean {
  const kind = classifyGitFailure(result);
  return kind === "cancelled" || kind === "timeout" || result.signal !== null ||
    kind === "network" && LOST.test(result.stderr);
}

// Finds the line that says why in all that git prints when it fails.
//
// Git ends most failures of a transfer with the same three lines, and surrounds the cause with progress, warnings and
// advice. What is left without those says what happened; what the remote itself said comes with it.

/** A reason is no longer than this. */
const LONGEST = 300;
/** Git prints this when it asks the program that stands in for a password prompt here, which always says no. */
const ASKPASS_NOISE = /^error: unable to read askpass response from 'false'$/;
const PROGRESS =
  /^(?:Enumerating|Counting|Compressing|Receiving|Writing|Resolving|Unpacking|Updating|Checking out|Filtering|Finding|Total|Everything up-to-date|Auto packing|Delta compression)\b/i;

/** What surrounds a failure without saying why. */
const AROUND = [
  ASKPASS_NOISE,
  PROGRESS,
  /^(?:warning|hint): /i,
  /^Cloning into |^From |^To |^Done$/,
  /^fatal: could not read from remote repository\.?$/i,
  /^please make sure you have the correct access rights$|^and the repository exists\.$/i,
  /^(?:fatal|error): (?:the remote end hung up .*|early EOF|index-pack failed|fetch-pack: .*|unpack-objects failed|failed to push some refs to .*)$/i,
  /^[^A-Za-z0-9]*$/,
];

/** The last `n` non-empty lines of what a program said, masked and cleaned. */
export function tail(text: string, n = 10): string[] {
  return maskSecrets(stripUnsafe(text.replace(/\r(?=[^\n])/g, "\n"))).split("\n")
    .map((line) => line.trimEnd()).filter((line) => line !== "" && !ASKPASS_NOISE.test(line))
    .slice(-n);
}

/** Whether a line of git's output is of no interest to anybody: it speaks of a prompt that is never shown. */
export function isNoise(line: string): boolean {
  return ASKPASS_NOISE.test(line.trimEnd());
}

/** Whether a line only says how far git is. */
export function isProgress(line: string): boolean {
  return PROGRESS.test(line.replace(/^remote: */, ""));
}

/** A line without the word that git puts before every failure, and without its final period. */
function plain(line: string): string {
  return line.replace(/^(?:remote: *)?(?:fatal|error): */i, "").replace(/(?<!\.)\.$/, "");
}

function isAround(line: string): boolean {
  return AROUND.some((pattern) => pattern.test(line));
}

/** What the remote said in its own words, as one text of at most three lines; null when it said nothing. */
function remoteWords(lines: readonly string[]): string | null {
  const said = lines.filter((line) => line.startsWith("remote:"))
    .map((line) => line.slice("remote:".length).trim()).filter((line) => !isAround(line));
  const errors = said.filter((line) => /^(?:fatal|error):/i.test(line));
  const telling = (errors.length > 0 ? errors : said).slice(0, 3).map(plain);
  return telling.length === 0 ? null : telling.join("; ");
}

/** The submodules without whose commits git refused to push. */
export function submodulesNotPushed(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => line.startsWith("not be found on any remote:"));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("  "));
  return start < 0
    ? []
    : lines.slice(start + 1, end < 0 ? undefined : end).map((line) => line.trim());
}

/** The files that git will not write over, in the words of a reason; null when they are not why it stopped. */
function obstructingFiles(text: string): string | null {
  const lines = maskSecrets(stripUnsafe(text)).split("\n");
  const start = lines.findIndex((line) =>
    /would be overwritten by .*:$|would lose untracked files in them:$/.test(line)
  );
  const rest = start < 0 ? [] : lines.slice(start + 1);
  const end = rest.findIndex((line) => !line.startsWith("\t"));
  const names = rest.slice(0, end < 0 ? undefined : end).map((line) => line.trim());
  if (names.length === 0) return null;
  const kind = /local changes/.test(lines[start] ?? "")
    ? "changes that are not committed"
    : "files that git does not track";
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  return `${kind} are in the way: ${names.slice(0, 5).join(", ")}${more}`.slice(0, LONGEST);
}

/** What a hook said where git lets it write to standard output, beside what git prints there for programs. */
function hookWords(stdout: string): string | null {
  const said = tail(stdout, 200).filter((line) => !isAround(line) && !/^[!=*+ -]?\t/.test(line));
  return said.at(-1)?.slice(0, LONGEST) ?? null;
}

/** What a filter said of its own failure before git told that it failed; null where it said nothing. */
function filterWords(lines: readonly string[], found: string): string | null {
  if (!/^(?:error|fatal): external filter /.test(found)) return null;
  const said = lines.slice(0, lines.indexOf(found)).filter((line) => !isAround(line));
  return said.find((line) => /error|fail/i.test(line)) ?? said.at(-1) ?? null;
}

/** Adds what the remote said, unless it is said already. */
function withRemoteWords(why: string, lines: readonly string[]): string {
  const words = remoteWords(lines);
  const text = words === null || why.includes(words) ? why : `${why} (the remote says: ${words})`;
  return text.slice(0, LONGEST);
}

/** Where git is at work, which may be a place of our own, and is never why it failed. */
function says(line: string): boolean {
  return !/^Cloning into /.test(line);
}

/** Which signal ended git before it could say why; null where none did. */
function endedBy({ signal }: ProcessResult): string | null {
  if (signal === null) return null;
  return signal === "SIGPIPE" ? "the remote closed the connection" : `git was ended by ${signal}`;
}

/** For how many seconds nothing had arrived when a call was ended for that; null when it was not. */
export function silentSeconds(result: ProcessResult): number | null {
  if (result.stalledMs !== undefined) return Math.round(result.stalledMs / 1000);
  const told = TOO_SLOW.exec(result.stderr)?.[1];
  return told === undefined ? null : Number(told);
}

/** Why a call did not come to its end although nothing was wrong; null where it did. What git still said is no reason. */
function interruption(result: ProcessResult): string | null {
  const kind = classifyGitFailure(result);
  if (kind === "cancelled") return "it was stopped";
  if (kind !== "timeout") return null;
  const still = silentSeconds(result);
  return still === null
    ? `the time limit of ${Math.round(result.durationMs / 1000)} s ended it`
    : `there was no progress for ${still} s`;
}

/** The line of git's output that says best what happened, with what the remote said to it. */
export function reason(result: ProcessResult): string {
  const ended = interruption(result);
  if (ended !== null) return ended;
  const lines = tail(result.stderr === "" ? result.stdout : result.stderr, 200);
  const blocking = obstructingFiles(result.stderr);
  if (blocking !== null) return blocking;
  const submodules = submodulesNotPushed(lines);
  if (submodules.length > 0) {
    return `commits of submodules are on none of their remotes: ${submodules.join(", ")}`.slice(
      0,
      LONGEST,
    );
  }
  const own = lines.filter((line) => !line.startsWith("remote:"));
  const telling = own.filter((line) => !isAround(line));
  const found = telling.find((line) => /^(?:fatal|error):/i.test(line)) ?? telling.at(-1);
  const filter = found === undefined ? null : filterWords(own, found);
  if (filter !== null) return plain(filter).slice(0, LONGEST);
  if (found !== undefined) return withRemoteWords(plain(found), lines);
  return remoteWords(lines)?.slice(0, LONGEST) ?? hookWords(result.stdout) ??
    endedBy(result) ??
    plain(own.findLast(says) ?? lines.findLast(says) ?? `exit code ${result.exitCode}`)
      .slice(0, LONGEST);
}

/** Why a remote refused a ref, in git's words, with what the remote itself said to it. */
export function refusedRef(why: string, result: ProcessResult): string {
  return withRemoteWords(why, tail(result.stderr, 200));
}

// The lock files that a git which was killed leaves behind, and that would stop every later one.

/** Times of files are rounded, on some file systems to two seconds; then they are whole seconds. */
const ROUNDING_MS = 2_000;
/** The clock by which systems stamp files may be a tick or a few behind. */
const TICKS_MS = 50;

/** A lock that is older, in milliseconds, was probably left by a git that is gone, so nobody waits for it. */
export const LEFT_MS = 60_000;

/** When the git that is known to be dead was at work, in milliseconds since the epoch. */
export interface Lifetime {
  readonly from: number;
  readonly to: number;
}

/** Lock files in a directory; with `deep` also in those below it. */
async function locksIn(system: System, directory: string, deep: boolean): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await system.files.list(directory)) {
    const path = join(directory, name);
    if (kind === "file" && name.endsWith(".lock")) found.push(path);
    else if (deep && kind === "directory") found.push(...await locksIn(system, path, true));
  }
  return found;
}

/**
 * Removes the locks on index, refs and configuration of a repository that were made while a git was at work there
 * of which nothing lives any more; answers them. Locks from other times belong to somebody else and stay. No process.
 */
export async function removeStaleLocks(
  system: System,
  path: string,
  { from, to }: Lifetime,
): Promise<string[]> {
  const own = await gitDirectory(system, path);
  const common = await commonDirectory(system, path);
  if (own === null || common === null) return [];
  const candidates = [
    ...await locksIn(system, own, false),
    ...own === common ? [] : await locksIn(system, common, false),
    ...await locksIn(system, join(common, "refs"), true),
    ...await locksIn(system, join(common, "logs"), true),
    ...await locksIn(system, join(common, "reftable"), false),
    ...own === common ? [] : await locksIn(system, join(own, "reftable"), false),
  ];
  const removed: string[] = [];
  for (const file of candidates) {
    const at = (await system.files.lstat(file))?.modifiedMs ?? null;
    const about = at !== null && at % 1_000 === 0 ? ROUNDING_MS : TICKS_MS;
    if (at === null || at < from - about || at > to + about) continue;
    if (await system.files.remove(file)) removed.push(file);
  }
  return removed;
}
