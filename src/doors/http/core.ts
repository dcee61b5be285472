/** Every request to the server passes here: who asks is checked before any route is looked for. */

import { Hono } from "hono";
import { AmofError, toAmofError } from "../../base/error.ts";
import { forOthers } from "../../base/system/layout.ts";
import { HEALTH_PATH } from "../../commands/server/probe.ts";
import type { System } from "../../base/system/mod.ts";
import { VERSION } from "../../base/version.ts";
import { errorResponse, guarded, json } from "./answers.ts";
import { type Asking, identify, requireOwnAddress } from "./asking.ts";
import { readsPages, unsignedPage } from "./sign_in/notice.ts";
import type { People } from "./sign_in/people.ts";

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
