/**
 * What a server offers, in the words of the protocol but independent of its engine. The connection serves
 * whatever this holds: amof's tools in the program, fixtures in its conformance tests.
 */

import { type Fields, fieldsOf } from "../../base/object.ts";
import type { SendForm } from "./elicit.ts";
import type { LogLevel } from "./progress.ts";
import type {
  CallToolRequest,
  CallToolResult,
  CompleteRequest,
  CompleteResult,
  ElicitResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from "./sdk.ts";
import type { App } from "../../pipeline/app.ts";
import type { Mode } from "../../base/policy/mode.ts";
import type { Outcome } from "../../pipeline/envelope.ts";

// Sends the person behind a client to the page in which they decide (MCP-14), where the client opens addresses.
//
// That somebody agreed to open a page decides nothing: the request waits as it does without this.

/** How long a person may take to open a page: as long as for a form. */
const PATIENCE_MS = 5 * 60 * 1000;

/** How often is looked whether they have decided. */
const LOOK_MS = 500;

/** What is sent to the client. */
interface PageToOpen {
  readonly mode: "url";
  readonly elicitationId: string;
  readonly url: string;
  readonly message: string;
}

/** What a client that opens addresses can be told. */
export interface PageOpener {
  /** Asks it to open a page. */
  open(
    page: PageToOpen,
    options: { readonly timeout: number; readonly signal: AbortSignal },
  ): Promise<ElicitResult>;
  /** Tells it that what was to be done there is done. */
  done(elicitationId: string): void;
}

/** The page of the request that an answer consists of; null where it is none, or nobody can decide in a page. */
function pageIn({ envelope }: Outcome): (PageToOpen & { readonly id: string }) | null {
  if (envelope["error"] === "approval_pending") return null;
  const { approval, summary } = fieldsOf(envelope["confirmation"]);
  const { id, page } = fieldsOf(approval);
  if (typeof id !== "string" || typeof page !== "string") return null;
  return {
    id,
    mode: "url",
    elicitationId: `approval-${id}`,
    url: page,
    message: `${typeof summary === "string" ? summary : "A change"} Decide in the browser?`,
  };
}

/** Waits until a request is decided or over. */
async function decided({ system, store }: App, id: string): Promise<void> {
  const { approvals } = await store();
  for (;;) {
    const [pending] = approvals.byPrefix(id);
    const request = pending?.request;
    const waits = request !== undefined && request.outcome === null &&
      request.approval?.decision === "pending" && request.expiresAt > system.clock.now();
    if (!waits) return;
    await system.clock.sleep(LOOK_MS);
  }
}

/** Asks the client to open the page of the request that an answer consists of, if it is one. */
export async function askToOpen(
  app: App,
  outcome: Outcome,
  opener: PageOpener,
  signal: AbortSignal,
): Promise<void> {
  const asked = pageIn(outcome);
  if (asked === null) return;
  const { id, ...page } = asked;
  try {
    const { action } = await opener.open(page, { timeout: PATIENCE_MS, signal });
    if (action !== "accept") return;
  } catch {
    // The answer says the same in words.
    return;
  }
  decided(app, id).then(() => opener.done(page.elicitationId), () => {});
}

/** The revisions whose connections begin with `initialize`, the newest first. */
export const SESSION_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;
/** One of {@linkcode SESSION_REVISIONS}. */
export type SessionRevision = typeof SESSION_REVISIONS[number];

/** The revision without sessions: each request says all that is to be known of its client. */
export const MODERN_REVISION = "2026-07-28";

/** A revision that is spoken. */
export type Revision = SessionRevision | typeof MODERN_REVISION;

/** Whether a revision has titles, output schemas, structured content and forms. */
export function isStructured(revision: Revision): boolean {
  return revision !== "2025-03-26";
}

/** What a client sent with a call that is asked in its answer, and what it can be asked. */
export interface Returning {
  /** What the client declares with this very call. */
  readonly capabilities: Fields;
  /** Its answers by the names of the questions; null where it sent none. */
  readonly inputResponses: Readonly<Record<string, Fields>> | null;
  /** What it gives back unread; null at first. */
  readonly requestState: string | null;
}

/** An answer that asks: the client repeats the request with the answers and the state. */
export interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests?: Readonly<
    Record<string, { readonly method: string; readonly params?: unknown }>
  >;
  readonly requestState?: string;
}

/** One request while it is being answered. */
export interface Exchange {
  readonly revision: Revision;
  /** Name and version of the client. */
  readonly client: string;
  /** Aborted when the client cancels or goes. */
  readonly signal: AbortSignal;
  /** Tells how far the work is, if the client asked to be told. */
  progress(done: number, total: number, message: string): void;
  /** Sends a log message, if the client wants that level. */
  log(level: LogLevel, data: unknown): void;
  /** What came with a call of the modern revision; null in those that ask by requests of their own. */
  readonly returning: Returning | null;
  /** Shows a form to the person behind the client; null where that is impossible. */
  readonly elicit: SendForm | null;
  /** Has the client open pages; null where it does not. */
  readonly opener: PageOpener | null;
  /** Asks the client for the URIs of the directories it works in; null where it does not tell. */
  readonly roots: (() => Promise<readonly string[]>) | null;
}

/** An answer that is still to come: a task, which the client asks about. */
export type Started = Fields & { readonly resultType: "task" };

/** Tools. */
export interface ToolFeature {
  /** Whether a call refuses arguments that are no object by itself; else the connection does. */
  readonly anyArguments?: boolean;
  list(revision: Revision): Promise<Tool[]>;
  /** Asks in its answer only where something may have come with the call. */
  call(
    params: CallToolRequest["params"],
    exchange: Exchange,
  ): Promise<CallToolResult | InputRequired | Started>;
}

/** The mode that tools go by. */
export interface Modes {
  /** The mode now. */
  current(): Mode;
  /** The highest it can be raised to. */
  readonly max: Mode;
  /** Whether the caller can change it, with `amof_set_mode`. */
  readonly settable: boolean;
}

/** Tools that stand beside others, and the names they answer to. */
export interface MoreTools extends ToolFeature {
  has(name: string): boolean;
}

/** Resources: named texts to read. */
export interface ResourceFeature {
  list(exchange: Exchange): Promise<Resource[]>;
  templates(revision: Revision): ResourceTemplate[];
  /** Throws `resourceNotFound` for what does not exist. */
  read(uri: string, exchange: Exchange): Promise<ReadResourceResult>;
}

/** Prompts: texts that a person picks to begin with. */
export interface PromptFeature {
  list(revision: Revision): Prompt[];
  get(
    name: string,
    args: Readonly<Record<string, string>>,
    exchange: Exchange,
  ): Promise<GetPromptResult | InputRequired>;
}

/** Completion of the arguments of prompts and resource templates. */
export interface CompletionFeature {
  complete(
    params: CompleteRequest["params"],
    exchange: Exchange,
  ): Promise<CompleteResult["completion"]>;
}

/** Instructions for models: what its SKILL.md says of itself, and each of its files with the hash and size of its bytes. */
export interface ServedSkill {
  /** Of its SKILL.md. */
  readonly uri: string;
  /** The head of that file, with `name` and `description`. */
  readonly frontmatter: Fields;
  readonly resources: readonly {
    readonly uri: string;
    /** `sha256:` and 64 hexadecimal digits. */
    readonly digest: string;
    /** In bytes. */
    readonly size: number;
  }[];
}

/** Skills, and their files as resources. */
export interface SkillFeature {
  list(): Promise<readonly ServedSkill[]>;
  /** Throws `resourceNotFound` for what is no file of one. */
  read(uri: string): Promise<ReadResourceResult>;
}

/** Work that goes on behind the answer of the call that started it. */
export interface TaskFeature {
  /** A task as it is now; null for an unknown one. */
  get(id: string, exchange: Exchange): Promise<Fields | null>;
  /** Asks a task to end, if it has not; false for an unknown one. */
  cancel(id: string, exchange: Exchange): Promise<boolean>;
}

/** Everything a server offers; what is absent is not advertised. */
export interface Features {
  /** The revisions with a session that are spoken, the newest first, which is the answer to any other; all by default. */
  readonly revisions?: readonly SessionRevision[];
  readonly info: { readonly name: string; readonly title: string };
  readonly instructions: string;
  readonly tools: ToolFeature;
  readonly resources?: ResourceFeature;
  readonly prompts?: PromptFeature;
  readonly completion?: CompletionFeature;
  /** For clients without a session that declare it. */
  readonly tasks?: TaskFeature | null;
  /** Loaded for the first who asks for them; null where there are none. */
  readonly skills?: (() => Promise<SkillFeature>) | null;
}

/** What is offered to clients with a session, and to those without. */
export interface Served {
  readonly session: Features;
  readonly modern: Features;
}

/** An error that is sent to the client as it is. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";

  constructor(readonly code: number, message: string, readonly data?: unknown) {
    super(message);
  }
}

/** Parameters that cannot be served. */
export function invalidParams(message: string, data?: unknown): ProtocolError {
  return new ProtocolError(-32602, message, data);
}

/** The member of some parameters that is a text; throws −32602 for one that is none. */
export function textIn(params: Fields, name: string): string {
  const value = params[name];
  if (typeof value !== "string") throw invalidParams(`"${name}" must be a text`);
  return value;
}

/** A resource that does not exist, in the code of the revisions with a session; the modern one has none of its own. */
export function resourceNotFound(uri: string, message: string): ProtocolError {
  return new ProtocolError(-32002, message, { uri });
}
