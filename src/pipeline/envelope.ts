/** The one shape of every answer (ANSWER-1), which both doors send as it is. */

import { defined, type Fields } from "../base/object.ts";
import type { RunId } from "../base/ids.ts";
import { type AmofError, errorObject, EXIT, type ExitCode } from "../base/error.ts";
import type { SuggestedAction } from "./suggest/mod.ts";
import type { Mode } from "../base/policy/mode.ts";
import type { Known } from "../contract/mod.ts";
import type { Session } from "./session.ts";
import { breadcrumb, type Place } from "../contract/place.ts";
import { timestamp } from "../base/system/mod.ts";
import { inAdvice, inFixMembers, namingPlace, textsOfOthers } from "./hint.ts";
import { cleanParts, type Details, type Part } from "../base/text/parts.ts";
import { cleanLine, cleanValue } from "../base/text/sanitize.ts";

/**
 * The JSON object of an answer (ANSWER-2). `error` is present exactly when `isError` is true and the exit code is not 0
 * (ANSWER-4).
 */
type Envelope = Readonly<Record<string, unknown>>;

/** What goes without saying where an answer is read, and what does not. */
export interface Surroundings {
  /** The only ecosystem, which each line means; null where there are several. */
  readonly only: string | null;
  /** The control repository that the call named with `--root`, or null. */
  readonly root: string | null;
}

/** An answer, ready for either door. */
export interface Outcome {
  readonly envelope: Envelope;
  readonly isError: boolean;
  /** Whether the command gave its answer, good or bad; false when it was refused or broke. */
  readonly answered: boolean;
  readonly exit: ExitCode;
  /** For readers: the summary line, without breadcrumb. */
  readonly summary: string;
  /** For readers: tables and lists; none where the summary says it all. */
  readonly details: readonly Part[];
  /** What the answer does not cover; none where it covers all. */
  readonly notes: readonly Part[];
  /** Whether the details stand alone, as the command or this answer of it has them. */
  readonly bare: "value" | "lines" | undefined;
  readonly hint: string | null;
  readonly actions: readonly SuggestedAction[];
  /** The command that was called; null when there was none of that name. */
  readonly command: Known | null;
  /** What the answer is about. */
  readonly place: Place;
  /** The run that was started, or null. */
  readonly runId: RunId | null;
  /** The work on it, where this process does it. */
  readonly working?: Promise<unknown>;
  /** What its command lines mean without saying it, and what they have to say; absent where each says all. */
  readonly surroundings?: Surroundings;
}

interface OutcomeParts {
  readonly session: Session;
  readonly mode: Mode;
  readonly now: number;
  readonly command: Known | null;
  /** What the answer is about, which may be elsewhere than where the session stands. */
  readonly place: Place;
  readonly summary: string;
  readonly details?: Details | undefined;
  readonly notes?: Details | undefined;
  readonly bare?: "value" | undefined;
  readonly data?: Fields;
  readonly failure?: AmofError | undefined;
  readonly actions: readonly SuggestedAction[];
  readonly runId?: RunId;
  readonly working?: Promise<unknown> | undefined;
  readonly answered: boolean;
}

/** The most characters of a summary. */
const LONGEST_SUMMARY = 80;

/** One clean line of at most 80 characters, cut between words. */
function shortenSummary(summary: string): string {
  const line = cleanLine(summary, LONGEST_SUMMARY + 1);
  if (line.length <= LONGEST_SUMMARY) return line;
  // The summary is cut between words, because half a word or hash looks like a whole one.
  const words = line.slice(0, LONGEST_SUMMARY - 1).replace(/\s+\S*$/, "");
  return words === "" ? cleanLine(summary, LONGEST_SUMMARY) : `${words.replace(/[\s,;:(]+$/, "")}…`;
}

/** The summary of a failure: it begins with how it ended, which messages do not (ANSWER-3). */
export function failureSummary(message: string): string {
  return message.replace(/^Cannot /, "Failed to ");
}

/**
 * Puts an answer together. This is the one place where text of others becomes harmless: whatever a command
 * answers, nothing in it can move a cursor, hide or reorder a word (ANSWER-5).
 */
export function makeOutcome(parts: OutcomeParts): Outcome {
  const { session, failure, place } = parts;
  const summary = shortenSummary(parts.summary);
  const about = {
    ecosystem: place.ecosystem ?? session.place.ecosystem,
    ticket: place.ticket,
  };
  const hint = failure === undefined ? null : namingPlace(failure.hint, about);
  const here = (fix: string) => namingPlace(fix, about);
  let others: readonly string[] | null = null;
  const foreign = () => others ??= textsOfOthers({ ...parts.data, ...failure?.details });
  const shown = (details: Details | undefined) =>
    // A table has words of others in its cells.
    cleanParts(details).map((part) =>
      typeof part === "string" ? inAdvice(part, here, foreign) : part
    );
  const envelope: Envelope = {
    _context: {
      scope: place.scope,
      ecosystem: place.ecosystem,
      ...(place.ticket === null ? {} : { ticket: place.ticket }),
      breadcrumb: breadcrumb(place),
      run_id: place.runId,
      release_tag: place.releaseTag,
      mode: parts.mode,
      session_id: session.lasts ? session.id : null,
      timestamp: timestamp(parts.now),
    },
    summary,
    ...inFixMembers(cleanValue(parts.data ?? {}), here) as Fields,
    ...(failure === undefined ? {} : cleanValue({ ...errorObject(failure), hint }) as Fields),
    suggested_actions: cleanValue(parts.actions),
  };
  return {
    envelope,
    isError: failure !== undefined,
    answered: parts.answered,
    exit: failure?.exit ?? EXIT.ok,
    summary,
    details: shown(parts.details),
    notes: shown(parts.notes),
    bare: parts.bare ?? (parts.command?.kind === "query" ? parts.command.bare : undefined),
    hint,
    actions: parts.actions,
    command: parts.command,
    place,
    runId: parts.runId ?? null,
    ...defined({ working: parts.working }),
  };
}
