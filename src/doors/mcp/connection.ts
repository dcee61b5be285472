/**
 * Serves one client: handshake, revision, and every method of the
 * protocol, from whatever features it is given.
 *
 * @module
 */

import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import {
  type Exchange,
  type Features,
  NEWEST_REVISION,
  OLDER_REVISION,
  type Revision,
} from "./features.ts";
import { capabilitiesOf, chooseRevision, introduce } from "./greeting.ts";
import type { PageOpener } from "./open_page.ts";
import { page } from "./pages.ts";
import { Peer } from "./peer.ts";
import { Progress } from "./progress.ts";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  type InitializeResult,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  type LoggingLevel,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
} from "./sdk.ts";
import { StdioTransport } from "./transport.ts";
import type { Wire } from "./wire.ts";

/** How long calls in flight may take to be answered after the input has ended. */
const LAST_ANSWERS_MS = 1_000;
/** How long those that were not may take to reach a safe point. */
const WIND_DOWN_MS = 2_000;

/** How long a client may take to tell its roots, which asks nobody. */
const ROOTS_MS = 10_000;

/** From the least to the most serious (RFC 5424). */
const LEVELS: readonly LoggingLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];
/** What a client gets that never asked for a level: nobody is talked to unasked about what goes well. */
const USUAL_LEVEL: LoggingLevel = "warning";

/** Whether a client that declares this shows forms. Later revisions name the kinds; none named means forms. */
function showsForms(elicitation: Readonly<Record<string, unknown>> | undefined): boolean {
  if (elicitation === undefined) return false;
  return elicitation["form"] !== undefined || elicitation["url"] === undefined;
}

/** What the engine hands to a handler besides the request. */
interface Extra {
  readonly signal: AbortSignal;
  readonly requestId: string | number;
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
}

/** One client. */
class Connection {
  readonly #system: System;
  readonly #features: Features;
  readonly #transport: StdioTransport;
  readonly #peer = new Peer();
  /** What is being worked on, so that the process does not end in the middle of it. */
  readonly #inFlight = new Set<Promise<unknown>>();
  #revision: Revision = NEWEST_REVISION;
  #client = "unknown";
  #level: LoggingLevel = USUAL_LEVEL;

  constructor(system: System, features: Features, wire: Wire) {
    this.#system = system;
    this.#features = features;
    this.#transport = new StdioTransport(wire, features.tools.anyArguments);
    this.#peer.onerror = (error) => system.terminal.err(`${error.message}\n`);
    this.#serveHandshake();
    this.#serveTools();
    this.#serveResources();
    this.#servePrompts();
  }

  #serveHandshake(): void {
    this.#peer.setRequestHandler(InitializeRequestSchema, ({ params }): InitializeResult => {
      const { info, instructions } = this.#features;
      const capabilities = capabilitiesOf(this.#features);
      const answer = introduce({ info, instructions, capabilities }, params.protocolVersion);
      this.#peer.introduced(params.capabilities);
      this.#revision = chooseRevision(params.protocolVersion);
      this.#client = cleanLine(`${params.clientInfo.name}/${params.clientInfo.version}`, 100);
      this.#transport.negotiated(this.#revision === OLDER_REVISION);
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
      ({ params }, extra) => this.#work(extra, (exchange) => tools.call(params, exchange)),
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
            (exchange) => prompts.get(params.name, params.arguments ?? {}, exchange),
          ),
      );
    }
    if (completion === undefined) return;
    this.#peer.setRequestHandler(CompleteRequestSchema, async ({ params }, extra) => ({
      completion: await this.#work(extra, (exchange) => completion.complete(params, exchange)),
    }));
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
    const elicits = this.#revision === NEWEST_REVISION &&
      showsForms(this.#peer.clientCapabilities.elicitation);
    const working = work({
      revision: this.#revision,
      client: this.#client,
      signal: extra.signal,
      progress: (done, total, message) => progress.report(done, total, message),
      log: (level, data) => {
        if (LEVELS.indexOf(level) < LEVELS.indexOf(this.#level)) return;
        this.#tell(extra, "notifications/message", {
          level,
          logger: this.#features.info.name,
          data,
        });
      },
      elicit: elicits
        ? (form, options) =>
          this.#peer.request(
            { method: "elicitation/create", params: form },
            ElicitResultSchema,
            { ...options, relatedRequestId: extra.requestId },
          )
        : null,
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

  /** What has the client open pages; null where it does not declare that it can. */
  #opener(extra: Extra): PageOpener | null {
    // Only clients that know of pages declare them, also where an older revision was agreed upon.
    if (this.#revision !== NEWEST_REVISION) return null;
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

  /** Serves until the input ends or somebody interrupts. */
  async serve(): Promise<void> {
    const { clock, terminal } = this.#system;
    const transport = this.#transport;
    const stopListening = terminal.onInterrupt(() => void transport.close());
    await this.#peer.connect(transport);
    await Promise.race([transport.ended, transport.inputEnded]);
    // Requests from before the input ended are answered, unless that takes long.
    const answered = Promise.race([transport.answered(), clock.sleep(LAST_ANSWERS_MS)]);
    await Promise.race([transport.ended, answered]);
    await transport.close();
    stopListening();
    await Promise.race([Promise.allSettled(this.#inFlight), clock.sleep(WIND_DOWN_MS)]);
  }
}

/** Serves one client until its input ends: over standard input and output, or another wire. */
export async function serveFeatures(
  system: System,
  features: Features,
  wire: Wire = system.terminal,
): Promise<void> {
  await new Connection(system, features, wire).serve();
}
