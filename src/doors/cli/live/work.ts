/** What is known of the work that goes on, out of the events that tell of it. */

import type { RepoProgress } from "../../../contract/mod.ts";
import type { NewEvent } from "../../../state/store/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";

/** A repository in work. */
export interface RepoAtWork {
  /** What is done to it, where that is something else than to the others. */
  readonly doing: string | null;
  /** What git is at, and how much of that is done. */
  readonly phase: string | null;
  readonly percent: number | null;
  /** Since when, in milliseconds since the epoch. */
  readonly since: number;
}

/** Work as far as it is. */
export interface LiveWork {
  /** What is done to repositories, such as "cloning"; null while nothing is. */
  readonly what: string | null;
  /** How many repositories, or steps, are done of how many; null while that is unknown. */
  readonly count: { readonly done: number; readonly total: number } | null;
  /** The repositories in work, in the order in which they were begun. */
  readonly repos: ReadonlyMap<string, RepoAtWork>;
  /** The step that goes on, or what a program said last; null while nothing does. */
  readonly said: string | null;
}

/** Before anything was heard. */
export const NOTHING: LiveWork = { what: null, count: null, repos: new Map(), said: null };

/** A name is no longer than this. */
const LONGEST = 80;

/** A number that JSON holds, or null. */
function numberIn(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A word that JSON holds, cleaned, or null. */
function wordIn(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? cleanLine(value, LONGEST) : null;
}

/** The repositories after an event about one of them. */
function reposAfter(
  repos: LiveWork["repos"],
  repo: string,
  told: RepoProgress,
  at: number,
): LiveWork["repos"] {
  const next = new Map(repos);
  const before = next.get(repo);
  if (told.ended === true) next.delete(repo);
  else if (before !== undefined || told.what !== undefined) {
    next.set(repo, {
      doing: wordIn(told.doing) ?? before?.doing ?? null,
      phase: wordIn(told.phase),
      percent: numberIn(told.percent),
      since: before?.since ?? at,
    });
  }
  return next;
}

function afterProgress(work: LiveWork, payload: unknown, at: number): LiveWork {
  // The event may have been written by another version of the program, so nothing is taken for granted.
  const told = (typeof payload === "object" && payload !== null ? payload : {}) as RepoProgress;
  const what = wordIn(told.what) ?? (told.repo === undefined ? null : work.what);
  const repo = wordIn(told.repo);
  const [done, total] = [numberIn(told.done), numberIn(told.total)];
  return {
    what,
    count: done === null || total === null ? work.count : { done, total },
    repos: repo === null
      ? new Map()
      : reposAfter(what === work.what ? work.repos : new Map(), repo, told, at),
    said: what === work.what ? work.said : null,
  };
}

/** The work after an event. */
export function hear(
  work: LiveWork,
  event: Pick<NewEvent, "at" | "level" | "type" | "message" | "payload">,
): LiveWork {
  switch (event.type) {
    case "progress":
      return afterProgress(work, event.payload, event.at);
    case "step":
      return {
        what: null,
        count: work.what === null ? work.count : null,
        repos: new Map(),
        said: cleanLine(event.message),
      };
    case "undo":
      return { ...NOTHING, said: cleanLine(event.message) };
    case "log":
      return event.level === "debug" ? work : { ...work, said: cleanLine(event.message) };
    default:
      return work;
  }
}
