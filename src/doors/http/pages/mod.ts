/** The pages of the server (PAGE-1): which view stands where. Every view asks the commands that the doors have. */

import script from "./client.js" with { type: "text" };
import icon from "./icon.svg" with { type: "text" };
import style from "./style.css" with { type: "text" };
import type { Routes } from "../core.ts";
import { auditPage, auditWish } from "./audit.tsx";
import { ecosystemPage } from "./ecosystem.tsx";
import { ecosystemsPage } from "./ecosystems.tsx";
import type { Show } from "./layout.tsx";
import { Looks, type Reader } from "./reader.ts";
import { releasesPage } from "./releases.tsx";
import { runPage, runsPage } from "./run.tsx";
import { telemetryPage } from "./telemetry.tsx";
import { ticketPage } from "./ticket.tsx";

/** Every asset by its path. */
const ASSETS: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map([
  ["/assets/style.css", { type: "text/css; charset=utf-8", text: style }],
  ["/assets/client.js", { type: "text/javascript; charset=utf-8", text: script }],
  ["/assets/icon.svg", { type: "image/svg+xml", text: icon }],
]);

/** The routes of the pages. */
export function pageRoutes(reader: Reader, show: Show): Routes {
  const looks = new Looks(reader);

  return (app) => {
    for (const [path, asset] of ASSETS) {
      app.get(path, () => new Response(asset.text, { headers: { "content-type": asset.type } }));
    }
    app.get("/", ({ redirect }) => redirect("/ecosystems"));
    app.get(
      "/ecosystems",
      ({ req, env }) =>
        show(env.asking, () => ecosystemsPage(reader, looks, req.query("live") !== undefined)),
    );
    app.get(
      "/ecosystems/:name",
      ({ req, env }) =>
        show(env.asking, () =>
          ecosystemPage(reader, looks, {
            name: req.param("name"),
            repo: req.query("repo") ?? "",
            show: req.query("show") ?? "",
            live: req.query("live") !== undefined,
          })),
    );
    app.get(
      "/ecosystems/:name/tickets/:id",
      ({ req, env }) =>
        show(env.asking, () =>
          ticketPage(reader, {
            ecosystem: req.param("name"),
            id: req.param("id"),
            live: req.query("live") !== undefined,
          })),
    );
    app.get("/runs", ({ req, env }) =>
      show(env.asking, () =>
        runsPage(reader, {
          ecosystem: req.query("ecosystem") ?? "",
          status: req.query("status") ?? "",
          action: req.query("action") ?? "",
          limit: Number(req.query("limit") ?? 0),
        })));
    app.get(
      "/runs/:id",
      ({ req, env }) =>
        show(env.asking, () => runPage(reader, req.param("id"), req.query("level") ?? "")),
    );
    app.get("/releases", ({ env }) => show(env.asking, () => releasesPage(reader)));
    app.get(
      "/audit",
      ({ req, env }) =>
        show(env.asking, () => auditPage(reader, auditWish((name) => req.query(name)))),
    );
    app.get("/telemetry", ({ env }) => show(env.asking, () => telemetryPage(reader)));
  };
}
