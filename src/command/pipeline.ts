/**
 * Every call of every door goes through here, in one order that no command can skip (CALL-1):
 * parse → scope → mode → preview → confirm → re-check → execute → suggested actions → envelope → audit.
 *
 * @module
 */

import { defined } from "../object.ts";
import { hasWorkspace } from "../workspace/mod.ts";
import { AmofError, EXIT, toAmofError } from "../error.ts";
import { Git } from "../git/mod.ts";
import type { Settled } from "../steps/mod.ts";
import { canonicalJson } from "../policy/fingerprint.ts";
import { allows, CAPPED, type Mode } from "../policy/mode.ts";
import type { Command, Fields, Mutation, Navigation, Query, Redeemer } from "../contract/mod.ts";
import { hashToken } from "../store/mod.ts";
import { suggest } from "../suggest/mod.ts";
import { explained, finishedBefore, planned, refusal, withSettled } from "./answer.ts";
import { allowing, type App } from "./app.ts";
import { audit, decisionOf, isMutating } from "./audit.ts";
import type { Answer, Call, MutationCall, Progress } from "./call.ts";
import { type CommonArguments, parseArguments } from "./common.ts";
import { navigationContext, ownerOf, readContext, resolveTarget } from "./context.ts";
import { makeOutcome, type Outcome } from "./envelope.ts";
import { execute, previewed, runInline } from "./execute.ts";
import { Gate, type Redeeming } from "./consent/gate.ts";
import { withHolder } from "./holder.ts";
import { settleLeftovers } from "./leftovers.ts";
import { asCancelled } from "./run_work.ts";
import { pageOf } from "./page.ts";
import { follow, placeOf } from "./place.ts";
import { commandOfRun, findCommand } from "./registry.ts";
import { findLeftovers } from "./unfinished.ts";
import { wordingFor } from "./wording.ts";

/** Carries out a call. Never throws: every failure is an outcome. */
export async function carryOut(app: App, call: Call): Promise<Outcome> {
  const progress: Progress = {
    target: { root: "", ecosystem: "" },
    mode: call.session.mode,
    fingerprint: null,
    decision: "allowed",
    way: "none",
    runId: null,
  };
  let answer: Answer;
  let command = call.command;
  try {
    if (call.refusal !== undefined) throw call.refusal;
    const redirected = command.kind === "redeem"
      ? await redeemed(app, call, command, progress)
      : null;
    if (redirected !== null) command = redirected.command;
    answer = redirected !== null ? redirected.answer : await answerTo(app, call, command, progress);
  } catch (thrown) {
    const told = await withHolder(app, thrown);
    answer = refusal(app, call, call.signal.aborted ? stopped(app, told) : told);
    if (progress.decision === "allowed" && isMutating(command)) {
      progress.decision = decisionOf(answer.failure);
    }
  }
  const data: Fields = { ...(answer.basis ?? answer.data) };
  const place = placeOf(command, call.session, progress.target.ecosystem, data);
  if (answer.phase !== "refused") follow(call.session, place);
  const ecosystem = place.ecosystem ?? call.session.place.ecosystem;
  const actions = suggest({
    command,
    phase: answer.phase,
    data,
    failure: answer.failure ?? null,
    session: call.session,
    mode: progress.mode,
    ecosystem,
    installed: await isInstalled(app, progress.target.root, data["ecosystem"] ?? ecosystem),
    ofRun: commandOfRun,
    find: (name) => {
      const found = findCommand(name);
      return found !== null && call.offers(found) ? found : null;
    },
  });
  const outcome = makeOutcome({
    session: call.session,
    mode: progress.mode,
    now: app.system.clock.now(),
    command,
    place,
    summary: answer.summary,
    details: answer.details,
    ...defined({ data: answer.data }),
    failure: answer.failure,
    actions,
    ...defined({ runId: answer.runId }),
    answered: answer.phase !== "refused",
  });
  await audit(app, call, { command, progress, answer });
  return outcome;
}

/** The error of a call that failed after its caller had interrupted it: the interrupt counts as the cause. */
function stopped(app: App, thrown: unknown): AmofError {
  const failure = toAmofError(thrown, () => app.system.ids.hex(8));
  // An interrupted confirmation has an error of its own.
  return failure.exit === EXIT.refused ? failure : asCancelled(failure);
}

/** Whether the ecosystem that an answer is about has a workspace; null where that cannot be told. */
async function isInstalled(app: App, root: string, ecosystem: unknown): Promise<boolean | null> {
  const { system } = app;
  if (root === "" || typeof ecosystem !== "string" || ecosystem === "") return null;
  try {
    return await hasWorkspace({ system, root, git: new Git(system) }, ecosystem);
  } catch {
    // An answer must not fail for what is only offered with it.
    return null;
  }
}

function answerTo(app: App, call: Call, command: Command, progress: Progress): Promise<Answer> {
  switch (command.kind) {
    case "query":
    case "navigation":
      return read(app, call, command, progress);
    case "mutation":
      return change({ app, call, progress }, command, call.args, null);
    case "redeem":
      throw new TypeError("A redeemer is carried out as the call it redeems");
  }
}

/** Raises or lowers the mode of a call within the session's cap (MODE-3). */
function effectiveMode(call: Call, common: CommonArguments): Mode {
  const mode = common.mode ?? call.session.mode;
  if (allows(call.session.maxMode, mode)) return mode;
  throw new AmofError(
    "mode_insufficient",
    `Cannot call ${call.command.name} in mode ${mode}: at most ${call.session.maxMode} is allowed here`,
    {
      hint: "Only whoever starts the server can raise the limit: amof mcp serve --max-mode MODE",
      details: { ...CAPPED, mode_required: mode, max_mode: call.session.maxMode },
    },
  );
}

async function read(
  program: App,
  call: Call,
  command: Query | Navigation,
  progress: Progress,
): Promise<Answer> {
  const { input, common } = await parseArguments(command, call.args, call.door);
  const app = allowing(program, common.timeout);
  progress.mode = effectiveMode(call, common);
  progress.target = await resolveTarget(app, call, command, common.ecosystem);
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

/** A mutation: explained in ask, previewed in plan, carried out in execute once a person has agreed. */
async function change(
  { app: program, call, progress }: Pick<MutationCall, "app" | "call" | "progress">,
  declared: Mutation,
  args: Fields,
  redeeming: Redeeming | null,
): Promise<Answer> {
  const { input, common } = await parseArguments(declared, args, call.door);
  const app = allowing(program, common.timeout);
  const command: Mutation = { ...declared, ...declared.raised?.(input) };
  progress.target = await resolveTarget(app, call, command, common.ecosystem);
  progress.mode = effectiveMode(call, common);
  const of: MutationCall = { app, call, command, input, progress };
  if (progress.mode === "ask") throw await explained(of);
  if (progress.mode === "plan" || common.dry_run === true) {
    const { preview, fingerprint } = await previewed(of);
    progress.fingerprint = fingerprint;
    progress.decision = "previewed";
    const left = await findLeftovers(app.system, app.layout, app.store, progress.target);
    return planned(command, preview, left, {
      door: call.door,
      ecosystem: progress.target.ecosystem,
    });
  }
  const settled = command.exclusive ? await settle(of) : [];
  if (settled.some((entry) => repeats(entry, command, input))) {
    // The interrupted call was just finished; repeating it would do the same thing twice.
    progress.decision = "nothing_to_do";
    return withSettled(finishedBefore(command), settled);
  }
  return withSettled(await act(of, common, redeeming), settled);
}

/** Settles what was interrupted where the call is about to act. */
async function settle(
  { app, call, command, progress: { target } }: MutationCall,
): Promise<readonly Settled[]> {
  const above = { ...target, ecosystem: "" };
  return [
    ...command.settlesAll && target.ecosystem !== "" ? await settleLeftovers(app, call, above) : [],
    ...await settleLeftovers(app, call, target),
  ];
}

/** Whether a call asks for the very thing that was just finished. */
function repeats(settled: Settled, command: Mutation, input: Fields): boolean {
  return settled.outcome === "finished" && settled.tool === command.name &&
    canonicalJson(settled.args) === canonicalJson(input);
}

/** A mutation in execute mode: consent to its preview, and then the deed. */
async function act(
  of: MutationCall,
  common: CommonArguments,
  redeeming: Redeeming | null,
): Promise<Answer> {
  const { app, call, command, input, progress } = of;
  if (command.inline && command.confirm === "none") {
    // No consent is needed, so one preview, made under the lock, is enough.
    progress.decision = "executed";
    return await runInline(of, null);
  }
  const gateCall = await previewed(of);
  progress.fingerprint = gateCall.fingerprint;
  const { preview } = gateCall;
  if (preview.settled !== undefined) {
    const { failure } = preview.settled;
    progress.decision = failure?.exit === EXIT.refused ? decisionOf(failure) : "nothing_to_do";
    return {
      ...command.render(preview.settled.data, input, wordingFor(call.door, app.system.clock.now())),
      ...preview.settled,
      phase: "result",
    };
  }
  const store = await app.store();
  const gate = new Gate(store, app.system);
  const token = redeeming ?? gate.redeeming(gateCall, common);
  if (token !== null) progress.way = "token";
  const consent = token !== null
    ? await gate.settle(gateCall, token, call.approver)
    : await gate.consent(gateCall, call.approver, common);
  progress.way = consent.way;
  if (consent.waited) {
    // Things may have changed while the person decided, so the preview is made again and compared.
    gate.recheck(gateCall, await previewed(of));
  }
  progress.decision = consent.way === "none" ? "executed" : "accepted";
  const answer = await execute(of, { gateCall, consent });
  // An action that was confirmed in a form and succeeded is marked in its summary.
  return consent.way === "elicitation" && answer.phase === "result" && answer.failure === undefined
    ? { ...answer, summary: `✅ ${answer.summary}` }
    : answer;
}

/** Finds the call a token was made for and carries it out; never one below execute, or not offered here (CONFIRM-13). */
async function redeemed(
  app: App,
  call: Call,
  redeemer: Redeemer,
  progress: Progress,
): Promise<{ command: Mutation; answer: Answer }> {
  const { input, common } = await parseArguments(redeemer, call.args, call.door);
  const { token, typedValue } = redeemer.redeem(input);
  const target = await resolveTarget(app, call, redeemer, undefined);
  const tokenHash = hashToken(token);
  const store = await app.store();
  const request = new Gate(store, app.system).lookUp(tokenHash, ownerOf(call, target.root));
  const command = findCommand(request.tool);
  if (command?.kind !== "mutation" || !call.offers(command)) {
    throw new AmofError(
      "tool_not_available",
      `Cannot confirm ${command?.title ?? request.tool}: it is not offered here`,
    );
  }
  progress.mode = effectiveMode(call, common);
  if (progress.mode !== "execute") {
    // The token stays alive: raising the mode is all that is missing.
    throw new AmofError(
      "mode_insufficient",
      `Cannot confirm "${command.title}" in mode ${progress.mode}: it needs execute`,
      {
        hint: call.door === "mcp"
          ? 'Raise the mode: amof_set_mode(mode="execute"), then confirm again'
          : "Confirm it in mode execute: amof confirm TOKEN",
        details: { mode_required: "execute", max_mode: call.session.maxMode },
      },
    );
  }
  const timeout = common.timeout ?? app.timeout ?? request.timeout;
  const args: Fields = {
    ...request.args,
    ...(command.scope === "ecosystem" ? { ecosystem: request.ecosystem } : {}),
    mode: progress.mode,
  };
  try {
    return {
      command,
      answer: await change({ app: allowing(app, timeout), call, progress }, command, args, {
        tokenHash,
        token,
        typedValue,
        tool: null,
      }),
    };
  } catch (thrown) {
    const answer = refusal(app, call, await withHolder(app, thrown));
    if (progress.decision === "allowed") progress.decision = decisionOf(answer.failure);
    return { command, answer };
  }
}
