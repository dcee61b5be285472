// Covers isModern() and readMeta(): each message says by itself which revision it is of, and what it lacks is named.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { ProtocolError } from "../../../../src/doors/mcp/features.ts";
import { isModern, metaOf, readMeta } from "../../../../src/doors/mcp/messages.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const CLIENT = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
const META = { [VERSION]: "2026-07-28", [CAPABILITIES]: {} };

const withMeta = (meta: unknown) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/list",
  params: { _meta: meta },
});

const MESSAGES: readonly (readonly [what: string, message: unknown, modern: boolean])[] = [
  ["both keys", withMeta(META), true],
  ["a revision alone", withMeta({ [VERSION]: "2026-07-28" }), true],
  ["capabilities alone", withMeta({ [CAPABILITIES]: {} }), true],
  ["keys that are null", withMeta({ [VERSION]: null }), true],
  ["an older revision in the new place", withMeta({ ...META, [VERSION]: "2025-11-25" }), true],
  ["discover without anything", { method: "server/discover" }, true],
  ["no _meta", { method: "tools/list", params: {} }, false],
  ["no params", { method: "tools/list" }, false],
  ["_meta that is a list", withMeta([VERSION]), false],
  ["what else may stand there", withMeta({ progressToken: 1, [CLIENT]: {} }), false],
  ["an answer", { id: 1, result: { _meta: META } }, false],
  ["a batch", [withMeta(META)], false],
  ["nothing", null, false],
];

for (const [what, message, modern] of MESSAGES) {
  Deno.test(`${modern ? "modern" : "of a session"}: ${what}`, () => {
    assertEquals(isModern(message), modern);
  });
}

/** Metas that are refused: the code, and what the message names. */
const WRONG: readonly (readonly [what: string, meta: unknown, code: number, names: string])[] = [
  ["no revision", { [CAPABILITIES]: {} }, -32602, VERSION],
  ["a revision that is null", { ...META, [VERSION]: null }, -32602, VERSION],
  ["a revision that is a number", { ...META, [VERSION]: 20260728 }, -32602, VERSION],
  ["no capabilities", { [VERSION]: "2026-07-28" }, -32602, CAPABILITIES],
  ["capabilities that are null", { ...META, [CAPABILITIES]: null }, -32602, CAPABILITIES],
  ["capabilities that are a list", { ...META, [CAPABILITIES]: [] }, -32602, CAPABILITIES],
  ["a level nobody knows", { ...META, [LOG_LEVEL]: "loud" }, -32602, LOG_LEVEL],
  ["a revision to come", { ...META, [VERSION]: "2099-01-01" }, -32022, "Unsupported"],
  ["an older revision", { ...META, [VERSION]: "2025-11-25" }, -32022, "Unsupported"],
];

for (const [what, meta, code, names] of WRONG) {
  Deno.test(`refused: ${what}`, () => {
    let refused: unknown;
    try {
      readMeta(metaOf(withMeta(meta)));
    } catch (error) {
      refused = error;
    }
    if (!(refused instanceof ProtocolError)) throw refused;
    assertEquals(refused.code, code);
    assertStringIncludes(refused.message, names);
    if (code !== -32022) return;
    const requested = (meta as Record<string, unknown>)[VERSION];
    assertEquals(refused.data, { supported: ["2026-07-28"], requested });
  });
}

for (
  const [what, info, client] of [
    ["name and version", { name: "host", version: "1" }, "host/1"],
    ["a name alone", { name: "host" }, "host"],
    ["a name of control characters", { name: "ho\u001b[2Jst", version: "1" }, "host/1"],
    ["nobody", undefined, "unknown"],
    ["what is no object", "host", "unknown"],
    ["a name that is no text", { name: 7, version: "1" }, "unknown"],
  ] as const
) {
  Deno.test(`the client of ${what}`, () => {
    assertEquals(readMeta({ ...META, [CLIENT]: info }).client, client);
  });
}
