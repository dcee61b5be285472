/**
 * A stand-in of the StockTrim service: an HTTP server on the loopback address of this machine, for trying and testing.
 *
 * @module
 */

import type { AddressInfo } from "node:net";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { newShop, type Shop } from "./fixture.ts";
import {
  answerTo,
  type Behaviour,
  type Desk,
  type FakeAnswer,
  type FakeRequest,
  problem,
  WRONG_SHAPE,
} from "./routes.ts";

/** What goes wrong with the next requests that it is for. */
export interface Fault {
  /** `GET /api/Products`, the beginning of a method and path; all requests when absent. */
  readonly on?: string;
  /** How many requests; one when absent. */
  readonly times?: number;
  /** Answers this and does nothing. */
  readonly status?: number;
  /** The `Retry-After` besides. */
  readonly retryAfter?: string;
  /** The body besides; a problem when absent. */
  readonly body?: string;
  /** Closes the connection: before anything is done, when it is done, or in the middle of the answer. */
  readonly drop?: "before" | "after" | "within";
  /** Waits this many milliseconds before answering, when it is done. */
  readonly delayMs?: number;
  /** Changes the shop when the request has been answered. */
  readonly then?: (shop: Shop) => void;
}

/** A running stand-in. */
export interface FakeStockTrim extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  /** The credentials that it accepts. */
  readonly id: string;
  readonly signature: string;
  readonly shop: Shop;
  readonly behaviour: Behaviour;
  /** Every request so far. */
  readonly requests: readonly FakeRequest[];
  /** What nobody should ever send: deletes without a filter. */
  readonly violations: readonly string[];
  /** Lets the next requests that it is for go wrong. */
  fail(fault: Fault): void;
}

function textOf(message: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    message.setEncoding("utf8");
    message.on("data", (part: string) => void (text += part));
    message.on("end", () => resolve(text));
  });
}

async function bodyOf(message: IncomingMessage): Promise<unknown> {
  const text = message.method === "GET" ? "" : await textOf(message);
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

async function readRequest(message: IncomingMessage): Promise<FakeRequest> {
  const url = new URL(message.url ?? "/", "http://localhost");
  return {
    method: message.method ?? "GET",
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    body: await bodyOf(message),
    headers: Object.fromEntries(
      Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
    ),
  };
}

function write(response: ServerResponse, { status, body, headers }: FakeAnswer): void {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string"
    ? /^</.test(body) ? "text/html" : "text/plain"
    : "application/json";
  response.writeHead(status, {
    ...(body === undefined ? {} : { "content-type": `${type}; charset=utf-8` }),
    ...headers,
  });
  response.end(text);
}

function faultAnswer({ status = 500, retryAfter, body }: Fault): FakeAnswer {
  const answer = problem(status, "The service says no", `It was asked to answer ${status}`);
  return {
    status,
    body: body ?? answer.body,
    ...(retryAfter === undefined ? {} : { headers: { "retry-after": retryAfter } }),
  };
}

/** A delete is dangerous without the parameter that says of what. */
function isUnfiltered({ method, query }: FakeRequest): boolean {
  return method === "DELETE" && Object.values(query).every((value) => value.trim() === "");
}

/** The fault that a request is for, which is used up by it. */
function takeFault(faults: { fault: Fault; left: number }[], request: FakeRequest): Fault | null {
  const line = `${request.method} ${request.path}`;
  const found = faults.find(({ fault, left }) => left > 0 && line.startsWith(fault.on ?? ""));
  if (found === undefined) return null;
  found.left--;
  return found.fault;
}

/** Starts a stand-in on a port of the loopback address, a free one for 0. */
export async function startFake(
  { port = 0, id = "demo-tenant-id", signature = "demo-tenant-name" } = {},
): Promise<FakeStockTrim> {
  const desk: Desk = {
    shop: newShop(),
    behaviour: { lists: false, numbers: false, off: false },
    polls: null,
  };
  const requests: FakeRequest[] = [];
  const violations: string[] = [];
  const faults: { fault: Fault; left: number }[] = [];
  const timers = new Set<ReturnType<typeof setTimeout>>();

  const decide = (request: FakeRequest, fault: Fault | null): FakeAnswer => {
    const { headers } = request;
    if (headers["api-auth-id"] !== id || headers["api-auth-signature"] !== signature) {
      return problem(401, "Unauthorized", "The credentials are unknown");
    }
    if (isUnfiltered(request)) {
      violations.push(`${request.method} ${request.path}`);
      return problem(400, "Bad Request", "A delete needs a filter here");
    }
    if (fault?.status !== undefined) return faultAnswer(fault);
    return request.body !== undefined && headers["content-type"] !== "application/json"
      ? WRONG_SHAPE
      : answerTo(desk, request);
  };

  const server = createServer(async (message, response) => {
    const request = await readRequest(message);
    requests.push(request);
    const fault = takeFault(faults, request);
    const drop = () => void message.socket.destroy();
    if (fault?.drop === "before") return drop();
    const answer = decide(request, fault);
    if (fault?.delayMs !== undefined) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => {
          timers.delete(timer);
          resolve();
        }, fault.delayMs);
        timers.add(timer);
      });
    }
    if (fault?.drop === "after") return drop();
    if (fault?.drop === "within") {
      response.writeHead(answer.status, {
        "content-type": "application/json",
        "content-length": "1000",
      });
      response.write("[", drop);
      return;
    }
    write(response, answer);
    fault?.then?.(desk.shop);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${actual}`,
    id,
    signature,
    shop: desk.shop,
    behaviour: desk.behaviour,
    requests,
    violations,
    fail: (fault) => void faults.push({ fault, left: fault.times ?? 1 }),
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
