/**
 * The pages of the server (PAGE-1): which view stands where. Every view asks the commands that the doors have.
 *
 * @module
 */

import type { ApprovalsData } from "../../session/mod.ts";
import type { Routes } from "../core.ts";
import { pageAnswer } from "./answer.ts";
import type { Show } from "./approval_routes.ts";
import { ASSETS } from "./assets.ts";
import { ecosystemPage } from "./ecosystem.tsx";
import { ecosystemsPage } from "./ecosystems.tsx";
import { page } from "./layout.tsx";
import { Looks } from "./live.ts";
import { Failure } from "./parts.tsx";
import type { Reader } from "./reader.ts";
import { runPage } from "./run.tsx";
import { runsPage } from "./runs.tsx";
import type { Shown } from "./shown.ts";

/** The routes of the pages; `where` is what the control repository is called, `more` are pages that also change something. */
export function pageRoutes(
  reader: Reader,
  where: string,
  more: (show: Show) => Routes,
): Routes {
  const looks = new Looks(reader);

  /** A view in the layout; what it throws is a page as well. */
  const show: Show = async (asking, view) => {
    const [waiting, shown] = await Promise.all([
      reader.ask<ApprovalsData>("amof_approvals", { limit: 200 }),
      view().catch((thrown): Shown => {
        const error = reader.failureOf(thrown);
        return {
          title: "Error",
          active: null,
          status: error.status,
          body: (
            <>
              <h1>This page cannot be shown</h1>
              <Failure error={error} />
            </>
          ),
        };
      }),
    ]);
    const pending = waiting.data?.approvals.filter(({ status }) => status === "pending").length;
    const csrf = asking.kind === "person" ? asking.session.csrf : null;
    return pageAnswer(page({ ...shown, where, pending: pending ?? null, csrf }), shown.status);
  };

  return (app) => {
    for (const [path, asset] of ASSETS) {
      app.get(path, () => new Response(asset.text, { headers: { "content-type": asset.type } }));
    }
    more(show)(app);
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
  };
}
