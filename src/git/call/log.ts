/** What git prints while it works: for the log of a run, and for how a push ended. */

import { isNoise, isProgress, refusedRef } from "./failure_kind.ts";
import type { ProcessResult, System } from "../../base/system/mod.ts";

/** Takes a line for the log, as reporters do. */
type Log = (
  level: "debug" | "info" | "warn",
  message: string,
  fields: {
    readonly stream: "stdout" | "stderr";
    readonly type?: "progress";
    readonly payload?: { readonly repo: string; readonly phase: string; readonly percent: number };
  },
) => void;

/** Where the lines of each stream belong; progress is always `debug`. */
interface LineLevels {
  readonly stdout: "debug" | "info";
  readonly stderr: "debug" | "info" | "warn";
}

/** Where lines belong where hooks may print some: people follow what their hooks say. */
export const OF_HOOKS: LineLevels = { stdout: "info", stderr: "warn" };

/** What git is at, in one word, by how its progress lines begin. */
const PHASES: readonly (readonly [RegExp, string])[] = [
  [/^(?:Enumerating|Counting|Finding)/, "counting"],
  [/^Compressing/, "compressing"],
  [/^Receiving/, "receiving"],
  [/^Writing/, "sending"],
  [/^(?:Resolving|Unpacking)/, "unpacking"],
  [/^(?:Updating|Checking out|Filtering)/, "writing files"],
];

/** How far git is by a line of its progress display; null where the line does not tell. */
function progressIn(line: string): { readonly phase: string; readonly percent: number } | null {
  const text = line.replace(/^remote: */, "");
  const percent = /: +(\d{1,3})% \(/.exec(text)?.[1];
  const phase = PHASES.find(([pattern]) => pattern.test(text))?.[1];
  return percent === undefined || phase === undefined ? null : { phase, percent: Number(percent) };
}

/**
 * A line in which names that git has quoted are readable again. A name that is no UTF-8 stays as it is. Where
 * hooks run, git is not told to leave names unquoted, because hooks would inherit that: there the person's
 * settings decide.
 */
function readable(line: string): string {
  return line.replaceAll(/"(?:[^"\\]|\\.)*"/g, (quoted) => {
    // Control characters stay written out, as do the letters that stand for some.
    if (!/\\[0-7]{3}/.test(quoted) || /\\(?:[^0-7"\\]|0[0-3]|177)/.test(quoted)) return quoted;
    const bytes = [...quoted.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/g)].flatMap(
      ([, octal, escaped, plain]) =>
        octal === undefined
          ? [...new TextEncoder().encode(escaped ?? plain)]
          : [parseInt(octal, 8)],
    );
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(bytes));
    } catch {
      return quoted;
    }
  });
}

/** Writes what git prints into a log, each line behind the name of its repository. */
export function logLines(log: Log, repo: string, levels: LineLevels): OnLine {
  return (stream, line) => {
    const text = readable(line.trimEnd());
    if (text === "" || isNoise(text)) return;
    const progress = progressIn(text);
    log(isProgress(text) ? "debug" : levels[stream], `${repo}: ${text}`, {
      stream,
      ...(progress === null ? {} : { type: "progress", payload: { repo, ...progress } }),
    });
  };
}

// Makes git write its HTTP exchange with hosts to a file, because git does not print it. That tells how often
// git asked, and for how long a host asks to be left alone.

/** The same world, in which every git writes into a file what it and hosts say: headers alone, no credentials. */
export function overheard(system: System, file: string): System {
  const { processes } = system;
  return {
    ...system,
    processes: {
      ...processes,
      run: (request) =>
        processes.run({
          ...request,
          env: {
            ...request.env,
            GIT_TRACE_CURL: file,
            GIT_TRACE_CURL_NO_DATA: "1",
            GIT_TRACE_REDACT: "1",
          },
        }),
    },
  };
}

// Reads how a push ended out of what git prints for programs.

/** How a push ended. */
export interface PushOutcome {
  readonly ok: boolean;
  /** Git's one-line reason when a ref was refused, with what the remote said to it. */
  readonly reason: string | null;
  readonly result: ProcessResult;
}

/**
 * What every push is called with: no tags but those named, and no submodules, but a refusal where a commit
 * would name a submodule's commit that nobody else could get.
 */
export const PUSH_OPTIONS = [
  "--porcelain",
  "--progress",
  "--no-follow-tags",
  "--recurse-submodules=check",
];

/** Called for each line git prints while it works. */
export type OnLine = (stream: "stdout" | "stderr", line: string) => void;

/** Reads how a `push --porcelain` ended. */
export function pushOutcome(result: ProcessResult): PushOutcome {
  const refused = result.stdout.split("\n").filter((line) => line.startsWith("!"))
    .map((line) => line.split("\t")[2] ?? "");
  // In an atomic push the refs that did nothing wrong are refused too, and say only that.
  const telling = refused.find((reason) => !reason.includes("atomic push fail")) ?? refused[0];
  return {
    ok: result.exitCode === 0 && telling === undefined,
    reason: telling === undefined ? null : refusedRef(telling, result),
    result,
  };
}
