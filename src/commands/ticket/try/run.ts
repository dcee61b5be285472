/** Runs a program in the joint result of tickets, once, and throws the workspace away (TRY-3). */

import { basename, dirname, join } from "@std/path";
import type { ExecuteContext } from "../../../contract/mod.ts";
import { AmofError, reasonOf } from "../../../base/error.ts";
import { endRun, partMarks } from "../../../runs/mod.ts";
import type { ProcessResult } from "../../../base/system/mod.ts";
import { environmentWith, type Invocation, vectorOf } from "../../../workspace/programs/mod.ts";
import { hideTickets, makeDirectories, missingAbove } from "../../../workspace/changing.ts";
import type { TryFacts, TryRepo, TrySide } from "./plan.ts";
import { type BasePlace, planClones } from "../workspace/plan.ts";
import { buildClone } from "../../../workspace/tickets/changing.ts";
import { inPoolOf, type Refusal, unlessRefused } from "../../../workspace/mod.ts";
import { Transfers } from "../../../workspace/clones/changing.ts";
import { Joining } from "../../../git/write/mod.ts";

// Makes the joint result of tickets: clones that stand on their base branches, into which the branches of the tickets are
// merged (TRY-2).
//
// Nothing of a ticket's clone is asked for its commits but its objects, so that no setting of it counts here.

/** What became of one repository. */
export interface Joined {
  readonly name: string;
  readonly base: string;
  /** The tickets whose branches are in it. */
  readonly tickets: readonly string[];
  /** The commit it stands at. */
  readonly commit: string;
  /** What did not go together with what was there already, in the order of the tickets. */
  readonly conflicts: readonly { readonly ticket: string; readonly files: readonly string[] }[];
}

/** Lets a clone read the objects of others, besides those of its mirror. */
async function lend(ctx: ExecuteContext, clone: string, sides: readonly TrySide[]): Promise<void> {
  const { files } = ctx.system;
  const file = join(clone, ".git", "objects", "info", "alternates");
  const found = await Promise.all(sides.map((side) => ctx.git.at(side.clone).commonDirectory()));
  const own = await files.readText(file) ?? "";
  const more = found.flatMap((common) => common === null ? [] : [join(common, "objects")]);
  const lines = [...own.split("\n").filter((line) => line !== ""), ...new Set(more)];
  await files.write(file, `${lines.join("\n")}\n`);
}

/** The clone of a repository in a workspace that is tried. */
function cloneIn(workspace: string, { path }: Pick<TryRepo, "path">): string {
  return join(workspace, path);
}

/** Merges the branches of the tickets, one behind the other; what conflicts is left out and named. */
async function joinOne(ctx: ExecuteContext, workspace: string, repo: TryRepo): Promise<Joined> {
  const directory = cloneIn(workspace, repo);
  const clone = ctx.git.at(directory, repo.name);
  const { name, base, sides } = repo;
  const conflicts: { ticket: string; files: string[] }[] = [];
  if (sides.length > 0) {
    await lend(ctx, directory, sides);
    await clone.branches.create(`joint/${sides.map(({ ticket }) => ticket).join("+")}`);
  }
  for (const { ticket, branch, commit } of sides) {
    try {
      await clone.part(Joining).merge(commit, `Merge ${branch} of ${ticket} over ${base}`);
    } catch (error) {
      if (ctx.signal.aborted || await clone.part(Joining).middle() === null) throw error;
      const { changes } = await clone.status("all");
      conflicts.push({
        ticket,
        files: changes.filter(({ conflicted }) => conflicted).map(({ path }) => path),
      });
      await clone.part(Joining).abort("merge");
    }
  }
  const left = new Set(conflicts.map(({ ticket }) => ticket));
  return {
    name,
    base,
    tickets: sides.map(({ ticket }) => ticket).filter((ticket) => !left.has(ticket)),
    commit: await clone.refs.resolve("HEAD") ?? "",
    conflicts,
  };
}

/** Makes the clones in a directory and joins the tickets there; `label` is what the clones are lent to. */
async function makeJoint(
  ctx: ExecuteContext,
  { base, facts, offline, notes }: {
    readonly base: BasePlace;
    readonly facts: TryFacts;
    readonly offline: boolean;
    readonly notes: string[];
  },
  { workspace, label }: { readonly workspace: string; readonly label: string },
): Promise<Joined[]> {
  const { files } = ctx.system;
  const wanted = facts.repos.map(({ name, path, base }) => ({
    name,
    path,
    role: "context" as const,
    branch: base,
    base,
    mode: "ticket_local" as const,
  }));
  const what = `try ${facts.tickets.join(" with ")}`;
  const { clones, empty } = await planClones(ctx, base, wanted, { what, offline, notes });
  unlessRefused<Refusal>(
    what,
    facts.repos.filter(({ name, sides }) => sides.length > 0 && empty.includes(name))
      .map(({ name }) => ({
        repo: name,
        code: "git_failed" as const,
        problem: "has no commit to begin at",
        fix: "push a first commit, then repeat",
      })),
  );
  await files.makeDirectory(workspace);
  const transfers = new Transfers(ctx.transfers);
  const terms = {
    directory: workspace,
    standalone: false,
    ticket: label,
    place: workspace,
    transfers,
  };
  await inPoolOf(ctx, "cloning", clones, async (plan) => {
    if (ctx.signal.aborted) throw new AmofError("cancelled", "Stopped before this repository");
    const repo = base.manifest.repos.find(({ name }) => name === plan.name);
    if (repo === undefined) throw new TypeError(`"${plan.name}" has left the manifest`);
    // Of a history that is cut off nobody knows where the tickets have left it.
    const clone = repo.clone.startsWith("shallow:") ? "blobless" : repo.clone;
    await buildClone(ctx, terms, { ...repo, clone }, plan);
  });
  const made = facts.repos.filter(({ name }) => !empty.includes(name));
  return await inPoolOf(ctx, "joining", made, (repo) => joinOne(ctx, workspace, repo));
}

/** How long a program may take to obey. */
const GRACE_MS = 3_000;
/** How many lines go into the log of the run. */
const MOST_LINES = 100_000;

/** What came of it. */
export interface Tried {
  readonly joined: readonly Joined[];
  /** Null where nothing was run, because tickets conflict. */
  readonly result: ProcessResult | null;
  /** Where the workspace is, absolute; null where it was thrown away. */
  readonly kept: string | null;
  readonly notes: readonly string[];
}

/** Starts the program at the top of the workspace. */
async function runIn(
  ctx: ExecuteContext,
  workspace: string,
  { invocation, facts }: { readonly invocation: Invocation; readonly facts: TryFacts },
): Promise<ProcessResult> {
  const [command, args] = vectorOf(invocation);
  const unread = new AbortController();
  const marks = ctx.runId === null ? {} : partMarks(ctx.runId, "try");
  let logged = 0;
  const result = await ctx.system.processes.run({
    command,
    args,
    cwd: workspace,
    ...environmentWith(ctx, facts.environment, {
      AMOF_ECOSYSTEM: ctx.ecosystem,
      AMOF_ROOT: ctx.root,
      // The throwaway workspace belongs to none of these tickets.
      AMOF_TICKET: null,
      AMOF_TICKET_DIR: null,
      AMOF_TICKETS: facts.tickets.join(" "),
      AMOF_WORKSPACE: workspace,
      PWD: workspace,
      ...marks,
    }),
    ownGroup: true,
    graceMs: GRACE_MS,
    ...(facts.time_limit_s === null ? {} : { timeoutMs: facts.time_limit_s * 1_000 }),
    signal: AbortSignal.any([ctx.signal, unread.signal]),
    maxOutputBytes: 1,
    onLine(stream, line) {
      if (logged++ < MOST_LINES) {
        ctx.report.log(stream === "stderr" ? "warn" : "info", line, { stream });
      }
      try {
        ctx.report.print?.(stream, `${line}\n`);
      } catch {
        // A program whose output nobody reads any more ends with it, as in any pipe.
        unread.abort();
      }
    },
  });
  if ((ctx.signal.aborted || result.timedOut) && ctx.runId !== null) {
    await endRun(ctx.system, ctx.runId);
  }
  return result;
}

/** Throws the workspace away; what cannot be deleted is said, and `doctor --repair` deletes it later. */
async function throwAway(ctx: ExecuteContext, workspace: string): Promise<void> {
  try {
    await ctx.system.files.removeTree(workspace);
    ctx.records.borrowers.remove(workspace);
  } catch (error) {
    ctx.report.log("warn", `Could not delete all of ${workspace}: ${reasonOf(error)}`, {
      type: "leftover",
    });
  }
}

/** Leaves the workspace to the user, with clones that need nobody. */
async function keep(
  ctx: ExecuteContext,
  { workspace, place }: { readonly workspace: string; readonly place: string },
  facts: TryFacts,
): Promise<string> {
  const { files } = ctx.system;
  for (const repo of facts.repos) {
    const clone = cloneIn(workspace, repo);
    if (await files.lstat(clone) !== null) await ctx.git.at(clone, repo.name).borrowed.end();
  }
  await files.rename(workspace, place);
  ctx.records.borrowers.remove(workspace);
  return place;
}

/** Joins, runs and throws away. A kill leaves nothing but a hidden directory that `doctor --repair` deletes. */
export async function tryTickets(
  ctx: ExecuteContext,
  base: BasePlace,
  { invocation, facts, offline }: {
    readonly invocation: Invocation;
    readonly facts: TryFacts;
    readonly offline: boolean;
  },
): Promise<Tried> {
  const beside = join(ctx.root, base.manifest.workspaceDir);
  const label = `try-${ctx.system.ids.hex(8)}`;
  const place = join(dirname(beside), `.${basename(beside)}@${label}`);
  const workspace = `${place}.amof-new-${ctx.system.ids.hex(8)}`;
  const missing = await missingAbove(ctx, workspace);
  const steps = [
    ...await hideTickets(ctx, base.manifest),
    ...(missing.length === 0 ? [] : [makeDirectories.step({ paths: missing })]),
  ];
  if (steps.length > 0) await ctx.perform(steps);
  const notes: string[] = [];
  let kept: string | null = null;
  try {
    const joined = await makeJoint(ctx, { base, facts, offline, notes }, { workspace, label });
    const clean = joined.every(({ conflicts }) => conflicts.length === 0);
    const result = clean || facts.keep_going
      ? await runIn(ctx, workspace, { invocation, facts })
      : null;
    if (facts.keep && !ctx.signal.aborted) kept = await keep(ctx, { workspace, place }, facts);
    return { joined, result, kept, notes };
  } finally {
    if (kept === null) await throwAway(ctx, workspace);
  }
}
