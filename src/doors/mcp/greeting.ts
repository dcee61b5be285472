/**
 * Answers what a client begins with, `server/discover` or `initialize`, before what serves everything else is
 * loaded. A host waits for that answer with each server it starts, and loading the rest would double the time.
 *
 * Only a request that is beyond doubt is answered here. Whoever serves the client gets it all the same, so that
 * both know the same of the client, and its answer to that is left out. Any other beginning is the server's
 * alone.
 */

import { type Fields, fieldsOf, isObject } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";
import { VERSION } from "../../base/version.ts";
import {
  type Features,
  MODERN_REVISION,
  SESSION_REVISIONS,
  type SessionRevision,
} from "./features.ts";
import {
  declares,
  DISCOVER,
  type Id,
  metaOf,
  readMeta,
  type RequestMeta,
  SERVER_INFO,
  SKILLS,
  TASKS,
  type Wire,
} from "./messages.ts";
import type { InitializeResult, ServerCapabilities } from "./sdk.ts";

type Info = Features["info"];

/** What a server says of itself. */
export interface Introduction {
  readonly info: Info;
  readonly instructions: string;
  readonly capabilities: ServerCapabilities;
  /** Extensions, of which a client is told that declares them. */
  readonly extensions: readonly string[];
}

/** What it says to clients with a session, and to those without. */
export interface Introductions {
  readonly session: Introduction;
  readonly modern: Introduction;
}

/** For how long a client may keep what is the same as long as the program is, in milliseconds. */
export const LASTING = { ttlMs: 300_000, cacheScope: "private" } as const;

/** The capabilities that a client is told which declares these of its own. */
function capabilitiesFor(
  { capabilities, extensions }: Omit<Introduction, "info">,
  declared: Fields,
): ServerCapabilities {
  const shared = extensions.filter((extension) => declares(declared, extension));
  return shared.length === 0 ? capabilities : {
    ...capabilities,
    extensions: Object.fromEntries(shared.map((extension) => [extension, {}])),
  };
}

/** What `server/discover` tells a client with these capabilities. */
export function discovered(introduction: Omit<Introduction, "info">, declared: Fields): Fields {
  return {
    supportedVersions: [MODERN_REVISION],
    capabilities: capabilitiesFor(introduction, declared),
    instructions: introduction.instructions,
    ...LASTING,
  };
}

/** The extensions of some features; tasks are for clients without a session. */
export function extensionsOf(
  { tasks, skills }: { readonly tasks?: unknown; readonly skills?: unknown },
  isModern: boolean,
): readonly string[] {
  const has = (feature: unknown) => feature !== undefined && feature !== null;
  return [...(isModern && has(tasks) ? [TASKS] : []), ...(has(skills) ? [SKILLS] : [])];
}

/** A result of the modern revision as it is sent. */
export function complete(info: Info, result: Fields): Fields {
  return {
    resultType: "complete",
    ...result,
    _meta: { ...fieldsOf(result["_meta"]), [SERVER_INFO]: { ...info, version: VERSION } },
  };
}

/** The revision that is answered to a requested one: the same, or else the newest that is spoken (MCP-1). */
export function chooseRevision(
  requested: unknown,
  spoken: readonly SessionRevision[] = SESSION_REVISIONS,
): SessionRevision {
  const [newest = SESSION_REVISIONS[0]] = spoken;
  return spoken.find((revision) => revision === requested) ?? newest;
}

/** What a server can do that has these features. */
export function capabilitiesOf(
  { resources, prompts, completion }: {
    readonly [Feature in "resources" | "prompts" | "completion"]?: unknown;
  },
): ServerCapabilities {
  return {
    tools: {},
    logging: {},
    ...(resources === undefined ? {} : { resources: {} }),
    ...(prompts === undefined ? {} : { prompts: {} }),
    ...(completion === undefined ? {} : { completions: {} }),
  };
}

/** The result of `initialize` for a client with these capabilities. */
export function introduce(
  introduction: Introduction,
  protocolVersion: SessionRevision,
  declared: Fields,
): InitializeResult {
  return {
    protocolVersion,
    capabilities: capabilitiesFor(introduction, declared),
    serverInfo: { ...introduction.info, version: VERSION },
    instructions: introduction.instructions,
  };
}

/** More bytes than a first line ever has; what is longer is not looked at. */
const LONGEST = 64 * 1024;
const NEWLINE = 10;

/** What says whether a member is as it usually is, by its name. */
type Members = Readonly<Record<string, (value: unknown) => boolean>>;

/** Whether each member of an object is as it usually is; one that nobody knows always is. */
function isUsual(value: Fields, members: Members): boolean {
  return Object.entries(value).every(([name, member]) =>
    !Object.hasOwn(members, name) || members[name]?.(member) === true
  );
}

/** For what is rare and has a shape of its own. */
const isRare = () => false;

function isObjectOfObjects(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isObject);
}

const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0;
const isBoolean = (value: unknown) => typeof value === "boolean";
const isText = (value: unknown) => typeof value === "string";

/** What clients declare, as far as it is as simple as it usually is. */
const CAPABILITIES: Members = {
  roots: (value: unknown) => isObject(value) && isUsual(value, { listChanged: isBoolean }),
  sampling: isEmpty,
  elicitation: (value: unknown) =>
    isObject(value) && isUsual(value, { form: isEmpty, url: isEmpty }),
  experimental: isObjectOfObjects,
  extensions: isObjectOfObjects,
  tasks: isRare,
};

/** How clients name themselves. */
const CLIENT: Members = {
  name: isText,
  version: isText,
  title: isText,
  websiteUrl: isText,
  description: isText,
  icons: isRare,
};

/** The revision that is asked for where these are the parameters of `initialize` beyond doubt; null for others. */
function revisionIn(params: Fields): string | null {
  const { protocolVersion: revision, capabilities, clientInfo } = params;
  const isPlain = typeof revision === "string" && params["_meta"] === undefined &&
    isObject(capabilities) && isUsual(capabilities, CAPABILITIES) &&
    isObject(clientInfo) && isUsual(clientInfo, CLIENT) &&
    isText(clientInfo["name"]) && isText(clientInfo["version"]);
  return isPlain ? revision : null;
}

/** What a client without a session says of itself that asks what is spoken; null where that is in doubt. */
function asksWhatIsSpoken(request: Fields): RequestMeta | null {
  try {
    return readMeta(metaOf(request));
  } catch {
    return null;
  }
}

/** The answer to a first line that can be answered at once; null for any other. */
function answerTo(
  line: Uint8Array,
  { session, modern }: Introductions,
): { readonly id: Id; readonly result: object } | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch {
    return null;
  }
  if (!isObject(value) || value["jsonrpc"] !== "2.0") return null;
  const { id, method, params } = value;
  const isId = typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id));
  if (!isId || !isObject(params)) return null;
  const meta = method === DISCOVER ? asksWhatIsSpoken(value) : null;
  if (meta !== null) {
    return { id, result: complete(modern.info, discovered(modern, meta.capabilities)) };
  }
  const revision = method === "initialize" ? revisionIn(params) : null;
  if (revision === null) return null;
  const declared = fieldsOf(params["capabilities"]);
  return { id, result: introduce(session, chooseRevision(revision), declared) };
}

/** How long the first line is waited for; for a host that takes longer everything is loaded meanwhile. */
const PATIENCE_MS = 5;

/**
 * Answers the first line of a client where that is `server/discover` or `initialize`; answers the wire on which
 * everything goes on, that line included.
 */
export async function greet(
  { clock, terminal }: Pick<System, "clock" | "terminal">,
  introductions: Introductions,
): Promise<Wire> {
  // Until the connection listens; whoever ends a server that was greeted need not wait for more than that.
  let isOver = false;
  const stopListening = terminal.onInterrupt(() => isOver = true);
  const input = terminal.input()[Symbol.asyncIterator]();
  let answered: ReturnType<typeof answerTo> = null;
  const first = input.next().then((came) => {
    const piece = came.done === true ? new Uint8Array() : came.value;
    const end = piece.subarray(0, LONGEST).indexOf(NEWLINE);
    answered = end < 0 ? null : answerTo(piece.subarray(0, end), introductions);
    try {
      if (answered !== null) {
        const { id, result } = answered;
        terminal.out(`${JSON.stringify({ result, jsonrpc: "2.0", id })}\n`);
      }
    } catch {
      // Nobody reads any more, which whoever serves notices as well.
      answered = null;
    }
    return came;
  });
  await Promise.race([first.catch(() => null), clock.sleep(PATIENCE_MS)]);
  return {
    async *input() {
      stopListening();
      if (isOver) return;
      try {
        for (let next = await first; next.done !== true; next = await input.next()) {
          yield next.value;
        }
      } finally {
        await input.return?.();
      }
    },
    out(line) {
      if (answered !== null && isAnswerTo(answered.id, line)) answered = null;
      else terminal.out(line);
    },
  };
}

function isAnswerTo(request: Id, line: string): boolean {
  const { id, method } = fieldsOf(JSON.parse(line));
  return method === undefined && id === request;
}
