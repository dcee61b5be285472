/**
 * Opens the pull requests that were agreed to: pushes, looks for each again, makes those that are missing, links all of
 * them. Cut off anywhere, it is repeated without making anything twice (CHANGE-4).
 *
 * @module
 */

import { AmofError } from "../../../base/error.ts";
import type { ExecuteContext } from "../../../contract/mod.ts";
import type { Forge } from "../../../forge/mod.ts";
import { inPoolOf } from "../../../workspace/mod.ts";
import { sendAll } from "../../push/send.ts";
import { type PushRow, skippedRow } from "../../push/one.ts";
import { ensureOpen } from "../ensure.ts";
import { linkAll, type Linked } from "../link.ts";
import { seek } from "../look.ts";
import { failedRow, type PrRow, prRow } from "../row.ts";
import type { ChangeSet } from "../set.ts";
import type { OpenFact, OpenFacts } from "./plan.ts";

/** What came of a repository, and its pull request where it has one. */
interface Opened {
  readonly row: PrRow;
  readonly linked: Linked | null;
}

async function openFor(
  ctx: ExecuteContext,
  { fact, forge, pushed }: {
    readonly fact: OpenFact;
    readonly forge: Forge | null;
    /** What came of its push; undefined where nothing had to be pushed. */
    readonly pushed: PushRow | undefined;
  },
): Promise<Opened> {
  const { name } = fact;
  const only = (row: PrRow): Opened => ({ row, linked: null });
  if (pushed !== undefined && pushed.result !== "pushed") {
    const { detail, code, fix } = pushed;
    return only({ ...prRow(name, "failed", null, detail), code: code ?? "push_refused", fix });
  }
  if (forge === null) {
    const url = pushed?.pull_request_url ?? null;
    const said = url ?? pushed?.pull_request_text ?? "its remote says nothing of a pull request";
    return only({ ...prRow(name, "pushed", null, `open it there: ${said}`), url });
  }
  try {
    if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
    const { branch: head, base, title, body, draft, labels, reviewers } = fact;
    const wish = { head, base, title, body, draft, labels, reviewers };
    const { change, made } = await ensureOpen(forge, wish);
    const detail = pushed === undefined ? "" : `pushed ${pushed.commit?.slice(0, 7) ?? ""}`;
    ctx.report.log("info", `${name}: ${made ? "opened" : "found"} #${change.number}`, {
      type: "repo",
      payload: { repo: name, number: change.number },
    });
    return {
      row: prRow(name, made ? "opened" : "updated", change, detail),
      linked: { name, forge, change },
    };
  } catch (thrown) {
    return only(failedRow(ctx, name, thrown));
  }
}

/** Opens all of them; a row for each repository, in the order to land. */
export async function openAll(
  ctx: ExecuteContext,
  set: ChangeSet,
  facts: OpenFacts,
): Promise<readonly PrRow[]> {
  const { manifest, members } = set;
  const pushed = facts.push.length === 0
    ? []
    : await sendAll(ctx, manifest, { repos: facts.push, message: null }, []);
  const opened = await inPoolOf(ctx, "opening", facts.repos, (fact) =>
    openFor(ctx, {
      fact,
      forge: members.find(({ name }) => name === fact.name)?.forge ?? null,
      pushed: pushed.find(({ name }) => name === fact.name),
    }));
  const rows = opened.map(({ row }) => row);
  const fresh = opened.flatMap(({ linked }) => linked === null ? [] : [linked]);
  // Others of the set may be open, or have landed, without a part in this call.
  const others = (await seek(ctx, set)).flatMap(({ name, forge, change }): Linked[] =>
    forge === null || change === null || fresh.some((one) => one.name === name)
      ? []
      : [{ name, forge, change }]
  );
  const unlinked = await linkAll(ctx, set, [...fresh, ...others]);
  return [
    ...rows.map((row) => unlinked.find(({ name }) => name === row.name) ?? row),
    ...unlinked.filter(({ name }) => !rows.some((row) => row.name === name)),
    ...facts.held.map((skip): PrRow => {
      const { name, detail, code, fix } = skippedRow(skip, false);
      return { ...prRow(name, "skipped", null, detail), code, fix };
    }),
    ...facts.without.map(({ name, reason }) => prRow(name, "skipped", null, reason)),
  ];
}
