/**
 * Lets a mutation act once the gate has let it through: at once, as a run in this process, or as a run of a
 * worker process.
 *
 * @module
 */

import { wordingFor } from "./wording.ts";
import { AmofError } from "../error.ts";
import { factChanges } from "../policy/changes.ts";
import { fingerprint } from "../policy/fingerprint.ts";
import { isSame } from "../policy/same.ts";
import { claim, lockKey, type RunRequest, startRun } from "../runs/mod.ts";
import type { Fields, Mutation, Reporter } from "../contract/mod.ts";
import { timestamp } from "../system/mod.ts";
import type { App } from "./app.ts";
import type { Answer, Call, Progress } from "./call.ts";
import { executeContext, ownerOf, readContext, type Target } from "./context.ts";
import type { Consent, GateCall } from "./consent/gate.ts";
import { workOn } from "./run_work.ts";

/** Makes the preview of a call on a world that refuses every change. */
export async function previewed(
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
    confirmBy: call.confirmBy,
    asker: {
      root: target.root,
      sessionId: call.session.id,
      client: call.client,
      place: call.session.place,
    },
    signal: call.signal,
  };
}

/** Carries out what was previewed and agreed to. */
export async function execute(
  app: App,
  call: Call,
  command: Mutation,
  progress: Progress,
  gateCall: GateCall,
  consent: Consent,
): Promise<Answer> {
  const { target } = progress;
  const agreed = { gateCall, consent };
  if (command.runs !== undefined) {
    return command.inline
      ? await runInline(app, call, command, progress, gateCall.input, agreed)
      : await started(app, call, command, progress, agreed);
  }
  const result = await command.execute(
    await executeContext(app, call, target, null),
    gateCall.input,
    gateCall.preview.facts,
  );
  return {
    ...command.render(result.data, gateCall.input, wordingFor(call.door, app.system.clock.now())),
    ...result,
    phase: "result",
  };
}

/** What was agreed to, and how. */
interface Agreed {
  readonly gateCall: GateCall;
  readonly consent: Consent;
}

/** The record of a run that is about to begin. */
function newRun(
  app: App,
  call: Call,
  command: Mutation,
  progress: Progress,
  input: Fields,
  agreed: Agreed | null,
): RunRequest {
  const { root, ecosystem } = progress.target;
  const now = app.system.clock.now();
  return {
    runId: app.system.ids.uuid(),
    root,
    ecosystem,
    action: command.runs ?? command.name,
    tool: command.name,
    args: input,
    lockKey: command.exclusive ? lockKey(root, ecosystem) : null,
    createdAt: now,
    sessionId: call.session.id,
    origin: call.door,
    requestedBy: call.client,
    confirmation: agreed === null || command.confirm === "none"
      ? null
      : { type: command.confirm, way: agreed.consent.way, at: now },
    fingerprint: agreed?.gateCall.fingerprint ?? "",
    preview: agreed?.gateCall.preview.facts ?? {},
    inline: command.inline ?? false,
  };
}

/**
 * Works on a run in this process: under the ecosystem's lock, with a record and a log like any other, but
 * answered with its result.
 */
export async function runInline(
  app: App,
  call: Call,
  command: Mutation,
  progress: Progress,
  input: Fields,
  agreed: Agreed | null,
): Promise<Answer> {
  const { system } = app;
  const store = await app.store();
  const run = newRun(app, call, command, progress, input, agreed);
  await claim(run, store, system);
  progress.runId = run.runId;
  const abort = new AbortController();
  const onAbort = () => abort.abort();
  call.signal.addEventListener("abort", onAbort, { once: true });
  const end = await workOn(store, system, run.runId, run.action, abort, async (report, signal) => {
    const caller = { ...call, report: forwarding(report, call.report), signal };
    const now = await previewed(app, caller, command, progress.target, input);
    progress.fingerprint = now.fingerprint;
    if (agreed !== null && !isSame(agreed.gateCall.fingerprint, now.fingerprint)) {
      throw new AmofError(
        "confirmation_stale",
        "Things changed between the confirmation and the start; nothing was done",
        {
          hint: "Make the call again to see the present state",
          details: { ...factChanges(agreed.gateCall.preview.facts, now.preview.facts) },
        },
      );
    }
    if (now.preview.settled !== undefined) return now.preview.settled;
    const ctx = await executeContext(app, caller, progress.target, run);
    return await command.execute(ctx, input, now.preview.facts);
  });
  call.signal.removeEventListener("abort", onAbort);
  if (end === null) {
    throw new AmofError("cancelled", `${command.title} was cancelled before it began`);
  }
  if (end.result === null) throw end.failure;
  return {
    ...command.render(end.result.data, input, wordingFor(call.door, app.system.clock.now())),
    data: { run_id: run.runId, action: run.action, ...end.result.data },
    ...(end.failure === null ? {} : { failure: end.failure }),
    phase: "result",
  };
}

/** Writes down what happens, and shows the caller how far the work is. */
function forwarding(log: Reporter, watcher: Reporter): Reporter {
  return {
    log: log.log,
    progress(done, total, message) {
      log.progress(done, total, message);
      watcher.progress(done, total, message);
    },
  };
}

/** Hands the work to a worker process and answers at once. */
async function started(
  app: App,
  call: Call,
  command: Mutation,
  progress: Progress,
  agreed: Agreed,
): Promise<Answer> {
  const store = await app.store();
  const run = newRun(app, call, command, progress, agreed.gateCall.input, agreed);
  const { runId, action } = run;
  const estimate = store.runs.typicalSeconds(run.root, run.ecosystem, action);
  await startRun(run, store, app.system, {
    jobs: app.jobs,
    timeout: app.timeout,
    asker: call.attended === true ? (await app.system.processes.me()).pid : null,
  });
  progress.runId = runId;
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
      created_at: timestamp(run.createdAt),
      estimated_seconds: estimate,
    },
    runId,
    phase: "started",
  };
}
