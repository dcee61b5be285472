/** Every request to the server passes here: who asks is checked before any route is looked for. */

import { Hono } from "hono";
import { AmofError, errorObject, toAmofError } from "../../base/error.ts";
import { forOthers } from "../../base/system/layout.ts";
import { HEALTH_PATH } from "../../commands/server/record.ts";
import type { Clock, Ids, System } from "../../base/system/mod.ts";
import { VERSION } from "../../base/version.ts";
import { noticePage, readsPages } from "./sign_in/notice.ts";
import { isSame } from "../../base/policy/consent.ts";
import { sha256 } from "../../base/hash.ts";

/** What every route is told: who asks, and at which port. */
interface Bindings {
  readonly asking: Asking;
  readonly port: number;
}

/** All routes together. */
export type Http = Hono<{ Bindings: Bindings }>;
/** A group of routes. */
export type Routes = (app: Http) => void;

interface Core {
  readonly system: System;
  readonly token: string;
  /** What it says of itself when asked for its health. */
  readonly instance: string;
  /** Who is signed in. */
  readonly people: People;
  readonly routes: readonly Routes[];
}

/** The names by which a server on loopback may be addressed. */
const NAMES = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Throws `origin_refused` for a request that a web page from elsewhere made. Its Host is no name of this
 * machine, even where a name was made to lead here, or its Origin is not this server.
 */
function requireOwnAddress(headers: Headers, port: number): void {
  const hosts = NAMES.map((name) => `${name}:${port}`);
  const host = headers.get("host")?.toLowerCase() ?? "";
  if (!hosts.includes(host)) {
    throw new AmofError("origin_refused", "Cannot answer: the Host header names another server", {
      details: { header: "host" },
    });
  }
  const origin = headers.get("origin");
  if (origin !== null && !hosts.some((own) => origin === `http://${own}`)) {
    throw new AmofError("origin_refused", "Cannot answer: the request comes from another site", {
      details: { header: "origin" },
    });
  }
}

/** The page for whoever is not signed in. */
function unsignedPage(): Promise<Response> {
  return noticePage({
    title: "Not signed in",
    text:
      "These pages are for the person whose server this is. Run this in a terminal, then load the page again:",
    command: "amof server open",
  }, 401);
}

/** Answers requests that came to a port. */
export function answering(
  { system, token, instance, people, routes }: Core,
): (request: Request, port: number) => Promise<Response> {
  const app: Http = new Hono();
  const known = { token, people, clock: system.clock };
  app.get(HEALTH_PATH, () => json({ status: "ok", name: "amof", version: VERSION, instance }));
  for (const add of routes) add(app);
  app.notFound(({ req }) => {
    const where = `${req.method} ${req.path.slice(0, 200)}`;
    return errorResponse(new AmofError("route_not_found", `There is no route ${where}`));
  });
  app.onError((thrown) => {
    const error = toAmofError(thrown, () => system.ids.hex(8));
    if (error.code === "internal_error") system.terminal.err(`${thrown.stack ?? thrown.message}\n`);
    return errorResponse(forOthers(system, error));
  });
  return async (request, port) => {
    try {
      requireOwnAddress(request.headers, port);
      const asking = await identify(request, port, known);
      return guarded(await app.fetch(request, { asking, port }));
    } catch (thrown) {
      const error = toAmofError(thrown, () => system.ids.hex(8));
      const unsigned = error.code === "token_required" && readsPages(request);
      return guarded(unsigned ? await unsignedPage() : errorResponse(forOthers(system, error)));
    }
  };
}

// Answers that every route gives alike.

/** What every answer says to a browser: keep nothing, guess nothing, show it nowhere, tell nobody. */
const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  // With no-referrer browsers would send the forms of our own pages with `Origin: null`.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

/** Adds to an answer what every answer says. */
function guarded(response: Response): Response {
  for (const [name, value] of Object.entries(HEADERS)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}

/** An answer in JSON. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(`${JSON.stringify(value)}\n`, {
    status,
    headers: { "content-type": "application/json", ...headers },
  });
}

/** The answer that tells of an error (ERROR-1). */
function errorResponse(error: AmofError): Response {
  const object = errorObject(error);
  // A failure without a status of its own is about what was sent.
  const status = object.http === 0 ? 400 : object.http;
  return json(object, status, status === 401 ? { "www-authenticate": "Bearer" } : {});
}

// Who asks: a program with the server's token, a person who is signed in, or nobody that is known (SERVER-6, SIGN-1).

// Who may ask the server anything: programs of this machine that hold its token (SERVER-6).

/** Throws `token_required` without the token of this server. */
function requireToken(headers: Headers, token: string): void {
  const [, given = ""] = /^Bearer +([\x21-\x7e]+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (isSame(given, token)) return;
  throw new AmofError(
    "token_required",
    given === ""
      ? "Cannot answer without the server's token"
      : "Cannot answer: this is not the server's token",
  );
}

/** The field of forms, and the header of other requests, that say that the page of this very session made them. */
const CSRF_FIELD = "csrf";
const CSRF_HEADER = "x-amof-csrf";
/** Where a link leads that signs a person in. */
export const SIGN_IN_PATH = "/sign-in";

/** A person who asks. */
export interface AskingPerson {
  readonly kind: "person";
  readonly session: PersonSession;
  /** What the form says that they sent; null where they sent none. */
  readonly form: URLSearchParams | null;
}

/** Who asks. */
export type Asking = { readonly kind: "token" | "nobody" } | AskingPerson;

/** The name of the cookie of the server at a port: other ports of this machine get it too, and have their own. */
export function cookieName(port: number): string {
  return `amof_${port}`;
}

/** The value of this server's cookie in a request, or null. */
function cookieIn(headers: Headers, port: number): string | null {
  const name = cookieName(port);
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const [key, value = ""] = pair.trim().split("=");
    if (key === name && /^[0-9a-f]{64}$/.test(value)) return value;
  }
  return null;
}

/** Whether a request is answered to anybody: it tells nothing that is not in every copy of the program. */
function isPublic(method: string, path: string): boolean {
  return method === "GET" &&
    (path === HEALTH_PATH || path === SIGN_IN_PATH || path.startsWith("/assets/"));
}

/** What a person changes comes from a page of their own session, or throws `csrf_refused`. */
async function fromOwnPage(
  request: Request,
  session: PersonSession,
  clock: Clock,
): Promise<URLSearchParams | null> {
  if (request.method === "GET" || request.method === "HEAD") return null;
  const kind = (request.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  const form = kind === "application/x-www-form-urlencoded"
    ? new URLSearchParams(await readBody(request, clock))
    : null;
  const given = request.headers.get(CSRF_HEADER) ?? form?.get(CSRF_FIELD) ?? "";
  if (isSame(given, session.csrf)) return form;
  throw new AmofError(
    "csrf_refused",
    "Cannot take this: it was not sent by a page of the session that is signed in",
  );
}

/**
 * Who makes a request that came to a port. Throws `token_required` for one that nobody may make without being known,
 * and `csrf_refused` for a change that a person's browser was made to send.
 */
async function identify(
  request: Request,
  port: number,
  known: { readonly token: string; readonly people: People; readonly clock: Clock },
): Promise<Asking> {
  const { method, headers } = request;
  const path = new URL(request.url).pathname;
  if (headers.has("authorization")) {
    requireToken(headers, known.token);
    return { kind: "token" };
  }
  const cookie = cookieIn(headers, port);
  const session = cookie === null ? null : known.people.find(cookie, known.clock.now());
  // A host that speaks MCP is a program, and shows the token.
  if (session !== null && path !== "/mcp") {
    return { kind: "person", session, form: await fromOwnPage(request, session, known.clock) };
  }
  if (!isPublic(method, path)) requireToken(headers, known.token);
  return { kind: "nobody" };
}

/** The person who asks; throws `person_required` for anybody else, also for who has the token. */
export function requirePerson(asking: Asking): AskingPerson {
  if (asking.kind === "person") return asking;
  throw new AmofError(
    "person_required",
    "Cannot do this: only a person who is signed in can, not a program with the server's token",
  );
}

// The persons who are signed in to a server's pages (SIGN-2). They are kept by this process alone: with the server
// every session ends.

/** A session ends so long after its beginning. */
const LIFETIME_MS = 12 * 60 * 60 * 1000;
/** With one more the oldest ends. */
const MOST = 20;

/** A person who is signed in. */
interface PersonSession {
  /** Names the session in the audit log; opens nothing. */
  readonly id: string;
  /** What each form and each changing request of its pages brings along. */
  readonly csrf: string;
  /** Who made the link. */
  readonly user: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** The sessions of persons, by the hash of their cookie. */
export class People {
  readonly #ids: Ids;
  readonly #sessions = new Map<string, PersonSession>();

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /** Begins a session; answers the value of its cookie. */
  begin(user: string, now: number): { readonly cookie: string; readonly session: PersonSession } {
    const cookie = this.#ids.hex(64);
    const session = {
      id: `web_${this.#ids.hex(12)}`,
      csrf: this.#ids.hex(64),
      user,
      since: now,
    };
    this.#sessions.set(sha256(cookie), session);
    const [oldest = ""] = this.#sessions.keys();
    if (this.#sessions.size > MOST) this.#sessions.delete(oldest);
    return { cookie, session };
  }

  /** The session of a cookie, while it lasts. */
  find(cookie: string, now: number): PersonSession | null {
    const key = sha256(cookie);
    const session = this.#sessions.get(key);
    if (session === undefined) return null;
    if (now - session.since < LIFETIME_MS) return session;
    this.#sessions.delete(key);
    return null;
  }

  /** Ends a session. */
  end({ id }: PersonSession): void {
    for (const [key, session] of this.#sessions) {
      if (session.id === id) this.#sessions.delete(key);
    }
  }
}

// What a request brings with it, within limits of size and time.

/** A larger body is refused. */
const MAX_BODY_BYTES = 1024 * 1024;
/** A body that takes longer to arrive is given up. */
const MAX_BODY_MS = 15_000;

/**
 * How much of a refused body is still read and thrown away, and for how long. A client that goes on sending to
 * a closed connection loses the answer, too.
 */
const MAX_IGNORED_BYTES = 16 * 1024 * 1024;
const MAX_IGNORED_MS = 2_000;

function tooLarge(): AmofError {
  return new AmofError(
    "request_too_large",
    `Cannot take more than ${MAX_BODY_BYTES} bytes in one request`,
    { details: { max_bytes: MAX_BODY_BYTES } },
  );
}

/** Takes what still comes of a body that is refused, within limits. */
async function ignoreRest(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  clock: Clock,
): Promise<void> {
  const ended = new AbortController();
  const late = clock.sleep(MAX_IGNORED_MS, ended.signal).then(() => null);
  try {
    for (let size = 0; size < MAX_IGNORED_BYTES;) {
      const part = await Promise.race([reader.read(), late]);
      if (part === null || part.done) return;
      size += part.value.length;
    }
  } finally {
    ended.abort();
  }
}

/** The body of a request as text. Throws `request_too_large`, `timeout`, or `invalid_arguments` for what is no UTF-8. */
export async function readBody(request: Request, clock: Clock): Promise<string> {
  const said = Number(request.headers.get("content-length") ?? 0);
  const reader = request.body?.getReader();
  if (reader === undefined) {
    if (said > MAX_BODY_BYTES) throw tooLarge();
    return "";
  }
  const arrived = new AbortController();
  const late = clock.sleep(MAX_BODY_MS, arrived.signal).then(() => null);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  try {
    while (said <= MAX_BODY_BYTES) {
      const part = await Promise.race([reader.read(), late]);
      if (part === null) {
        throw new AmofError("timeout", "Gave up: the body of the request did not arrive in time");
      }
      if (part.done) return text + decoder.decode();
      size += part.value.length;
      if (size > MAX_BODY_BYTES) break;
      text += decoder.decode(part.value, { stream: true });
    }
    await ignoreRest(reader, clock);
    throw tooLarge();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new AmofError("invalid_arguments", "Cannot read the body: it is not UTF-8");
  } finally {
    arrived.abort();
    await reader.cancel().catch(() => {});
  }
}
