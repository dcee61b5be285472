/**
 * Who asks: a program with the server's token, a person who is signed in, or nobody that is known (SERVER-6, SIGN-1).
 */

import { AmofError } from "../../base/error.ts";
import { isSame } from "../../base/policy/same.ts";
import { HEALTH_PATH } from "../../commands/server/standing.ts";
import type { Clock, Ids } from "../../base/system/mod.ts";
import { readBody } from "./body.ts";
import { sha256 } from "../../base/hash.ts";

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
export async function identify(
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
