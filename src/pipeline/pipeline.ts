/**
 * Every call of every door goes through here, in one order that no command can skip (CALL-1).
 *
 * The order is parse → scope → mode → preview → confirm → re-check → execute → suggested actions → envelope →
 * audit.
 */

import { defined, type Fields } from "../base/object.ts";
import { AmofError } from "../base/error.ts";
import type { Mode } from "../base/policy/mode.ts";
import { hasArchive, hasWorkspace } from "../workspace/mod.ts";
import { ticketAtDirectory } from "../commands/ecosystem/discover.ts";
import { Git } from "../git/mod.ts";
import type { Command, Known, Navigation, NavigationContext, Query } from "../contract/mod.ts";
import { selectionIn, type Situation, suggest } from "./suggest/mod.ts";
import { allowing, type App } from "./app.ts";
import { audit, decisionOf, isMutating } from "./audit.ts";
import { type Answer, argumentsOf, type Call, type Progress } from "./preview.ts";
import { forOthers, withoutOwnPlaces } from "../base/system/layout.ts";
import { ticketArgument } from "./common.ts";
import {
  type Caller,
  effectiveMode,
  ownerOf,
  readContext,
  resolveTarget,
  type Target,
} from "./context.ts";
import { makeOutcome, type Outcome } from "./envelope.ts";
import { contains, type Place, placeIn } from "../contract/place.ts";
import { commandOfRun, findCommand } from "./registry.ts";
import { wordingFor } from "./wording.ts";
import type { Session } from "./session.ts";

/** Carries out a call. Never throws: every failure is an outcome. */
export async function carryOut(app: App, call: Call): Promise<Outcome> {
  const progress: Progress = {
    target: { root: "", ecosystem: "", ticket: null },
    mode: call.session.mode,
    fingerprint: null,
    decision: "allowed",
    way: "none",
    runId: null,
  };
  const done = { ...await answered(app, call, progress), progress };
  const outcome = await outcomeOf(app, call, done);
  await audit(app, call, done);
  return outcome;
}

interface Answered {
  /** Whose answer it is: of a call that redeems a token, the command that the token was made for. */
  readonly command: Command;
  readonly answer: Answer;
}

/** Answers a call, be it with a refusal. */
async function answered(app: App, call: Call, progress: Progress): Promise<Answered> {
  let { command } = call;
  try {
    if (call.refusal !== undefined) throw call.refusal;
    if (command.kind === "query" || command.kind === "navigation") {
      return { command, answer: await read(app, call, command, progress) };
    }
    // Calls that read go without what changes are made with.
    const [{ change }, { redeemed }] = await Promise.all([
      import("./change.ts"),
      import("./redeem.ts"),
    ]);
    const wanted = command.kind === "redeem"
      ? await redeemed(app, call, command, progress)
      : { app, command, args: call.args, redeeming: null };
    ({ command } = wanted);
    return { command, answer: await change(wanted, call, progress) };
  } catch (thrown) {
    const ctx = readContext(app, call, { ...progress.target, ticket: null });
    const { refused } = await import("./answer.ts");
    const answer = await refused(app, call, ctx, thrown);
    if (progress.decision === "allowed" && isMutating(command)) {
      progress.decision = decisionOf(answer.failure);
    }
    return { command, answer };
  }
}

/** The answer as the doors show it, with what to do next; takes the session to where it leads. */
async function outcomeOf(
  app: App,
  call: Call,
  { command, answer, progress }: Answered & { readonly progress: Progress },
): Promise<Outcome> {
  const data: Fields = { ...(answer.basis ?? answer.data) };
  const isDone = answer.phase === "result" && answer.failure === undefined;
  const ticket = command.kind === "mutation" && isDone ? command.enters?.(data) : undefined;
  const moves = ticket !== undefined && ticket !== call.session.place.ticket;
  if (moves) call.session.enter(placeIn(progress.target.ecosystem, ticket));
  const place = moves ? call.session.place : placeOf(command, call.session, progress.target, data);
  if (answer.phase !== "refused") follow(call.session, place);
  if (command.kind !== "navigation") call.session.remember(place);
  // What the session's own calls lead to, where it stands in no ecosystem, is the one that was named last.
  const isNowhere = command.scope === "session" && place.ecosystem === null;
  const meant = isNowhere ? call.session.meant : null;
  const ecosystem = place.ecosystem ?? call.session.place.ecosystem ?? meant?.ecosystem ?? null;
  const failure = answer.failure === undefined || call.door === "cli"
    ? answer.failure
    : forOthers(app.system, answer.failure);
  const actions = suggest({
    command,
    phase: answer.phase,
    data,
    failure: failure ?? null,
    session: call.session,
    mode: progress.mode,
    ecosystem,
    ticket: place.ticket ?? meant?.ticket ?? null,
    ...await insideOf(app, progress.target.root, ecosystem),
    ...defined({ selection: selectionIn(call.args) }),
    ...await workspaceOf(app, progress.target, data["ecosystem"] ?? ecosystem),
    ofRun: commandOfRun,
    find: (name) => {
      const found = findCommand(name);
      return found !== null && call.offers(found) ? found : null;
    },
  });
  return makeOutcome({
    session: call.session,
    mode: progress.mode,
    now: app.system.clock.now(),
    command,
    place,
    summary: failure === undefined || failure === answer.failure
      ? answer.summary
      : withoutOwnPlaces(app.system, answer.summary),
    details: answer.details,
    notes: answer.notes,
    bare: answer.bare,
    ...defined({ data: answer.data }),
    failure,
    actions,
    ...defined({ runId: answer.runId, working: answer.working }),
    answered: answer.phase !== "refused",
  });
}

/** The ticket in whose own workspace this program stands. */
async function insideOf(
  { system }: App,
  root: string,
  ecosystem: string | null,
): Promise<Pick<Situation, "inside">> {
  if (root === "" || ecosystem === null || ecosystem === "") return {};
  // An answer must not fail for what is only offered with it.
  const ticket = await ticketAtDirectory(system, root, ecosystem).catch(() => null);
  return ticket === null ? {} : { inside: { ticket, root } };
}

/** Whether the ecosystem that an answer is about has a workspace, null where that cannot be told, or one that was put away. */
async function workspaceOf(
  app: App,
  { root, ticket, ...target }: Target,
  ecosystem: unknown,
): Promise<{ installed: boolean | null; archived: boolean }> {
  const { system } = app;
  const unknown = { installed: null, archived: false };
  if (root === "" || typeof ecosystem !== "string" || ecosystem === "") return unknown;
  try {
    const of = ecosystem === target.ecosystem ? ticket : null;
    const place = { system, root, git: new Git(system), ticket: of };
    const installed = await hasWorkspace(place, ecosystem);
    const isAway = installed === false && of === null;
    return { installed, archived: isAway && await hasArchive(system, root, ecosystem) };
  } catch {
    // An answer must not fail for what is only offered with it.
    return unknown;
  }
}

/** The context of commands that move the session: as for queries, with the session's own records. */
async function navigationContext(
  app: App,
  caller: Caller,
  target: Target,
): Promise<NavigationContext> {
  const { settings, confirmations } = await app.store();
  return {
    ...readContext(app, caller, target),
    session: caller.session,
    remembered: settings,
    confirmations,
    owner: ownerOf(caller, target.root),
  };
}

/** Throws `invalid_arguments` where a line asks for the preview of what would be remembered: it has none (EXIT-3). */
function requireNoPreview({ door }: Call, { path, remembers }: Navigation, mode: Mode): void {
  if (door !== "cli" || remembers !== true || mode !== "plan") return;
  const words = path.join(" ");
  throw new AmofError("invalid_arguments", `Cannot use --dry-run: amof ${words} has no preview`, {
    hint: `See: amof ${words} --help`,
  });
}

async function read(
  program: App,
  call: Call,
  command: Query | Navigation,
  progress: Progress,
): Promise<Answer> {
  const { input, common } = await argumentsOf(program, call, command, {
    args: call.args,
    progress,
  });
  const app = allowing(program, common.timeout);
  progress.mode = effectiveMode(call, command, common.mode);
  progress.target = await resolveTarget(app, call, command, {
    ecosystem: common.ecosystem,
    ticket: ticketArgument(input, common),
  });
  const say = wordingFor(call.door, app.system.clock.now());
  if (command.kind === "navigation") {
    requireNoPreview(call, command, progress.mode);
    const result = await command.run(await navigationContext(app, call, progress.target), input);
    progress.mode = common.mode ?? call.session.mode;
    return { ...command.render(result.data, input, say), ...result, phase: "result" };
  }
  const whole = await command.run(readContext(app, call, progress.target), input);
  const place = command.enters?.(whole.data);
  if (place) call.session.enter(place);
  const rendered = command.render(whole.data, input, say);
  if (command.pages === undefined || call.inPieces !== true) {
    return { ...rendered, ...whole, phase: "result" };
  }
  const { pageOf } = await import("./page.ts");
  const data = pageOf(whole.data, command.pages, common.cursor);
  // Summary and next steps describe the whole list and not only this piece.
  const { summary } = rendered;
  return {
    ...command.render(data, input, say),
    summary,
    ...whole,
    data,
    basis: whole.data,
    phase: "result",
  };
}

// Where an answer belongs: the place it is about, and what that means for where the session stands.

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
  if (command.kind === "navigation") return here;
  // The token says what it was made for, unless it is unknown.
  if (command.kind === "redeem") return ecosystem === "" ? here : placeIn(ecosystem, ticket);
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
function follow(session: Session, place: Place): void {
  if (contains(place, session.place)) session.leaveFor(place);
}
