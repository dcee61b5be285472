/** Shows the answer of a command in the form that was asked for. */

import type { App } from "../../pipeline/app.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import { onlyFields } from "../../pipeline/line/fields.ts";
import type { Invocation } from "../../pipeline/line/parse.ts";
import { loadCommand } from "../../pipeline/registry.ts";
import { AmofError } from "../../base/error.ts";
import type { GlobalFlags } from "../../pipeline/line/flags.ts";
import type { System, Terminal } from "../../base/system/mod.ts";
import { saidHere } from "./implied.ts";
import { writeOutcome } from "./render.ts";
import { stripAnsiCode } from "@std/fmt/colors";
import { pagerCommand, type Settings } from "../../state/settings/mod.ts";
import { textWidth } from "../../base/text/width.ts";

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
  const outcome = await saidHere(app, whole, "entry" in asked ? asked : null);
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
 * Lets `write` write an answer; what goes to standard output is shown by the pager where it is longer than the
 * terminal, and where there is none or it fails, as it is. The last of several parts, which sums up, stays below.
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
