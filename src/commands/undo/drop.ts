/** Takes clones away again that a run has brought into a workspace, where nothing of anybody's is in them (UNDO-11). */

import { join } from "@std/path";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import { sameCheckpoint } from "../../git/checkpoint/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, list } from "../../base/text/words.ts";
import {
  obstaclesIn,
  refuseObstacles,
  type RepoStock,
  stockOf,
} from "../../workspace/removal/mod.ts";
import { asideSteps, emptyTrash } from "../removal/removal.ts";
import { refusalsOf } from "../removal/remedies.ts";
import { type Loss, lossesOf, lossLines, refuseInside } from "../removal/losses.ts";
import {
  findTicketWorkspace,
  loadRecord,
  saveRecord,
  scopeManifest,
} from "../../workspace/tickets/mod.ts";
import { refuseAtWork } from "../ticket/at_work.ts";
import {
  inPoolOf,
  loadState,
  refreshEditorFile,
  type Refusal,
  refuseAll,
  repoDirectory,
} from "../../workspace/mod.ts";
import { loadManifest } from "../../workspace/manifest/mod.ts";
import { branchesNow, madeAt } from "./ending.ts";
import type { Added, OperationRecord } from "./record.ts";
import { forgetOperation } from "./steps.ts";
import { commandWords } from "./find.ts";
import { impossible } from "./unmake.ts";
import { operation } from "../../runs/steps/mod.ts";

/** An operation that brought clones into a workspace. */
type OfAdded = OperationRecord & { readonly added: Added };

/** What goes, and what a confirmation of that is bound to. */
export interface DroppedFact {
  readonly ticket_id: string | null;
  /** The workspace that stays, relative to the control repository. */
  readonly workspace: string;
  readonly repos: readonly {
    readonly name: string;
    readonly path: string;
    readonly digest: string;
  }[];
  /** Minor ones: anything else refuses. */
  readonly losses: readonly Loss[];
}

/** Whether an operation brought clones into a workspace. */
export function isOfAdded(record: OperationRecord): record is OfAdded {
  return record.added !== undefined;
}

/** Throws where the workspace is another one, or gone, or tickets work on the clones. */
async function requireWorkspaceOf(
  ctx: CommandContext,
  record: OfAdded,
  what: string,
): Promise<void> {
  const { ticket, directory, created_at, clones } = record.added;
  if (await madeAt(ctx, ticket) !== created_at) {
    throw impossible(
      record,
      "the workspace is gone, or was made anew since",
      "See what can be undone: amof operations",
    );
  }
  for (const { path } of clones) await refuseInside(ctx, "undo", join(directory, path), what);
  if (ticket !== null) return await refuseAtWork(ctx, ticket, what);
  const { tickets = {} } = await loadState(ctx.system, directory) ?? {};
  const names = new Set(clones.map(({ name }) => name));
  const using = Object.entries(tickets)
    .filter(([, { repos }]) => Object.keys(repos).some((name) => names.has(name)))
    .map(([id]) => id);
  const [first] = using;
  if (first === undefined) return;
  throw impossible(
    record,
    `${list(using.map((id) => cleanLine(id, 60)))} was started in them since`,
    `End it first: amof ticket end ${first}`,
  );
}

/** Why one clone cannot go as it is; null where it stands as it came. */
async function movedOf(
  ctx: CommandContext,
  { added: { ticket, directory, clones } }: OfAdded,
  name: string,
): Promise<Refusal | null> {
  const begun = clones.find((one) => one.name === name);
  const now = begun === undefined ? null : await branchesNow(ctx, directory, begun);
  const rest = { inProgress: null, stashes: [], paths: [], aside: [] };
  const same = begun !== undefined && now !== null &&
    sameCheckpoint({ ...begun.picture, ...rest }, { ...now.picture, ...rest });
  return same ? null : {
    repo: name,
    code: "undo_stale",
    problem: "has been worked in since",
    fix: `look at it: amof status${ticket === null ? "" : ` --ticket ${ticket}`}`,
  };
}

/** Throws where a clone that is to be read or worked on in a ticket has another part there by now. */
async function requireSameTicket(ctx: CommandContext, record: OfAdded): Promise<void> {
  const { ticket, clones } = record.added;
  if (ticket === null) return;
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const own = await findTicketWorkspace(ctx.system, ctx.root, manifest, ticket);
  const lost = clones.find(({ name, path, picture }) => {
    const there = own?.record.repos[name];
    return there === undefined || there.path !== path || there.branch !== picture.branch;
  });
  if (lost === undefined) return;
  throw impossible(
    record,
    `${lost.name} has another part in the ticket since`,
    `See it: amof status --ticket ${ticket}`,
  );
}

/** Looks at the clones. Throws, for each of them, what of anybody's is in it. */
export async function planDropping(ctx: CommandContext, record: OfAdded): Promise<DroppedFact> {
  const { ticket, directory, clones } = record.added;
  const what = `undo run ${record.run_id.slice(0, 8)} (${commandWords(record.action)})`;
  await requireWorkspaceOf(ctx, record, what);
  await requireSameTicket(ctx, record);
  const looked = await inPoolOf(ctx, "checking", clones, async ({ name, path }) => {
    const place = await repoDirectory(ctx.system, directory, { name, path });
    const stock = await stockOf(ctx, place, { name, path, readonly: false, known: true });
    return {
      stock,
      obstacles: await obstaclesIn(ctx, name, place),
      moved: await movedOf(ctx, record, name),
    };
  });
  refuseObstacles(what, looked.flatMap(({ obstacles }) => obstacles));
  const stocks: RepoStock[] = looked.map(({ stock }) => stock);
  const losses = lossesOf({
    repos: stocks,
    control: null,
    stray: [],
    obstacles: [],
    adopted: {},
  });
  const { workspaceDir, repos, perTicket } = await loadManifest(
    ctx.system,
    ctx.root,
    ctx.ecosystem,
  );
  refuseAll(what, [
    ...await refusalsOf(ctx, losses, {
      ...{ workspace: directory, repos: stocks, ticket },
      bases: new Map(repos.map(({ name, branch }) => [name, branch])),
      perTicket,
    }),
    ...looked.flatMap(({ moved }) => moved === null ? [] : [moved]),
  ]);
  return {
    ticket_id: ticket,
    workspace: ticket === null ? workspaceDir : `${workspaceDir}@${ticket}`,
    repos: stocks.map(({ name, path, digest }) => ({ name, path, digest })),
    losses,
  };
}

/** What is said of it before. */
export function droppingEffects({ workspace, repos, losses }: DroppedFact): string[] {
  return [
    ...lossLines(losses).map((line) => `Lose ${line}`),
    ...repos.map(({ name, path }) => `Delete ${workspace}/${path}, the clone of ${name}`),
  ];
}

/** The command that brings such clones again. */
export function broughtBy({ ticket_id: id, repos }: DroppedFact): string {
  const names = repos.map(({ name }) => name).join(",");
  return id === null ? "amof install --repair" : `amof ticket add ${id} --repo ${names}`;
}

/** Takes the clones away; answers where files lie that could not be deleted, or null. */
export async function drop(
  ctx: ExecuteContext,
  record: OfAdded,
  fact: DroppedFact,
): Promise<string | null> {
  const { ticket, directory } = record.added;
  await planDropping(ctx, record);
  const scope = ticket === null ? "" : ` --ticket ${ticket}`;
  const { steps, aside } = asideSteps(ctx, { directory, clones: fact.repos, scope });
  const clones = fact.repos.map(({ name, path }) => ({ name, path }));
  await ctx.perform([
    ...steps,
    forgetDropped.step({ directory, ticket, clones }),
    emptyTrash.step({ aside }),
    forgetOperation.step({ run: record.run_id }),
  ], steps.length);
  return await ctx.system.files.lstat(aside) === null ? null : aside;
}

/** Forgets the clones: what the ticket has, what the editor shows, what they borrowed. */
export const forgetDropped = operation<{
  /** The workspace, absolute. */
  readonly directory: string;
  readonly ticket: string | null;
  readonly clones: readonly { readonly name: string; readonly path: string }[];
}>({
  name: "undo_forget_clones",
  touches: ({ directory }) => [directory],
  describe: ({ clones }) => `Forget ${count(clones.length, "clone")}`,
  async act(ctx, { directory, ticket, clones }) {
    for (const { path } of clones) {
      ctx.records.borrowers.remove(join(directory, path));
      await ctx.seals.forget(join(directory, path));
    }
    const gone = new Set(clones.map(({ name }) => name));
    const manifest = await scopeManifest({ ...ctx, ticket });
    const record = ticket === null ? null : await loadRecord(ctx.system, directory);
    if (record !== null) {
      const repos = Object.entries(record.repos).filter(([name]) => !gone.has(name));
      await saveRecord(ctx.system, directory, { ...record, repos: Object.fromEntries(repos) });
    }
    await refreshEditorFile(ctx.system, directory, {
      ...manifest,
      name: ticket === null ? manifest.name : `${manifest.name}.${ticket}`,
      repos: manifest.repos.filter(({ name }) => !gone.has(name)),
    });
  },
});
