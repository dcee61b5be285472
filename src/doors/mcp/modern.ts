/**
 * Answers requests of the revision without sessions (MCP-17): each says all that is to be known of its client, and
 * nothing is kept for the next one.
 */

import { type Fields, fieldsOf, isObject } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";
import {
  type Exchange,
  type Features,
  invalidParams,
  MODERN_REVISION,
  ProtocolError,
  textIn,
} from "./features.ts";
import { capabilitiesOf, complete, discovered, extensionsOf, LASTING } from "./greeting.ts";
import {
  DISCOVER,
  type ErrorAnswer,
  errorAnswer,
  type Id,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  readMeta,
  type RequestMeta,
  requireExtension,
  SKILLS,
  SUBSCRIPTION,
  TASKS,
} from "./messages.ts";
import { page, PASSING, skillMethods } from "./pages.ts";
import { isWanted, Progress } from "./progress.ts";
import type { CallToolRequest, CompleteRequest } from "./sdk.ts";

interface ModernRequest {
  readonly id: Id;
  readonly method: string;
  readonly params: Fields | undefined;
}

/** How its client is reached while it is being answered. */
interface Reach {
  /** Aborted when the client cancels or goes. */
  readonly signal: AbortSignal;
  tell(method: string, params: Fields): void;
}

/** A request on its way to its answer. */
interface Asked {
  readonly id: Id;
  readonly params: Fields;
  readonly meta: RequestMeta;
  readonly reach: Reach;
}

type Handler = (asked: Asked) => Fields | Promise<Fields>;

function cursorIn({ params }: Asked): string | undefined {
  return params["cursor"] === undefined ? undefined : textIn(params, "cursor");
}

/** The member of some parameters that holds texts by their names. */
function textsIn(params: Fields, name: string): Readonly<Record<string, string>> {
  const value = params[name] ?? {};
  if (!isObject(value) || Object.values(value).some((text) => typeof text !== "string")) {
    throw invalidParams(`"${name}" must be an object of texts`);
  }
  return value as Readonly<Record<string, string>>;
}

/** What is to be completed, as far as it has the right shape. */
function completionIn(params: Fields): CompleteRequest["params"] {
  const ref = fieldsOf(params["ref"]);
  const argument = fieldsOf(params["argument"]);
  const known = ref["type"] === "ref/prompt"
    ? { type: "ref/prompt" as const, name: textIn(ref, "name") }
    : ref["type"] === "ref/resource"
    ? { type: "ref/resource" as const, uri: textIn(ref, "uri") }
    : null;
  if (known === null) throw invalidParams('"ref" must be of type ref/prompt or ref/resource');
  return {
    ref: known,
    argument: { name: textIn(argument, "name"), value: textIn(argument, "value") },
    context: { arguments: { ...textsIn(fieldsOf(params["context"]), "arguments") } },
  };
}

/** The answers that came with a call; throws −32602 for what is none. */
function responsesIn(params: Fields): Readonly<Record<string, Fields>> | null {
  const value = params["inputResponses"];
  if (value === undefined) return null;
  if (!isObject(value) || !Object.values(value).every(isObject)) {
    throw invalidParams('"inputResponses" must be an object of objects');
  }
  return value as Readonly<Record<string, Fields>>;
}

/** See {@linkcode PARSE_ERROR}. */
const INTERNAL_ERROR = -32603;

/** Answers the requests of clients, as far as features do. */
export class Modern {
  readonly #system: Pick<System, "terminal">;
  readonly #features: Features;
  readonly #handlers: ReadonlyMap<string, Handler>;

  constructor(system: Pick<System, "terminal">, features: Features) {
    this.#system = system;
    this.#features = features;
    this.#handlers = new Map([
      ...this.#ofTools(),
      ...this.#ofResources(),
      ...this.#ofPrompts(),
      ...this.#ofTasks(),
      ...this.#ofSkills(),
    ]);
  }

  /** Answers a request; throws nothing. */
  async answer(
    request: ModernRequest,
    reach: Reach,
  ): Promise<{ readonly jsonrpc: "2.0"; readonly id: Id; readonly result: Fields } | ErrorAnswer> {
    const { id } = request;
    try {
      const result = await this.#result(request, reach);
      return { result: complete(this.#features.info, result), jsonrpc: "2.0", id };
    } catch (error) {
      if (error instanceof ProtocolError) {
        // The older revisions have a code of their own for a resource that is not there.
        const code = error.code === -32002 ? INVALID_PARAMS : error.code;
        return errorAnswer(id, code, error.message, error.data);
      }
      const why = error instanceof Error ? error.stack ?? error.message : String(error);
      this.#system.terminal.err(`${why}\n`);
      return errorAnswer(id, INTERNAL_ERROR, "Internal error");
    }
  }

  async #result({ id, method, params = {} }: ModernRequest, reach: Reach): Promise<Fields> {
    const meta = readMeta(fieldsOf(params["_meta"]));
    const handler = this.#handlers.get(method);
    if (handler === undefined) throw new ProtocolError(METHOD_NOT_FOUND, "Method not found");
    return await handler({ id, params, meta, reach });
  }

  #ofTools(): [string, Handler][] {
    const features = this.#features;
    const { tools } = features;
    return [
      [DISCOVER, ({ meta }) => {
        const { instructions } = features;
        const capabilities = capabilitiesOf(features);
        const extensions = extensionsOf(features, true);
        return discovered({ instructions, capabilities, extensions }, meta.capabilities);
      }],
      // Nothing is told of later, so each subscription is over when it begins.
      ["subscriptions/listen", ({ id, params, reach }) => {
        if (!isObject(params["notifications"])) {
          throw invalidParams('"notifications" must be an object');
        }
        const _meta = { [SUBSCRIPTION]: id };
        reach.tell("notifications/subscriptions/acknowledged", { notifications: {}, _meta });
        return { _meta };
      }],
      ["tools/list", async (asked) => {
        page([], String, cursorIn(asked));
        return { tools: await tools.list(MODERN_REVISION), ...LASTING };
      }],
      ["tools/call", (asked) => {
        const { params } = asked;
        const name = textIn(params, "name");
        const given = params["arguments"] ?? {};
        if (!isObject(given) && tools.anyArguments !== true) {
          throw invalidParams('"arguments" must be an object');
        }
        const call: CallToolRequest["params"] = {
          name,
          // No tool has a member of this name, so each refuses it.
          arguments: isObject(given) ? { ...given } : { arguments: given },
        };
        return this.#work(asked, async (exchange) => ({ ...await tools.call(call, exchange) }));
      }],
    ];
  }

  #ofResources(): [string, Handler][] {
    const { resources } = this.#features;
    if (resources === undefined) return [];
    return [
      ["resources/list", async (asked) => {
        const all = await this.#work(asked, (exchange) => resources.list(exchange));
        const { items, ...rest } = page(all, (item) => item.uri, cursorIn(asked));
        return { resources: items, ...rest, ...PASSING };
      }],
      ["resources/templates/list", (asked) => {
        const all = resources.templates(MODERN_REVISION);
        const { items, ...rest } = page(all, (item) => item.uriTemplate, cursorIn(asked));
        return { resourceTemplates: items, ...rest, ...LASTING };
      }],
      ["resources/read", async (asked) => {
        const uri = textIn(asked.params, "uri");
        const read = await this.#work(asked, (exchange) => resources.read(uri, exchange));
        return { ...read, ...PASSING };
      }],
    ];
  }

  #ofPrompts(): [string, Handler][] {
    const { prompts, completion } = this.#features;
    const handlers: [string, Handler][] = [];
    if (prompts !== undefined) {
      handlers.push(["prompts/list", (asked) => {
        const { items, ...rest } = page(
          prompts.list(MODERN_REVISION),
          (item) => item.name,
          cursorIn(asked),
        );
        return { prompts: items, ...rest, ...LASTING };
      }], ["prompts/get", (asked) => {
        const name = textIn(asked.params, "name");
        const args = textsIn(asked.params, "arguments");
        return this.#work(asked, async (exchange) => ({
          ...await prompts.get(name, args, exchange),
        }));
      }]);
    }
    if (completion !== undefined) {
      handlers.push(["completion/complete", async (asked) => {
        const what = completionIn(asked.params);
        return {
          completion: await this.#work(asked, (exchange) => completion.complete(what, exchange)),
        };
      }]);
    }
    return handlers;
  }

  #ofSkills(): [string, Handler][] {
    const skills = this.#features.skills ?? null;
    if (skills === null) return [];
    return [...skillMethods(skills)].map(([method, answer]): [string, Handler] => [
      method,
      ({ params, meta }) => {
        requireExtension(meta.capabilities, SKILLS);
        return answer(params);
      },
    ]);
  }

  #ofTasks(): [string, Handler][] {
    const { tasks } = this.#features;
    if (tasks === undefined || tasks === null) return [];
    const known = <T>(found: T | null | false, id: string): T => {
      if (found === null || found === false) {
        throw invalidParams("There is no such task", { taskId: id });
      }
      return found;
    };
    const handler =
      (answer: (id: string, exchange: Exchange) => Promise<Fields>): Handler => (asked) => {
        requireExtension(asked.meta.capabilities, TASKS);
        const id = textIn(asked.params, "taskId");
        return this.#work(asked, (exchange) => answer(id, exchange));
      };
    return [
      ["tasks/get", handler(async (id, exchange) => known(await tasks.get(id, exchange), id))],
      // No task asks for anything: who has to agree did so before it began.
      [
        "tasks/update",
        handler(async (id, exchange) => {
          known(await tasks.get(id, exchange), id);
          return {};
        }),
      ],
      [
        "tasks/cancel",
        handler(async (id, exchange) => {
          known(await tasks.cancel(id, exchange), id);
          return {};
        }),
      ],
    ];
  }

  /** Works on one request; nothing of its progress comes after the answer. */
  async #work<T>(
    { params, meta, reach }: Asked,
    work: (exchange: Exchange) => Promise<T>,
  ): Promise<T> {
    const { progressToken, logLevel } = meta;
    const requestState = params["requestState"];
    if (requestState !== undefined && typeof requestState !== "string") {
      throw invalidParams('"requestState" must be a text');
    }
    const progress = new Progress((done, total, message) => {
      if (progressToken === null) return;
      reach.tell("notifications/progress", { progressToken, progress: done, total, message });
    });
    let isOver = false;
    try {
      return await work({
        revision: MODERN_REVISION,
        client: meta.client,
        signal: reach.signal,
        progress: (done, total, message) => progress.report(done, total, message),
        log: (level, data) => {
          if (isOver || logLevel === null || !isWanted(level, logLevel)) return;
          const logger = this.#features.info.name;
          reach.tell("notifications/message", { level, logger, data });
        },
        returning: {
          capabilities: meta.capabilities,
          inputResponses: responsesIn(params),
          requestState: requestState ?? null,
        },
        elicit: null,
        opener: null,
        roots: null,
      });
    } finally {
      isOver = true;
      progress.stop();
    }
  }
}
