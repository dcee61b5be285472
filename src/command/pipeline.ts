/**
 * Every call of every door goes through here, in one order that no command can skip (design §2):
 * parse → scope → mode → preview → confirm → re-check → execute → suggested actions → envelope → audit.
 *
 * @module
 */

import { AmofError, toAmofError } from "../error.ts";
import { allows, type Mode } from "../policy/mode.ts";
import { fingerprint, sha256 } from "../policy/fingerprint.ts";
import { lockKey, startRun } from "../run/mod.ts";
import { suggest } from "../suggest/mod.ts";
import type {
  Command,
  Fields,
  Mutation,
  Navigation,
  Preview,
  Query,
  Redeemer,
  Rendered,
} from "../spec/mod.ts";
import { hashToken } from "../store/mod.ts";
import { timestamp } from "../system/mod.ts";
import { maskValue } from "../text/mask.ts";
import type { App } from "./app.ts";
import type { Approver } from "./approver.ts";
import { type CommonArguments, parseArguments } from "./common.ts";
import {
  type Caller,
  executeContext,
  navigationContext,
  readContext,
  resolveTarget,
  type Target,
} from "./context.ts";
import { makeOutcome, type Outcome } from "./envelope.ts";
import { type Consent, Gate, type GateCall, type Redeeming } from "./gate.ts";
import { findCommand } from "./registry.ts";

/** A call as a door hands it over. */
export interface Call extends Caller {
  readonly command: Command;
  readonly args: Readonly<Record<string, unknown>>;
  readonly approver: Approver;
  /** Which other commands may be called on the way, and suggested: what the door offers. */
  readonly offers: (command: Command) => boolean;
  /** Why the door does not let this call through at all. */
  readonly refusal?: AmofError;
}

/** What is known of a call at some step, for the envelope and the audit line. */
interface Progress {
  target: Target;
  mode: Mode;
  fingerprint: string | null;
  decision: string;
  way: string;
}

/** What a step answers: everything of the envelope that is not the same for all. */
interface Answer extends Rendered {
  readonly data?: Fields;
  readonly failure?: AmofError;
  readonly runId?: string;
  /** What kind of answer it is, for the suggested actions. */
  readonly phase: "result" | "preview" | "started" | "refused";
}

/** Carries out a call. Never throws: every failure is an outcome. */
export async function carryOut(app: App, call: Call): Promise<Outcome> {
  const progress: Progress = {
    target: { root: "", ecosystem: "" },
    mode: call.session.mode,
    fingerprint: null,
    decision: "allowed",
    way: "none",
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
    answer = refusal(app, call, thrown);
    if (progress.decision === "allowed" && isMutating(command)) {
      progress.decision = decisionOf(answer.failure);
    }
  }
  const actions = suggest({
    command,
    phase: answer.phase,
    data: { ...answer.data },
    failure: answer.failure ?? null,
    session: call.session,
    mode: progress.mode,
    ecosystem: progress.target.ecosystem || call.session.place.ecosystem,
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
    ecosystem: progress.target.ecosystem,
    summary: answer.summary,
    details: answer.details,
    ...(answer.data === undefined ? {} : { data: answer.data }),
    failure: answer.failure,
    actions,
    ...(answer.runId === undefined ? {} : { runId: answer.runId }),
    answered: answer.phase !== "refused",
  });
  await audit(app, call, command, progress, answer);
  return outcome;
}

function isMutating(command: Command): boolean {
  return command.kind === "mutation" || command.kind === "redeem";
}

function answerTo(app: App, call: Call, command: Command, progress: Progress): Promise<Answer> {
  switch (command.kind) {
    case "query":
    case "navigation":
      return read(app, call, command, progress);
    case "mutation":
      return change(app, call, command, progress, call.args, null);
    case "redeem":
      throw new TypeError("A redeemer is carried out as the call it redeems");
  }
}

/** Raises or lowers the mode of a call within the session's cap (amof.md §5.1). */
function effectiveMode(call: Call, common: CommonArguments): Mode {
  const mode = common.mode ?? call.session.mode;
  if (allows(call.session.maxMode, mode)) return mode;
  throw new AmofError(
    "mode_insufficient",
    `Cannot call ${call.command.name} in mode ${mode}: at most ${call.session.maxMode} is allowed here`,
    {
      hint: "Only whoever starts the server can raise the limit: amof mcp serve --max-mode",
      details: { reason: "capped", required_mode: mode, max_mode: call.session.maxMode },
    },
  );
}

async function read(
  app: App,
  call: Call,
  command: Query | Navigation,
  progress: Progress,
): Promise<Answer> {
  const { input, common } = await parseArguments(command, call.args);
  progress.mode = effectiveMode(call, common);
  progress.target = await resolveTarget(app, call, command, common.ecosystem);
  const result = command.kind === "query"
    ? await command.run(readContext(app, call, progress.target), input)
    : await command.run(await navigationContext(app, call, progress.target), input);
  if (command.kind === "query") {
    const place = command.enters?.(result.data);
    if (place) call.session.enter(place);
  } else {
    progress.mode = common.mode ?? call.session.mode;
  }
  return { ...command.render(result.data, input), ...result, phase: "result" };
}

/** A mutation: explained in ask, previewed in plan, carried out in execute once a person has agreed. */
async function change(
  app: App,
  call: Call,
  command: Mutation,
  progress: Progress,
  args: Fields,
  redeeming: Redeeming | null,
): Promise<Answer> {
  const { input, common } = await parseArguments(command, args);
  progress.target = await resolveTarget(app, call, command, common.ecosystem);
  progress.mode = effectiveMode(call, common);
  if (progress.mode === "ask") throw await explained(app, call, command, progress.target, input);
  const gateCall = await previewed(app, call, command, progress.target, input);
  progress.fingerprint = gateCall.fingerprint;
  const { preview } = gateCall;
  if (progress.mode === "plan" || common.dry_run === true) {
    progress.decision = "previewed";
    return planned(command, preview);
  }
  if (preview.settled !== undefined) {
    progress.decision = "nothing_to_do";
    return { ...command.render(preview.settled.data, input), ...preview.settled, phase: "result" };
  }
  const store = await app.store();
  const gate = new Gate(store, app.system);
  const token = redeeming ?? gate.redeeming(gateCall, common);
  const consent = token !== null
    ? gate.redeem(gateCall, token)
    : await gate.consent(gateCall, call.approver);
  progress.way = consent.way;
  if (consent.waited) {
    // While a person thought, the world went on: what they agreed to must still be what would happen.
    const now = await previewed(app, call, command, progress.target, input);
    if (now.fingerprint !== gateCall.fingerprint) throw gate.stale(gateCall, now);
  }
  progress.decision = "executed";
  return await execute(app, call, command, progress, gateCall, consent);
}

async function previewed(
  app: App,
  call: Call,
  command: Mutation,
  target: Target,
  input: Fields,
): Promise<GateCall> {
  const preview = await command.preview(readContext(app, call, target), input);
  return {
    command,
    input,
    ...target,
    preview,
    fingerprint: fingerprint({ tool: command.name, args: input, ...target, facts: preview.facts }),
    owner: ownerOf(call, target.root),
    door: call.door,
    signal: call.signal,
  };
}

/** Over MCP a token belongs to the session; on the command line to the user and the root (design §3). */
function ownerOf(call: Call, root: string): string {
  return call.door === "mcp"
    ? call.session.owner
    : `${call.session.owner}:${sha256(root).slice(0, 16)}`;
}

/** The ask-mode refusal: what would happen, how things stand, what else could be done (amof.md §5.2). */
async function explained(
  app: App,
  call: Call,
  command: Mutation,
  target: Target,
  input: Fields,
): Promise<AmofError> {
  const needed: Mode = command.safety === "safe-write" ? "plan" : "execute";
  const common = { required_mode: "execute", preview_mode: "plan", max_mode: call.session.maxMode };
  let explanation: Fields;
  try {
    const preview = await command.preview(readContext(app, call, target), input);
    explanation = {
      summary: preview.summary,
      effects: preview.effects,
      current_state: preview.current,
      alternatives: preview.alternatives,
      ...(preview.irreversible === undefined ? {} : { irreversible: preview.irreversible }),
    };
  } catch (thrown) {
    if (!(thrown instanceof AmofError)) throw thrown;
    explanation = {
      summary: command.summary,
      effects: [],
      current_state: thrown.message,
      alternatives: thrown.hint === undefined ? [] : [thrown.hint],
      blocked_by: thrown.code,
    };
  }
  return new AmofError(
    "mode_insufficient",
    `${command.title} needs ${
      needed === "plan" ? "plan mode to preview and execute mode to act" : "execute mode"
    }; the mode is ask`,
    {
      hint: 'Preview it: amof_set_mode(mode="plan"); carry it out: amof_set_mode(mode="execute")',
      details: { ...common, explanation },
    },
  );
}

function planned(command: Mutation, preview: Preview<Fields, Fields>): Answer {
  const lines = preview.details ?? preview.effects.join("\n");
  return {
    summary: `[plan] ${preview.summary}`,
    details: [lines, ...(preview.irreversible === undefined ? [] : [`⚠ ${preview.irreversible}`])]
      .filter((line) => line !== "").join("\n\n"),
    data: {
      would_execute: false,
      action: command.name,
      preview: preview.facts,
      effects: preview.effects,
      ...(preview.facts["repos_affected"] === undefined
        ? {}
        : { repos_affected: preview.facts["repos_affected"] }),
      ...(preview.irreversible === undefined ? {} : { irreversible: preview.irreversible }),
      execute_hint: command.confirm === "none"
        ? 'Repeat the call with mode="execute"'
        : 'Repeat the call with mode="execute"; it will ask for a confirmation',
    },
    phase: "preview",
  };
}

async function execute(
  app: App,
  call: Call,
  command: Mutation,
  progress: Progress,
  gateCall: GateCall,
  consent: Consent,
): Promise<Answer> {
  const { target } = progress;
  if (command.runs !== undefined) {
    return await started(app, call, command, command.runs, progress, gateCall, consent);
  }
  const result = await command.execute(
    await executeContext(app, call, target),
    gateCall.input,
    gateCall.preview.facts,
  );
  return { ...command.render(result.data, gateCall.input), ...result, phase: "result" };
}

/** Hands the work to a worker process and answers at once. */
async function started(
  app: App,
  call: Call,
  command: Mutation,
  action: string,
  progress: Progress,
  gateCall: GateCall,
  consent: Consent,
): Promise<Answer> {
  const store = await app.store();
  const { root, ecosystem } = progress.target;
  const now = app.system.clock.now();
  const runId = app.system.ids.uuid();
  const estimate = store.runs.typicalSeconds(root, ecosystem, action);
  await startRun(
    {
      runId,
      root,
      ecosystem,
      action,
      tool: command.name,
      args: gateCall.input,
      lockKey: command.exclusive ? lockKey(root, ecosystem) : null,
      createdAt: now,
      sessionId: call.session.id,
      origin: call.door,
      requestedBy: call.client,
      confirmation: command.confirm === "none"
        ? null
        : { type: command.confirm, way: consent.way, at: now },
      fingerprint: gateCall.fingerprint,
      preview: gateCall.preview.facts,
    },
    store,
    app.system,
    app.jobs,
  );
  return {
    summary: `Started ${action}, tracking as run:${runId.slice(0, 8)}.`,
    details: [
      `Run ID: ${runId}`,
      `Action: ${action}`,
      "Status: queued → running",
      `Expected duration: ${estimate === null ? "unknown" : `${estimate}s`}`,
    ].join("\n"),
    data: {
      run_id: runId,
      action,
      status: "queued",
      created_at: timestamp(now),
      estimated_seconds: estimate,
    },
    runId,
    phase: "started",
  };
}

/** Finds the call a token was made for and carries it out. */
async function redeemed(
  app: App,
  call: Call,
  redeemer: Redeemer,
  progress: Progress,
): Promise<{ command: Mutation; answer: Answer }> {
  const { input, common } = await parseArguments(redeemer, call.args);
  const { token, typedValue } = redeemer.redeem(input);
  const target = await resolveTarget(app, call, redeemer, undefined);
  const tokenHash = hashToken(token);
  const store = await app.store();
  const request = new Gate(store, app.system).lookUp(tokenHash, ownerOf(call, target.root));
  const command = findCommand(request.tool);
  if (command?.kind !== "mutation" || !call.offers(command)) {
    throw new AmofError(
      "tool_not_available",
      `Cannot confirm ${request.tool}: it is not offered here`,
    );
  }
  progress.mode = effectiveMode(call, common);
  if (progress.mode !== "execute") {
    // The token stays alive: raising the mode is all that is missing.
    throw new AmofError(
      "mode_insufficient",
      `Cannot confirm ${request.tool} in mode ${progress.mode}: execute is needed`,
      {
        hint: 'Raise the mode: amof_set_mode(mode="execute"), then confirm again',
        details: { required_mode: "execute", max_mode: call.session.maxMode },
      },
    );
  }
  const args: Fields = {
    ...request.args,
    ...(command.scope === "ecosystem" ? { ecosystem: request.ecosystem } : {}),
    mode: progress.mode,
  };
  try {
    return {
      command,
      answer: await change(app, call, command, progress, args, {
        tokenHash,
        typedValue,
        tool: null,
      }),
    };
  } catch (thrown) {
    const answer = refusal(app, call, thrown);
    if (progress.decision === "allowed") progress.decision = decisionOf(answer.failure);
    return { command, answer };
  }
}

function refusal(app: App, call: Call, thrown: unknown): Answer {
  const failure = toAmofError(thrown, () => app.system.ids.hex(8));
  if (failure.code === "internal_error") {
    const cause = failure.cause instanceof Error
      ? failure.cause.stack ?? failure.cause.message
      : String(failure.cause);
    call.report.log("error", `${failure.message}\n${cause}`, { type: "internal" });
  }
  const { confirmation, explanation } = failure.details as {
    confirmation?: Fields;
    explanation?: Fields;
  };
  const affected = (confirmation?.["preview"] as Fields | undefined)?.["repos_affected"];
  return {
    summary: failure.message,
    details: refusalDetails(failure, confirmation, explanation),
    // The members the reference puts at the top level of the answer (amof.md §5.2, §5.4).
    data: {
      ...(affected === undefined ? {} : { repos_affected: affected }),
      ...(confirmation === undefined ? {} : { confirmation }),
      ...(explanation === undefined ? {} : { explanation }),
    },
    failure: withoutDetails(failure, ["confirmation", "explanation"]),
    phase: "refused",
  };
}

/** The same error without the details that stand at the top level of the answer. */
function withoutDetails(error: AmofError, names: readonly string[]): AmofError {
  if (!names.some((name) => name in error.details)) return error;
  return new AmofError(error.code, error.message, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    details: Object.fromEntries(
      Object.entries(error.details).filter(([name]) => !names.includes(name)),
    ),
    exit: error.exit,
    cause: error,
  });
}

function lines(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function refusalDetails(
  failure: AmofError,
  confirmation: Fields | undefined,
  explanation: Fields | undefined,
): string {
  const bullets = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [title, ...items.map((item) => `  - ${item}`)];
  if (explanation !== undefined) {
    return [
      String(explanation["summary"]),
      ...bullets("What would happen:", lines(explanation["effects"])),
      `Current state: ${explanation["current_state"]}`,
      ...bullets("Alternatives:", lines(explanation["alternatives"])),
    ].join("\n");
  }
  if (confirmation !== undefined) {
    return [
      ...(failure.details["changed"] === undefined
        ? []
        : bullets("What changed:", lines(failure.details["changed"]))),
      String(confirmation["summary"]),
      ...lines(confirmation["effects"]).map((effect) => `  ${effect}`),
      ...(confirmation["irreversible"] === undefined ? [] : [`⚠ ${confirmation["irreversible"]}`]),
      confirmation["typed_value_required"] === true
        ? "A person must type the ecosystem name to proceed."
        : "Proceed?",
      `Expires: ${confirmation["expires_at"]}`,
    ].join("\n");
  }
  const errors = failure.details["errors"];
  const issues = failure.details["issues"];
  const places = [
    ...(Array.isArray(errors) ? errors : []),
    ...(Array.isArray(issues) ? issues : []),
  ] as Fields[];
  return places.slice(0, 15).map((entry) =>
    `  ${entry["path"] || "file"}: ${entry["message"] ?? entry["problem"]}`
  ).join("\n");
}

/** What the audit log calls a failure. */
function decisionOf(failure: AmofError | undefined): string {
  switch (failure?.code) {
    case "mode_insufficient":
      return "refused_mode";
    case "confirmation_required":
    case "confirmation_expired":
    case "confirmation_stale":
      return failure.code === "confirmation_required" ? "requested" : failure.code;
    case "confirmation_declined":
      return String(failure.details["decision"] ?? "declined");
    case "confirmation_invalid":
    case "type_to_confirm_failed":
      return failure.code;
    default:
      return "failed";
  }
}

/** Notes the decision; reads are not noted, changes of the mode are. */
async function audit(
  app: App,
  call: Call,
  command: Command,
  progress: Progress,
  answer: Answer,
): Promise<void> {
  if (!isMutating(command) && !["amof_set_mode", "amof_cancel_confirm"].includes(command.name)) {
    return;
  }
  const { failure } = answer;
  const elicited = failure?.details["way"];
  try {
    (await app.store()).audit.add({
      at: app.system.clock.now(),
      door: call.door,
      client: call.client,
      sessionId: call.session.id,
      root: progress.target.root,
      ecosystem: progress.target.ecosystem,
      tool: command.name,
      args: maskValue(call.args),
      mode: progress.mode,
      decision: progress.decision,
      way: typeof elicited === "string" ? elicited : progress.way,
      fingerprint: progress.fingerprint,
      outcome: failure?.code ?? "ok",
      runId: answer.runId ?? null,
    });
  } catch (error) {
    // The work is done and its answer must arrive; that it could not be noted is said aloud.
    call.report.log(
      "error",
      `The audit log could not be written: ${
        error instanceof Error ? error.message : String(error)
      }`,
    );
  }
}
