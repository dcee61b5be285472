/**
 * Starts git: the one place that decides how.
 *
 * Every call is an argument vector without a shell, with standard input closed, prompts off, a limit of time,
 * the C locale, and no repository but the one named. Hooks and the file-system monitor of a repository run
 * only for calls that change it on the user's behalf.
 */

import { dirname } from "@std/path";
import { defined } from "../../base/object.ts";
import type { ProcessRequest, ProcessResult, System } from "../../base/system/mod.ts";
import { withoutOwnPlaces } from "../../base/system/layout.ts";
import type { Extent } from "../files/signature.ts";
import { settingsFor } from "./settings.ts";

const LOCAL_TIMEOUT_MS = 60_000;
/** How long a call may take that reads or writes many files. */
const FILES_MS = 600_000;
/** How long a call may take, or be silent, in which hooks of the user run: they may test or sign. */
const HOOKS_MS = 600_000;
/** How long a transfer may print nothing, in seconds, unless the environment says otherwise. */
const SILENCE_S = 60;
/** The variable that says how long a transfer may make no progress, in seconds. */
const SILENCE_VARIABLE = "AMOF_STALL_TIMEOUT";

/**
 * Keeps git from fetching what only a remote has, which it does unasked where a clone was made without all contents of
 * files. Git knows the first since 2.45; before, only that it may speak no protocol keeps it from that.
 */
const NO_LAZY_FETCH = { GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none" };

/**
 * Where a call works that needs only the objects of a repository. Neither settings and hooks of the repository
 * nor those of the user have an effect. What the call writes goes into a directory of its own.
 */
export interface Apart {
  /** A git directory that belongs to nobody. */
  readonly directory: string;
  /** Its working copy, which has no files but those that say how others are merged. */
  readonly work: string;
  readonly index: string;
  /** Where objects are written. */
  readonly objects: string;
  /** Where others are read, too. */
  readonly others: readonly string[];
  /** The file that says where the history of a shallow clone ends. */
  readonly shallow: string;
}

/** How one git call runs. */
export interface GitCall {
  /** The directory git works in; it never looks for a repository above it, unless `upward`. */
  readonly cwd: string;
  /** Looks for the repository in the directories above, too. */
  readonly upward?: boolean;
  /** `read` takes no locks and runs no hooks; `write` runs the user's hooks; `internal` writes without hooks. */
  readonly access: "read" | "write" | "internal";
  /** Whether the call talks to a remote: then it may take as long as it makes progress. */
  readonly network?: boolean;
  /** Whether the call only reads here, and sends to a remote what its arguments name. */
  readonly sends?: boolean;
  /** Ends the call after this many milliseconds, whatever it does. */
  readonly timeoutMs?: number;
  /** Whether the call reads or writes contents of files, of which there may be many: it may take longer then. */
  readonly patient?: boolean;
  /** What the answer depends on, of which nothing may be a time or outside of the clone; one that is named may be remembered. */
  readonly depends?: Extent;
  /** Whether the directory is a bare repository of ours, which git can be told to refuse. */
  readonly bare?: boolean;
  /** An index other than the repository's own. */
  readonly index?: string;
  /** Where files are written, and attributes read, other than in the working copy. */
  readonly workTree?: string;
  /** Keeps the call away from every repository. */
  readonly apart?: Apart;
  /** Settings of this call alone, as `name=value`. */
  readonly settings?: readonly string[];
  /** How git's log of refs calls what is done. */
  readonly reflog?: string;
  /** A git directory that stands in for the repository's own. */
  readonly sanitized?: string;
  readonly stdin?: NonNullable<ProcessRequest["stdin"]>;
  /** Bytes kept of what git says; more than a few where absent. */
  readonly maxOutputBytes?: number;
  /** Keeps what git says as bytes, too. */
  readonly binary?: boolean;
  readonly onLine?: ((stream: "stdout" | "stderr", line: string) => void) | undefined;
}

/**
 * The variables by which git is told which repository to work on. Where that is must come from the arguments alone: a
 * git hook or alias that starts this program hands its own repository down in these.
 */
export const REPOSITORY_VARIABLES: readonly string[] = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
  "GIT_SHALLOW_FILE",
  "GIT_GRAFT_FILE",
  "GIT_INTERNAL_SUPER_PREFIX",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_REFERENCE_BACKEND",
  "GIT_ATTR_SOURCE",
  "GIT_CONFIG",
  "GIT_QUARANTINE_PATH",
  "GIT_LITERAL_PATHSPECS",
  "GIT_GLOB_PATHSPECS",
  "GIT_NOGLOB_PATHSPECS",
  "GIT_ICASE_PATHSPECS",
];

/** Without all of them, and without what goes before our settings for new repositories. */
const NO_REPOSITORY: Readonly<Record<string, null>> = Object.fromEntries(
  [...REPOSITORY_VARIABLES, "GIT_DEFAULT_REF_FORMAT"].map((name) => [name, null]),
);

/**
 * Removes a committer whose author the environment does not name. That is so under a host that hides variables
 * with AUTH in their names. A commit would then have two people in it.
 */
function withoutHalfIdentity({ get }: Pick<System["env"], "get">): Record<string, null> {
  const half = ["NAME", "EMAIL"].filter((part) =>
    get(`GIT_COMMITTER_${part}`) !== undefined && get(`GIT_AUTHOR_${part}`) === undefined
  );
  return Object.fromEntries(half.map((part) => [`GIT_COMMITTER_${part}`, null]));
}

/** What a person is told of such a committer; null where there is none. */
export function halfIdentityText(env: Pick<System["env"], "get">): string | null {
  const [name] = Object.keys(withoutHalfIdentity(env));
  return name === undefined
    ? null
    : `${name} is not used: ${
      name.replace("COMMITTER", "AUTHOR")
    } is not set beside it, and a commit would have two people in it`;
}

function environment(system: System, call: GitCall): Record<string, string | null> {
  return {
    ...NO_REPOSITORY,
    ...(call.access === "read" ? {} : withoutHalfIdentity(system.env)),
    ...defined({ GIT_INDEX_FILE: call.index, GIT_REFLOG_ACTION: call.reflog }),
    ...(call.apart === undefined ? {} : apart(call.apart)),
    ...(call.sanitized === undefined ? {} : {
      GIT_DIR: call.sanitized,
      GIT_WORK_TREE: call.cwd,
      // Without this, git would fetch missing objects from wherever the clone's configuration says.
      ...(call.network === true ? {} : NO_LAZY_FETCH),
    }),
    ...defined({ GIT_WORK_TREE: call.workTree }),
    LC_ALL: "C",
    // With a replacement in the way a commit may seem to be where it is not.
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_TERMINAL_PROMPT: "0",
    GCM_INTERACTIVE: "never",
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
    GIT_MERGE_AUTOEDIT: "no",
    GIT_PAGER: "cat",
    ...(call.upward ? {} : { GIT_CEILING_DIRECTORIES: dirname(call.cwd) }),
    ...(call.access === "read" ? { GIT_OPTIONAL_LOCKS: "0" } : {}),
    ...lowSpeed(system, call),
    // ssh asks on the terminal unless it is told to ask a program, and this one always says no.
    ...(system.env.get("SSH_ASKPASS") === undefined
      ? { SSH_ASKPASS: "false", SSH_ASKPASS_REQUIRE: "force" }
      : {}),
  };
}

function apart(
  { directory, work, index, objects, others, shallow }: Apart,
): Record<string, string> {
  const quoted = others.map((path) => `"${path.replaceAll(/["\\]/g, "\\$&")}"`);
  return {
    GIT_DIR: directory,
    GIT_WORK_TREE: work,
    GIT_INDEX_FILE: index,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted.join(":"),
    GIT_SHALLOW_FILE: shallow,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    // Objects that only a remote has are not fetched for a look.
    ...NO_LAZY_FETCH,
  };
}

/** How long a transfer may make no progress, in seconds. */
function silence(system: System): number {
  const given = system.env.get(SILENCE_VARIABLE) ?? "";
  return /^[1-9]\d{0,5}$/.test(given) ? Number(given) : SILENCE_S;
}

/**
 * How long a call may take. A transfer may take as long as it makes progress, which git shows on request. A
 * push is silent while hooks run on either side, so there the server's silence counts where git can see it.
 */
function limits(
  system: System,
  call: GitCall,
): Pick<ProcessRequest, "timeoutMs" | "silenceMs"> {
  if (!call.network) {
    const timeoutMs = call.access === "write"
      ? HOOKS_MS
      : call.patient
      ? FILES_MS
      : LOCAL_TIMEOUT_MS;
    return { timeoutMs };
  }
  const silenceMs = silence(system) * 1_000;
  return { silenceMs: call.access === "write" ? Math.max(silenceMs, HOOKS_MS) : silenceMs };
}

/** Makes git itself end a transfer over HTTP in which nothing arrives any more. */
function lowSpeed(system: System, call: GitCall): Record<string, string> {
  const told = ["GIT_HTTP_LOW_SPEED_LIMIT", "GIT_HTTP_LOW_SPEED_TIME"];
  const own = told.some((name) => system.env.get(name) !== undefined);
  return !call.network || own
    ? {}
    : { GIT_HTTP_LOW_SPEED_LIMIT: "1", GIT_HTTP_LOW_SPEED_TIME: String(silence(system)) };
}

/** What starts git, and ends it. */
export interface GitStarter {
  readonly system: System;
  /** Ends every call. */
  readonly signal: AbortSignal | undefined;
}

/** Verbs that look into submodules, which have settings of their own. */
const LOOKS_INSIDE = new Set(["diff", "diff-files", "diff-index", "status"]);
/** How a push is told to ask in submodules whether their commits have arrived. */
const RECURSES = /^(--recurse-submodules)=check$/;

/** The same call, which tells of submodules only whether another commit is checked out, and starts nothing in them. */
function withoutSubmodules(args: readonly string[]): readonly string[] {
  const [verb = "", ...rest] = args;
  if (verb === "push") return [verb, ...rest.map((arg) => arg.replace(RECURSES, "$1=no"))];
  return LOOKS_INSIDE.has(verb) ? [verb, "--ignore-submodules=dirty", ...rest] : args;
}

/** Takes lines of standard error without the places of this program's own. */
function discreet(system: System, onLine: NonNullable<GitCall["onLine"]>): GitCall["onLine"] {
  return (stream, line) =>
    onLine(stream, stream === "stderr" ? withoutOwnPlaces(system, line) : line);
}

/**
 * Runs git and resolves to how it ended, also when it failed. The user's settings apply but for those of `settings.ts`.
 * What it says of itself names no place of this program's own, since it goes into answers and logs.
 */
export async function runGit(
  { system, signal }: GitStarter,
  args: readonly string[],
  call: GitCall,
): Promise<ProcessResult> {
  const result = await system.processes.run({
    command: "git",
    args: [
      // A stand-in has no hooks, and the work of others is no reason to run a person's own.
      ...settingsFor(args[0] ?? "", call.access === "write" && call.sanitized === undefined),
      ...(call.settings ?? []).flatMap((setting) => ["-c", setting]),
      // The repositories of submodules look bare from inside, which git can be told to refuse.
      ...(call.bare || call.cwd.split(/[\\/]/).includes(".git")
        ? ["-c", "safe.bareRepository=all"]
        : []),
      ...(call.sanitized === undefined ? args : withoutSubmodules(args)),
    ],
    cwd: call.cwd,
    env: environment(system, call),
    ...limits(system, call),
    ...defined({ timeoutMs: call.timeoutMs, signal }),
    ...(call.binary ? { binary: true } : {}),
    ...defined({ maxOutputBytes: call.maxOutputBytes, stdin: call.stdin }),
    ...(call.onLine === undefined ? {} : defined({ onLine: discreet(system, call.onLine) })),
  });
  return {
    ...result,
    args: withoutOwnPlaces(system, result.args.join("\0")).split("\0"),
    stderr: withoutOwnPlaces(system, result.stderr),
  };
}

/** What git would say, from somebody who knows it. No process. */
export function answered(args: readonly string[], stdout: string): ProcessResult {
  return {
    command: "git",
    args,
    exitCode: 0,
    signal: null,
    timedOut: false,
    cancelled: false,
    startError: null,
    stdout,
    stderr: "",
    bytes: new TextEncoder().encode(stdout),
    truncated: false,
    durationMs: 0,
  };
}
