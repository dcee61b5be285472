/** `amof mirror fetch`: brings mirrors up to date (MIRROR-5). */

import { inPool } from "../../base/async/pool.ts";
import { type ExecuteContext, mutation, type Result } from "../../contract/mod.ts";
import { AmofError, type ErrorCode, toAmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count, didYouMean, few, list } from "../../base/text/words.ts";
import { findMirrors, freshMirror, type MirrorFound } from "../../workspace/mirrors/mod.ts";
import { RepoCounter, whyOf } from "../../workspace/mod.ts";
import { Transfers } from "../../workspace/clones/changing.ts";
import { mirrorName } from "./list.ts";
import { maskSecrets } from "../../base/text/mask.ts";

interface FetchRow {
  readonly name: string;
  readonly result: "fetched" | "fresh" | "failed";
  /** Why it failed; empty otherwise. */
  readonly detail: string;
  readonly code: ErrorCode | null;
}

interface FetchData {
  readonly result: "success" | "partial" | "failed";
  readonly mirrors: readonly FetchRow[];
}

/** Mirrors that can be fetched: those that are there. */
function fetchable(found: readonly MirrorFound[]): MirrorFound[] {
  return found.filter(({ state, url }) => state !== "left" && state !== "missing" && url !== null);
}

async function fetchOne(
  ctx: ExecuteContext,
  { name, url, kind }: MirrorFound,
  { fresh, transfers }: { readonly fresh: number; readonly transfers: Transfers },
): Promise<FetchRow> {
  const row = { name, detail: "", code: null };
  try {
    if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this mirror");
    const repo = {
      name,
      url: url ?? "",
      // Only a mirror that is made from a clone needs to know it.
      branch: "main",
      clone: kind,
    };
    const got = await freshMirror(ctx, repo, { fresh, transfers });
    if (got === null) {
      throw new AmofError(
        "mirror_missing",
        `Cannot fetch "${name}": nothing can borrow from its remote any more`,
      );
    }
    return { ...row, result: got.result === "fresh" ? "fresh" : "fetched" };
  } catch (thrown) {
    const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
    ctx.report.log("error", `${name}: not fetched: ${whyOf(error)}`);
    return { ...row, result: "failed", detail: whyOf(error), code: error.code };
  }
}

function conclude(rows: readonly FetchRow[]): Result<FetchData> {
  const failed = rows.filter(({ result }) => result === "failed");
  const [first] = failed;
  if (first === undefined) return { data: { result: "success", mirrors: rows } };
  const all = failed.length === rows.length;
  return {
    data: { result: all ? "failed" : "partial", mirrors: rows },
    failure: new AmofError(
      all ? first.code ?? "git_failed" : "partial_failure",
      `Cannot fetch ${few(failed.map(({ name }) => `"${name}"`), 5)}: ${first.detail}`,
      {
        hint: "Repeat: amof mirror fetch",
        details: { mirrors: failed.map(({ name, code, detail }) => ({ name, code, detail })) },
      },
    ),
  };
}

/** The words by which a mirror can be meant: its name, that without the digits, the last part of it, its address. */
function wordsOf({ name, url }: MirrorFound): string[] {
  const plain = name.replace(/-[0-9a-f]{8}(?:-blobless)?$/, "");
  return [name, plain, plain.split("/").at(-1) ?? plain, ...(url === null ? [] : [url])];
}

/** The mirrors that words mean, all where there are no words. Throws `invalid_arguments` for a word that means none. */
function meantMirrors(
  found: readonly MirrorFound[],
  words: readonly string[] | undefined,
): readonly MirrorFound[] {
  if (words === undefined || words.length === 0) return found;
  const unknown = words.filter((word) => !found.some((mirror) => wordsOf(mirror).includes(word)));
  const [first] = unknown;
  if (first !== undefined) {
    const near = didYouMean(first, found.flatMap(wordsOf));
    throw new AmofError(
      "invalid_arguments",
      `Cannot find a mirror called ${
        list(unknown.map((word) => `"${cleanLine(maskSecrets(word), 60)}"`))
      }${near === null ? "" : `; did you mean "${cleanLine(maskSecrets(near), 100)}"?`}`,
      { hint: "List them: amof mirror list" },
    );
  }
  return found.filter((mirror) => wordsOf(mirror).some((word) => words.includes(word)));
}

/** The command. */
export const fetchMirrors = mutation({
  name: "amof_fetch_mirrors",
  path: ["mirror", "fetch"],
  mcp: "never",
  toolset: "ecosystem",
  scope: "global",
  needs: "nothing",
  safety: "safe-write",
  confirm: "none",
  idempotent: true,
  openWorld: true,
  next: [],
  title: "Fetch mirrors",
  summary: "Bring the copies of remotes on this machine up to date; nothing in any clone changes.",
  description:
    "One mirror that fails stops no other: the exit code is 5 then. A mirror is meant by its name in the list, the last part of that, or its address.",
  positionals: ["mirrors"],
  examples: ["mirror fetch", "mirror fetch api", "mirror fetch --fresh 600 --jobs 4"],
  input: (z) => ({
    mirrors: z.array(z.string().min(1)).optional().describe("Only these; all when absent"),
    fresh: z.int().min(0).max(31_536_000).default(0)
      .describe("Leave those alone whose last fetch began no more than so many seconds ago"),
  }),
  async preview(ctx, input) {
    const found = fetchable(meantMirrors(await findMirrors(ctx), input.mirrors));
    return {
      facts: { mirrors: found.map(({ name }) => name), fresh: input.fresh },
      summary: `Would fetch ${count(found.length, "mirror")}.`,
      effects: found.map((mirror) => `Fetch ${mirrorName(mirror)}`),
      current: `${count(found.length, "mirror")} on this machine`,
      alternatives: ["See when they were fetched: amof mirror list"],
      ...(found.length === 0 ? { settled: conclude([]) } : {}),
    };
  },
  async execute(ctx, _input, facts) {
    const names = new Set(facts.mirrors);
    const found = fetchable(await findMirrors(ctx)).filter(({ name }) => names.has(name));
    const transfers = new Transfers(ctx.transfers);
    const tally = new RepoCounter(ctx.report, "fetching", found.length);
    // Transfers hold themselves back; the pool only bounds how many wait.
    const rows = await inPool(64, found, async (mirror) => {
      tally.begin(mirror.name);
      const row = await fetchOne(ctx, mirror, { fresh: facts.fresh, transfers });
      tally.end(mirror.name);
      return row;
    });
    return conclude(rows);
  },
  render: ({ mirrors }: FetchData) => {
    const failed = mirrors.filter(({ result }) => result === "failed").length;
    return {
      summary: mirrors.length === 0
        ? "There are no mirrors to fetch."
        : failed === 0
        ? `Fetched ${count(mirrors.length, "mirror")}.`
        : `Fetched ${mirrors.length - failed} of ${count(mirrors.length, "mirror")}.`,
      details: mirrors.length === 0 ? [] : table(
        ["mirror", "result", "detail"],
        mirrors.map((row) => [mirrorName(row), row.result, cleanLine(row.detail, 300)]),
      ),
    };
  },
});
