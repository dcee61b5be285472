/**
 * What a server offers, in the words of the protocol but free of its engine: the connection serves
 * whatever stands here, which is amof's tools in the program and fixtures in its conformance tests.
 *
 * @module
 */

import type { SendForm } from "./elicit.ts";
import type { PageOpener } from "./open_page.ts";
import type {
  CallToolRequest,
  CallToolResult,
  CompleteRequest,
  CompleteResult,
  GetPromptResult,
  LoggingLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from "./sdk.ts";

/** The newest revision that is spoken, also the answer to every unknown one. */
export const NEWEST_REVISION = "2025-06-18";
/** The older revision that is spoken: without titles, output schemas and elicitation, with batches. */
export const OLDER_REVISION = "2025-03-26";

/** A revision that is spoken. */
export type Revision = typeof NEWEST_REVISION | typeof OLDER_REVISION;

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
  log(level: LoggingLevel, data: unknown): void;
  /** Shows a form to the person behind the client; null where that is impossible. */
  readonly elicit: SendForm | null;
  /** Has the client open pages; null where it does not. */
  readonly opener: PageOpener | null;
  /** Asks the client for the URIs of the directories it works in; null where it does not tell. */
  readonly roots: (() => Promise<readonly string[]>) | null;
}

/** Tools. */
export interface ToolFeature {
  /** Whether a call refuses arguments that are no object by itself; else the connection does. */
  readonly anyArguments?: boolean;
  list(revision: Revision): Promise<Tool[]>;
  call(params: CallToolRequest["params"], exchange: Exchange): Promise<CallToolResult>;
}

/** Tools that stand beside others, and the names they answer to. */
export interface MoreTools extends ToolFeature {
  has(name: string): boolean;
}

/** Tools of several kinds in one list; a name none of `more` knows belongs to the first. */
export function together(first: ToolFeature, more: readonly MoreTools[]): ToolFeature {
  return {
    async list(revision) {
      const lists = await Promise.all([first, ...more].map((feature) => feature.list(revision)));
      return lists.flat();
    },
    call(params, exchange) {
      const feature = more.find((one) => one.has(params.name)) ?? first;
      return feature.call(params, exchange);
    },
  };
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
  ): Promise<GetPromptResult>;
}

/** Completion of the arguments of prompts and resource templates. */
export interface CompletionFeature {
  complete(
    params: CompleteRequest["params"],
    exchange: Exchange,
  ): Promise<CompleteResult["completion"]>;
}

/** Everything a server offers; what is absent is not advertised. */
export interface Features {
  readonly info: { readonly name: string; readonly title: string };
  readonly instructions: string;
  readonly tools: ToolFeature;
  readonly resources?: ResourceFeature;
  readonly prompts?: PromptFeature;
  readonly completion?: CompletionFeature;
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

/** A resource that does not exist, in the code of both revisions that are spoken. */
export function resourceNotFound(uri: string, message: string): ProtocolError {
  return new ProtocolError(-32002, message, { uri });
}
