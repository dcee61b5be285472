/** Reads answers without trusting their shape: whatever is not what it should be counts as absent. */

import { type Fields, isObject } from "../../base/object.ts";
import type { Known, KnownMutation } from "../../contract/mod.ts";
import type { AmofError } from "../../base/error.ts";
import type { Mode } from "../../base/policy/mode.ts";
import type { Ready } from "../../contract/next.ts";
import type { SessionView } from "../../contract/place.ts";

/** The value if it is an object, else null. */
export function asRecord(value: unknown): Fields | null {
  return isObject(value) ? value : null;
}

/** The objects of a list; none when the value is no list. */
export function asRecords(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(asRecord).filter((entry) => entry !== null) : [];
}

/** The value if it is a text that says something, else null. */
export function asText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** What an answer tells of what was done: its own members, or the result of the run that it is about. */
export function resultOf({ data }: Situation): Fields {
  return asRecord(data["result"]) ?? data;
}

/** The run an answer is about: the one it names or previews, or else the session's. */
export function runOf({ data, session }: Situation): string | null {
  return asText(data["run_id"]) ??
    asText(asRecord(data["preview"])?.["run_id"]) ??
    asText(asRecord(asRecord(data["confirmation"])?.["preview"])?.["run_id"]) ??
    asText(session.place.runId);
}

/** The status of the run an answer is about, or null when it does not tell (RUN-2). */
export function runStatusOf({ data, session }: Situation): string | null {
  if (asText(data["run_id"]) !== null) return asText(data["status"]);
  const current = session.place.runId;
  const listed = asRecords(data["runs"]).find((run) => run["run_id"] === current);
  return current === null ? null : asText(listed?.["status"]);
}

/** The command whose run an answer is about; null where it is about none that is known. */
export function runBy({ data, ofRun }: Situation): KnownMutation | null {
  const action = asText(data["action"]);
  return action === null ? null : ofRun(action);
}

const READY: readonly Ready[] = ["after_install", "after_sync", "after_commit"];

/** The set that goes on from the run that made the ecosystem ready, where the answer is about one that succeeded. */
export function continues(situation: Situation): Ready | null {
  if (situation.failure !== null || runStatusOf(situation) !== "success") return null;
  return readies(runBy(situation));
}

/** The set that goes on from a run of a command; null where it makes nothing ready. */
export function readies(command: Known | null): Ready | null {
  return READY.find((ready) => ready === command?.next) ?? null;
}

/** Whether a command takes away what stands there. */
export function removes(command: Known | null): boolean {
  return command?.next === "removed" || command?.next === "archived";
}

/** Whether the run that an answer is about has taken something away for good (NEXT-5, row 3). */
export function hasRemoved(situation: Situation): boolean {
  return runStatusOf(situation) === "success" && runBy(situation)?.next === "removed";
}

/** The token of the confirmation request in an answer, or null without one (CONFIRM-7). */
export function requestToken({ data }: Situation): string | null {
  return asText(asRecord(data["confirmation"])?.["token"]);
}

/** The stages of a version, from the first to the last (RELEASE-3). */
const STAGES = ["alpha", "beta", "rc", "stable"] as const;
/** One of {@linkcode STAGES}. */
export type Stage = typeof STAGES[number];

const VERSION = /^v?\d+\.\d+\.\d+(?:-([A-Za-z]+)(?:\.\d+)?)?$/;

/** The version or tag that an answer tells: its own, that of the run it is about, or the newest it lists. */
function versionIn(data: Fields): string | null {
  const told = (fields: Fields | null | undefined) =>
    asText(fields?.["version"]) ?? asText(fields?.["tag"]);
  return told(data) ?? told(asRecord(data["result"])) ?? told(asRecords(data["releases"])[0]);
}

/**
 * The stage of the current version: as named, or as version or tag show it. After a mutation only its answer counts,
 * because the release that the session stands in may be outdated by it.
 */
export function stageOf({ command, data, session }: Situation): Stage | null {
  const isWork = command.kind === "mutation" || asText(data["run_id"]) !== null;
  const known = isWork ? null : session.place.releaseTag;
  const parts = VERSION.exec(versionIn(data) ?? known ?? "");
  const shown = parts === null ? null : parts[1] ?? "stable";
  return STAGES.find((stage) => stage === data["stage"]) ??
    STAGES.find((stage) => stage === shown) ?? null;
}

// What the rules know of the call that was just made.

/** A call that has been answered. */
export interface Situation {
  readonly command: Known;
  /**
   * What kind of answer it got.
   *
   * - `result`: that of the command.
   * - `preview`: that of a mutation in plan mode or dry run.
   * - `started`, `finished`: a run that was started, or waited for until its end.
   * - `refused`: a refusal or failure.
   */
  readonly phase: "result" | "preview" | "started" | "finished" | "refused";
  /** The command's own members of the envelope. */
  readonly data: Fields;
  readonly failure: AmofError | null;
  readonly session: SessionView;
  /** The mode of the call. */
  readonly mode: Mode;
  /** The ecosystem of the call or else of the session. */
  readonly ecosystem: string | null;
  /** The ticket in whose own workspace the call was; null for the base workspace. */
  readonly ticket: string | null;
  /** The ticket in whose own workspace this program stands, and where its control repository is; absent for none. */
  readonly inside?: { readonly ticket: string; readonly root: string };
  /** The words that selected its repositories, by argument; absent where it was about all of them. */
  readonly selection?: Readonly<Record<string, readonly string[]>>;
  /** Whether that ecosystem has a workspace; null where nobody looked. */
  readonly installed: boolean | null;
  /** Whether it has none, and one was put away, which can be brought back; absent where nobody looked. */
  readonly archived?: boolean;
  /** The command behind a tool name, if it is offered here; null otherwise. */
  readonly find: (name: string) => Known | null;
  /** The command whose runs are called so; null where none is. */
  readonly ofRun: (action: string) => KnownMutation | null;
}

/** The words of a call that select repositories; undefined where it has none. */
export function selectionIn(args: Fields): Situation["selection"] {
  const words = ["repos", "tags", "only"].flatMap((member) => {
    const given = args[member];
    return Array.isArray(given) && given.length > 0 &&
        given.every((word) => typeof word === "string")
      ? [[member, given] as const]
      : [];
  });
  return words.length === 0 ? undefined : Object.fromEntries(words);
}
