/**
 * Carries out a command that was typed: from its call to what is shown of the answer, while the terminal may be lent to a
 * program (BOX-6).
 */

import type { App } from "../../pipeline/app.ts";
import type { Call } from "../../pipeline/preview.ts";
import type { GlobalFlags } from "../../pipeline/line/flags.ts";
import type { Invocation } from "../../pipeline/line/parse.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import { carryOut } from "../../pipeline/pipeline.ts";
import type { Command, Query } from "../../contract/mod.ts";
import { EXIT } from "../../base/error.ts";
import { runId } from "../../base/ids.ts";
import { defined } from "../../base/object.ts";
import type { System, Terminal } from "../../base/system/mod.ts";
import type { Area } from "./live/area.ts";
import { isInteractive, terminalApprover } from "./prompt.ts";
import { show, writeOutcome } from "./render.ts";
import { cliSession, stderrReporter } from "./session.ts";
import { cleanParts, type Details } from "../../base/text/parts.ts";
import { layOutParts, outputWidth } from "./layout.ts";

/**
 * How long after a program's end an interrupt is still taken for the program's. Both get Ctrl-C at once, but
 * the end of a program that obeys can be noticed first. Nobody who sees the end types within this time.
 */
const LATE_MS = 500;

/** A terminal that is lent to programs. `now` answers milliseconds that only rise. */
export class Loan {
  readonly #now: () => number;
  #borrowers = 0;
  #returned = Number.NEGATIVE_INFINITY;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Does work for which a program has the terminal. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#borrowers++;
    try {
      return await work();
    } finally {
      this.#borrowers--;
      this.#returned = this.#now();
    }
  }

  /** Whether what is typed now, or was a moment ago, is for a program that has the terminal. */
  isOut(): boolean {
    return this.#borrowers > 0 || this.#now() - this.#returned < LATE_MS;
  }
}

/** What was written of an answer before it was whole, for a program that reads line by line (LOOK-1). */
class Stream {
  readonly #terminal: Terminal;
  readonly #stop: () => void;
  #begun = false;
  /** Whether the reader has left. */
  left = false;

  /** `stop` ends the work when nobody reads any more. */
  constructor(terminal: Terminal, stop: () => void) {
    this.#terminal = terminal;
    this.#stop = stop;
  }

  /** Writes a part of the details. */
  readonly show = (details: Details): void => {
    if (this.left) return;
    this.#begun = true;
    try {
      const lines = layOutParts(cleanParts(details), outputWidth(this.#terminal));
      this.#terminal.out(`${lines}\n`);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "BrokenPipe") throw error;
      this.left = true;
      this.#stop();
    }
  };

  /** The answer without what was written already. */
  rest(outcome: Outcome): Outcome {
    return this.#begun && outcome.answered ? { ...outcome, details: [] } : outcome;
  }
}

/** The stream of a command whose lines a program reads; null for all other calls. */
function streamOf(
  command: Command,
  terminal: Terminal,
  { json }: GlobalFlags,
  stop: () => void,
): Stream | null {
  return command.kind === "query" && command.bare === "lines" && !json && !terminal.stdoutIsTerminal
    ? new Stream(terminal, stop)
    : null;
}

/** `runs logs --follow`: the usual answer first, then every new event until the run has ended. */
async function followLogs(app: App, call: Call, invocation: Invocation): Promise<number> {
  const { flags } = invocation;
  const first = await carryOut(app, call);
  if (!first.isError) {
    const after = Number(first.envelope["next_after"] ?? 0);
    if (!flags.json) {
      writeOutcome(app.system.terminal, first, { ...flags, nextSteps: false });
    }
    const { followRun } = await import("../../pipeline/follow.ts");
    const { printEvent } = await import("./foreground.ts");
    await followRun(app, runId(String(first.envelope["run_id"])), {
      after,
      onEvent: printEvent(app, flags, app.system.terminal.out),
      onInterrupt: "leave",
    });
    if (!flags.json) return EXIT.ok;
  }
  const outcome = first.isError ? first : await carryOut(app, call);
  await show(app, outcome, invocation);
  return outcome.exit;
}

/** Makes an interrupt end the call; answers what stops listening. */
function listen(
  { terminal }: System,
  command: Command,
  { quiet, json }: GlobalFlags,
  { abort, loan }: { readonly abort: AbortController; readonly loan: Loan },
): () => void {
  const inline = command.kind === "mutation" ? command.inline : undefined;
  return terminal.onInterrupt((how) => {
    if (how === "typed" && loan.isOut()) return;
    // A second interrupt ends nothing sooner, so this is said at the first one.
    if (!abort.signal.aborted && inline !== undefined && !quiet && !json) {
      const how = inline === "attended"
        ? "the programs are being ended"
        : "what was begun is taken back, or finished where it is too late for that";
      terminal.err(`\nStopping; ${how}.\n`);
    }
    abort.abort();
  });
}

/**
 * `status --watch`: shows the answer again and again. An interrupt is a key like any other: one that ends the first
 * look, until `done`.
 */
async function watchAgain(
  app: App,
  call: Call & { readonly command: Query },
  flags: GlobalFlags,
  ending: { readonly done: () => void; readonly interrupt: () => void },
): Promise<number> {
  const open = async (repo: string) => {
    const { openProgram } = await import("./programs/open.ts");
    const { programContext } = await import("./run_program.ts");
    return await openProgram.main(programContext(app, flags), {
      repo,
      editor: true,
      web: false,
      path: false,
      print: false,
    });
  };
  const { watch } = await import("./watch/watch.ts");
  return await watch({ app, command: call.command, call, flags, open }, ending);
}

/** What carrying out a command has besides the call. */
interface Stage {
  readonly app: App;
  readonly flags: GlobalFlags;
  readonly area: Area | null;
  readonly abort: AbortController;
  readonly loan: Loan;
  readonly report: ReturnType<typeof stderrReporter>;
  readonly stream: ReturnType<typeof streamOf>;
  /** Whether a person may be asked. */
  readonly interactive: boolean;
}

/** The call of a command that was typed. */
function callOf(
  { app: { system }, flags, abort, loan, report, stream, interactive }: Stage,
  command: Command,
  { args, switches }: Invocation,
): Call {
  return {
    command,
    args,
    session: cliSession(system, flags),
    door: "cli",
    client: `${system.env.user}@cli`,
    lend: (work) => loan.lend(work),
    signal: abort.signal,
    report: { ...report, ...defined({ show: stream?.show }) },
    approver: terminalApprover(system.terminal, system.env, flags),
    confirmBy: "token",
    offers: () => true,
    background: switches.background,
    // With `--yes` nobody is expected to answer questions of the run.
    attended: !switches.background && !flags.yes && interactive,
  };
}

/** The call with the message that somebody writes for it now, where it needs one. */
async function withMessage(app: App, call: Call, flags: GlobalFlags): Promise<Call> {
  const { composed, wantsMessage } = await import("./compose.ts");
  return wantsMessage(app, call, flags) ? await composed(app, call) : call;
}

/** Carries out the call, and asks a person for what it still needs. */
async function carriedOut({ app, flags, interactive }: Stage, call: Call): Promise<Outcome> {
  const { kind } = call.command;
  let outcome = await carryOut(
    app,
    kind === "mutation" ? await withMessage(app, call, flags) : call,
  );
  if (!interactive || outcome.envelope["error"] === undefined) return outcome;
  // Loaded where it is needed, like all that most looks do without.
  const { approveFirst, lacksBox, needsApproval, withoutBox } = await import("./ask_again.ts");
  if (needsApproval(outcome)) outcome = await approveFirst(app, call, outcome, flags);
  if (lacksBox(outcome)) outcome = await withoutBox(app, call, outcome, flags);
  return outcome;
}

/** Carries out a command; `area` shows what goes on, where that is shown. Answers the exit code. */
export async function runCommand(
  app: App,
  command: Command,
  invocation: Invocation,
  area: Area | null,
): Promise<number> {
  const { system } = app;
  const { flags, switches } = invocation;
  const abort = new AbortController();
  const loan = new Loan();
  const stopListening = listen(system, command, flags, { abort, loan });
  const report = stderrReporter(system, flags, area);
  const stream = streamOf(command, system.terminal, flags, () => abort.abort());
  const interactive = isInteractive(system.terminal, system.env, flags);
  const stage: Stage = { app, flags, area, abort, loan, report, stream, interactive };
  const call = callOf(stage, command, invocation);
  const leave = () => {
    // What is done is done: an interrupt behind it must not end the program otherwise than the answer says.
    if (command.kind !== "query") system.terminal.onInterrupt(() => {});
    stopListening();
    area?.end();
  };
  if (switches.follow) return await followLogs(app, call, invocation);
  if (switches.watch && command.kind === "query") {
    const interrupt = () => abort.abort();
    return await watchAgain(app, { ...call, command }, flags, { done: leave, interrupt });
  }
  let outcome = await carriedOut(stage, call);
  leave();
  if (outcome.runId !== null && !outcome.isError && !switches.background) {
    const { foreground } = await import("./foreground.ts");
    outcome = await foreground(app, call.session, {
      runId: outcome.runId,
      working: outcome.working,
      action: String(outcome.envelope["action"] ?? command.path.join(" ")),
      flags,
      area,
      interrupted: abort.signal.aborted,
    });
  }
  // A reader that went away while the work went on is no failure either.
  if (stream?.left === true || report.isUnread()) return EXIT.ok;
  if (report.isBehindOutput()) system.terminal.out("\n");
  await show(app, stream?.rest(outcome) ?? outcome, invocation);
  return abort.signal.aborted && outcome.isError ? EXIT.interrupted : outcome.exit;
}
