/** Every request to the server passes here: who asks is checked before any route is looked for. */

import { Hono } from "hono";
import { AmofError, errorObject, toAmofError } from "../../base/error.ts";
import { forOthers } from "../../base/system/layout.ts";
import { HEALTH_PATH } from "../../commands/server/standing.ts";
import type { System } from "../../base/system/mod.ts";
import { VERSION } from "../../base/version.ts";
import { type Asking, identify, type People, requireOwnAddress } from "./asking.ts";
import { readsPages, unsignedPage } from "./sign_in/notice.ts";

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
