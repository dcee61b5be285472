// Covers requests over HTTP: what changes something goes out once, redirects are not followed, no more is read than is
// wanted, and every end has its name.

import { assert, assertEquals } from "@std/assert";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exchange, realHttp } from "../../../../../src/base/system/real/http.ts";
import type { HttpRequest, HttpResult } from "../../../../../src/base/system/mod.ts";

interface Server extends AsyncDisposable {
  readonly url: string;
  /** `METHOD path body`, and the connection it came by. */
  readonly seen: string[];
}

async function serve(
  answer: (path: string, response: ServerResponse, message: IncomingMessage) => void,
): Promise<Server> {
  const seen: string[] = [];
  const server = createServer(async (message, response) => {
    let body = "";
    for await (const part of message) body += new TextDecoder().decode(part);
    seen.push(`${message.method} ${message.url} ${body}`.trim());
    answer(message.url ?? "", response, message);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function send(url: string, more: Partial<HttpRequest> = {}): Promise<HttpResult> {
  return realHttp.send({
    method: "GET",
    url,
    headers: {},
    access: "read",
    timeoutMs: 20_000,
    maxBytes: 1_000,
    ...more,
  });
}

function failureOf(result: HttpResult): string | null {
  return result.answered ? result.cut : result.failure;
}

Deno.test("a change goes out once, on a new connection and on one that was used", async () => {
  await using server = await serve((path, response, message) => {
    if (path === "/ok") response.end("ok");
    else message.socket.destroy();
  });
  for (const method of ["POST", "PUT", "DELETE"] as const) {
    for (const body of [undefined, '{"a":1}']) {
      for (const warm of [false, true]) {
        if (warm) await send(`${server.url}/ok`);
        server.seen.length = 0;
        const given = { method, access: "write", ...(body === undefined ? {} : { body }) } as const;
        assertEquals(failureOf(await send(`${server.url}/drop`, given)), "interrupted");
        assertEquals(server.seen, [`${method} /drop ${body ?? ""}`.trim()]);
      }
    }
  }
});

Deno.test("a request has its headers and body, and the answer its own", async () => {
  await using server = await serve((_path, response, message) => {
    response.writeHead(207, { "Retry-After": "3", "x-echo": String(message.headers["x-mine"]) });
    response.end("héllo");
  });
  const result = await send(`${server.url}/a?b=c`, {
    method: "POST",
    access: "write",
    headers: { "x-mine": "yes" },
    body: "wörld",
  });
  assert(result.answered);
  const { status, body, cut, headers } = result;
  assertEquals([status, body, cut, headers["retry-after"], headers["x-echo"]], [
    207,
    "héllo",
    null,
    "3",
    "yes",
  ]);
  assertEquals(server.seen, ["POST /a?b=c wörld"]);
});

Deno.test("a redirect is an answer, and nobody goes there", async () => {
  await using other = await serve((_path, response) => response.end("other"));
  await using server = await serve((_path, response) => {
    response.writeHead(307, { location: `${other.url}/there` });
    response.end();
  });
  for (const access of ["read", "write"] as const) {
    const result = await send(server.url, {
      method: access === "read" ? "GET" : "POST",
      access,
      headers: { "api-auth-id": "secret" },
    });
    assert(result.answered);
    assertEquals([result.status, other.seen], [307, []]);
  }
});

Deno.test("no more of an answer is read than is wanted", async () => {
  await using server = await serve((_path, response) => {
    response.write("x".repeat(600));
    response.end("y".repeat(600_000));
  });
  const result = await send(server.url);
  assert(result.answered);
  assertEquals([result.status, result.cut], [200, "too_large"]);
  assert(result.body.length <= 1_000);
});

Deno.test("an answer that breaks off is told as that", async () => {
  await using server = await serve((_path, response, message) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("half", () => void message.socket.destroy());
  });
  assertEquals(failureOf(await send(server.url)), "interrupted");
});

Deno.test("a request ends when its time is up, before and within the answer", async () => {
  await using server = await serve((path, response) => {
    if (path === "/within") response.write("begin");
  });
  assertEquals(failureOf(await send(`${server.url}/before`, { timeoutMs: 50 })), "timed_out");
  assertEquals(failureOf(await send(`${server.url}/within`, { timeoutMs: 50 })), "timed_out");
});

Deno.test("a request ends when it is cancelled, and is not sent when it was before", async () => {
  const control = new AbortController();
  await using server = await serve(() => control.abort());
  assertEquals(failureOf(await send(server.url, { signal: control.signal })), "cancelled");
  assertEquals(failureOf(await send(server.url, { signal: AbortSignal.abort() })), "cancelled");
  assertEquals(server.seen.length, 1);
});

Deno.test("where nobody listens nothing was sent", async () => {
  const server = await serve(() => {});
  await server[Symbol.asyncDispose]();
  const result = await send(server.url, { method: "DELETE", access: "write" });
  assertEquals(failureOf(result), "not_connected");
  assertEquals(
    failureOf(await send("https://no-such-host.invalid/", { method: "POST", access: "write" })),
    "not_connected",
  );
});

Deno.test("a runtime that names the reason of a failure as its cause is understood", async () => {
  const refused = new Error("client error (Connect): connection refused");
  const fails = () => Promise.reject(new TypeError("fetch failed", { cause: refused }));
  const exchangeBy = new Function("fetch", `return ${exchange}`)(fails) as typeof exchange;
  const request = {
    method: "GET",
    url: "http://127.0.0.1:1/",
    headers: {},
    access: "read",
    timeoutMs: 1_000,
    maxBytes: 10,
  } as const;
  assertEquals(await exchangeBy(request, new AbortController().signal), {
    answered: false,
    failure: "not_connected",
    reason: refused.message,
  });
});
