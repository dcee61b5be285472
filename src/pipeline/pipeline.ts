/**
 * Every call of every door goes through here, in one order that no command can skip (CALL-1):
 * parse → scope → mode → preview → confirm → re-check → execute → suggested actions → envelope → audit.
 */

import { defined, type Fields } from "../base/object.ts";
import { hasArchive, hasWorkspace, ticketHere } from "../workspace/mod.ts";
import { Git } from "../git/mod.ts";
import type { Command, Navigation, Query } from "../contract/mod.ts";
import { selectionIn, type Situation, suggest } from "./suggest/mod.ts";
import { allowing, type App } from "./app.ts";
import { audit, decisionOf, isMutating } from "./audit.ts";
import type { Answer, Call, Progress } from "./call.ts";
import { forOthers, withoutOwnPlaces } from "../base/system/layout.ts";
import { parseArguments, ticketArgument } from "./common.ts";
import {
  effectiveMode,
  navigationContext,
  readContext,
  resolveTarget,
  type Target,
} from "./context.ts";
import { makeOutcome, type Outcome } from "./envelope.ts";
import { placeIn } from "../contract/place.ts";
import { follow, placeOf } from "./place.ts";
import { commandOfRun, findCommand } from "./registry.ts";
import { wordingFor } from "./wording.ts";

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
  const ecosystem = place.ecosystem ?? call.session.place.ecosystem;
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
    ticket: place.ticket,
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
    ...defined({ runId: answer.runId }),
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
  const ticket = await ticketHere(system, root, ecosystem).catch(() => null);
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

async function read(
  program: App,
  call: Call,
  command: Query | Navigation,
  progress: Progress,
): Promise<Answer> {
  const { input, common } = await parseArguments(command, call.args, call.door);
  const app = allowing(program, common.timeout);
  progress.mode = effectiveMode(call, command, common.mode);
  progress.target = await resolveTarget(app, call, command, {
    ecosystem: common.ecosystem,
    ticket: ticketArgument(input, common),
  });
  const say = wordingFor(call.door, app.system.clock.now());
  if (command.kind === "navigation") {
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
