/** `amof ticket detach`: clones of a ticket that borrow from mirrors get all objects themselves (MIRROR-9). */

import { join } from "@std/path";
import { AmofError, toAmofError } from "../../base/error.ts";
import {
  type CommandContext,
  type ExecuteContext,
  mutation,
  type Result,
} from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count, few } from "../../base/text/words.ts";
import { inPoolOf, repoDirectory, whyOf } from "../../workspace/mod.ts";
import { loadManifest } from "../../workspace/manifest/mod.ts";
import { requireTicketWorkspace, saveRecord } from "../../workspace/tickets/mod.ts";
import type { OwnWorkspace } from "./preflight.ts";

/** A clone that borrows. */
interface BorrowingClone {
  readonly name: string;
  /** Absolute. */
  readonly directory: string;
}

/**
 * The clones of a ticket that borrow, or of which its record says so. Something that made them independent may
 * have been killed half-way, or before it could write that down. No process.
 */
export async function borrowingClones(
  { system }: Pick<CommandContext, "system">,
  { directory, record }: OwnWorkspace,
): Promise<BorrowingClone[]> {
  const clones: BorrowingClone[] = [];
  for (const [name, { path, mirror }] of Object.entries(record.repos)) {
    const clone = await repoDirectory(system, directory, { name, path });
    const info = join(clone, ".git", "objects", "info");
    // The second is what a process that was killed while it did this has left.
    const entries = (await system.files.list(info)).map((entry) => entry.name);
    const borrows = mirror !== null ||
      entries.some((entry) => /^alternates(?:\.amof-ended)?$/.test(entry));
    if (borrows) clones.push({ name, directory: clone });
  }
  return clones;
}

interface DetachRow {
  readonly name: string;
  readonly result: "detached" | "failed";
  /** Why it failed; empty otherwise. */
  readonly detail: string;
}

interface DetachData {
  readonly ticket_id: string;
  readonly repos: readonly DetachRow[];
}

async function planOf(
  ctx: CommandContext,
  id: string,
): Promise<OwnWorkspace & { readonly clones: readonly BorrowingClone[] }> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const own = await requireTicketWorkspace(ctx.system, ctx.root, manifest, id);
  return { ...own, clones: await borrowingClones(ctx, own) };
}

async function detachOne(
  ctx: ExecuteContext,
  { name, directory }: BorrowingClone,
): Promise<DetachRow> {
  try {
    if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
    await ctx.git.at(directory, name).borrowed.end();
    await ctx.seals.seal([directory]);
    ctx.records.borrowers.remove(directory);
    return { name, result: "detached", detail: "" };
  } catch (thrown) {
    const error = toAmofError(thrown, () => ctx.system.ids.hex(8));
    ctx.report.log("error", `${name}: still borrows: ${whyOf(error)}`);
    return { name, result: "failed", detail: whyOf(error) };
  }
}

function conclude(id: string, rows: readonly DetachRow[]): Result<DetachData> {
  const failed = rows.filter(({ result }) => result === "failed");
  const data: DetachData = { ticket_id: id, repos: rows };
  const [first] = failed;
  if (first === undefined) return { data };
  return {
    data,
    failure: new AmofError(
      failed.length === rows.length ? "git_failed" : "partial_failure",
      `Cannot make ${few(failed.map(({ name }) => `"${name}"`), 5)} independent: ${first.detail}`,
      { hint: `See what is wrong: amof doctor\nThen repeat: amof ticket detach ${id}` },
    ),
  };
}

/** The command. */
export const detachTicket = mutation({
  name: "amof_ticket_detach",
  path: ["ticket", "detach"],
  mcp: "never",
  toolset: "ticket",
  scope: "ecosystem",
  safety: "safe-write",
  confirm: "none",
  idempotent: true,
  runs: "ticket_detach",
  title: "Detach ticket",
  summary: "Give the clones of a ticket all objects themselves, so that they need no mirror.",
  description:
    "For what is to be copied, or used where the mirrors are not. Each clone takes as much of the disk as an ordinary one then. Nothing else of it changes, and mirrors stay as they are.",
  positionals: ["ticket_id"],
  examples: ["ticket detach PROJ-123"],
  input: (z) => ({
    ticket_id: z.string().min(1).describe("The ticket, which has a workspace of its own"),
  }),
  locks: (input) => ({ tickets: [input.ticket_id] }),
  undo: {
    // Borrowing again would mean deleting objects, for which nobody asks an undo.
    irreversible: "that the clones have their objects themselves",
  },
  async preview(ctx, { ticket_id: id }) {
    const { clones } = await planOf(ctx, id);
    return {
      facts: { ticket_id: id, repos: clones.map(({ name }) => name) },
      summary: `Would make ${count(clones.length, "clone")} of ${id} independent.`,
      effects: clones.map(({ name }) => `Copy what ${name} borrows, and borrow no more`),
      current: `${count(clones.length, "clone")} of ${id} borrow from mirrors`,
      alternatives: ["See who borrows: amof mirror list"],
      ...(clones.length === 0 ? { settled: conclude(id, []) } : {}),
    };
  },
  async execute(ctx, { ticket_id: id }, facts) {
    const { directory, record, clones } = await planOf(ctx, id);
    const names = new Set(facts.repos);
    const wanted = clones.filter(({ name }) => names.has(name));
    const rows = await inPoolOf(ctx, "detaching", wanted, (clone) => detachOne(ctx, clone));
    const done = new Set(
      rows.filter(({ result }) => result === "detached").map(({ name }) => name),
    );
    const repos = Object.fromEntries(
      Object.entries(record.repos).map(([name, repo]) =>
        [name, done.has(name) ? { ...repo, mirror: null } : repo] as const
      ),
    );
    await saveRecord(ctx.system, directory, { ...record, repos });
    return conclude(id, rows);
  },
  render: ({ ticket_id: id, repos }: DetachData) => {
    const done = repos.filter(({ result }) => result === "detached").length;
    return {
      summary: repos.length === 0
        ? `No clone of ${id} borrows.`
        : `${count(done, "clone")} of ${id} ${done === 1 ? "needs" : "need"} no mirror any more.`,
      details: repos.length === 0 ? [] : table(
        ["repo", "result", "detail"],
        repos.map((row) => [row.name, row.result, cleanLine(row.detail, 300)]),
      ),
    };
  },
});
