/** Where an answer belongs: the place it is about, and what that means for where the session stands. */

import type { Fields } from "../base/object.ts";
import type { Known } from "../contract/mod.ts";
import type { Session } from "./session.ts";
import { contains, type Place, placeIn } from "../contract/place.ts";

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** The run an answer is about: the one it names or previews. */
function runIn(data: Fields): string | null {
  const preview = data["preview"] as Fields | null | undefined;
  return text(data["run_id"]) ?? text(preview?.["run_id"]);
}

/**
 * The place an answer is about. Where the call did not get as far as to tell, and after commands about the
 * session itself, it is where the session stands. Ecosystem and ticket are the call's.
 */
export function placeOf(
  command: Known,
  session: Session,
  { ecosystem, ticket }: { readonly ecosystem: string; readonly ticket: string | null },
  data: Fields,
): Place {
  const here = session.place;
  if (command.kind === "navigation" || command.kind === "redeem") return here;
  switch (command.scope) {
    case "ecosystem":
      return ecosystem === "" ? here : placeIn(ecosystem, ticket);
    case "global": {
      // A question about all of them may have been asked about one.
      const only = command.kind === "query" ? text(data["ecosystem"]) : null;
      return placeIn(only ?? "");
    }
    case "run": {
      const runId = runIn(data);
      const of = text(data["ecosystem"]) ?? here.ecosystem;
      // The answer about a run tells its ticket; one that does not was asked about where the session stands.
      const within = "ticket" in data ? text(data["ticket"]) : here.ticket;
      // The workspace that it stood in is no more.
      const isGone = data["status"] === "success" &&
        (data["action"] === "ticket_end" || data["action"] === "ticket_move");
      return runId === null ? here : {
        ...placeIn(of ?? "", isGone ? null : within),
        scope: "run",
        runId,
      };
    }
    case "release": {
      // A release that was refused is no place.
      const made = data["released"] === false ? null : text(data["tag"]);
      const releaseTag = made ?? here.releaseTag;
      return { ...placeIn(here.ecosystem ?? ""), scope: "release", releaseTag };
    }
    case "server":
      return { ...placeIn(""), scope: "server" };
    case "session":
      return here;
  }
}

/**
 * Takes the session to the place of an answer when that holds the one it stands in: out of a run or release into its
 * ecosystem. What is about all ecosystems, or the server, is looked at from anywhere.
 */
export function follow(session: Session, place: Place): void {
  if (contains(place, session.place)) session.leaveFor(place);
}
