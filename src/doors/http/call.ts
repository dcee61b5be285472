/** Carries commands out for those who call through the server: its API's routes and its pages alike (SERVER-7). */

import type { App } from "../../pipeline/app.ts";
import { nobody } from "../../pipeline/consent/approver.ts";
import { allows, type ConfirmBy, type Mode } from "../../base/policy/mode.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import { carryOut } from "../../pipeline/pipeline.ts";
import { Session } from "../../pipeline/session.ts";
import type { Command, Known, Reporter } from "../../contract/mod.ts";
import type { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

/** What whoever started the server has said about all who call through it. */
export interface Limits {
  /** The mode of a call that names none. */
  readonly mode: Mode;
  readonly maxMode: Mode;
  readonly confirmBy: ConfirmBy;
}

/** Who calls. */
export interface HttpCaller {
  /** For the envelope and the audit log: `sess_` and random characters. */
  readonly sessionId: string;
  /** Whose confirmation tokens these are: only the same owner spends them. */
  readonly owner: string;
  /** How the program or person is called in runs and in the audit log. */
  readonly client: string;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

/** The name a program gives itself, for the audit log. */
export function clientOf(headers: Headers): string {
  return cleanLine(headers.get("user-agent") ?? "", 60) || "unknown";
}

/** A call as a route or a page makes it. */
interface HttpCall {
  readonly command: Command;
  /** The arguments of the tool, those that all share (`ecosystem`, `mode`, …) among them. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly by: HttpCaller;
  /** Why it is not let through at all. */
  readonly refusal?: AmofError;
}

/** Carries out a call; every failure is an outcome. */
export type CarryOut = (call: HttpCall) => Promise<Outcome>;

/**
 * How calls are carried out under these limits. Every call has a session of its own, which stands nowhere and keeps
 * nothing; `offers` says which commands are suggested, and which ones a token may have been made for.
 */
export function carrying(
  app: App,
  { mode, maxMode, confirmBy }: Limits,
  offers: (command: Known) => boolean,
): CarryOut {
  return ({ command, args, by, refusal }) =>
    carryOut(app, {
      command,
      args,
      session: new Session({
        id: by.sessionId,
        owner: by.owner,
        mode: allows(maxMode, mode) ? mode : maxMode,
        maxMode,
      }),
      door: "http",
      client: by.client,
      signal: by.signal,
      report: reporter(app),
      approver: nobody,
      confirmBy,
      offers,
      ...(refusal === undefined ? {} : { refusal }),
    });
}

/** What is serious goes to the standard error of the server; how far the work is, a run's log tells. */
function reporter({ system }: App): Reporter {
  return {
    log: (level, message, fields) => {
      const aside = fields?.type === "progress" || fields?.type === "step";
      if (!aside && (level === "error" || level === "warn")) system.terminal.err(`${message}\n`);
    },
    progress: () => {},
  };
}
