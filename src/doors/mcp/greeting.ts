/**
 * Answers `initialize` before what serves everything else is loaded: a host waits for that answer with each server it
 * starts, and the protocol engine with its schemas takes as long to load as the rest of the start.
 *
 * Only a request that is beyond doubt is answered here. The engine gets it all the same, and what it answers to it is
 * left out, so that both know the same of the client; any other beginning is the engine's alone.
 *
 * @module
 */

import { type Fields, fieldsOf, isObject } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";
import { VERSION } from "../../base/version.ts";
import { NEWEST_REVISION, OLDER_REVISION, type Revision } from "./features.ts";
import type { InitializeResult, ServerCapabilities } from "./sdk.ts";
import type { Wire } from "./wire.ts";

/** What a server says of itself. */
export interface Introduction {
  readonly info: { readonly name: string; readonly title: string };
  readonly instructions: string;
  readonly capabilities: ServerCapabilities;
}

/** The revision that is answered to a requested one (MCP-1). */
export function chooseRevision(requested: unknown): Revision {
  return requested === OLDER_REVISION ? OLDER_REVISION : NEWEST_REVISION;
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

/** The result of `initialize`. */
export function introduce(
  { info, instructions, capabilities }: Introduction,
  requested: string,
): InitializeResult {
  return {
    protocolVersion: chooseRevision(requested),
    capabilities,
    serverInfo: { ...info, version: VERSION },
    instructions,
  };
}

/** More bytes than a first line ever has; what is longer is not looked at. */
const LONGEST = 64 * 1024;
const NEWLINE = 10;

/** What says whether a member is as it usually is, by its name. */
type Members = Readonly<Record<string, (value: unknown) => boolean>>;

/** Whether an object has no members but some, each as it usually is. */
function hasOnly(value: Fields, members: Members): boolean {
  return Object.entries(value).every(([name, member]) =>
    Object.hasOwn(members, name) && members[name]?.(member) === true
  );
}

const isEmpty = (value: unknown) => isObject(value) && hasOnly(value, {});
const isBoolean = (value: unknown) => typeof value === "boolean";
const isText = (value: unknown) => typeof value === "string";

/** What clients declare, as far as it is as simple as it usually is. */
const CAPABILITIES: Members = {
  roots: (value: unknown) => isObject(value) && hasOnly(value, { listChanged: isBoolean }),
  sampling: isEmpty,
  elicitation: (value: unknown) =>
    isObject(value) && hasOnly(value, { form: isEmpty, url: isEmpty }),
};

/** How clients name themselves. */
const CLIENT: Members = {
  name: isText,
  version: isText,
  title: isText,
  websiteUrl: isText,
  description: isText,
};

/** The id and the revision of a request that is `initialize` beyond doubt; null for anything else. */
function initializeIn(
  line: Uint8Array,
): { readonly id: string | number; readonly revision: string } | null {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch {
    return null;
  }
  if (!isObject(value) || value["jsonrpc"] !== "2.0" || value["method"] !== "initialize") {
    return null;
  }
  const { id, params } = value;
  const isId = typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id));
  if (!isId || !isObject(params)) return null;
  const { protocolVersion: revision, capabilities, clientInfo } = params;
  const isPlain = typeof revision === "string" && Object.keys(params).length === 3 &&
    isObject(capabilities) && hasOnly(capabilities, CAPABILITIES) &&
    isObject(clientInfo) && hasOnly(clientInfo, CLIENT) &&
    isText(clientInfo["name"]) && isText(clientInfo["version"]);
  return isPlain ? { id, revision } : null;
}

/** How long the first line is waited for; a host that takes longer finds everything loaded. */
const PATIENCE_MS = 5;

/**
 * Answers the first line of a client where that is `initialize`; answers the wire on which everything goes on, that line
 * included.
 */
export async function greet(
  { clock, terminal }: Pick<System, "clock" | "terminal">,
  introduction: Introduction,
): Promise<Wire> {
  // Until the connection listens; whoever ends a server that was greeted need not wait for more than that.
  let isOver = false;
  const stopListening = terminal.onInterrupt(() => isOver = true);
  const input = terminal.input()[Symbol.asyncIterator]();
  const first = input.next();
  const came = await Promise.race([first.catch(() => null), clock.sleep(PATIENCE_MS)]);
  const piece = came?.done === false ? came.value : new Uint8Array();
  const end = piece.subarray(0, LONGEST).indexOf(NEWLINE);
  let asked = end < 0 ? null : initializeIn(piece.subarray(0, end));
  if (asked !== null) {
    const result = introduce(introduction, asked.revision);
    terminal.out(`${JSON.stringify({ result, jsonrpc: "2.0", id: asked.id })}\n`);
  }
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
      if (asked !== null && isAnswerTo(asked.id, line)) asked = null;
      else terminal.out(line);
    },
  };
}

/** Whether a line is the answer to a request. */
function isAnswerTo(request: string | number, line: string): boolean {
  const { id, method } = fieldsOf(JSON.parse(line));
  return method === undefined && id === request;
}
