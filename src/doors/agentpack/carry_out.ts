/**
 * Carries a call of agentpack out: consent, the command, the envelope, the audit log. Both doors call nothing
 * else.
 *
 * A call that changes nothing gets a read-only world, in which only git checkouts can be fetched. One that
 * does needs consent: given beforehand, withheld, bound to a token, or asked of a person. They are shown a
 * dry run first, with which is compared, under the lock, what is then carried out.
 */

import {
  type Act,
  act,
  AgentpackError,
  type Answer,
  commandId,
  confirmRequired,
  inspect,
  isChange,
  lookOf,
  makePack,
  type PackContext,
  safePoints,
  settle,
  toAgentpackError,
  withWarnings,
  wordsOf,
} from "../../apps/agentpack/mod.ts";
import { isReadOnlyGit } from "../../git/mod.ts";
import { inPieces } from "../../base/async/pool.ts";
import { canonicalHash } from "../../base/policy/fingerprint.ts";
import { readOnly } from "../../base/system/read_only.ts";
import type { Table } from "../../base/text/table.ts";
import type { Ask, Host, PackCall, Question } from "./call.ts";
import { type Decision, DECISIONS, type Way } from "../../state/store/mod.ts";
import { maskValue } from "../../base/text/mask.ts";
import { note } from "../../pipeline/audit.ts";

/** A call that could have changed something, after it has ended. */
interface Ended {
  readonly call: PackCall;
  /** The command id. */
  readonly id: string;
  readonly error: AgentpackError | null;
  /** What a person was asked; null when nobody was. */
  readonly asked: Question | null;
}

/** How a call got its consent, or would have; `none` where it needed none. */
function wayOf({ call: { consent, caller }, error, asked }: Ended): Way {
  const prompted = caller.door === "cli" ? "prompt" : "elicitation";
  if (asked !== null) return prompted;
  switch (consent.kind) {
    case "token":
      return "token";
    case "given":
      return "flag";
    case "withheld":
    case "ask":
      // A call that changes nothing asks nobody.
      if (error === null) return "none";
      if (caller.door === "mcp") return "flag";
      return error.code === "E_CONFIRM_REQUIRED" ? "prompt" : "none";
  }
}

function decisionOf({ error, asked }: Ended, way: Way): Decision {
  switch (error?.code) {
    case undefined:
      return way === "none" ? "executed" : "accepted";
    case "E_CONFIRM_REQUIRED": {
      const said = DECISIONS.find((one) => one === error?.details?.["decision"]);
      return said ?? (asked !== null ? "declined" : "unsupported");
    }
    case "E_MODE_INSUFFICIENT":
      return "refused_mode";
    case "E_CONFIRM_TOKEN_EXPIRED":
      return "timed_out";
    case "E_CONFIRM_TOKEN_REQUIRED":
      return "unsupported";
    case "E_CONFIRM_TOKEN_MISMATCH":
      return error?.details?.["confirm_plan_hash"] === undefined
        ? "confirmation_invalid"
        : "confirmation_stale";
    case "E_PLAN_STALE":
      return asked !== null ? "confirmation_stale" : "failed";
    default:
      return "failed";
  }
}

/** Notes a call. The work is done by now, so that a log that cannot be written is only a warning. */
async function auditCall(host: Host, ended: Ended): Promise<string[]> {
  const { call: { caller, args, mode, consent }, id, error, asked } = ended;
  const warnings: string[] = [];
  const way = wayOf(ended);
  await note(host, { log: (_level, message) => void warnings.push(message) }, {
    at: host.system.clock.now(),
    ...caller,
    // Assets belong to a home and its projects, and to no control repository.
    root: "",
    ecosystem: "",
    tool: `agentpack ${id}`,
    args: maskValue(args),
    mode,
    decision: decisionOf(ended, way),
    way,
    fingerprint: asked?.fingerprint ?? (consent.kind === "token" ? consent.fingerprint : null),
    outcome: error?.code ?? "ok",
    runId: null,
  });
  return warnings;
}

interface EnvelopeError {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An answer as machines read it; the members are in the order of the contract. */
export interface Envelope {
  readonly schema_version: 1;
  readonly ok: boolean;
  /** Dotted words: `evolve.propose`. */
  readonly command: string;
  /** Words and mode flags: `deploy --apply`. */
  readonly command_id: string;
  readonly command_path: readonly string[];
  readonly version: string;
  readonly data: object;
  /** For people; never to be branched on. */
  readonly warnings: readonly string[];
  readonly errors: readonly EnvelopeError[];
}

/** What an envelope is about. */
export interface Subject {
  readonly words: readonly string[];
  readonly id: string;
  readonly version: string;
}

function head(
  subject: Subject,
): Pick<Envelope, "command" | "command_id" | "command_path" | "version"> {
  return {
    command: subject.words.join("."),
    command_id: subject.id,
    command_path: subject.id === "" ? [] : subject.id.split(" "),
    version: subject.version,
  };
}

/** The envelope of a success. */
export function success(subject: Subject, answer: Answer<object>): Envelope {
  return {
    schema_version: 1,
    ok: true,
    ...head(subject),
    data: answer.data,
    warnings: answer.warnings,
    errors: [],
  };
}

function failure(subject: Subject, error: AgentpackError): Envelope {
  const { code, message, details } = error;
  return {
    schema_version: 1,
    ok: false,
    ...head(subject),
    data: {},
    warnings: [],
    errors: [{ code, message, ...(details === null ? {} : { details }) }],
  };
}

/** How it ended. */
export interface Carried {
  readonly envelope: Envelope;
  /**
   * What a person reads of a success, or of a change that is refused before they are asked; else null. It is made when
   * somebody reads it: of thousands of changes that takes as long as finding some of them.
   */
  readonly text: () => string | Table | null;
  /** The failure, or null. */
  readonly error: AgentpackError | null;
  /** Whether a check found something. */
  readonly differs: boolean;
}

/** Where a call that changes nothing works: only checkouts can be fetched there. */
export function readingPlace(
  host: Host,
  call: Pick<PackCall, "selection" | "signal">,
): PackContext {
  const { system, version, prefix } = host;
  const { selection, signal } = call;
  const world = readOnly(system, isReadOnlyGit);
  return { selection, pack: makePack({ system: world, cache: system, version, prefix, signal }) };
}

/** What the envelope of a call is about. */
export function subjectOf(
  host: Host,
  { command, input, dryRun }: Pick<PackCall, "command" | "input" | "dryRun">,
): Subject {
  return {
    words: wordsOf(command, input),
    id: commandId(command, input, dryRun),
    version: host.version,
  };
}

/** Carries a call out, and notes it in the audit log if it could change something; never throws. */
export async function carryOut(
  host: Host,
  call: PackCall,
  subject = subjectOf(host, call),
): Promise<Carried> {
  let asked: Question | null = null;
  const watched = (ask: Ask): Ask => (question) => {
    asked = question;
    return ask(question);
  };
  const carried = await attempt(host, call, subject, watched);
  if (call.dryRun || !isChange(call.command, call.input)) return carried;
  const { envelope, error } = carried;
  const warnings = await auditCall(host, { call, id: subject.id, error, asked });
  return { ...carried, envelope: { ...envelope, warnings: [...envelope.warnings, ...warnings] } };
}

async function attempt(
  host: Host,
  call: PackCall,
  subject: Subject,
  watched: (ask: Ask) => Ask,
): Promise<Carried> {
  const shown: Shown = { preview: null };
  try {
    if (call.refusal !== null) throw call.refusal;
    const answer = await run(host, call, watched, shown);
    return {
      envelope: success(subject, answer),
      text: () => call.command.render(answer),
      error: null,
      differs: call.command.differs?.(answer) ?? false,
    };
  } catch (thrown) {
    return { ...failed(subject, thrown), text: () => shown.preview };
  }
}

/** What a person has to see of a change that is refused before they are asked. */
interface Shown {
  preview: string | null;
}

/** The end of a call that threw. */
export function failed(subject: Subject, thrown: unknown): Carried {
  const error = toAgentpackError(thrown);
  return { envelope: failure(subject, error), text: () => null, error, differs: false };
}

async function run(
  host: Host,
  call: PackCall,
  watched: (ask: Ask) => Ask,
  shown: Shown,
): Promise<Answer<object>> {
  const { command, input, selection, dryRun, consent, signal, person } = call;
  const reading = readingPlace(host, call);
  if (dryRun || !isChange(command, input)) return await inspect(command, reading, input);
  const id = commandId(command, input, false);
  const change = (approve: Act["approve"]) =>
    call.turn(() => {
      const pack = makePack({ ...host, signal });
      return act(command, { pack, selection }, input, { approve, person });
    });
  const agree = () => Promise.resolve();
  switch (consent.kind) {
    case "given":
      return await change(agree);
    case "withheld":
      if (command.changes?.asks === "first") throw confirmRequired(id);
      return await change(() => Promise.reject(confirmRequired(id)));
    case "token":
      return await change(
        await consent.check(reading, consent.ask === null ? null : watched(consent.ask)),
      );
    case "ask": {
      const settled = await settle({ pack: makePack({ ...host, signal }), selection });
      const looked = command.look === undefined ? null : await inspect(command, reading, input);
      const preview = looked === null
        ? null
        : withWarnings(command.render(looked), [...settled, ...looked.warnings]);
      shown.preview = preview;
      await command.refuse?.(lookOf(reading), input, looked);
      shown.preview = null;
      const pause = safePoints(host.system, signal);
      const hashOf = (facts: object) => inPieces(canonicalHash(facts), pause);
      const shownHash = looked === null ? null : await hashOf(looked.data);
      if (looked === null || command.isIdle?.(looked) !== true) {
        await watched(consent.ask)({
          id,
          summary: command.summary,
          preview,
          fingerprint: shownHash,
        });
      }
      const answer = await change(async (facts) => {
        if (shownHash === null || await hashOf(facts) === shownHash) return;
        throw new AgentpackError(
          "E_PLAN_STALE",
          `What "${id}" would do changed since it was shown; look at it again`,
          { command: id },
        );
      });
      return { ...answer, warnings: [...settled, ...answer.warnings] };
    }
  }
}
