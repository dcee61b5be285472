// Covers ModernHttp and what decides before it: the headers of a request say what its body says, or it is refused; what
// is told while it is worked on makes a stream of its answer.

import { assert, assertEquals } from "@std/assert";
import { mismatch, ModernHttp, unreadable } from "../../../../src/doors/mcp/modern_http.ts";
import { memoryWorld } from "../../../support/memory.ts";
import { DONE, features, META } from "./_client.ts";

const URL_OF = "http://127.0.0.1:1/mcp";
const READABLE = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
const CALL = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "amof_pöll", _meta: META },
};
const ENCODED = `=?base64?${new TextEncoder().encode("amof_pöll").toBase64()}?=`;
const HEADERS = {
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": ENCODED,
};

const without = (name: string) =>
  Object.fromEntries(Object.entries(HEADERS).filter(([other]) => other !== name));

for (
  const [what, headers, body, wrong] of [
    ["all of them", HEADERS, CALL, null],
    ["no revision", without("mcp-protocol-version"), CALL, "MCP-Protocol-Version"],
    [
      "another revision",
      { ...HEADERS, "mcp-protocol-version": "2025-11-25" },
      CALL,
      "MCP-Protocol-Version",
    ],
    ["no method", without("mcp-method"), CALL, "Mcp-Method"],
    ["the method in capitals", { ...HEADERS, "mcp-method": "TOOLS/CALL" }, CALL, "Mcp-Method"],
    ["no name", without("mcp-name"), CALL, "Mcp-Name"],
    ["another name", { ...HEADERS, "mcp-name": "amof_push" }, CALL, "Mcp-Name"],
    ["a name that cannot be read", { ...HEADERS, "mcp-name": "=?base64?%%?=" }, CALL, "Mcp-Name"],
    ["blanks around it", { ...HEADERS, "mcp-name": ` ${ENCODED} ` }, CALL, null],
    ["no name anywhere", without("mcp-name"), { ...CALL, params: { _meta: META } }, null],
    [
      "a method without a name",
      { ...without("mcp-name"), "mcp-method": "tools/list" },
      { ...CALL, method: "tools/list" },
      null,
    ],
    [
      "a resource",
      { ...HEADERS, "mcp-method": "resources/read", "mcp-name": "test://a" },
      { ...CALL, method: "resources/read", params: { uri: "test://a", _meta: META } },
      null,
    ],
  ] as const
) {
  Deno.test(`headers: ${what}`, () => assertEquals(mismatch(new Headers(headers), body), wrong));
}

for (
  const [what, method, headers, status] of [
    ["as it should be", "POST", READABLE, null],
    [
      "with a charset",
      "POST",
      { ...READABLE, "content-type": "Application/JSON; charset=utf-8" },
      null,
    ],
    ["that takes anything", "POST", { ...READABLE, accept: "*/*" }, null],
    ["to read a stream", "GET", READABLE, 405],
    ["to end a session", "DELETE", READABLE, 405],
    ["of a form", "POST", { ...READABLE, "content-type": "text/plain" }, 415],
    ["of nothing", "POST", { accept: READABLE.accept }, 415],
    ["that takes no stream", "POST", { ...READABLE, accept: "application/json" }, 406],
  ] as const
) {
  Deno.test(`a request ${what}`, () => {
    const request = { method, headers: new Headers(headers) };
    assertEquals(unreadable(request)?.status ?? null, status);
  });
}

/** A server whose one tool does what the test says. */
function serving(call: Parameters<typeof features>[0]): ModernHttp {
  const { system } = memoryWorld();
  // The clock stands still.
  const clock = { ...system.clock, sleep: () => new Promise<void>(() => {}) };
  return new ModernHttp({ ...system, clock }, features(call));
}

async function posted(
  server: ModernHttp,
  body: unknown,
  headers: Readonly<Record<string, string>> = HEADERS,
): Promise<Response> {
  const request = new Request(URL_OF, {
    method: "POST",
    headers: { ...READABLE, ...headers },
    body: "{}",
  });
  return await server.answer(request, body);
}

const codeOf = async (response: Response) => (await response.json()).error?.code;

Deno.test("each kind of refusal has its status", async () => {
  const server = serving(() => Promise.resolve(DONE));
  const meta = (more: Record<string, unknown>) => ({
    ...CALL,
    params: { ...CALL.params, _meta: { ...META, ...more } },
  });
  const key = "io.modelcontextprotocol/protocolVersion";
  const cases: readonly (readonly [unknown, Record<string, string>, number, number])[] = [
    [CALL, without("mcp-protocol-version"), 400, -32020],
    [{ ...CALL, params: { name: "t" } }, HEADERS, 400, -32602],
    [CALL, without("mcp-method"), 400, -32020],
    [
      meta({ [key]: "2099-01-01" }),
      { ...HEADERS, "mcp-protocol-version": "2099-01-01" },
      400,
      -32022,
    ],
    [{ ...CALL, method: "nonsense" }, { ...HEADERS, "mcp-method": "nonsense" }, 404, -32601],
    [{ ...CALL, method: "ping" }, { ...HEADERS, "mcp-method": "ping" }, 404, -32601],
    [meta({ [key]: null }), HEADERS, 400, -32602],
    [[CALL], HEADERS, 400, -32600],
    [{ jsonrpc: "2.0", id: 1, result: {} }, HEADERS, 400, -32600],
    [{ ...CALL, id: 1.5 }, HEADERS, 400, -32600],
    [{ ...CALL, params: { ...CALL.params, arguments: [] } }, HEADERS, 200, -32602],
  ];
  for (const [body, headers, status, code] of cases) {
    const response = await posted(server, body, headers);
    assertEquals([response.status, await codeOf(response)], [status, code], JSON.stringify(body));
  }
  const noted = await posted(server, { jsonrpc: "2.0", method: "notifications/cancelled" });
  assertEquals([noted.status, await noted.text()], [202, ""]);
});

Deno.test("an answer alone is JSON, one with progress a stream that ends with it", async () => {
  const server = serving((exchange) => {
    exchange.progress(1, 2, "half");
    return Promise.resolve(DONE);
  });
  const alone = await posted(server, CALL);
  assertEquals([alone.status, alone.headers.get("content-type")], [200, "application/json"]);
  assertEquals((await alone.json()).result.resultType, "complete");
  const _meta = { ...META, progressToken: "p" };
  const told = await posted(server, { ...CALL, params: { ...CALL.params, _meta } });
  assertEquals(told.headers.get("content-type"), "text/event-stream");
  const events = [...(await told.text()).matchAll(/^data: (.*)$/gm)].map(([, data = ""]) =>
    JSON.parse(data)
  );
  assertEquals(events.map(({ method, id }) => method ?? id), ["notifications/progress", 1]);
});

Deno.test("whoever closes the stream has cancelled, and so has a server that ends", async () => {
  for (const how of ["client", "server"]) {
    const aborted = Promise.withResolvers<void>();
    const server = serving((exchange) =>
      new Promise((resolve) => {
        exchange.signal.addEventListener("abort", () => {
          aborted.resolve();
          resolve(DONE);
        });
        exchange.progress(1, 2, "half");
      })
    );
    const _meta = { ...META, progressToken: "p" };
    const response = await posted(server, { ...CALL, params: { ...CALL.params, _meta } });
    if (how === "client") await response.body?.cancel();
    const closed = how === "server" ? server.close() : Promise.resolve();
    await aborted.promise;
    await closed;
    if (how === "server") assert((await response.text()).includes("notifications/progress"));
  }
});
