/**
 * Leads one repository on or back where its update stopped.
 *
 * @module
 */

import type { ExecuteContext } from "../../../contract/mod.ts";
import type { Repository } from "../../../git/mod.ts";
import { sha } from "../../../base/ids.ts";
import { giveBack, keptFor } from "../steps/update_kept.ts";
import type { MiddleFact } from "./middle.ts";
import {
  asideOf,
  changed,
  guarded,
  type Site,
  type UpdateRow,
  updateRow,
  withGiven,
} from "./row.ts";

/** Goes back to before an update, if that is wanted, and gives the work back that stood aside. */
async function settleKept(
  ctx: ExecuteContext,
  site: Site,
  fact: MiddleFact,
  repository: Repository,
): Promise<UpdateRow> {
  const entry = await keptFor(repository, site.kept);
  const { head, branch } = await repository.status();
  if (entry?.commit !== fact.kept || head !== fact.head || branch !== fact.branch) {
    throw changed(fact.name);
  }
  if (fact.back_to !== null) {
    await repository.branches.putAt(
      branch,
      sha(fact.back_to),
      fact.head === null ? null : sha(fact.head),
    );
  }
  return withGiven(
    updateRow(fact, {
      result: fact.back_to === null ? "given_back" : "taken_back",
      detail: fact.back_to === null ? "" : "the update is undone",
    }),
    await giveBack({ ...ctx, git: ctx.git.until() }, asideOf(site, fact.branch)),
    site,
  );
}

/** Goes on behind conflicts, or back to before. Never throws: what failed is in the row. */
export function settleOne(
  ctx: ExecuteContext,
  site: Site,
  fact: MiddleFact,
  step: "continue" | "abort",
): Promise<UpdateRow> {
  return guarded(ctx, site, fact.branch, async (repository, onLine) => {
    const { doing } = fact;
    if (doing === "return") return await settleKept(ctx, site, fact, repository);
    const middle = await repository.joining.middle();
    if (middle?.doing !== fact.doing) throw changed(fact.name);
    if (step === "abort") await repository.joining.abort(doing, onLine);
    else await repository.joining.goOn(doing, onLine);
    const row = updateRow(fact, {
      result: step === "abort" ? "taken_back" : "updated",
      how: doing,
      detail: step === "abort" ? `the ${doing} is undone` : `the ${doing} is complete`,
    });
    return fact.kept === null ? row : withGiven(
      row,
      await giveBack({ ...ctx, git: ctx.git.until() }, asideOf(site, fact.branch)),
      site,
    );
  });
}
