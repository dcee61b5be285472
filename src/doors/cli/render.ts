/**
 * Writes an answer for a person or as JSON. Of the suggested actions a person is shown at most two, and only those that
 * follow from the answer (NEXT-12).
 */

import type { Outcome } from "../../pipeline/envelope.ts";
import type { System, Terminal } from "../../base/system/mod.ts";
import { blocks, type Part } from "../../base/text/parts.ts";
import { paint, strong, writeError } from "./colors.ts";
import { errorWidth, layOutParts, outputWidth } from "./layout.ts";
import { findCommand, loadCommand } from "../../pipeline/registry.ts";
import type { ActionId } from "../../contract/next.ts";
import type { SuggestedAction } from "../../pipeline/suggest/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { shellWord } from "../../base/text/words.ts";
import { saidIn, withLinesForHere } from "./implied.ts";
import type { App } from "../../pipeline/app.ts";
import { onlyFields } from "../../pipeline/line/fields.ts";
import type { Invocation } from "../../pipeline/line/parse.ts";
import { AmofError } from "../../base/error.ts";
import type { GlobalFlags } from "../../pipeline/line/flags.ts";
import { stripAnsiCode } from "@std/fmt/colors";
import { pagerCommand, type Settings } from "../../state/settings/mod.ts";
import { textWidth } from "../../base/text/table.ts";

/** A person is shown so many. */
const MOST = 2;

/** What comes after a command that went well, where nothing special is the reason for it. */
const FOLLOWING: Readonly<Record<string, readonly ActionId[]>> = {
  "amof_install_ecosystem": ["get_ecosystem_status", "ticket_start"],
  "amof_commit_ecosystem": ["push_ecosystem"],
  "amof_pr_open": ["pr_status"],
  "amof_pr_status": ["pr_land", "ticket_end"],
  "amof_pr_update": ["pr_status"],
  "amof_pr_revert": ["pr_status"],
  "amof_switch_ecosystem": ["install_ecosystem", "get_ecosystem_status"],
  "amof_describe_ecosystem": ["install_ecosystem"],
  "amof_release_bump": [
    "release_promote_beta",
    "release_promote_rc",
    "release_promote_stable",
  ],
  "amof_release_promote": [
    "release_promote_beta",
    "release_promote_rc",
    "release_promote_stable",
  ],
};

/** Whether somebody may be shown what to do next: not in pipes, and not where it was turned off. */
export function wantsNextSteps(
  terminal: Pick<Terminal, "stdoutIsTerminal" | "stderrIsTerminal">,
  wishes: { readonly quiet: boolean; readonly nextSteps?: boolean },
): boolean {
  return wishes.nextSteps !== false && !wishes.quiet && terminal.stdoutIsTerminal &&
    terminal.stderrIsTerminal;
}

/** The members whose values name a run. */
const OF_RUNS: ReadonlySet<string> = new Set(["run_id", "run", "retry_failed", "only"]);

/** The switches that a flag turns off. */
const ON_WHEN_ABSENT: ReadonlySet<string> = new Set(["push"]);

/** A run is found by how its id begins, and a person is shown that much of it everywhere else. */
function shortened(member: string, text: string): string {
  return OF_RUNS.has(member)
    ? text.replace(/(?<=^|=)([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "$1")
    : text;
}

function wordOf(member: string, value: unknown): string {
  return shellWord(shortened(member, typeof value === "string" ? value : JSON.stringify(value)));
}

/** So many names of repositories have a flag each. */
const MOST_FLAGS = 3;

/** A suggested action as a command line to paste, or null when the command line has no such command. */
export function actionLine(tool: string, args: Readonly<Record<string, unknown>>): string | null {
  const command = findCommand(tool);
  if (command === null) return null;
  const words = ["amof"];
  const flags: string[] = [];
  const positionals = command.positionals ?? [];
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined || value === null) continue;
    if (value === false && !ON_WHEN_ABSENT.has(name)) continue;
    if (positionals.includes(name) || name === command.behind) continue;
    if (name === "ecosystem") words.push("-e", wordOf(name, value));
    else {
      const flag = `--${value === false ? "no-" : ""}${
        command.flags?.[name] ?? name.replaceAll("_", "-")
      }`;
      const all = [value].flat();
      // A list is its flag repeated; names of many repositories are one word.
      const isMany = name === "repos" && all.length > MOST_FLAGS;
      for (const each of isMany ? [all.join(",")] : all) {
        flags.push(...(typeof each === "boolean" ? [flag] : [flag, wordOf(name, each)]));
      }
    }
  }
  const named = positionals.flatMap((name) =>
    [args[name] ?? []].flat().map((each) => wordOf(name, each))
  );
  const { behind = "" } = command;
  const own = behind === "" ? [] : [args[behind] ?? []].flat();
  const last = own.length === 0 ? [] : ["--", ...own.map((each) => wordOf(behind, each))];
  return [...words, ...command.path, ...named, ...flags, ...last].join(" ");
}

/** What an ecosystem that was just made needs: a workspace, where the answer itself does not say how. */
function afterCreate({ command, envelope }: Outcome): string[] {
  const { name, kind, files } = envelope;
  if (command?.name !== "amof_create_ecosystem" || typeof name !== "string") return [];
  // A list that names commits left a lock, and only by that do clones come there.
  const hasLock = Array.isArray(files) && files.includes(`ecosystems/${name}/lock.json`);
  const locked = hasLock ? { locked: true } : {};
  return kind === "directory"
    ? []
    : [actionLine("amof_install_ecosystem", { ecosystem: name, ...locked }) ?? ""];
}

/** Whether an action follows from an answer, and is not only what one could do anyway. */
function follows({ command, envelope }: Outcome, { id, condition }: SuggestedAction): boolean {
  // That a run went well is the reason for whatever comes after it.
  if (condition !== undefined && condition !== "run.success") return true;
  // The run goes on in the background, so only looking at it follows.
  if (envelope["status"] === "queued") return id === "get_run_status" || id === "get_run_logs";
  return FOLLOWING[command?.name ?? ""]?.some((known) => known === id) ?? false;
}

/** What a person does about a run that goes on: a program asks for its record again, they follow its log or end it. */
function forPerson(
  { command, envelope }: Outcome,
  actions: readonly SuggestedAction[],
): readonly Pick<SuggestedAction, "tool" | "args" | "from">[] {
  const { status } = envelope;
  if (status !== "queued" && status !== "running") return actions;
  const [looks] = actions;
  const followed = actions.map((action) =>
    action.id === "get_run_logs" ? { ...action, args: { ...action.args, follow: true } } : action
  );
  if (looks === undefined || command?.name !== "amof_get_run_status") return followed;
  return [
    ...followed.filter(({ tool }) => tool !== command.name),
    { tool: "amof_cancel_run", args: looks.args },
  ];
}

/** The next steps of an answer as command lines; none where a hint says what to do already. */
export function nextSteps(outcome: Outcome): string[] {
  if (outcome.isError || typeof outcome.envelope["execute_hint"] === "string") return [];
  const { surroundings: around } = outcome;
  const said = (line: string, root = around?.root ?? null) =>
    around === undefined ? line : saidIn({ ...around, root }, line, true);
  const steps = forPerson(outcome, outcome.actions.filter((action) => follows(outcome, action)))
    .flatMap(({ tool, args, from }): string[][] => {
      const line = actionLine(tool, args);
      if (line === null) return [];
      if (from === undefined) return [[said(line)]];
      // A root that was named may be relative to where one is now.
      const root = around === undefined || around.root === null ? null : from;
      return cleanLine(from) === from ? [[`cd ${shellWord(from)}`, said(line, root)]] : [];
    });
  const all = [...afterCreate(outcome).map((line) => [said(line)]), ...steps];
  return [...new Map(all.map((step) => [step.at(-1), step])).values()].slice(0, MOST).flat();
}

/** Writes what went wrong, or what to do, to standard error. */
function complain(terminal: Terminal, word: "error" | "hint", text: string): void {
  const lines = layOutParts([`${word}: ${text}`], errorWidth(terminal));
  const painted = paint(`${word}:`, word === "error" ? "bad" : "attention");
  writeError(terminal, `${painted}${lines.slice(word.length + 1)}\n`);
}

interface Wishes {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Whether nothing is folded. */
  readonly verbose?: boolean;
  /** False where the settings, or what comes behind the answer, want no next steps. */
  readonly nextSteps?: boolean;
}

/** Writes parts of an answer to standard output, if there are any. */
function writeParts(terminal: Terminal, parts: readonly Part[], { verbose }: Wishes): void {
  const unfolding = verbose ? null : undefined;
  if (parts.length > 0) terminal.out(`${layOutParts(parts, outputWidth(terminal), unfolding)}\n`);
}

/** Writes parts of an answer to standard error, if there are any. */
function writeToStderr(terminal: Terminal, parts: readonly Part[]): void {
  if (parts.length > 0) writeError(terminal, `${layOutParts(parts, errorWidth(terminal))}\n`);
}

/** Writes an answer that programs read as it is: nothing but it goes to standard output (LOOK-1). */
function writeBare(terminal: Terminal, outcome: Outcome, wishes: Wishes): void {
  writeParts(terminal, outcome.details, wishes);
  writeToStderr(terminal, outcome.notes);
  if (outcome.bare === "value" || wishes.quiet || !terminal.stdoutIsTerminal) return;
  const summary = layOutParts([outcome.summary], errorWidth(terminal));
  writeError(terminal, `${paint(summary, "quiet")}\n`);
}

/**
 * Writes what was asked for. A program finds the summary in its first line; a person has it at the end, where the eye
 * is (ANSWER-6).
 */
function writeAnswer(terminal: Terminal, outcome: Outcome, { verbose }: Wishes): void {
  const width = outputWidth(terminal);
  const parts = blocks(outcome.details, outcome.notes);
  const details = layOutParts(parts, width, verbose ? null : undefined);
  const summary = strong(layOutParts([outcome.summary], width));
  if (details === "") terminal.out(`${summary}\n`);
  else if (width === null) terminal.out(`${summary}\n\n${details}\n`);
  else {
    terminal.out(`${details}\n`);
    terminal.out(`\n${summary}\n`);
  }
}

/** Writes why there is no answer, or what is wrong with it. */
function writeFailure(terminal: Terminal, outcome: Outcome, wishes: Wishes): void {
  // The details of a failed check are the answer and go to standard output; those of a refusal go to standard error.
  if (outcome.answered) writeParts(terminal, outcome.details, wishes);
  writeToStderr(terminal, outcome.answered ? outcome.notes : outcome.details);
  complain(terminal, "error", String(outcome.envelope["message"]));
  if (outcome.hint !== null) complain(terminal, "hint", outcome.hint);
}

/** Writes an answer: what was asked for on standard output, everything else on standard error (EXIT-2). */
export function writeOutcome(terminal: Terminal, outcome: Outcome, wishes: Wishes): void {
  if (wishes.json) {
    terminal.out(`${JSON.stringify(outcome.envelope)}\n`);
    return;
  }
  if (outcome.isError) writeFailure(terminal, outcome, wishes);
  else if (outcome.bare !== undefined) return writeBare(terminal, outcome, wishes);
  else writeAnswer(terminal, outcome, wishes);
  if (wishes.quiet) return;
  const later = outcome.envelope["execute_hint"];
  if (typeof later === "string") complain(terminal, "hint", later);
  const lines = wantsNextSteps(terminal, wishes) ? nextSteps(outcome) : [];
  if (lines.length > 0) {
    const text = ["", "Next:", ...lines.map((line) => `  ${line}`), ""].join("\n");
    writeError(terminal, paint(text, "quiet"));
  }
}

// Shows the answer of a command in the form that was asked for.

async function declaredFields({ command }: Outcome): Promise<readonly string[]> {
  const loaded = command?.kind === "query" ? await loadCommand(command.name) : null;
  return loaded?.kind === "query" ? loaded.fields ?? [] : [];
}

/**
 * Writes an answer. Fields and expressions count for what a command answers, also where its answer is a failure, and
 * not for a refusal, which is told as without them. Throws `invalid_arguments` for what the answer does not have.
 */
export async function show(
  app: App,
  whole: Outcome,
  asked: { readonly flags: GlobalFlags } | Pick<Invocation, "flags" | "entry" | "rest">,
): Promise<void> {
  const { system, settings } = app;
  const { flags } = asked;
  const outcome = await withLinesForHere(app, whole, "entry" in asked ? asked : null);
  const { terminal } = system;
  const { fields, jq } = flags;
  if (!outcome.answered || (fields === null && jq === null)) {
    const json = flags.json && (outcome.answered || jq === null);
    const wishes = { ...flags, json, nextSteps: settings.nextSteps };
    const write = (terminal: Terminal) => writeOutcome(terminal, outcome, wishes);
    const reads = outcome.command?.kind === "query" || outcome.command?.kind === "navigation";
    if (!reads || json || flags.quiet || !flags.pager) return write(terminal);
    return await withPager(system, settings, write);
  }
  try {
    const answer = fields === null
      ? outcome.envelope
      : onlyFields(outcome.envelope, fields, await declaredFields(outcome));
    const { text, failure } = jq === null
      ? { text: `${JSON.stringify(answer)}\n`, failure: null }
      : await (await import("./jq.ts")).filtered(answer, jq);
    terminal.out(text);
    if (failure !== null) throw failure;
  } catch (error) {
    const changes = outcome.command?.kind === "mutation" || outcome.command?.kind === "redeem";
    if (!(error instanceof AmofError) || !changes) throw error;
    const message = `${error.message}. What the command did is done`;
    throw new AmofError(error.code, message, {
      // Nothing is done twice for the sake of how it is shown.
      hint: error.hint.includes("the same command") ? "See what it did: amof audit" : error.hint,
      details: error.details,
      exit: error.exit,
    });
  }
}

// Shows long output page by page, at a terminal (SETTING-11).

/** What was written, in its order. */
interface Written {
  readonly stream: "out" | "err";
  readonly text: string;
}

/** What a shell says of a program that is not there or cannot be run. */
const NOT_STARTED = [126, 127];

/** How many rows of a terminal a text takes. */
export function rowsOf(text: string, columns: number): number {
  return text.replace(/\n$/, "").split("\n")
    .reduce(
      (rows, line) => rows + Math.max(1, Math.ceil(textWidth(stripAnsiCode(line)) / columns)),
      0,
    );
}

/** Gives a text to the pager; false where it could not be started. */
async function paged(system: System, vector: readonly string[], text: string): Promise<boolean> {
  const { env, terminal, processes } = system;
  // Ctrl-C belongs to the pager, also where it ends the pager and is told to this program only afterwards.
  terminal.onInterrupt(() => {});
  const code = await processes.attach(vector, {
    input: text,
    env: { LESS: env.get("LESS") ?? "FRX", LV: env.get("LV") ?? "-c" },
  });
  return code !== null && !NOT_STARTED.includes(code);
}

/**
 * Lets `write` write an answer. The pager shows what goes to standard output where it is longer than the
 * terminal. Where there is no pager or it fails, the text is written as it is. The last of several parts, which
 * sums up, stays below.
 *
 * Whoever calls this ends soon: after a pager, interrupts are not listened to any more.
 */
export async function withPager(
  system: System,
  settings: Settings,
  write: (terminal: Terminal) => void,
): Promise<void> {
  const { terminal } = system;
  const vector = terminal.stdoutIsTerminal ? pagerCommand(system.env, settings) : null;
  if (vector === null) return write(terminal);
  const written: Written[] = [];
  const keep = (stream: Written["stream"]) => (text: string) => void written.push({ stream, text });
  // A getter of the terminal must not be read once for all.
  write(Object.create(terminal, { out: { value: keep("out") }, err: { value: keep("err") } }));
  const { columns, rows } = terminal.size();
  const out = written.filter(({ stream }) => stream === "out");
  const tooLong = rowsOf(out.map(({ text }) => text).join(""), columns) >= rows;
  const long = new Set(out.length > 1 ? out.slice(0, -1) : out);
  const text = [...long].map((each) => each.text).join("");
  const shown = tooLong && await paged(system, vector, text);
  for (const each of written) {
    if (!shown || !long.has(each)) terminal[each.stream](each.text);
  }
}
