/**
 * The eleven tools of agentpack as a feature of a server (PACK-43 to PACK-48).
 *
 * @module
 */

import { Slots } from "../../async/slots.ts";
import {
  type AgentpackError,
  type Answer,
  confirmRequired,
  deployPlan,
  planHash,
  type Selection,
} from "../../agentpack/mod.ts";
import { auditCall, watch, type Watched } from "../../command/agentpack/audit.ts";
import {
  type Carried,
  carryOut,
  failed,
  type Host,
  type Question,
  readingPack,
  subjectOf,
} from "../../command/agentpack/carry_out.ts";
import { type Envelope, type Subject, success } from "../../command/agentpack/envelope.ts";
import type { ConfirmBy } from "../../command/consent/approver.ts";
import type { Mode } from "../../policy/mode.ts";
import type { Way } from "../../store/mod.ts";
import { cleanLine } from "../../text/sanitize.ts";
import { didYouMean } from "../../text/words.ts";
import { type Exchange, invalidParams, type MoreTools } from "../features.ts";
import { fitBoth } from "../limits.ts";
import type { CallToolResult } from "../sdk.ts";
import { type ApplyCall, applyReviewed, bindingHash } from "./apply.ts";
import { type Intake, readArguments } from "./intake.ts";
import { modeRefused, type Modes, ONLY_PLANNED } from "./modes.ts";
import { askPerson } from "./person.ts";
import { chooseProject } from "./project.ts";
import { ConfirmTokens } from "./tokens.ts";
import { offeredTools, PACK_TOOLS, type PackTool, toPackTool } from "./tools.ts";

/** How the tools are offered. */
export interface PackFeatureOptions {
  /** The project the server was started with. */
  readonly project: string | undefined;
  /** Whether a person sees every change before it is made. */
  readonly confirmBy: ConfirmBy;
  /** The mode the tools go by; null where they keep to their own contract, which knows none. */
  readonly modes: Modes | null;
  /** Whether tools that change something are left out. */
  readonly readOnly: boolean;
  /** Tools that are left out. */
  readonly excluded: readonly string[];
  /** How long a token is good for, in milliseconds; ten minutes when absent, and at most. */
  readonly tokenLifetimeMs?: number | undefined;
}

/** Makes the tools of one server. */
export function packFeature(host: Host, options: PackFeatureOptions): MoreTools {
  const tokens = new ConfirmTokens(host.system, options.tokenLifetimeMs);
  // One change after the other (PACK-48); those of other processes are kept apart by the lock of the home.
  const turns = new Slots(1);
  const sessionId = `sess_${host.system.ids.hex(12)}`;
  const offered = offeredTools(options);
  return {
    anyArguments: true,
    has: (name) => PACK_TOOLS.has(name),
    list: (revision) => Promise.resolve(offered.map((tool) => toPackTool(tool, revision))),
    async call(params, exchange) {
      const tool = offered.find(({ spec }) => spec.name === params.name);
      if (tool === undefined) {
        const near = didYouMean(params.name, offered.map(({ spec }) => spec.name));
        throw invalidParams(
          `Unknown tool: ${cleanLine(params.name, 100)}${
            near === null ? "" : `; did you mean ${near}?`
          }`,
        );
      }
      const call = new PackToolCall(host, options, tool, exchange, tokens, turns, sessionId);
      return toResult(await call.answer(params.arguments ?? {}));
    },
  };
}

function toResult(envelope: Envelope): CallToolResult {
  const content = fitBoth({ ...envelope });
  return {
    content: [{ type: "text", text: JSON.stringify(content) }],
    structuredContent: content,
    isError: !envelope.ok,
  };
}

/** One call of a tool. */
class PackToolCall {
  readonly #host: Host;
  readonly #options: PackFeatureOptions;
  readonly #tool: PackTool;
  readonly #exchange: Exchange;
  readonly #tokens: ConfirmTokens;
  readonly #turns: Slots;
  readonly #sessionId: string;
  readonly #consent: Watched;
  /** The mode while the call runs, which another call may change meanwhile; null where none counts. */
  readonly #mode: Mode | null;

  constructor(
    host: Host,
    options: PackFeatureOptions,
    tool: PackTool,
    exchange: Exchange,
    tokens: ConfirmTokens,
    turns: Slots,
    sessionId: string,
  ) {
    this.#host = host;
    this.#options = options;
    this.#tool = tool;
    this.#exchange = exchange;
    this.#tokens = tokens;
    this.#turns = turns;
    this.#sessionId = sessionId;
    this.#mode = tool.spec.hints.reads ? null : options.modes?.current() ?? null;
    this.#consent = watch(
      options.confirmBy === "human"
        ? { kind: "ask", ask: (question) => askPerson(exchange, question) }
        : { kind: "given" },
    );
  }

  /** The envelope of the answer, after the audit log knows of it; throws nothing. */
  async answer(given: Readonly<Record<string, unknown>>): Promise<Envelope> {
    let intake: Intake;
    try {
      intake = readArguments(this.#tool, given);
    } catch (thrown) {
      const { command } = this.#tool;
      const id = this.#applies() ? "deploy --apply" : command.path.join(" ");
      const subject = { words: command.path, id, version: this.#host.version };
      return await this.#noted(given, subject, null, failed(subject, thrown));
    }
    if (this.#mode === "plan") intake = { ...intake, dryRun: true };
    const subject = this.#subject(intake);
    const fingerprint = this.#applies() ? this.#tokens.planOf(intake.confirmToken) : null;
    const carried = await this.#perform(intake, subject);
    return intake.dryRun
      ? carried.envelope
      : await this.#noted(given, subject, fingerprint, carried);
  }

  /** Tells the audit log of a call that could have changed something. */
  async #noted(
    args: Readonly<Record<string, unknown>>,
    subject: Subject,
    fingerprint: string | null,
    { envelope, error }: Carried,
  ): Promise<Envelope> {
    if (this.#tool.spec.hints.reads) return envelope;
    const question = this.#consent.asked();
    const warnings = await auditCall(this.#host, {
      caller: { door: "mcp", client: this.#exchange.client, sessionId: this.#sessionId },
      id: subject.id,
      args,
      way: this.#way(question, error),
      asked: question !== null,
      fingerprint: question?.fingerprint ?? fingerprint,
      error,
      mode: this.#mode ?? "none",
    });
    return { ...envelope, warnings: [...envelope.warnings, ...warnings] };
  }

  /** How the call got its consent, or would have. */
  #way(question: Question | null, error: AgentpackError | null): Way {
    if (question !== null) return "elicitation";
    // If the call changed nothing, nobody was asked.
    if (this.#consent.consent.kind === "ask" && error === null) return "none";
    return this.#applies() ? "token" : "flag";
  }

  async #perform(intake: Intake, subject: Subject): Promise<Carried> {
    try {
      // Before anything is loaded, and whatever else may be wrong (PACK-46).
      this.#requireMode(subject.id);
      this.#requireYes(intake, subject.id);
      const { project, warnings } = await chooseProject(
        this.#host.system,
        this.#options.project,
        this.#exchange,
      );
      const carried = await this.#carryOut(intake, { ...intake.selection, project }, subject);
      const { envelope } = carried;
      return {
        ...carried,
        envelope: {
          ...envelope,
          warnings: [
            ...this.#mode === "plan" && envelope.ok ? [ONLY_PLANNED] : [],
            ...warnings,
            ...envelope.warnings,
          ],
        },
      };
    } catch (thrown) {
      return failed(subject, thrown);
    }
  }

  #applies(): boolean {
    return this.#tool.spec.name === "deploy_apply";
  }

  /** `deploy_apply` is called so even when it is told to change nothing. */
  #subject({ input, dryRun }: Intake): Subject {
    const { command } = this.#tool;
    return subjectOf(this.#host, { command, input, dryRun: dryRun && !this.#applies() });
  }

  #requireMode(id: string): void {
    const { modes } = this.#options;
    if (this.#mode === "ask" && modes !== null) throw modeRefused(this.#tool.spec.name, id, modes);
  }

  #requireYes({ yes, dryRun }: Intake, id: string): void {
    const { hints } = this.#tool.spec;
    // In mode plan nothing is changed, so no consent is needed.
    if (hints.reads || yes || this.#mode === "plan" || (dryRun && !this.#applies())) return;
    throw confirmRequired(id, "yes=true");
  }

  async #carryOut(intake: Intake, selection: Selection, subject: Subject): Promise<Carried> {
    const { name, hints } = this.#tool.spec;
    if (name === "deploy") return await this.#plan(selection, subject);
    if (this.#applies()) return await this.#apply(intake, selection, subject);
    const call = () =>
      carryOut(this.#host, {
        command: this.#tool.command,
        input: intake.input,
        selection,
        // Harmless for tools that only read.
        dryRun: intake.dryRun && !hints.reads,
        consent: this.#consent.consent,
        signal: this.#exchange.signal,
        person: null,
      });
    return hints.reads ? await call() : await this.#turns.turn(call);
  }

  /** The plan of a deploy with a token for it. */
  async #plan(selection: Selection, subject: Subject): Promise<Carried> {
    const pack = readingPack(this.#host, this.#exchange.signal);
    const { data, warnings, deployment } = await deployPlan(pack, selection);
    const hash = planHash(deployment);
    const { token, expiresAt } = this.#tokens.issue(await bindingHash(pack, selection), hash);
    return succeeded(subject, {
      data: {
        ...data,
        confirm_token: token,
        confirm_plan_hash: hash,
        confirm_token_expires_at: expiresAt,
      },
      warnings,
    });
  }

  async #apply(intake: Intake, selection: Selection, subject: Subject): Promise<Carried> {
    if (intake.dryRun) {
      const pack = readingPack(this.#host, this.#exchange.signal);
      const { data, warnings } = await deployPlan(pack, selection);
      return succeeded(subject, { data, warnings });
    }
    const { consent } = this.#consent;
    const call: ApplyCall = {
      host: this.#host,
      selection,
      adopt: intake.input["adopt"] === true,
      token: intake.confirmToken,
      tokens: this.#tokens,
      signal: this.#exchange.signal,
      review: consent.kind === "ask" ? consent.ask : null,
    };
    return succeeded(subject, await applyReviewed(call, this.#turns));
  }
}

function succeeded(subject: Subject, answer: Answer<object>): Carried {
  return { envelope: success(subject, answer), text: null, error: null, differs: false };
}
