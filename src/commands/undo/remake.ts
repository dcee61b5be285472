/**
 * Makes the workspace of a ticket again that a run has taken away (UNDO-10): whether that can be done, and the work.
 */

import { basename, dirname, join } from "@std/path";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import { sha256 } from "../../base/hash.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few } from "../../base/text/words.ts";
import { ticketDirectory } from "../../workspace/tickets/mod.ts";
import { bringMirrors, mirrorOf } from "../../workspace/tickets/changing.ts";
import { findWorkspace, loadState } from "../../workspace/mod.ts";
import { hideTickets } from "../../workspace/changing.ts";
import { loadManifest, type Manifest } from "../../workspace/manifest/mod.ts";
import type { Gone, OperationRecord } from "./record.ts";
import { placeRemade, remakeTicket, sealRemade } from "./remake_steps.ts";
import { forgetOperation } from "./steps.ts";
import { impossible } from "./unmake_ticket.ts";

/** An operation that took the workspace of a ticket away. */
type OfGone = OperationRecord & { readonly gone: Gone };

/** What comes back, and what a confirmation of that is bound to. */
export interface RemadeFact {
  readonly ticket_id: string;
  /** Relative to the control repository. */
  readonly workspace: string;
  readonly repos: readonly {
    readonly name: string;
    readonly branch: string | null;
    readonly commit: string | null;
    /** Other local branches. */
    readonly branches: readonly string[];
  }[];
  /** What stays as it is, one sentence each. */
  readonly stays: readonly string[];
  /** The hash of everything that was kept. */
  readonly digest: string;
}

/** Whether an operation took the workspace of a ticket away. */
export function isOfGone(record: OperationRecord): record is OfGone {
  return record.gone !== undefined;
}

/** Throws where the manifest no longer has what was in the workspace, at its place. */
function requireKnown(ctx: CommandContext, manifest: Manifest, record: OfGone): void {
  const entries = Object.entries(record.gone.record.repos);
  const lost = entries.filter(([name, { path }]) => {
    const repo = manifest.repos.find((one) => one.name === name);
    return repo === undefined || !repo.enabled || repo.path !== path ||
      mirrorOf(ctx, repo) === null;
  });
  if (lost.length === 0) return;
  throw impossible(
    record,
    `${few(lost.map(([name]) => `"${name}"`), 5)} left the manifest since, or is elsewhere in it`,
    `Start it out of what is on remotes: amof ticket start ${record.gone.ticket} --workspace`,
  );
}

/** Looks whether the workspace can come back; throws `undo_impossible` where something else is there by now. No process. */
export async function planRemaking(ctx: CommandContext, record: OfGone): Promise<RemadeFact> {
  const { ticket: id, clones, deleted } = record.gone;
  const { system, root } = ctx;
  const manifest = await loadManifest(system, root, ctx.ecosystem);
  requireKnown(ctx, manifest, record);
  const directory = ticketDirectory(root, manifest, id);
  const state = await loadState(system, join(root, manifest.workspaceDir));
  if (Object.hasOwn(state?.tickets ?? {}, id)) {
    throw impossible(
      record,
      `ticket ${id} was started in the base workspace since`,
      `End it first: amof ticket end ${id}`,
    );
  }
  if (await system.files.lstat(directory) !== null) {
    throw impossible(
      record,
      `something is at ${directory} since`,
      "See what it is: amof ticket list",
    );
  }
  return {
    ticket_id: id,
    workspace: `${manifest.workspaceDir}@${id}`,
    repos: clones.map(({ name, picture: checkpoint }) => ({
      name,
      branch: checkpoint.branch,
      commit: checkpoint.head,
      branches: Object.keys(checkpoint.refs).filter((ref) =>
        ref.startsWith("refs/heads/") && ref !== `refs/heads/${checkpoint.branch}`
      ).map((ref) => ref.slice("refs/heads/".length)),
    })),
    stays: deleted.map(({ repo, branch }) =>
      `${repo}: ${branch} is deleted on its remote, and not pushed again`
    ),
    digest: sha256(canonicalJson(record.gone)),
  };
}

/** What is said of it before. */
export function remakingEffects({ workspace, repos, stays }: RemadeFact): string[] {
  return [
    `Make ${workspace} again, with ${count(repos.length, "clone")}`,
    ...repos.map(({ name, branch, commit, branches }) =>
      [
        `${name}: ${branch === null ? "on no branch" : `on ${cleanLine(branch, 60)}`} at ${
          commit?.slice(0, 8) ?? "no commit"
        }`,
        ...(branches.length === 0
          ? []
          : [`with ${few(branches.map((one) => cleanLine(one, 60)), 5)}`]),
      ].join(", ")
    ),
    ...stays.map((line) => `Stays: ${cleanLine(line, 200)}`),
  ];
}

/** Makes the workspace again: all of it, or nothing but mirrors. */
export async function remake(ctx: ExecuteContext, record: OfGone): Promise<void> {
  const { ticket, record: { repos } } = record.gone;
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const { directory: base, worktree } = await findWorkspace(ctx, ctx.root, manifest);
  const notes: string[] = [];
  await bringMirrors(
    ctx,
    worktree === null || worktree.prunable ? null : base,
    manifest.repos.filter(({ name }) => Object.hasOwn(repos, name)),
    { what: `undo run ${record.run_id.slice(0, 8)}`, offline: false, notes },
  );
  for (const note of notes) ctx.report.log("warn", note);
  const directory = ticketDirectory(ctx.root, manifest, ticket);
  const building = join(
    dirname(directory),
    `.${basename(directory)}.amof-new-${ctx.system.ids.hex(8)}`,
  );
  const where = { run: record.run_id, directory, building };
  const before = [...await hideTickets(ctx, manifest), remakeTicket.step(where)];
  const clones = Object.values(repos).map(({ path }) => join(directory, path));
  await ctx.perform([
    ...before,
    placeRemade.step(where),
    sealRemade.step({ clones }),
    forgetOperation.step({ run: record.run_id }),
  ], before.length);
}
