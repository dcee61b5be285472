/**
 * Asks the person at the terminal for consent (CONFIRM-5).
 *
 * Without a terminal, with `--json` or `--no-input`, in CI, and at the end of input nobody has consented.
 */

import {
  type Approval,
  type ApprovalRequest,
  type Approver,
  judgeTyped,
} from "../../pipeline/consent/approver.ts";
import type { Environment, Terminal } from "../../base/system/mod.ts";
import type { Part } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { errorWidth, layOutParts } from "./layout.ts";
import type { GlobalFlags } from "../../pipeline/line/flags.ts";

/** Whether a person can be asked. */
export function isInteractive(
  terminal: Terminal,
  env: Environment,
  flags: Pick<GlobalFlags, "json" | "noInput">,
): boolean {
  const ci = env.get("CI");
  return terminal.stdinIsTerminal && terminal.stderrIsTerminal && !flags.json && !flags.noInput &&
    (ci === undefined || ci === "" || ci === "false");
}

/** Stands before what would happen. */
const INDENT = "  ";

/** Parts as wide as the terminal, but for some columns; `unfolding` is how what is folded is seen, or null for all of it. */
function laidOut(
  terminal: Terminal,
  parts: readonly Part[],
  but: number,
  unfolding: string | null = null,
): string {
  const width = errorWidth(terminal);
  return layOutParts(parts, width === null ? null : width - but, unfolding);
}

/** A question in lines that fit, so that what is typed does not stand in the middle of a word; a blank ends it. */
function fitted(terminal: Terminal, text: string): string {
  return `${laidOut(terminal, [text], 1)} `;
}

/** The answer that shows what is folded. */
const UNFOLD = "?";

/** What the person is shown before the question, and the question; some of it is `folded` where that is said. */
function question(terminal: Terminal, request: ApprovalRequest, folded: boolean): string {
  const unfolding = folded ? `${UNFOLD} shows all` : null;
  const details = laidOut(terminal, request.details, INDENT.length, unfolding);
  return [
    laidOut(terminal, [request.summary], 0),
    ...(details === "" ? [] : ["", ...details.split("\n").map((line) => `${INDENT}${line}`)]),
    ...(request.irreversible === null
      ? []
      : ["", laidOut(terminal, [`⚠ ${request.irreversible}`], 0)]),
    "",
    fitted(
      terminal,
      request.typed === null
        ? `Proceed with ${request.deed}? [y/N${folded ? `/${UNFOLD}` : ""}]`
        : `Type the ${request.typed.what} to proceed${folded ? `, or ${UNFOLD}` : ""}:`,
    ),
  ].join("\n");
}

/** Whether a typed line agrees. */
export function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer.trim());
}

/** How an answer counts; null is the end of input. */
function readAnswer(request: ApprovalRequest, answer: string | null): Approval {
  if (answer === null) return { decision: "cancelled", way: "prompt" };
  const text = answer.trim();
  if (request.typed !== null) {
    if (text === "") return { decision: "declined", way: "prompt" };
    return { decision: judgeTyped(request, text), way: "prompt" };
  }
  return { decision: isYes(text) ? "accepted" : "declined", way: "prompt" };
}

/** Asks for a line; null when an interrupt or the end of input came instead. */
export async function askLine(
  terminal: Terminal,
  text: string,
  signal: AbortSignal,
): Promise<string | null> {
  if (signal.aborted) return null;
  // An interrupt counts as the end of input: the read itself cannot be ended.
  const { promise, resolve } = Promise.withResolvers<null>();
  const onAbort = () => resolve(null);
  signal.addEventListener("abort", onAbort, { once: true });
  const answer = await Promise.race([terminal.ask(text), promise]);
  signal.removeEventListener("abort", onAbort);
  // The prompt was not ended with return, so the next output needs a new line.
  if (answer === null) terminal.err("\n");
  return answer;
}

/** Asks a question that yes or no answers; null when an interrupt or the end of input came instead. */
export async function askYesNo(
  terminal: Terminal,
  text: string,
  signal: AbortSignal,
): Promise<boolean | null> {
  const answer = await askLine(
    terminal,
    fitted(terminal, `${cleanLine(text, 1000)} [y/N]`),
    signal,
  );
  return answer === null ? null : isYes(answer);
}

/**
 * Asks the person at the terminal, who has been found to be there. Where there is too much to read at once, they see all
 * that they agree to before they answer, if they want.
 */
export async function askPerson(terminal: Terminal, request: ApprovalRequest): Promise<Approval> {
  const ask = (folded: boolean) =>
    askLine(terminal, question(terminal, request, folded), request.signal);
  const details = (unfolding: string | null) =>
    laidOut(terminal, request.details, INDENT.length, unfolding);
  const folds = details(UNFOLD) !== details(null);
  const answer = await ask(folds);
  return readAnswer(request, folds && answer?.trim() === UNFOLD ? await ask(false) : answer);
}

/** The approver of the command line: flags first, then the terminal. */
export function terminalApprover(
  terminal: Terminal,
  env: Environment,
  flags: GlobalFlags,
): Approver {
  return {
    async ask(request): Promise<Approval> {
      if (request.typed !== null && flags.confirmName !== null) {
        return {
          decision: flags.confirmName === request.typed.value ? "accepted" : "wrong_name",
          way: "flag",
        };
      }
      if (request.typed === null && flags.yes) return { decision: "accepted", way: "flag" };
      if (!isInteractive(terminal, env, flags)) return { decision: "unsupported", way: "prompt" };
      return await askPerson(terminal, request);
    },
  };
}
