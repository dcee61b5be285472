/** `amof mirror prune`: removes mirrors that nobody borrows from, and packs the others (MIRROR-6). */

import { basename, dirname, join } from "@std/path";
import { inPool } from "../../base/async/pool.ts";
import { type ExecuteContext, mutation, type Result } from "../../contract/mod.ts";
import { AmofError, toAmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count, few, sizeText } from "../../base/text/words.ts";
import {
  findMirrors,
  isIdle,
  type MirrorFound,
  packMirror,
  removeLeft,
  removeMirror,
} from "../../workspace/mirrors/mod.ts";
import { RepoCounter, whyOf } from "../../workspace/mod.ts";
import { borrowersText, mirrorName } from "./list.ts";

type Action = "remove" | "pack";

interface PruneRow {
  readonly name: string;
  readonly action: Action;
  /** `kept`: somebody borrows from it by now, or it is gone. */
  readonly result: "removed" | "packed" | "kept" | "failed";
  readonly detail: string;
}

interface PruneData {
  readonly mirrors: readonly PruneRow[];
  /** How many bytes are free again. */
  readonly freed: number;
}

/** Whether what was set aside may have what the mirror in its place has not, and somebody borrows from that. */
function hasMore({ directory }: MirrorFound, all: readonly MirrorFound[]): boolean {
  const name = basename(directory).replace(/\.amof-damaged-[0-9a-f]{8}$/, "").slice(1);
  const place = join(dirname(directory), name);
  return all.some((mirror) => mirror.directory === place && !isIdle(mirror));
}

/** What is to be done with a mirror; null for nothing. */
function actionFor(found: MirrorFound, all: readonly MirrorFound[]): Action | null {
  if (found.state === "left") return hasMore(found, all) ? null : "remove";
  // Without a mirror its borrowers need one, which is not for this command to make.
  if (found.state === "missing") return null;
  if (isIdle(found)) return "remove";
  return found.state === "whole" && found.scattered ? "pack" : null;
}

async function pruneOne(
  ctx: ExecuteContext,
  found: MirrorFound,
  action: Action,
): Promise<PruneRow> {
  const row = { name: found.name, action, detail: "" };
  try {
    if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this mirror");
    if (action === "pack") {
      return { ...row, result: await packMirror(ctx, found) ? "packed" : "kept" };
    }
    if (found.state === "left") {
      await removeLeft(ctx, found);
      return { ...row, result: "removed" };
    }
    return { ...row, result: await removeMirror(ctx, found) ? "removed" : "kept" };
  } catch (thrown) {
    const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
    return { ...row, result: "failed", detail: whyOf(error) };
  }
}

function conclude(rows: readonly PruneRow[], freed: number): Result<PruneData> {
  const failed = rows.filter(({ result }) => result === "failed");
  const [first] = failed;
  const data: PruneData = { mirrors: rows, freed };
  if (first === undefined) return { data };
  return {
    data,
    failure: new AmofError(
      failed.length === rows.length ? "file_failed" : "partial_failure",
      `Cannot prune ${few(failed.map(({ name }) => `"${name}"`), 5)}: ${first.detail}`,
      { hint: "Repeat: amof mirror prune", details: { mirrors: failed } },
    ),
  };
}

/** The command. */
export const pruneMirrors = mutation({
  name: "amof_prune_mirrors",
  path: ["mirror", "prune"],
  mcp: "never",
  toolset: "ecosystem",
  scope: "global",
  needs: "nothing",
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "pruning", will: "remove mirrors that nobody borrows from" },
  next: "removed",
  title: "Prune mirrors",
  summary: "Remove copies of remotes that no clone borrows from, and pack the others.",
  description:
    "Nothing that a known clone borrows from is removed, and packing removes no object. Clones that were copied by hand are not known.",
  examples: ["mirror prune", "mirror prune --dry-run", "mirror prune --yes"],
  input: () => ({}),
  async preview(ctx) {
    const found = await findMirrors(ctx);
    const plans = found.flatMap((mirror) => {
      const action = actionFor(mirror, found);
      return action === null ? [] : [{ mirror, action }];
    });
    const idle = plans.filter(({ action }) => action === "remove").map(({ mirror }) => mirror);
    const size = sizeText(idle.reduce((sum, { bytes }) => sum + bytes, 0));
    return {
      facts: {
        mirrors: plans.map(({ mirror, action }) => ({
          name: mirror.name,
          action,
          borrowers: borrowersText(mirror),
        })),
      },
      summary: plans.length === 0
        ? "There is nothing to prune."
        : `Would remove ${count(idle.length, "mirror")} (${size}) and pack ${
          plans.length - idle.length
        }.`,
      effects: plans.map(({ mirror, action }) =>
        action === "remove"
          ? `Remove ${mirrorName(mirror)} (${sizeText(mirror.bytes)}; borrowed by: ${
            borrowersText(mirror)
          })`
          : `Pack ${mirrorName(mirror)}; every object stays`
      ),
      irreversible: "Clones that were copied by hand, and borrow from a mirror that goes, break.",
      current: `${count(found.length, "mirror")} on this machine`,
      alternatives: ["See who borrows: amof mirror list"],
      ...(plans.length === 0 ? { settled: conclude([], 0) } : {}),
    };
  },
  async execute(ctx, _input, facts) {
    const wanted = new Map(facts.mirrors.map(({ name, action }) => [name, action]));
    const found = (await findMirrors(ctx)).flatMap((mirror) => {
      const action = wanted.get(mirror.name);
      return action === undefined ? [] : [{ mirror, action }];
    });
    const tally = new RepoCounter(ctx.report, "pruning", found.length);
    // Packing takes a processor and much memory each.
    const rows = await inPool(2, found, async ({ mirror, action }) => {
      tally.begin(mirror.name);
      const row = await pruneOne(ctx, mirror, action);
      tally.end(mirror.name);
      return row;
    });
    const bytes = (mirrors: readonly MirrorFound[]) =>
      mirrors.reduce((sum, mirror) => sum + mirror.bytes, 0);
    const left = (await findMirrors(ctx)).filter(({ name }) => wanted.has(name));
    return conclude(rows, Math.max(0, bytes(found.map(({ mirror }) => mirror)) - bytes(left)));
  },
  render: ({ mirrors, freed }: PruneData) => {
    const of = (result: PruneRow["result"]) =>
      mirrors.filter((row) => row.result === result).length;
    return {
      summary: mirrors.length === 0
        ? "There is nothing to prune."
        : `Removed ${count(of("removed"), "mirror")} and packed ${of("packed")}; ${
          sizeText(freed)
        } are free again.`,
      details: mirrors.length === 0 ? [] : table(
        ["mirror", "result", "detail"],
        mirrors.map((row) => [mirrorName(row), row.result, cleanLine(row.detail, 300)]),
      ),
    };
  },
});
