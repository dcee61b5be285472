/** The errors of git that failed: what was tried, what went wrong, and what helps. */

import { defined } from "../../base/object.ts";
import { AmofError, type ErrorCode } from "../../base/error.ts";
import { GIT_HINTS } from "../../base/error_codes.ts";
import type { ProcessResult } from "../../base/system/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { shellWord } from "../../base/text/words.ts";
import {
  classifyGitFailure,
  type GitErrorKind,
  missingProgram,
  reason,
  silentSeconds,
  tail,
} from "./failure_kind.ts";

const CODES: Readonly<Partial<Record<GitErrorKind, ErrorCode>>> = {
  auth: "auth_failed",
  host_key: "remote_unreachable",
  certificate: "remote_unreachable",
  network: "remote_unreachable",
  submodule_unpushed: "push_refused",
  timeout: "timeout",
  cancelled: "cancelled",
  no_lender: "mirror_missing",
  no_program: "program_missing",
};

/** The oldest git whose commands are all known to work as they are used here. */
export const OLDEST_GIT = "2.30";
const HINTS: Readonly<Partial<Record<GitErrorKind, string>>> = GIT_HINTS;

/** What is known about a call besides how it ended. */
interface FailedCall {
  readonly cwd: string;
  readonly network?: boolean;
}

/** What was found and what to do about it. */
interface Finding {
  readonly found: string;
  readonly hint: string | undefined;
}

/** The directory that git does not trust, as it names it; null when it names none. */
function distrusted(result: ProcessResult): string | null {
  return /(?:ownership in repository at|unsafe repository \() ?'([^'\n]+)'/.exec(result.stderr)
    ?.[1] ??
    null;
}

/** The repository that a clone borrows its objects from, as git names it; null when it names none. */
function lender(result: ProcessResult): string | null {
  return /unable to normalize alternate object path: (.+)/.exec(result.stderr)?.[1]
    ?.replace(/\/objects\/?$/, "") ?? null;
}

/** The remote that a call went to, by name or address; null where that is not told, or lets somebody in. */
function remoteOf(result: ProcessResult): string | null {
  const at = result.args.indexOf("--end-of-options");
  const named = at < 0 ? undefined : result.args[at + 1];
  if (named === undefined) return null;
  const bare = maskSecrets(named) === named ? named : named.replace(/(:\/\/)[^/\s]*@/, "$1");
  return maskSecrets(bare) === bare ? bare : null;
}

/** What is to be found out of a repository that is not where it was: to ask git once more would tell nothing. */
const GONE = "It may have been renamed, or be closed to you: look at its host, or ask its owner";
const NEW_ADDRESS = "A new address belongs in the manifest";
const IN_CLONE = "; status then says what the clone needs";

/** How what the manifest says of a remote is compared with what is there. */
function lookThere(result: ProcessResult, call: FailedCall | undefined): string {
  const remote = remoteOf(result);
  // A name means something in its clone alone.
  const isName = remote !== null && /^[\w-]+$/.test(remote);
  if (!/(?:remote ref|remote branch|revision|did not match any)\b/i.test(result.stderr)) {
    return isName && remote !== "origin" && call !== undefined
      ? `${GONE}\nTell the clone a new address: git -C ${
        shellWord(call.cwd)
      } remote set-url ${remote} URL`
      : `${GONE}\n${NEW_ADDRESS}${isName && call !== undefined ? IN_CLONE : ""}`;
  }
  const say = isName && remote !== "origin"
    ? `Compare the address of the remote "${remote}" with what is there`
    : "Compare URL and branch in the manifest with what the remote has";
  const there = remote === null || isName && call === undefined
    ? null
    : `git ${isName ? `-C ${shellWord(call?.cwd ?? "")} ` : ""}ls-remote --heads ${
      shellWord(remote)
    }`;
  return there === null ? say : `${say}: ${there}`;
}

/**
 * A failure in a repository of amof's own, such as one that is only being made, with the address of its remote
 * in place of the repository. Its reader has nothing to do in that repository, and it may be gone.
 */
export function namedByAddress(error: unknown, address: string): unknown {
  if (!(error instanceof AmofError)) return error;
  const hint = error.hint.replace(
    /git -C (?:'[^'\n]*'|\S+) ls-remote --heads origin$/m,
    () => `git ls-remote --heads ${shellWord(address)}`,
  ).replace(`${NEW_ADDRESS}${IN_CLONE}`, NEW_ADDRESS);
  const { code, message, details, exit, cause } = error;
  return hint === error.hint ? error : new AmofError(code, message, { hint, details, exit, cause });
}

/** How somebody gets to know a host by hand. */
function greet(result: ProcessResult): string {
  const say = "Compare the host's key with the one its owner publishes and accept it by hand";
  const host = /host key (?:is known )?for \[?([\w.-]+)(?:\]:(\d+))? (?:has changed|and you)/i
    .exec(result.stderr);
  const [, name, port] = host ?? [];
  return name === undefined
    ? `${say}, then repeat`
    : `${say}: ssh -T ${port === undefined ? "" : `-p ${port} `}git@${name}\nThen repeat`;
}

/** The lock that was in the way, as git names it; null where it names none, or what is no lock in a git directory. */
function lockOf(result: ProcessResult): string | null {
  const path = /Unable to create '([^'\n]+)': File exists/.exec(result.stderr)?.[1] ?? "";
  const isLock = /^(?:\/|[A-Za-z]:\/).*\/\.git\/.*\.lock$/.test(path) &&
    !path.split("/").includes("..");
  return isLock ? path : null;
}

/** How a call that took too long is given more time. */
function moreTime(
  result: ProcessResult,
  call: FailedCall | undefined,
  hint: string | undefined,
): string | undefined {
  const still = silentSeconds(result);
  if (still !== null) {
    return `See whether the host answers, then repeat
Where it needs longer, first: export AMOF_STALL_TIMEOUT=${Math.max(2 * still, 10)}`;
  }
  const seconds = Math.round(result.durationMs / 1000);
  return call?.network === true
    ? `Repeat, and allow it more: the same command with --timeout ${Math.max(2 * seconds, 10)}`
    : hint;
}

/** What to say where git found no repository. */
function noRepository(
  result: ProcessResult,
  repo: string | null,
  { cwd }: FailedCall,
): Finding {
  // Git adds a path only where a working copy points to a git directory that is gone.
  const pointed = /not a git repository: (.+)/.exec(result.stderr)?.[1];
  if (pointed !== undefined) {
    // Git 2.55 has lost the path of its own message.
    const place = pointed === "(null)" ? `what ${cwd}/.git names` : pointed;
    return {
      found: `${cwd} belongs to ${place}, which is not a git repository`,
      hint:
        `If a repository was moved, mend the link from there: git -C REPOSITORY worktree repair ${
          shellWord(cwd)
        }`,
    };
  }
  const make = `git init ${shellWord(cwd)}`;
  return {
    found: `${cwd} is not a git repository`,
    hint: repo === null ? `Begin one there: ${make}` : `Make it one: ${make}\n${GIT_HINTS.damaged}`,
  };
}

function findingOf(
  kind: GitErrorKind,
  result: ProcessResult,
  repo: string | null,
  call: FailedCall | undefined,
): Finding {
  const why = { found: reason(result), hint: HINTS[kind] };
  switch (kind) {
    case "no_git":
      return result.startError === "not_found"
        ? { ...why, found: "git was not found on PATH" }
        : { ...why, found: `git could not be started: ${reason(result)}` };
    case "lock": {
      const lock = lockOf(result);
      return lock === null ? why : {
        ...why,
        hint: `Wait for the git process that works there
Where none does, not even one that waits for an editor: rm ${shellWord(lock)}`,
      };
    }
    case "no_program": {
      const program = missingProgram(result.stderr) ?? "a program";
      return {
        found: `${program} is not installed, or not on PATH`,
        hint:
          `Install ${program}, or put its directory on PATH (where an AI host starts amof, in AMOF_PATH), then repeat`,
      };
    }
    case "no_directory":
      return { ...why, found: `the directory ${call?.cwd ?? "it works in"} does not exist` };
    case "timeout":
      return { ...why, hint: moreTime(result, call, why.hint) };
    case "filter": {
      // Of a clone that was not made nothing is left to look into, but its filter is seldom set there.
      const there = call === undefined || call.network === true ? "" : `-C ${shellWord(call.cwd)} `;
      return {
        ...why,
        hint: `See how filters are set: git ${there}config --show-origin --get-regexp '^filter[.]'`,
      };
    }
    case "damaged_index":
      // What was staged is lost with it, and no file changes.
      return call === undefined ? why : {
        found: `its index is damaged (${why.found})`,
        hint: `Make it anew out of the last commit: git -C ${shellWord(call.cwd)} read-tree HEAD`,
      };
    case "unrelated": {
      const found = "both have no commit in common, as far as the history here goes";
      return call === undefined ? { ...why, found } : {
        found,
        hint: `Where it is cut off, get the rest: git -C ${
          shellWord(call.cwd)
        } fetch --unshallow origin`,
      };
    }
    case "line_ends": {
      const there = call === undefined ? "" : `-C ${shellWord(call.cwd)} `;
      return {
        ...why,
        hint: `Let git change them, and only warn: git ${there}config core.safecrlf warn`,
      };
    }
    case "host_key":
      return { ...why, hint: greet(result) };
    case "not_found":
      return { ...why, hint: lookThere(result, call) };
    case "unsafe_owner": {
      const path = distrusted(result) ?? call?.cwd ?? "the repository";
      return {
        found: `git does not trust ${path}, because it belongs to another user`,
        hint: `If you trust it: git config --global --add safe.directory ${shellWord(path)}`,
      };
    }
    case "no_lender":
      return {
        found: `${lender(result) ?? "what it borrows its objects from"} is gone`,
        hint: undefined,
      };
    case "disk_full":
      // Git names the file that it was writing, and often only that.
      return /space|quota/i.test(why.found)
        ? why
        : { ...why, found: `no space left on the device (${why.found})` };
    case "not_a_repo":
      if (call === undefined) return why;
      // A transfer may fail here before it comes to the remote.
      return call.network === true && !/not a git repository \(or any/i.test(result.stderr)
        ? { ...why, hint: lookThere(result, call) }
        : noRepository(result, repo, call);
    default:
      return isHook(result) ? byHook(result, why) : why;
  }
}

/** Whether a hook has refused a commit: git itself says by a word at the beginning of a line what went wrong. */
function isHook({ args, exitCode, signal, stdout, stderr }: ProcessResult): boolean {
  return args.includes("commit") && exitCode === 1 && signal === null &&
    !/^(?:fatal|error|Aborting|On branch|nothing|no changes)\b/m.test(`${stdout}\n${stderr}`);
}

/** What a hook said last. */
function byHook({ stdout, stderr }: ProcessResult, { found }: Finding): Finding {
  const isSilent = `${stdout}${stderr}`.trim() === "";
  return {
    found: isSilent ? "a hook refused it, and said nothing" : `a hook refused it: ${found}`,
    hint: "Mend what the hook found, then repeat the same command",
  };
}

/**
 * The error of a failed git call. `details` hold repo, kind, reason, args (masked), exit_code and stderr_tail.
 * `call` says where git worked.
 */
export function gitFailure(
  result: ProcessResult,
  what: string,
  repo: string | null,
  call?: FailedCall,
): AmofError {
  const said = classifyGitFailure(result);
  // Where there was no remote, what hung up is a filter.
  const kind = said === "network" && call !== undefined && call.network !== true ? "filter" : said;
  const { found, hint } = findingOf(kind, result, repo, call);
  const message = kind === "cancelled"
    ? `Stopped while trying to ${what}`
    : `Cannot ${what}: ${found}`;
  return new AmofError(CODES[kind] ?? "git_failed", message, {
    ...defined({ hint }),
    details: {
      ...(repo === null ? {} : { repo }),
      kind,
      reason: maskSecrets(found),
      args: result.args.map(maskSecrets),
      exit_code: result.exitCode,
      stderr_tail: tail(result.stderr),
    },
  });
}

/** Whether a version such as "2.39.5" is recent enough; true where it cannot be told. */
export function isRecentGit(version: string): boolean {
  const [major, minor] = version.split(".").map(Number);
  const [oldMajor = 0, oldMinor = 0] = OLDEST_GIT.split(".").map(Number);
  if (major === undefined || minor === undefined || !Number.isInteger(major + minor)) return true;
  return major > oldMajor || (major === oldMajor && minor >= oldMinor);
}

/** The error of a git that is too old to understand what it is asked. */
export function tooOld(version: string, what: string): AmofError {
  return new AmofError(
    "git_failed",
    `Cannot ${what}: git ${version} is too old, ${OLDEST_GIT} or later is needed`,
    {
      hint: GIT_HINTS.too_old,
      details: { kind: "too_old", version },
    },
  );
}
