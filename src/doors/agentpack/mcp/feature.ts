/** The eleven tools of agentpack as a feature of a server (PACK-43 to PACK-48). */

import { fromFileUrl } from "@std/path";
import {
  AgentpackError,
  confirmRequired,
  inspect,
  safePoints,
  type Selection,
  toAgentpackError,
} from "../../../apps/agentpack/mod.ts";
import { Slots } from "../../../base/async/pool.ts";
import type { Ask, Host, PackCall, Question } from "../call.ts";
import {
  type Carried,
  carryOut,
  type Envelope,
  failed,
  readingPlace,
  type Subject,
  subjectOf,
  success,
} from "../carry_out.ts";
import type { ConfirmBy, Mode } from "../../../base/policy/mode.ts";
import type { System } from "../../../base/system/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { didYouMean } from "../../../base/text/words.ts";
import { type Exchange, invalidParams, type Modes, type MoreTools } from "../../mcp/features.ts";
import { fitBoth, isWithin } from "../../mcp/result.ts";
import type { CallToolResult } from "../../mcp/sdk.ts";
import type { ApprovalDecision } from "../../../pipeline/consent/approver.ts";
import { partsOf } from "../../../base/text/parts.ts";
import { elicitingApprover } from "../../mcp/elicit.ts";
import { ConfirmTokens, issueToken, ReturningForms, tokenConsent } from "./consent.ts";
import { modeRefused } from "./modes.ts";
import { cutToFit } from "./cut.ts";
import {
  type Intake,
  offeredTools,
  PACK_TOOLS,
  type PackTool,
  readArguments,
  toPackTool,
} from "./tools.ts";
import { Git } from "../../../git/mod.ts";

/** Where a call works, and what to know about it. */
interface ProjectChoice {
  /** Undefined for the working directory. */
  readonly project: string | undefined;
  readonly warnings: readonly string[];
}

/**
 * The project: the one the server was started with; else the working directory when it belongs to a
 * repository; else the client's first root; else the working directory. At most one git process.
 */
async function chooseProject(
  system: System,
  given: string | undefined,
  exchange: Pick<Exchange, "roots" | "signal">,
): Promise<ProjectChoice> {
  if (given !== undefined) return { project: given, warnings: [] };
  const { cwd, home } = system.env;
  const isNoProject = cwd === "/" || cwd === home;
  const isNowhere = isNoProject ||
    await new Git(system, exchange.signal).at(cwd).topLevel() === null;
  if (!isNowhere) return { project: undefined, warnings: [] };
  const roots = await exchange.roots?.().catch(() => []) ?? [];
  for (const uri of roots) {
    const path = pathOf(uri);
    if (path === null || (await system.files.stat(path))?.kind !== "directory") continue;
    return {
      project: path,
      warnings: roots.length === 1
        ? []
        : [`The client works in ${roots.length} roots; the project is the first, "${path}"`],
    };
  }
  // The call leaves out project files itself, so no warning is needed.
  if (isNoProject) return { project: undefined, warnings: [] };
  return {
    project: undefined,
    warnings: [
      `The server runs in "${cwd}", which is not a project; start it with --project-root DIR or AGENTPACK_PROJECT_ROOT`,
    ],
  };
}

/** The path of a `file:` URI, or null. */
function pathOf(uri: string): string | null {
  try {
    return uri.startsWith("file:") ? fromFileUrl(uri) : null;
  } catch {
    return null;
  }
}

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

/** One server, as all its calls share it. */
interface Serving {
  readonly host: Host;
  readonly options: PackFeatureOptions;
  readonly tokens: ConfirmTokens;
  readonly turns: Slots;
  readonly forms: ReturningForms;
  readonly sessionId: string;
}

/** Makes the tools of one server. */
export function packFeature(host: Host, options: PackFeatureOptions): MoreTools {
  const serving: Serving = {
    host,
    options,
    tokens: new ConfirmTokens(host.system, options.tokenLifetimeMs),
    turns: new Slots(1),
    forms: new ReturningForms(host.system),
    sessionId: `sess_${host.system.ids.hex(12)}`,
  };
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
      const { elicit, question } = serving.forms.of(params, exchange);
      const reached = { ...exchange, elicit: exchange.elicit ?? elicit };
      const envelope = await answer(serving, tool, reached, params.arguments ?? {});
      return question() ?? toResult(envelope);
    },
  };
}

function toResult(envelope: Envelope): CallToolResult {
  const content = fitBoth({
    ...envelope,
    warnings: isWithin({ ...envelope }) ? envelope.warnings : [
      'The answer was too long: "truncated" names what it shows only the beginning of',
      ...envelope.warnings,
    ],
  });
  return {
    content: [{ type: "text", text: JSON.stringify(content) }],
    structuredContent: content,
    isError: !envelope.ok,
  };
}

/** `deploy_apply`, the second step of a deploy. */
function isApply({ spec }: PackTool): boolean {
  return spec.name === "deploy_apply";
}

/** What refuses a call before anything is loaded, and whatever else may be wrong (PACK-46); null for nothing. */
function refusalOf(
  { options }: Serving,
  { spec }: PackTool,
  { yes, dryRun }: Intake,
  { mode, id }: {
    readonly mode: Mode | null;
    readonly id: string;
  },
): AgentpackError | null {
  if (mode === "ask" && options.modes !== null) return modeRefused(spec.name, id, options.modes);
  // Calls that mode plan allows need no consent.
  if (spec.hints.reads || yes || mode === "plan" || (dryRun && spec.name !== "deploy_apply")) {
    return null;
  }
  return confirmRequired(id, "yes=true");
}

/** A call that is read, whether or not it is let through. */
interface Prepared {
  readonly intake: Intake;
  /** Null where no mode counts. */
  readonly mode: Mode | null;
  readonly subject: Subject;
  readonly selection: Selection;
  readonly warnings: readonly string[];
  readonly refusal: AgentpackError | null;
}

/** What a call says whose arguments cannot be read: only what its tool always says. */
function unread({ spec }: PackTool): Intake {
  return {
    selection: {},
    input: spec.fixed ?? {},
    dryRun: false,
    yes: false,
    confirmToken: "",
  };
}

/** Reads a call and decides whether it may go on; throws nothing. */
async function prepare(
  serving: Serving,
  tool: PackTool,
  exchange: Exchange,
  given: Readonly<Record<string, unknown>>,
): Promise<Prepared> {
  const { host, options } = serving;
  // While the call runs, another one may change the mode.
  const mode = tool.spec.hints.reads ? null : options.modes?.current() ?? null;
  // What cannot be read is told to those who may go on (PACK-46).
  const { yes } = given;
  let intake = {
    ...unread(tool),
    yes: yes === true || (yes !== undefined && typeof yes !== "boolean"),
    dryRun: given["dry_run"] === true,
  };
  let wrong: AgentpackError | null = null;
  try {
    intake = readArguments(tool, given);
    if (mode === "plan") intake = { ...intake, dryRun: true };
  } catch (thrown) {
    wrong = toAgentpackError(thrown);
  }
  // A deploy_apply is called so even when it is told to change nothing.
  const subject = subjectOf(host, {
    command: tool.command,
    input: intake.input,
    dryRun: intake.dryRun && !isApply(tool),
  });
  const refusal = refusalOf(serving, tool, intake, { mode, id: subject.id }) ?? wrong;
  const refused = { intake, mode, subject, selection: {}, warnings: [] };
  if (refusal !== null) return { ...refused, refusal };
  try {
    const { project, warnings } = await chooseProject(host.system, options.project, exchange);
    const selection = { ...intake.selection, project };
    return { intake, mode, subject, selection, warnings, refusal };
  } catch (thrown) {
    return { ...refused, refusal: toAgentpackError(thrown) };
  }
}

/** What agrees to the change of a call: the token of its plan, a person who is asked, or the call itself. */
function consentOf(
  { host, options, tokens }: Serving,
  tool: PackTool,
  { input, confirmToken: token }: Intake,
  exchange: Exchange,
): PackCall["consent"] {
  const ask: Ask | null = options.confirmBy === "human"
    ? (question) => askPerson(host.system, exchange, question)
    : null;
  if (isApply(tool)) return tokenConsent({ tokens, token, adopt: input["adopt"] === true }, ask);
  return ask === null ? { kind: "given" } : { kind: "ask", ask };
}

/** What the answer of a change in mode plan says besides. */
const ONLY_PLANNED = "The mode is plan: this is what it would do, and nothing was changed";

/** The envelope of an answer; throws nothing. */
async function answer(
  serving: Serving,
  tool: PackTool,
  exchange: Exchange,
  given: Readonly<Record<string, unknown>>,
): Promise<Envelope> {
  const { host, tokens, turns, sessionId } = serving;
  const { spec, command } = tool;
  const prepared = await prepare(serving, tool, exchange, given);
  const { intake, mode, subject, selection, refusal } = prepared;
  const { input, dryRun } = intake;
  const applies = isApply(tool);
  const call: PackCall = {
    command,
    // A dry run shows no content of files to the model.
    input: applies && dryRun ? { ...input, apply: false } : input,
    selection,
    // Harmless for tools that only read.
    dryRun: dryRun && !spec.hints.reads,
    consent: consentOf(serving, tool, intake, exchange),
    signal: exchange.signal,
    person: null,
    caller: { door: "mcp", client: exchange.client, sessionId },
    args: given,
    mode: mode ?? "none",
    refusal,
    turn: (work) =>
      turns.turn(async () => {
        const done = await work();
        // Before anybody else has a turn: a token is good for one change.
        if (applies) tokens.spend(intake.confirmToken);
        return done;
      }),
  };
  const { envelope } = spec.name === "deploy" && refusal === null
    ? await withToken(serving, call)
    : await carryOut(host, call, subject);
  const planned = mode === "plan" && envelope.ok ? [ONLY_PLANNED] : [];
  const warnings = [...planned, ...prepared.warnings, ...envelope.warnings];
  try {
    return await cutToFit({ ...envelope, warnings }, safePoints(host.system, exchange.signal));
  } catch (thrown) {
    return failed(subject, thrown).envelope;
  }
}

/** The plan of a deploy with a token for it. */
async function withToken({ host, tokens }: Serving, call: PackCall): Promise<Carried> {
  const subject = subjectOf(host, call);
  try {
    const place = readingPlace(host, call);
    const { data, warnings } = await inspect(call.command, place, call.input);
    const issued = await issueToken(tokens, place, data);
    return {
      envelope: success(subject, { data: { ...data, ...issued }, warnings }),
      text: () => null,
      error: null,
      differs: false,
    };
  } catch (thrown) {
    return failed(subject, thrown);
  }
}

/** Longer previews are cut: a person reads a form, not a book. */
const MAX_PREVIEW = 6_000;

const REASONS: Readonly<Record<Exclude<ApprovalDecision, "accepted">, string>> = {
  declined: "the person declined",
  cancelled: "the person closed the question",
  timed_out: "nobody answered",
  wrong_name: "the person typed something else",
  ask_failed: "the client could not ask",
  unsupported: "this server asks a person, and the client shows no forms",
};

function cut(text: string): string {
  if (text.length <= MAX_PREVIEW) return text;
  const end = text.lastIndexOf("\n", MAX_PREVIEW);
  const shown = text.slice(0, end < 0 ? MAX_PREVIEW : end);
  const more = text.slice(shown.length).split("\n").length - 1;
  return `${shown}\n… and ${more} more lines, which are not shown here; the counts at the top are of everything`;
}

/** Asks the person; throws `E_CONFIRM_REQUIRED` with what became of the question unless they agree. */
async function askPerson(
  { clock }: Pick<System, "clock">,
  exchange: Pick<Exchange, "elicit" | "signal">,
  question: Question,
): Promise<void> {
  // The first line of a preview counts what there is of each kind of change.
  const [counts, ...changes] = question.preview?.split("\n") ?? [];
  const approval = exchange.elicit === null
    ? { decision: "unsupported" as const }
    : await elicitingApprover(exchange.elicit, clock).ask({
      heading: `agentpack ${question.id}?`,
      deed: question.id,
      kind: "preview",
      summary: counts === undefined ? question.summary : `This is what it would do: ${counts}`,
      details: partsOf(cut(changes.join("\n"))),
      irreversible: null,
      typed: null,
      signal: exchange.signal,
    });
  const { decision } = approval;
  if (decision === "accepted") return;
  throw new AgentpackError(
    "E_CONFIRM_REQUIRED",
    `Nothing was changed by "${question.id}": ${REASONS[decision]}`,
    { command: question.id, decision },
    { reason: `human_${decision}`, next: ["ask_the_person", "retry_command"] },
  );
}
