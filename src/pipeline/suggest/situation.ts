/** What the rules know of the call that was just made. */

import type { Fields } from "../../base/object.ts";
import type { AmofError } from "../../base/error.ts";
import type { Mode } from "../../base/policy/mode.ts";
import type { Known, KnownMutation } from "../../contract/mod.ts";
import type { SessionView } from "../../contract/place.ts";

/** A call that has been answered. */
export interface Situation {
  readonly command: Known;
  /**
   * What kind of answer it got: a `result`, the `preview` of a mutation in plan mode or dry run, a run
   * that was `started` or waited for until it had `finished`, or a refusal or failure.
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
