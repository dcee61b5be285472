/** Every request to the server passes here: who asks is checked before any route is looked for. */

import { Hono } from "hono";
import { AmofError, errorObject, toAmofError } from "../../base/error.ts";
import { forOthers } from "../../base/system/layout.ts";
import { HEALTH_PATH } from "../../commands/server/standing.ts";
import type { System } from "../../base/system/mod.ts";
import { VERSION } from "../../base/version.ts";
import { type Asking, identify, type People } from "./asking.ts";
import { noticePage, readsPages } from "./sign_in/notice.ts";

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
 * Throws `origin_refused` for a request that a web page of elsewhere made: one whose Host is no name of this machine,
 * however that name was made to lead here, or whose Origin is not this server.
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
