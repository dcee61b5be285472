/** Makes what a command receives: which world, which root, which ecosystem. */

import { join } from "@std/path";
import type { RunId } from "../base/ids.ts";
import { sha256 } from "../base/hash.ts";
import { defined } from "../base/object.ts";
import { findFounded, findRoot, noRepository, searchRoot } from "../commands/ecosystem/root.ts";
import {
  choiceSetting,
  currentEcosystem,
  onlyEcosystem,
  requireEcosystem,
} from "../commands/ecosystem/discover.ts";
import { SealGuard } from "../workspace/seals/mod.ts";
import { AmofError } from "../base/error.ts";
import { Git, isReadOnlyGit, localJobs, Verdicts } from "../git/mod.ts";
import { allows, CAPPED, type Door, type Mode } from "../base/policy/mode.ts";
import { reconcile, withMark } from "../runs/mod.ts";
import { findRun } from "../commands/runs/which.ts";
import type {
  Command,
  CommandContext,
  ExecuteContext,
  Reporter,
  SealKeeping,
  StoreReader,
} from "../contract/mod.ts";
import type { Session } from "./session.ts";
import type { ProcessRequest, System } from "../base/system/mod.ts";
import { readOnly } from "../base/system/read_only.ts";
import { within } from "../base/system/within.ts";
import { type App, knownRoots } from "./app.ts";
import { boundReader, type NamedTicket, requireWithin } from "./common.ts";
import { findUnfinished } from "./unfinished.ts";
import { ticketOf } from "./ticket.ts";
import { WINGS } from "./wings.ts";
import { startWith } from "./wording.ts";

/** Who calls, and how to reach them while the call runs. */
export interface Caller {
  readonly session: Session;
  readonly door: Door;
  /** Name and version of the program or person. */
  readonly client: string;
  readonly signal: AbortSignal;
  readonly report: Reporter;
  /** Repositories whose remotes were asked for this call and did not answer. */
  readonly unasked?: readonly string[] | undefined;
  /** Leaves what is typed, also interrupts, to a program that has the terminal while this work goes on. */
  readonly lend?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
}

/** The place a call is about. */
export interface Target {
  /** Empty when a command that needs none found none. */
  readonly root: string;
  /** Empty for commands without one. */
  readonly ecosystem: string;
  /** The ticket whose own workspace is meant; null for the base workspace. */
  readonly ticket: string | null;
}

/** The mode of a call: what it asks for or else that of its session, within the session's limit (MODE-3). */
export function effectiveMode(
  { session, door }: Pick<Caller, "session" | "door">,
  command: Command,
  mode: Mode = session.mode,
): Mode {
  if (allows(session.maxMode, mode)) return mode;
  throw new AmofError(
    "mode_insufficient",
    `Cannot call ${command.name} in mode ${mode}: at most ${session.maxMode} is allowed here`,
    {
      hint: `Only whoever starts the server can raise the limit: ${
        startWith(door === "http" ? door : "mcp", mode)
      }`,
      details: { ...CAPPED, mode_required: mode, max_mode: session.maxMode },
    },
  );
}

/** Finds the control repository, the ecosystem and the ticket of a call. */
export async function resolveTarget(
  app: App,
  caller: Caller,
  command: Command,
  { ecosystem, ticket }: {
    readonly ecosystem: string | undefined;
    readonly ticket: NamedTicket | null;
  },
): Promise<Target> {
  requireWithin(caller.session.bound, command, { ecosystem, ticket });
  const place = await resolvePlace(app, caller, command, ecosystem);
  try {
    return { ...place, ticket: await ticketOf(app, caller, command, { ...place, named: ticket }) };
  } catch (error) {
    const { tellingOfGoneTicket } = await import("./gone_ticket.ts");
    throw await tellingOfGoneTicket(readContext(app, caller, { ...place, ticket: null }), error);
  }
}

async function resolvePlace(
  app: App,
  caller: Caller,
  command: Command,
  ecosystem: string | undefined,
): Promise<Omit<Target, "ticket">> {
  const root = await rootOf(app, command).catch(async (error) => {
    throw caller.door !== "cli" ? await forServer(app, error) : error;
  });
  if (command.scope !== "ecosystem") return { root, ecosystem: "" };
  const named = ecosystem ?? caller.session.place.ecosystem;
  if (named !== null) {
    await requireEcosystem(app.system, root, named);
    return { root, ecosystem: named };
  }
  if (caller.door !== "cli" || !caller.session.lasts) {
    const ways = caller.session.lasts ? ["Go to one: amof ecosystem switch NAME"] : [];
    return { root, ecosystem: await onlyEcosystem(app.system, root, ways) };
  }
  if (command.needs === "what is there" && root === "") return { root, ecosystem: "" };
  // The store is opened only if the working directory does not tell the ecosystem.
  const chosen = async () => (await app.store()).settings.get(choiceSetting(root));
  try {
    return { root, ecosystem: await currentEcosystem(app.system, root, chosen) };
  } catch (error) {
    const untold = error instanceof AmofError && error.code === "scope_required";
    if (command.needs === "what is there" && untold) return { root, ecosystem: "" };
    throw error;
  }
}

/**
 * A model cannot say where the control repository is: only whoever starts the server can. What was named may become one.
 */
async function forServer(app: App, error: unknown): Promise<unknown> {
  if (!(error instanceof AmofError) || error.code !== "root_not_found") return error;
  const canBegin = app.root !== null && await findFounded(app.system, app.root) !== null;
  return new AmofError(error.code, error.message, {
    hint: [
      ...(canBegin ? ["Begin one there: amof ecosystem create NAME"] : []),
      "Whoever starts the server names the control repository, in a terminal: amof mcp serve --root DIR",
    ],
    details: error.details,
  });
}

async function rootOf(app: App, command: Command): Promise<string> {
  // A command that makes a control repository makes it here, even inside a clone that another one uses.
  const isFounding = command.needs === "a repository";
  const known = () => isFounding ? Promise.resolve([]) : knownRoots(app);
  const search = [app.system, app.root, app.settings.root, known] as const;
  // Commands about the session itself work without a control repository.
  const without = command.needs === "nothing" || command.needs === "what is there";
  try {
    return without ? await searchRoot(...search) ?? "" : await findRoot(...search);
  } catch (error) {
    // A root that was named and is wrong is an error also for commands that could do without.
    if (without && command.kind === "navigation") return "";
    const founded = isFounding ? await findFounded(app.system, app.root) : null;
    if (founded !== null) return founded;
    const absent = error instanceof AmofError && error.code === "root_not_found" &&
      error.details["source"] === undefined;
    throw isFounding && absent ? noRepository(String(error.details["path"])) : error;
  }
}

function storeReader(app: App): () => Promise<StoreReader> {
  let reader: Promise<StoreReader> | null = null;
  return () => {
    reader ??= (async () => {
      const store = await app.store();
      // Runs whose worker has died are settled before anybody reads them.
      await reconcile(store, app.system);
      return store;
    })();
    return reader;
  };
}

function base(
  app: App,
  caller: Caller,
  target: Target,
  system: System,
): CommandContext & { readonly seals: SealKeeping } {
  const { bound } = caller.session;
  const whole = storeReader(app);
  const store = bound === null ? whole : async () => boundReader(await whole(), target.root, bound);
  const seals = new SealGuard({
    system: app.system,
    git: new Git(app.system, caller.signal),
    layout: app.layout,
    store: app.store,
    settings: app.settings,
    root: target.root,
  });
  return {
    system,
    git: new Git(system, caller.signal, app.timeout).guarded(seals).remembering(
      app.settings.verdicts
        ? new Verdicts(
          app.system,
          () => join(app.layout.state, "verdicts"),
          (message) => caller.report.log("warn", message),
        )
        : undefined,
    ),
    seals,
    root: target.root,
    ecosystem: target.ecosystem,
    ticket: target.ticket,
    store,
    layout: app.layout,
    settings: app.settings,
    session: caller.session,
    door: caller.door,
    jobs: app.jobs ?? localJobs(app.system.env.cpus),
    transfers: app.jobs,
    runs: {
      find: async (id) => findRun((await store()).runs, id),
      unfinished: async (ecosystem = target.ecosystem) => [
        ...await findUnfinished(app.system, app.layout, app.store, { ...target, ecosystem }),
        // A run that was interrupted in the control repository concerns all of its ecosystems.
        ...ecosystem === "" || target.ticket !== null
          ? []
          : await findUnfinished(app.system, app.layout, app.store, {
            ...target,
            ecosystem: "",
            ticket: null,
          }),
      ],
      async arrayOf(run) {
        const { arrayOf } = await import("./operations.ts");
        return await arrayOf(app, run);
      },
    },
    impliedEcosystem: () => impliedEcosystem(app, caller, target.root),
    signal: caller.signal,
    report: caller.report,
    ...defined({ unasked: caller.unasked }),
  };
}

/** Whether a program only asks that is none of git's; most calls that only read start none. */
async function isQuestion(request: ProcessRequest): Promise<boolean> {
  const questions = await import("./questions.ts");
  return questions.isQuestion(request);
}

/** The context of previews and queries: its world refuses every change. */
export function readContext(app: App, caller: Caller, target: Target): CommandContext {
  return base(
    app,
    caller,
    target,
    readOnly(app.system, (request) => isReadOnlyGit(request) || isQuestion(request)),
  );
}

/** Whose tokens count: those of the session, and where none lasts those of the user in this root. */
export function ownerOf({ door, session }: Pick<Caller, "door" | "session">, root: string): string {
  const { owner, lasts } = session;
  return door === "cli" || !lasts ? `${owner}:${sha256(root).slice(0, 16)}` : owner;
}

/** The ecosystem that a call without a name means; null where none can be told. */
async function impliedEcosystem(app: App, caller: Caller, root: string): Promise<string | null> {
  const { ecosystem } = caller.session.place;
  if (ecosystem !== null || root === "" || caller.door !== "cli") return ecosystem;
  try {
    const chosen = async () => (await app.store()).settings.get(choiceSetting(root));
    return await currentEcosystem(app.system, root, chosen);
  } catch (error) {
    if (error instanceof AmofError) return null;
    throw error;
  }
}

/**
 * The context of a mutation that was allowed to act; `run` is the run it works in, or null. The programs of a run do
 * not hear what is typed at a terminal.
 */
export async function executeContext(
  app: App,
  caller: Caller,
  target: Target,
  run: { readonly runId: RunId } | null,
): Promise<ExecuteContext> {
  const store = await app.store();
  const runId = run?.runId ?? null;
  const marked = run === null ? app.system : withMark(app.system, run.runId);
  const system = within(marked, target.root);
  const above = base(app, caller, target, system);
  const journaling = async () => {
    if (runId === null) throw new TypeError("Cannot journal steps outside of a run");
    const { operations } = await import("./operations.ts");
    const steps = await import("../runs/steps/mod.ts");
    return { ...steps, tools: { table: store.journal, operations: await operations() }, runId };
  };
  const context: ExecuteContext = {
    ...above,
    runId,
    stop: caller.signal,
    records: store,
    perform: (steps, pointOfNoReturn) =>
      journaling().then(({ perform, tools, runId }) =>
        perform(context, tools, { runId, steps, pointOfNoReturn: pointOfNoReturn ?? null })
      ),
    watchOver: (steps, work) =>
      journaling().then(({ watchOver, tools, runId }) =>
        watchOver(context, tools, { runId, steps }, work)
      ),
    caller: {
      name: caller.client,
      async ask(question) {
        if (runId === null || app.asker === null) return null;
        const { askFollower } = await import("../runs/changing.ts");
        return await askFollower(
          { store, system: app.system, runId },
          { asker: app.asker, text: question },
          caller.signal,
        );
      },
      attach(argv, options) {
        const work = () => system.processes.attach(argv, options);
        return caller.lend === undefined ? work() : caller.lend(work);
      },
    },
    runs: {
      ...above.runs,
      prune: (keep, before) => store.runs.prune(keep, before),
      async forget() {
        let forgotten = 0;
        for (const { forget } of WINGS) forgotten += await forget?.(context) ?? 0;
        return forgotten;
      },
      async cancel(id) {
        const { cancelWithArray } = await import("./operations.ts");
        return await cancelWithArray(app, await above.runs.find(id));
      },
      async endArrayOf(run) {
        const { endLeftArray } = await import("./operations.ts");
        return await endLeftArray(app, run);
      },
    },
  };
  return context;
}
