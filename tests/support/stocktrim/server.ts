/**
 * A stand-in of the StockTrim service: an HTTP server on the loopback address of this machine, for trying and testing.
 *
 * @module
 */

import type { AddressInfo } from "node:net";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  type Behaviour,
  type Desk,
  type FakeAnswer,
  type FakeRequest,
  problem,
  WRONG_SHAPE,
} from "./desk.ts";
import { newShop, type Shop } from "./fixture.ts";
import { answerTo } from "./routes.ts";

/** What goes wrong with the next requests that it is for. */
interface Fault {
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

/** The server of a stand-in: what it answers with, what it was sent, and what is to go wrong. */
class Server {
  readonly desk: Desk = {
    shop: newShop(),
    behaviour: { lists: false, numbers: false, off: false },
    polls: null,
  };
  readonly requests: FakeRequest[] = [];
  readonly violations: string[] = [];
  readonly #faults: { fault: Fault; left: number }[] = [];
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  readonly #server = createServer((message, response) => this.#serve(message, response));

  constructor(readonly account: Pick<FakeStockTrim, "id" | "signature">) {}

  fail(fault: Fault): void {
    this.#faults.push({ fault, left: fault.times ?? 1 });
  }

  /** Answers requests from now on; resolves to the port. */
  async listen(port: number): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", () => resolve());
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends, with whatever is under way. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(message);
    this.requests.push(request);
    const fault = takeFault(this.#faults, request);
    const drop = () => void message.socket.destroy();
    if (fault?.drop === "before") return drop();
    const answer = this.#decide(request, fault);
    if (fault?.delayMs !== undefined) await this.#pause(fault.delayMs);
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
    fault?.then?.(this.desk.shop);
  }

  #decide(request: FakeRequest, fault: Fault | null): FakeAnswer {
    const { headers } = request;
    const { id, signature } = this.account;
    if (headers["api-auth-id"] !== id || headers["api-auth-signature"] !== signature) {
      return problem(401, "Unauthorized", "The credentials are unknown");
    }
    if (isUnfiltered(request)) {
      this.violations.push(`${request.method} ${request.path}`);
      return problem(400, "Bad Request", "A delete needs a filter here");
    }
    if (fault?.status !== undefined) return faultAnswer(fault);
    return request.body !== undefined && headers["content-type"] !== "application/json"
      ? WRONG_SHAPE
      : answerTo(this.desk, request);
  }

  /** Waits, unless the stand-in ends before. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        resolve();
      }, ms);
      this.#timers.add(timer);
    });
  }
}

/** Starts a stand-in on a port of the loopback address, a free one for 0. */
export async function startFake(
  { port = 0, id = "demo-tenant-id", signature = "demo-tenant-name" } = {},
): Promise<FakeStockTrim> {
  const server = new Server({ id, signature });
  const { desk: { shop, behaviour }, requests, violations } = server;
  return {
    url: `http://127.0.0.1:${await server.listen(port)}`,
    id,
    signature,
    shop,
    behaviour,
    requests,
    violations,
    fail: (fault) => server.fail(fault),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
