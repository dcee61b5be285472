/**
 * Lets a mutation act once the gate has let it through: at once, as a run in this process, or as a run of a
 * worker process.
 */

import { runId } from "../base/ids.ts";
import { wordingFor } from "./wording.ts";
import { AmofError } from "../base/error.ts";
import { defined, type Fields } from "../base/object.ts";
import { recheck } from "../base/policy/changes.ts";
import type { Mutation, Preview, Reporter } from "../contract/mod.ts";
import { claim, type RunRequest, startRun } from "../runs/changing.ts";
import { timestamp } from "../base/system/mod.ts";
import { type Answer, makePreview, type MutationCall, nothingLeft } from "./preview.ts";
import { executeContext, ownerOf, type Target } from "./context.ts";
import type { Consent, GateCall } from "./consent/words.ts";
import { locksOf, takesEach, ticketOfRun, workOn, workWithWings } from "./run_work.ts";
import { firstOfWings } from "./wings.ts";
import type { App } from "./app.ts";

/** Makes the preview of a call, as the gate judges it; `agreed` are the facts of an earlier one. */
export async function previewed(of: MutationCall, agreed?: Fields): Promise<GateCall> {
  const { app, call, command, input, progress: { target } } = of;
  const { preview, fingerprint } = await makePreview({
    app,
    caller: call,
    target,
    command,
    input,
    ...defined({ agreed }),
  });
  return {
    command: asking(command, preview),
    input,
    ...target,
    preview,
    fingerprint,
    owner: ownerOf(call, target.root),
    lasts: call.session.lasts,
    door: call.door,
    confirmBy: call.confirmBy,
    pages: call.confirmBy === "human" || command.byPerson === true
      ? await firstOfWings(({ pages }) => pages?.(app.system, target.root))
      : null,
    timeout: app.timeout,
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
export async function execute(of: MutationCall, agreed: Agreed): Promise<Answer> {
  const { app, call, command, input, progress } = of;
  if (command.runs !== undefined) {
    return isInline(of) ? await runInline(of, agreed) : await started(of, agreed);
  }
  const result = await command.execute(
    await executeContext(app, call, progress.target, null),
    input,
    agreed.gateCall.preview.facts,
  );
  return {
    ...command.render(result.data, input, wordingFor(call.door, app.system.clock.now())),
    ...result,
    phase: "result",
  };
}

/** Whether the calling process works on the run itself. */
export function isInline({ call, command }: MutationCall): boolean {
  return command.inline === true || (command.inline === "attended" && isAwaited(call));
}

/** Whether somebody waits at the command line for what is done. */
function isAwaited(call: MutationCall["call"]): boolean {
  return call.door === "cli" && call.background !== true;
}

/** What was agreed to, and how. */
interface Agreed {
  readonly gateCall: GateCall;
  readonly consent: Consent;
}

/** The record of a run that is about to begin. */
function newRun(of: MutationCall, agreed: Agreed | null): RunRequest {
  const { app, call, command, progress, input } = of;
  const { target } = progress;
  const now = app.system.clock.now();
  return {
    runId: runId(app.system.ids.uuid()),
    root: target.root,
    ecosystem: target.ecosystem,
    ticket: ticketOfRun(of, target),
    action: command.runs ?? command.name,
    tool: command.name,
    args: input,
    locks: locksOf(of, target),
    each: takesEach(of),
    createdAt: now,
    sessionId: call.session.id,
    origin: call.door,
    requestedBy: call.client,
    confirmation: agreed === null || command.confirm === "none"
      ? null
      : { type: command.confirm, way: agreed.consent.way, at: now },
    fingerprint: agreed?.gateCall.fingerprint ?? "",
    preview: agreed?.gateCall.preview.facts ?? {},
    inline: isInline(of) || isFollowed(of),
    owesEntry: true,
  };
}

/** Writes down what happens, and shows the caller how far the work is, with the log where they hear it. */
function forwarding(log: Reporter, watcher: Reporter): Reporter {
  return {
    ...(watcher.print === undefined ? {} : { print: watcher.print, folds: watcher.folds === true }),
    log(level, message, fields) {
      log.log(level, message, fields);
      if (fields?.type === "progress" || fields?.type === "step") {
        watcher.log("debug", message, fields);
      } else if (watcher.hearsLog === true) watcher.log(level, message, fields);
    },
    progress(done, total, message, of) {
      log.progress(done, total, message, of);
      watcher.progress(done, total, message, of);
    },
  };
}

/**
 * Works on a run in this process: under its locks, with a record and a log like any other, but
 * answered with its result.
 */
export async function runInline(of: MutationCall, agreed: Agreed | null): Promise<Answer> {
  const { app, call, command, progress, input } = of;
  const { system } = app;
  const store = await app.store();
  const run = newRun(of, agreed);
  await claim(run, store, system);
  progress.runId = run.runId;
  const abort = new AbortController();
  const onAbort = () => abort.abort();
  call.signal.addEventListener("abort", onAbort, { once: true });
  const { runId, action } = run;
  const end = await workOn({ store, system, runId, action, abort }, async (report, signal) => {
    const caller = { ...call, report: forwarding(report, call.report), signal };
    const looking = { ...caller, report: call.report };
    if (agreed === null) await requireUnmet(app, progress.target, command, input);
    const now = await makePreview({
      app,
      caller: looking,
      target: progress.target,
      command,
      input,
      ...defined({ agreed: agreed?.gateCall.preview.facts }),
    });
    progress.fingerprint = now.fingerprint;
    if (agreed === null && asking(command, now.preview).confirm !== "none") throw unmet(command);
    const idle = nothingLeft(now.preview);
    if (idle !== null) return idle;
    if (agreed !== null) {
      const { fingerprint, preview } = agreed.gateCall;
      recheck({ fingerprint, facts: preview.facts }, now);
    }
    if (now.preview.settled !== undefined) return now.preview.settled;
    const ctx = await executeContext(app, caller, progress.target, run);
    const work = await workWithWings(ctx, command, input, now.facts);
    return await work();
  });
  call.signal.removeEventListener("abort", onAbort);
  if (end === null) {
    throw new AmofError("cancelled", `${command.title} was cancelled before it began`);
  }
  if (end.result === null) throw end.failure;
  return {
    ...command.render(end.result.data, input, wordingFor(call.door, app.system.clock.now())),
    data: { run_id: runId, action, ...end.result.data },
    ...(end.failure === null ? {} : { failure: end.failure }),
    phase: "result",
  };
}

/** Whether this process works on the run while it is followed like that of a worker. */
function isFollowed({ call, command }: MutationCall): boolean {
  return command.inline === "followed" && isAwaited(call);
}

/** Hands the work to a worker, which is a process of its own where nobody waits for it, and answers at once. */
async function started(of: MutationCall, agreed: Agreed): Promise<Answer> {
  const { app, call, progress } = of;
  const store = await app.store();
  const run = newRun(of, agreed);
  const { runId, action } = run;
  // One program is no measure for another.
  const estimate = store.runs.typicalSeconds(run.root, run.ecosystem, action, run.args);
  const asker = call.attended === true ? (await app.system.processes.me()).pid : null;
  const here = isFollowed(of);
  await claim(run, store, app.system);
  progress.runId = runId;
  await startRun(
    run,
    store,
    app.system,
    here ? null : { jobs: app.jobs, timeout: app.timeout, asker },
  );
  const working = here
    ? import("./worker.ts").then(({ runWorker }) => runWorker({ ...app, asker }, runId))
    : undefined;
  // Whoever follows it is told; until then a failure is nobody's.
  working?.catch(() => {});
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
    ...defined({ working }),
    phase: "started",
  };
}

// What is on the disk may ask for more consent than the arguments of a call do.

/** The command as it applies where the call is about to act. */
export async function applicableCommand(
  { system, layout }: Pick<App, "system" | "layout">,
  { root, ecosystem }: Target,
  command: Mutation,
  input: Fields,
): Promise<Mutation> {
  return { ...command, ...await command.meets?.({ system, layout, root, ecosystem }, input) };
}

/** The command as it asks where its preview has found what nobody else has. */
export function asking(
  command: Mutation,
  { confirm, asks }: Pick<Preview<Fields, Fields>, "confirm" | "asks">,
): Mutation {
  const named = asks === undefined ? command : { ...command, asks };
  return confirm === undefined ? named : { ...named, confirm, safety: "dangerous-write" };
}

/** Throws `confirmation_stale` for a call that goes on without consent and meets, under its lock, what asks for it. */
async function requireUnmet(
  app: Pick<App, "system" | "layout">,
  target: Target,
  command: Mutation,
  input: Fields,
): Promise<void> {
  const { confirm } = await applicableCommand(app, target, { ...command, confirm: "none" }, input);
  if (confirm === "none") return;
  throw unmet(command);
}

/** The refusal of a call that goes on without the consent that it turns out to need. */
function unmet(command: Mutation): AmofError {
  return new AmofError(
    "confirmation_stale",
    `Cannot ${command.path.join(" ")}: what it is about has changed meanwhile; nothing was done`,
    { hint: "Repeat the command: it will ask" },
  );
}
