/**
 * Carries a call of agentpack out: consent, the command, the envelope. Both doors call nothing else.
 *
 * A call that changes nothing gets a read-only world, in which only git checkouts can be fetched. One that
 * does needs consent: given beforehand, withheld, or asked of a person, who is shown a rehearsal first; what
 * is then carried out is compared with it, under the lock.
 *
 * @module
 */

import { sha256 } from "../../hash.ts";
import { isReadOnlyGit } from "../../git/mod.ts";
import { canonicalJson } from "../../policy/fingerprint.ts";
import type { Store } from "../../store/mod.ts";
import type { System } from "../../system/mod.ts";
import { readOnly } from "../../system/read_only.ts";
import {
  AgentpackError,
  type Answer,
  type Approve,
  type Call,
  commandId,
  confirmRequired,
  type InputOf,
  makePack,
  type Options,
  type Pack,
  type PackCommand,
  type Selection,
  toAgentpackError,
  withWarnings,
  wordsOf,
} from "../../agentpack/mod.ts";
import { type Envelope, failure, type Subject, success } from "./envelope.ts";

/** The program around a call. */
export interface Host {
  readonly system: System;
  readonly version: string;
  /** The words a user types before `plan`, `deploy`, …. */
  readonly prefix: string;
  /** Opens the store with the audit log. */
  readonly store: () => Promise<Store>;
}

/** What a person is asked before something changes. */
export interface Question {
  /** The command id. */
  readonly id: string;
  readonly summary: string;
  /** The rehearsal as text; null where there is none. */
  readonly preview: string | null;
  /** The hash of what the rehearsal found; null where there is none. */
  readonly fingerprint: string | null;
}

/** Whether a call may change something. `ask` throws what to answer when the person does not agree. */
export type Consent =
  | { readonly kind: "given" }
  | { readonly kind: "withheld" }
  | { readonly kind: "ask"; readonly ask: (question: Question) => Promise<void> };

/** A call through any door. */
export interface PackCall {
  readonly command: PackCommand;
  readonly input: InputOf<Options>;
  readonly selection: Selection;
  readonly dryRun: boolean;
  readonly consent: Consent;
  readonly signal: AbortSignal;
  /** The person who sits at a terminal; null where there is none. */
  readonly person: Pick<Call, "ask" | "edit"> | null;
}

/** How it ended. */
export interface Carried {
  readonly envelope: Envelope;
  /** What a person reads of a success; null after a failure. */
  readonly text: string | null;
  /** The failure, or null. */
  readonly error: AgentpackError | null;
  /** Whether a check found something. */
  readonly differs: boolean;
}

/** The world of a call that changes nothing: only checkouts can be fetched in it. */
export function readingPack(host: Host, signal: AbortSignal): Pack {
  const { system, version, prefix } = host;
  return makePack({
    system: readOnly(system, isReadOnlyGit),
    cache: system,
    version,
    prefix,
    signal,
  });
}

/** The world of a call that may change something. */
export function writingPack(host: Host, signal: AbortSignal): Pack {
  return makePack({ ...host, signal });
}

/** What the envelope of a call is about. */
export function subjectOf(
  host: Host,
  call: Pick<PackCall, "command" | "input" | "dryRun">,
): Subject {
  return {
    words: wordsOf(call.command, call.input),
    id: commandId(call.command, call.input, call.dryRun),
    version: host.version,
  };
}

/** A refusal because something changed between a person's look and the deed. */
function stale(id: string): AgentpackError {
  return new AgentpackError(
    "E_PLAN_STALE",
    `What "${id}" would do changed since it was shown; look at it again`,
    { command: id },
  );
}

const agree: Approve = () => Promise.resolve();

/** Carries a call out; never throws. */
export async function carryOut(host: Host, call: PackCall): Promise<Carried> {
  const subject = subjectOf(host, call);
  try {
    const answer = await run(host, call);
    return {
      envelope: success(subject, answer),
      text: call.command.render(answer),
      error: null,
      differs: call.command.differs?.(answer) ?? false,
    };
  } catch (thrown) {
    return failed(subject, thrown);
  }
}

/** The end of a call that threw. */
export function failed(subject: Subject, thrown: unknown): Carried {
  const error = toAgentpackError(thrown);
  return { envelope: failure(subject, error), text: null, error, differs: false };
}

async function run(host: Host, call: PackCall): Promise<Answer<object>> {
  const { command, input, selection, dryRun, consent, signal } = call;
  const person = call.person ?? { ask: null, edit: null };
  const reading = () => ({
    pack: readingPack(host, signal),
    selection,
    dryRun: true,
    approve: agree,
    ...person,
  });
  refuseEmptyDryRun(call);
  const change = command.changes?.(input, dryRun) ?? null;
  if (change === null) {
    return await command.run({ ...reading(), dryRun }, input);
  }
  const writing = (approve: Approve) =>
    command.run(
      { pack: writingPack(host, signal), selection, dryRun: false, approve, ...person },
      input,
    );
  if (consent.kind === "given") return await writing(agree);
  if (consent.kind === "withheld") {
    if (change.asks === "first") throw confirmRequired(change.id);
    return await writing((id) => Promise.reject(confirmRequired(id)));
  }
  const rehearsal = command.rehearses ? await command.run(reading(), input) : null;
  if (rehearsal === null || command.isIdle?.(rehearsal) !== true) {
    await consent.ask({
      id: change.id,
      summary: command.summary,
      preview: rehearsal === null
        ? null
        : withWarnings(command.render(rehearsal), rehearsal.warnings),
      fingerprint: rehearsal === null ? null : sha256(canonicalJson(rehearsal.data)),
    });
  }
  if (rehearsal === null) return await writing(agree);
  return await writing((id, facts) =>
    canonicalJson(facts) === canonicalJson(rehearsal.data)
      ? Promise.resolve()
      : Promise.reject(stale(id))
  );
}

/** A dry run of a command that cannot rehearse would look like a success and show nothing. */
function refuseEmptyDryRun({ command, input, dryRun }: PackCall): void {
  const change = command.changes?.(input, false) ?? null;
  if (!dryRun || command.rehearses || change === null) return;
  throw new AgentpackError("E_USAGE", `"${change.id}" has no dry run`, {
    command: change.id,
    hint: "Leave out --dry-run; without --yes you are asked before anything is changed",
  });
}
