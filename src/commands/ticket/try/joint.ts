/**
 * Makes the joint result of tickets: clones that stand on their base branches, into which the branches of the tickets are
 * merged (TRY-2).
 *
 * Nothing of a ticket's clone is asked for its commits but its objects, so that no setting of it counts here.
 */

import { join } from "@std/path";
import type { ExecuteContext } from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { buildClone } from "../../../workspace/tickets/changing.ts";
import { inPoolOf, type Refusal, unlessRefused } from "../../../workspace/mod.ts";
import { Transfers } from "../../../workspace/clones/changing.ts";
import { cloneIn, type TryFacts, type TryRepo, type TrySide } from "./plan.ts";
import { planClones } from "../workspace/clones.ts";
import type { BasePlace } from "../workspace/plan.ts";
import { Joining } from "../../../git/write/mod.ts";

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
export async function makeJoint(
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
    await buildClone(ctx, terms, repo, plan);
  });
  const made = facts.repos.filter(({ name }) => !empty.includes(name));
  return await inPoolOf(ctx, "joining", made, (repo) => joinOne(ctx, workspace, repo));
}
