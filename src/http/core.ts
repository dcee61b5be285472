/**
 * Every request to the server passes here: who asks is checked before any route is looked for.
 *
 * @module
 */

import { Hono } from "hono";
import { AmofError, toAmofError } from "../error.ts";
import { HEALTH_PATH } from "../server/mod.ts";
import type { System } from "../system/mod.ts";
import { VERSION } from "../version.ts";
import { guarded, json, refusal } from "./answers.ts";
import { requireOwnAddress, requireToken } from "./guard.ts";

/** A group of routes. */
export type Routes = (app: Hono) => void;

/** What a server is made of. */
export interface Core {
  readonly system: System;
  readonly token: string;
  /** What it says of itself when asked for its health. */
  readonly instance: string;
  readonly routes: readonly Routes[];
}

/** Answers requests that came to a port. */
export function answering(
  { system, token, instance, routes }: Core,
): (request: Request, port: number) => Promise<Response> {
  const app = new Hono();
  app.get(HEALTH_PATH, () => json({ status: "ok", name: "amof", version: VERSION, instance }));
  for (const add of routes) add(app);
  app.notFound(({ req }) => {
    const where = `${req.method} ${req.path.slice(0, 200)}`;
    return refusal(new AmofError("route_not_found", `There is no route ${where}`));
  });
  app.onError((thrown) => {
    const error = toAmofError(thrown, () => system.ids.hex(8));
    if (error.code === "internal_error") system.terminal.err(`${thrown.stack ?? thrown.message}\n`);
    return refusal(error);
  });
  return async (request, port) => {
    try {
      requireOwnAddress(request.headers, port);
      const { pathname } = new URL(request.url);
      if (pathname !== HEALTH_PATH || request.method !== "GET") {
        requireToken(request.headers, token);
      }
    } catch (thrown) {
      return guarded(refusal(toAmofError(thrown, () => system.ids.hex(8))));
    }
    return guarded(await app.fetch(request));
  };
}
