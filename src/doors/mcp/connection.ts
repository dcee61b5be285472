/**
 * Serves a client that begins with `initialize`: handshake, revision, and every method of the revisions with a session,
 * from whatever features it is given. Loaded when such a client comes.
 */

import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { type ElicitForm, type SendForm, showsForms } from "./elicit.ts";
import {
  type Exchange,
  type Features,
  type InputRequired,
  isStructured,
  type PageOpener,
  ProtocolError,
  type SessionRevision,
  type Started,
} from "./features.ts";
import { capabilitiesOf, chooseRevision, extensionsOf, introduce } from "./greeting.ts";
import type { Id } from "./messages.ts";
import { page, skillMethods } from "./pages.ts";
import { isWanted, type LogLevel, Progress } from "./progress.ts";
import {
  CallToolRequestSchema,
  type ClientCapabilities,
  CompleteRequestSchema,
  ElicitResultSchema,
  ErrorCode,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  type InitializeResult,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  McpError,
  Protocol,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
  type ServerResult,
  SetLevelRequestSchema,
} from "./sdk.ts";
import { SessionTransport, type Write } from "./transport.ts";

/**
 * A server's end of one connection. What it says of itself, `initialize` answers.
 *
 * The SDK's `Server` is not used. It brings a validator of JSON Schema for forms, and experimental tasks: a
 * third of what a server loads before it answers.
 */
class Peer extends Protocol<ServerRequest, ServerNotification, ServerResult> {
  #capabilities: ClientCapabilities = {};

  /** What the client can do; nothing before it has said so. */
  get clientCapabilities(): ClientCapabilities {
    return this.#capabilities;
  }

  /** Remembers what the client said of itself. */
  introduced(capabilities: ClientCapabilities): void {
    this.#capabilities = capabilities;
  }

  /** Only what a client says it can do is asked of it, which whoever asks has looked up. */
  protected override assertCapabilityForMethod(): void {}

  /** Notifications are written by the transport itself. */
  protected override assertNotificationCapability(): void {}

  /** What is served is what the features of the connection are made of. */
  protected override assertRequestHandlerCapability(): void {}

  /** There are no tasks. */
  protected override assertTaskCapability(method: string): void {
    throw new TypeError(`Tasks are not spoken: ${method}`);
  }

  /** There are no tasks. */
  protected override assertTaskHandlerCapability(): void {}
}

/** The only revision with batches. */
const BATCHING_REVISION = "2025-03-26";

/** How long a client may take to tell its roots, which asks nobody. */
const ROOTS_MS = 10_000;

/** What a client gets that never asked for a level: nobody is talked to unasked about what goes well. */
const USUAL_LEVEL: LogLevel = "warning";

/** What the engine hands to a handler besides the request. */
interface Extra {
  readonly signal: AbortSignal;
  readonly requestId: string | number;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
}

/** How a client says of a form that it has no such thing, or takes none: whatever it is asked, it cannot ask anybody. */
const CANNOT_ASK: readonly number[] = [
  ErrorCode.MethodNotFound,
  ErrorCode.InvalidParams,
];

/** One client. */
export class Connection {
  readonly #features: Features;
  readonly #transport: SessionTransport;
  readonly #peer = new Peer();
  /** What is being worked on, so that the process does not end in the middle of it. */
  readonly #inFlight = new Set<Promise<unknown>>();
  #revision: SessionRevision;
  #client = "unknown";
  #level: LogLevel = USUAL_LEVEL;

  /** `write` sends a message to the client. */
  constructor({ terminal }: Pick<System, "terminal">, features: Features, write: Write) {
    this.#features = features;
    this.#revision = chooseRevision(undefined, features.revisions);
    this.#transport = new SessionTransport(write, features.tools.anyArguments);
    this.#peer.onerror = (error) => terminal.err(`${error.message}\n`);
    this.#serveHandshake();
    this.#serveTools();
    this.#serveResources();
    this.#servePrompts();
    this.#serveSkills();
  }

  #serveHandshake(): void {
    this.#peer.setRequestHandler(InitializeRequestSchema, ({ params }): InitializeResult => {
      const { info, instructions, revisions } = this.#features;
      const capabilities = capabilitiesOf(this.#features);
      const extensions = extensionsOf(this.#features, false);
      this.#revision = chooseRevision(params.protocolVersion, revisions);
      const introduction = { info, instructions, capabilities, extensions };
      const answer = introduce(introduction, this.#revision, params.capabilities);
      this.#peer.introduced(params.capabilities);
      this.#client = cleanLine(`${params.clientInfo.name}/${params.clientInfo.version}`, 100);
      this.#transport.negotiated(this.#revision === BATCHING_REVISION);
      return answer;
    });
    this.#peer.setRequestHandler(SetLevelRequestSchema, (request) => {
      this.#level = request.params.level;
      return {};
    });
  }

  #serveTools(): void {
    const { tools } = this.#features;
    this.#peer.setRequestHandler(ListToolsRequestSchema, async ({ params }) => {
      // One page: a list in pieces would only cost hosts more requests.
      page([], String, params?.cursor);
      return { tools: await tools.list(this.#revision) };
    });
    this.#peer.setRequestHandler(
      CallToolRequestSchema,
      ({ params }, extra) =>
        this.#work(extra, async (exchange) => answered(await tools.call(params, exchange))),
    );
  }

  #serveResources(): void {
    const { resources } = this.#features;
    if (resources === undefined) return;
    this.#peer.setRequestHandler(ListResourcesRequestSchema, async ({ params }, extra) => {
      const all = await this.#work(extra, (exchange) => resources.list(exchange));
      const { items, ...rest } = page(all, (item) => item.uri, params?.cursor);
      return { resources: items, ...rest };
    });
    this.#peer.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params }) => {
      const all = resources.templates(this.#revision);
      const { items, ...rest } = page(all, (item) => item.uriTemplate, params?.cursor);
      return { resourceTemplates: items, ...rest };
    });
    this.#peer.setRequestHandler(
      ReadResourceRequestSchema,
      ({ params }, extra) => this.#work(extra, (exchange) => resources.read(params.uri, exchange)),
    );
  }

  #servePrompts(): void {
    const { prompts, completion } = this.#features;
    if (prompts !== undefined) {
      this.#peer.setRequestHandler(ListPromptsRequestSchema, ({ params }) => {
        const all = prompts.list(this.#revision);
        const { items, ...rest } = page(all, (item) => item.name, params?.cursor);
        return { prompts: items, ...rest };
      });
      this.#peer.setRequestHandler(
        GetPromptRequestSchema,
        ({ params }, extra) =>
          this.#work(
            extra,
            async (exchange) =>
              answered(await prompts.get(params.name, params.arguments ?? {}, exchange)),
          ),
      );
    }
    if (completion === undefined) return;
    this.#peer.setRequestHandler(CompleteRequestSchema, async ({ params }, extra) => ({
      completion: await this.#work(extra, (exchange) => completion.complete(params, exchange)),
    }));
  }

  /** Methods that the engine has no schema of. */
  #serveSkills(): void {
    const skills = this.#features.skills ?? null;
    if (skills === null) return;
    this.#peer.fallbackRequestHandler = async ({ method, params = {} }) => {
      const answer = skillMethods(skills).get(method);
      if (answer === undefined) {
        throw new ProtocolError(ErrorCode.MethodNotFound, "Method not found");
      }
      return { ...await answer(params) };
    };
  }

  /** Works on one request; nothing of its progress comes after the answer. */
  async #work<T>(extra: Extra, work: (exchange: Exchange) => Promise<T>): Promise<T> {
    const token = extra._meta?.progressToken;
    const progress = new Progress((done, total, message) => {
      if (token === undefined || extra.signal.aborted) return;
      this.#tell(extra, "notifications/progress", {
        progressToken: token,
        progress: done,
        total,
        message,
      });
    });
    const elicits = isStructured(this.#revision) &&
      showsForms(this.#peer.clientCapabilities.elicitation);
    const working = work({
      revision: this.#revision,
      client: this.#client,
      signal: extra.signal,
      progress: (done, total, message) => progress.report(done, total, message),
      log: (level, data) => {
        if (!isWanted(level, this.#level)) return;
        this.#tell(extra, "notifications/message", {
          level,
          logger: this.#features.info.name,
          data,
        });
      },
      returning: null,
      elicit: elicits ? (form, options) => this.#elicit(form, extra, options) : null,
      opener: this.#opener(extra),
      roots: this.#peer.clientCapabilities.roots === undefined ? null : async () => {
        const { roots } = await this.#peer.request(
          { method: "roots/list" },
          ListRootsResultSchema,
          {
            timeout: ROOTS_MS,
            signal: extra.signal,
            relatedRequestId: extra.requestId,
          },
        );
        return roots.map((root) => root.uri);
      },
    });
    this.#inFlight.add(working);
    try {
      return await working;
    } finally {
      this.#inFlight.delete(working);
      progress.stop();
    }
  }

  /** Has the client show a form. The kind of form is named from the revision on that has several. */
  async #elicit(
    form: ElicitForm,
    extra: Extra,
    options: { readonly timeout: number; readonly signal: AbortSignal },
  ): ReturnType<SendForm> {
    const named = this.#revision === "2025-06-18" ? {} : { mode: "form" as const };
    try {
      return await this.#peer.request(
        { method: "elicitation/create", params: { ...named, ...form } },
        ElicitResultSchema,
        { ...options, relatedRequestId: extra.requestId },
      );
    } catch (error) {
      const code = error instanceof McpError ? error.code : null;
      if (options.signal.aborted || code === ErrorCode.ConnectionClosed) return { failed: "gone" };
      if (code === ErrorCode.RequestTimeout) return { failed: "timed_out" };
      return { failed: CANNOT_ASK.includes(code ?? 0) ? "unsupported" : "broken" };
    }
  }

  /** What has the client open pages; null where it does not declare that it can. */
  #opener(extra: Extra): PageOpener | null {
    // Only clients that know of pages declare them, also where an older revision was agreed upon.
    if (!isStructured(this.#revision)) return null;
    if (this.#peer.clientCapabilities.elicitation?.url === undefined) return null;
    return {
      open: (page, options) =>
        this.#peer.request(
          { method: "elicitation/create", params: { ...page } },
          ElicitResultSchema,
          { ...options, relatedRequestId: extra.requestId },
        ),
      done: (elicitationId) =>
        void this.#transport.send({
          jsonrpc: "2.0",
          method: "notifications/elicitation/complete",
          params: { elicitationId },
        }),
    };
  }

  /** Sends a notification; one that can no longer be sent is of no use to anybody. */
  #tell(
    { requestId }: Extra,
    method: "notifications/progress" | "notifications/message",
    params: unknown,
  ): void {
    void this.#transport.send({
      jsonrpc: "2.0",
      method,
      params: params as Record<string, unknown>,
    }, { relatedRequestId: requestId });
  }

  /** Begins to serve. */
  async begin(): Promise<this> {
    await this.#peer.connect(this.#transport);
    return this;
  }

  /** Takes what the client sent: a parsed message, or a batch of them. */
  accept(value: unknown): void {
    this.#transport.accept(value);
  }

  /** Whether a request with this id is neither answered nor cancelled. */
  isOpen(id: Id): boolean {
    return this.#transport.isOpen(id);
  }

  /** The client will send no more. */
  inputEnded(): void {
    this.#transport.inputEnded();
  }

  /** Resolves once every request that came in is answered. */
  answered(): Promise<void> {
    return this.#transport.answered();
  }

  /** Ends what is being worked on; resolves when all of it has come to a safe point. */
  async close(): Promise<void> {
    await this.#transport.close();
    await Promise.allSettled(this.#inFlight);
  }
}

/** A result that asks nothing: a client with a session is asked by requests of ours. */
function answered<T extends object>(result: T | InputRequired | Started): T {
  if ("resultType" in result) throw new TypeError("A client with a session is asked by a request");
  return result;
}
