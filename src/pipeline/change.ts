/** What becomes of a mutation: settled journals, a preview, a consent to it, and the work. */

import { join } from "@std/path";
import { defined, type Fields } from "../base/object.ts";
import { AmofError, EXIT } from "../base/error.ts";
import { recover, type Settled } from "../runs/steps/mod.ts";
import { canonicalJson } from "../base/policy/fingerprint.ts";
import type { Command, Mutation, Result } from "../contract/mod.ts";
import { explained, finishedBefore, planned, withSettled } from "./answer.ts";
import { allowing, type App } from "./app.ts";
import { decisionOf } from "./audit.ts";
import {
  type Answer,
  argumentsOf,
  type Call,
  type MutationCall,
  nothingLeft,
  type Progress,
} from "./preview.ts";
import { type CommonArguments, ticketArgument } from "./common.ts";
import { Gate, type Redeeming } from "./consent/gate.ts";
import type { GateCall } from "./consent/words.ts";
import { tellOfRequest } from "./consent/requests.ts";
import {
  type Caller,
  effectiveMode,
  executeContext,
  readContext,
  resolveTarget,
  type Target,
} from "./context.ts";
import { applicableCommand, asking, execute, isInline, previewed, runInline } from "./execute.ts";
import { locksOf, takesEach, ticketIn, ticketOfRun, workOn } from "./run_work.ts";
import { abandoned, findUnfinished } from "./unfinished.ts";
import { wordingFor } from "./wording.ts";
import { partsOf } from "../base/text/parts.ts";
import { meansAll } from "../contract/input.ts";
import { Git } from "../git/mod.ts";
import { findWorkspace } from "../workspace/mod.ts";
import { meansCurrent, namingCurrent } from "../commands/selection/mod.ts";
import { scopeManifest } from "../workspace/tickets/mod.ts";
import { allAreas, namedInAny } from "../commands/selection/areas.ts";
import { runId as newRunId } from "../base/ids.ts";
import { isFinal, reconcile } from "../runs/mod.ts";
import { besideOthers, claim, concerns, locksAt, together } from "../runs/changing.ts";
import type { Lock, Store, UnfinishedJournal } from "../state/store/mod.ts";
import { findCommand } from "./registry.ts";
import { WINGS } from "./wings.ts";

// Settles what interrupted mutations left: the next command that changes the ecosystem does it first (STEP-5).

const RUN_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Removes markers that were left between a journal's opening or closing and the marker's own. Nothing else: other
 * processes work in that directory at the same time.
 */
async function removeStaleMarkers(app: App, store: Store): Promise<void> {
  const directory = join(app.layout.state, "unfinished");
  for (const { name } of await app.system.files.list(directory)) {
    if (!RUN_ID.test(name)) continue;
    const run = store.runs.get(name);
    const idle = run === null || isFinal(run.status);
    if (idle && !store.journal.isOpen(newRunId(name))) {
      await app.system.files.remove(join(directory, name));
    }
  }
}

/** The locks under which a journal is settled: those of its run, or the ecosystem where they are not known. */
function locksOfJournal(journal: UnfinishedJournal): readonly Lock[] {
  return journal.locks.length > 0 ? journal.locks : locksAt("ecosystem", journal);
}

/** The ticket that all of some journals are about, or null. */
function commonTicket(journals: readonly UnfinishedJournal[]): string | null {
  const [ticket = null, ...others] = new Set(journals.map((journal) => journal.ticket));
  return others.length === 0 ? ticket : null;
}

/**
 * Finishes or undoes the interrupted work that is in the way of a caller that takes some locks. It is done as a
 * run of its own, under the locks that the work was begun with. Answers what was settled; throws
 * `ecosystem_busy`, or why something could not be settled.
 */
async function settleUnfinished(
  app: App,
  caller: Caller,
  target: Target,
  taken: readonly Lock[],
): Promise<readonly Settled[]> {
  const { system } = app;
  const store = await app.store();
  await reconcile(store, system);
  await removeStaleMarkers(app, store);
  const journals = abandoned(store, target)
    .filter((journal) => concerns(taken, locksOfJournal(journal)));
  if (journals.length === 0) return [];
  const { operations } = await import("./operations.ts");
  const tools = { table: store.journal, operations: await operations() };
  const runId = newRunId(system.ids.uuid());
  await claim(
    {
      runId,
      ...target,
      ticket: commonTicket(journals),
      action: "repair",
      tool: "amof_doctor",
      args: {},
      locks: together(journals.flatMap(locksOfJournal)),
      createdAt: system.clock.now(),
      sessionId: caller.session.id,
      origin: caller.door,
      requestedBy: caller.client,
      confirmation: null,
      fingerprint: "",
      preview: {},
      inline: true,
    },
    store,
    system,
  );
  const settled: Settled[] = [];
  const abort = new AbortController();
  const run = { store, system, runId, action: "repair", abort };
  const end = await workOn(run, async (report, signal) => {
    for (const journal of journals) {
      const ticket = ticketIn(findCommand(journal.tool), journal);
      const place = { ...target, ticket };
      const ctx = await executeContext(app, { ...caller, report, signal }, place, { runId });
      const one = await recover(ctx, tools, journal);
      for (const wing of WINGS) await wing.settled?.(ctx, one);
      settled.push(one);
    }
    return { data: { settled } };
  });
  if (end?.failure) throw end.failure;
  return settled;
}

/**
 * The input with the name in place of every `.` of a selection, before anything is bound to the call
 * (SELECT-7). A worker, and whoever spends a token, has another working directory.
 */
async function withCurrentNamed(
  { system }: App,
  { door, signal }: Caller,
  { command, target, input }: {
    readonly command: Command;
    readonly target: Target;
    readonly input: Fields;
  },
): Promise<Fields> {
  const { root, ecosystem, ticket } = target;
  const { repos } = input;
  if (ecosystem === "" || !Array.isArray(repos) || !repos.some(meansCurrent)) return input;
  const z = await import("../contract/zod.ts");
  if (!Object.hasOwn(command.input(z).shape, "only")) return input;
  const git = new Git(system, signal);
  if (meansAll(input)) {
    const { areas } = await allAreas({ system, git, ...target });
    return { ...input, repos: await namedInAny({ system, door }, areas, repos) };
  }
  const manifest = await scopeManifest({ system, ...target });
  const { directory } = await findWorkspace({ system, git, ticket }, root, manifest);
  return {
    ...input,
    repos: await namingCurrent({ system, door }, { manifest, workspace: directory }, repos),
  };
}

/** A change that somebody wants made. */
export interface Wanted {
  readonly app: App;
  readonly command: Mutation;
  readonly args: Fields;
  /** The token that already stands for the consent to it, or null. */
  readonly redeeming: Redeeming | null;
}

/** A mutation: explained in ask, previewed in plan, carried out in execute once a person has agreed. */
export async function change(
  { app: program, command: declared, args, redeeming }: Wanted,
  call: Call,
  progress: Progress,
): Promise<Answer> {
  const { input: given, common } = await argumentsOf(program, call, declared, { args, progress });
  const app = allowing(program, common.timeout);
  const before: Mutation = {
    ...declared,
    ...declared.raised?.(given),
    ...(declared.typed && call.door === "cli" && redeeming === null ? { confirm: "none" } : {}),
  };
  progress.target = await resolveTarget(app, call, before, {
    ecosystem: common.ecosystem,
    ticket: ticketArgument(given, common),
  });
  const input = await withCurrentNamed(app, call, {
    command: before,
    target: progress.target,
    input: given,
  });
  progress.mode = effectiveMode(call, call.command, common.mode);
  const command = await applicableCommand(app, progress.target, before, input);
  const of: MutationCall = { app, call, command, input, progress };
  if (progress.mode === "ask") throw await explained(of);
  if (progress.mode === "plan" || common.dry_run === true) {
    const { gateCall: { preview, fingerprint }, busy } = await previewedBeside(of);
    progress.fingerprint = fingerprint;
    progress.decision = "previewed";
    const left = await findUnfinished(app.system, app.layout, app.store, progress.target);
    return planned(asking(command, preview), preview, { busy, unfinished: left }, {
      door: call.door,
      session: call.session,
      target: progress.target,
      without: common.dry_run === true ? "--dry-run" : "--mode plan",
    });
  }
  // The identity of this process is asked for in the background: a run will need it.
  if (command.runs !== undefined) void app.system.processes.me();
  const settled = await settle(of);
  if (settled.some((entry) => repeats(entry, command, input))) {
    // The interrupted call was just finished; repeating it would do the same thing twice.
    progress.decision = "nothing_to_do";
    return withSettled(finishedBefore(command), settled);
  }
  // Settling a journal may have changed what the call is about.
  const now = settled.length === 0 ? of : {
    ...of,
    command: await applicableCommand(app, progress.target, before, input),
  };
  // Who redeems a token has agreed to a preview that was made behind a look at the remotes.
  const isNew = redeeming === null && common.confirmation_token === undefined;
  const unasked = isNew
    ? await now.command.fetches?.(await executeContext(app, call, progress.target, null), input)
    : undefined;
  const looking = { ...now, call: { ...call, ...defined({ unasked }) } };
  return withSettled(await act(looking, common, redeeming), settled);
}

/** The refusal of a call that cannot begin for a run that is at work (RUN-6); null where none stands in the way. */
async function runAtWork(of: MutationCall): Promise<AmofError | null> {
  const { app, progress: { target } } = of;
  const locks = locksOf(of, target);
  if (locks.length === 0) return null;
  const wanted = { ...target, ticket: ticketOfRun(of, target), locks };
  try {
    await besideOthers(wanted, takesEach(of), { store: await app.store(), system: app.system });
    return null;
  } catch (thrown) {
    // What else fails here fails again where the work needs it, and keeps nobody from a preview.
    return thrown instanceof AmofError && thrown.code === "ecosystem_busy" ? thrown : null;
  }
}

/**
 * The preview of a call, with the refusal by a run that is at work, unless there is nothing to do. Other
 * obstacles in the preview, and ways around them, are of no use then. The run has not done yet what it is about
 * to do.
 */
async function previewedBeside(
  of: MutationCall,
): Promise<{ readonly gateCall: GateCall; readonly busy: AmofError | null }> {
  const busy = await runAtWork(of);
  if (busy === null) return { gateCall: await previewed(of), busy };
  try {
    const gateCall = await previewed(of);
    const { settled } = gateCall.preview;
    const isIdle = settled !== undefined && settled.failure === undefined;
    return { gateCall, busy: isIdle ? null : busy };
  } catch {
    throw busy;
  }
}

/** Settles what was interrupted where the call is about to act. */
async function settle(
  { app, call, command, input, progress: { target } }: MutationCall,
): Promise<readonly Settled[]> {
  const taken = locksOf({ command, input }, target);
  if (taken.length === 0) return [];
  const above = { ...target, ecosystem: "", ticket: null };
  return [
    // What is about whatever is there settles that of the control repository, too.
    ...command.needs === "what is there" && target.ecosystem !== ""
      ? await settleUnfinished(app, call, above, locksOf({ command, input }, above))
      : [],
    ...await settleUnfinished(app, call, target, taken),
  ];
}

/** Whether a call asks for the very thing that was just finished. */
function repeats(settled: Settled, command: Mutation, input: Fields): boolean {
  return settled.outcome === "finished" && settled.tool === command.name &&
    canonicalJson(settled.args) === canonicalJson(input);
}

/** The answer of a call that has nothing to carry out. */
function resultOf({ app, call, command, input }: MutationCall, result: Result<Fields>): Answer {
  const say = wordingFor(call.door, app.system.clock.now());
  return { ...command.render(result.data, input, say), ...result, phase: "result" };
}

/** What is said to a person who agreed to what is not there to be done any more. */
const LEFT_BY_OTHERS = "Things changed since the preview: nothing is left to do.";

/** A mutation in execute mode: consent to its preview, and then the work. */
async function act(
  asked: MutationCall,
  common: CommonArguments,
  redeeming: Redeeming | null,
): Promise<Answer> {
  const { app, call, input, progress } = asked;
  const looking = readContext(app, call, progress.target);
  const isLong = await asked.command.lengthy?.(looking, input) ?? false;
  const command = isLong ? { ...asked.command, inline: "attended" as const } : asked.command;
  const of = { ...asked, command };
  if (isInline(of) && command.confirm === "none") {
    // No consent is needed, so one preview, made under the lock, is enough.
    progress.decision = "executed";
    return await runInline(of, null);
  }
  const { gateCall, busy } = await previewedBeside(of);
  progress.fingerprint = gateCall.fingerprint;
  const { preview } = gateCall;
  const gate = new Gate({
    store: await app.store(),
    system: app.system,
    waits: (request) => tellOfRequest(app, request),
  });
  if (busy !== null) {
    // Its own run may be the one that is at work.
    gate.refuseRepeated(gateCall, call.approver);
    throw busy;
  }
  if (preview.settled !== undefined) {
    gate.refuseRepeated(gateCall, call.approver);
    const { failure } = preview.settled;
    progress.decision = failure?.exit === EXIT.refused ? decisionOf(failure) : "nothing_to_do";
    return resultOf(of, preview.settled);
  }
  const token = redeeming ?? gate.redeeming(gateCall, common);
  if (token !== null) progress.way = "token";
  const consent = token !== null
    ? await gate.settle(gateCall, token, call.approver)
    : await gate.consent(gateCall, call.approver, common);
  progress.way = consent.way;
  if (consent.waited) {
    // Things may have changed while the person decided, so the preview is made again and compared.
    const now = await previewed(of, gateCall.preview.facts);
    const idle = nothingLeft(now.preview);
    if (idle !== null) {
      progress.decision = "nothing_to_do";
      const answer = resultOf(of, idle);
      return { ...answer, notes: [...partsOf(answer.notes), LEFT_BY_OTHERS] };
    }
    gate.recheck(gateCall, now);
  }
  progress.decision = consent.way === "none" ? "executed" : "accepted";
  const answer = await execute({ ...of, command: gateCall.command }, { gateCall, consent });
  // In a chat or a page what was agreed to and succeeded is marked; at a terminal only what takes a person (CONFIRM-17).
  const marked = command.byPerson === true || (consent.way !== "none" && call.door !== "cli");
  return marked && answer.phase === "result" && answer.failure === undefined
    ? { ...answer, summary: `✅ ${answer.summary}` }
    : answer;
}
