/**
 * Finds the line that says why in all that git prints when it fails.
 *
 * Git ends most failures of a transfer with the same three lines, and surrounds the cause with progress, warnings and
 * advice. What is left without those says what happened; what the remote itself said comes with it.
 */

import type { ProcessResult } from "../../base/system/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { stripUnsafe } from "../../base/text/sanitize.ts";

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
function filesInTheWay(text: string): string | null {
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

/** The line of git's output that says best what happened, with what the remote said to it. */
export function reason(result: ProcessResult): string {
  const lines = tail(result.stderr === "" ? result.stdout : result.stderr, 200);
  const blocking = filesInTheWay(result.stderr);
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
