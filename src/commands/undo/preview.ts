/** What undoing could bring back of a mutation, looked up before it is done (UNDO-7). */

import type {
  CommandContext,
  ExecuteContext,
  Mutation,
  Preview,
  UndoPreview,
  WorkspaceMade,
} from "../../contract/mod.ts";
import type { Fields } from "../../base/object.ts";
import { few } from "../../base/text/words.ts";
import { type UndoLimits, undoLimits } from "../../workspace/changing.ts";
import { scopeManifest, ticketDirectory } from "../../workspace/tickets/mod.ts";
import { join } from "@std/path";
import { loadManifest } from "../../workspace/manifest/mod.ts";
import { unfinishedMarker } from "../../runs/steps/mod.ts";
import { finish, type Settle } from "./forget.ts";
import {
  begunRecord,
  keptBytes,
  type OperationRecord,
  readOperation,
  runDirectory,
  writeRecord,
} from "./record.ts";

/** How many repositories the line names. */
const MOST_NAMED = 3;

/** What is looked at before and after, by how closely. */
const BACK = {
  names: "what is checked out, branches and tags",
  everything: "commits, branches, index, files and stashes",
} as const;

/** What is brought back of what makes a workspace. Adopted clones are not new: they stay where they are. */
function unmade({ repos, adopted = [] }: WorkspaceMade): string {
  const before = repos.length > adopted.length || adopted.length === 0
    ? "what was there before, as long as nothing of yours is in the new clones"
    : "what was there before";
  return adopted.length === 0 ? before : `${before}; of adopted clones only the links go`;
}

/** What is brought back of what takes the workspace of a ticket away. */
const BACK_ENDED = "its workspace, with branches, tags and what is checked out in its clones";

/** What is brought back of what brings clones into a workspace. */
const BACK_ADDED = "the workspace without the new clones, as long as nothing of yours is in them";

/** What undoing cannot take back of a call, as its command says it before or, with its answer, after; null where it says nothing. */
export function irreversibleOf(
  { undo: { irreversible } = {} }: Mutation,
  facts: Fields,
  input: Fields,
  data?: Fields,
): string | null {
  return typeof irreversible === "function"
    ? irreversible(facts, input, data)
    : irreversible ?? null;
}

/** What undoing a call with this preview could bring back; null where nothing would happen, and for what is no work in repositories. */
export async function undoPreview(
  ctx: CommandContext,
  command: Mutation,
  input: Fields,
  { facts, settled }: Preview<Fields, Fields>,
): Promise<UndoPreview | null> {
  if (settled !== undefined) return null;
  const stays = irreversibleOf(command, facts, input);
  const changed = command.undo?.changes?.(facts, input);
  const whole = changed?.makes !== undefined
    ? unmade(changed.makes)
    : changed?.ends !== undefined
    ? BACK_ENDED
    : changed?.adds !== undefined
    ? BACK_ADDED
    : null;
  if (changed === undefined || changed.repos.length === 0 && whole === null) {
    return stays === null ? null : { brings_back: null, cannot: stays };
  }
  const { repos, what, back = BACK[what] } = changed;
  const { on } = undoLimits(ctx.settings, await scopeManifest(ctx));
  if (on && whole !== null) return { brings_back: whole, cannot: stays };
  return on
    ? { brings_back: `${back} in ${few([...new Set(repos)], MOST_NAMED)}`, cannot: stays }
    : { brings_back: null, cannot: "this: it is switched off" };
}

// Notes runs that undo cannot take back, so that none stands before them in silence: whoever asks for the newest run to
// be undone is told of them first (UNDO-12).

/** A run that undo cannot take back. */
interface Barred {
  /** What the run is called. */
  readonly action: string;
  /** What stays, with what to do instead behind a semicolon, as its command declares it. */
  readonly stays: string;
  /** The same once it is known what came of it. */
  readonly left: (data: Fields) => string | null;
  /** Tickets whose own workspaces it works on besides the one it is called in. */
  readonly tickets: readonly string[];
  readonly limits: UndoLimits;
}

/**
 * The record of the run while it goes on; one without an ecosystem is of the control repository. Throws where the
 * manifest cannot be read.
 */
async function begun(
  ctx: ExecuteContext,
  { action, stays, tickets, limits }: Omit<Barred, "left">,
): Promise<OperationRecord> {
  const { root, ticket } = ctx;
  const known = { action, limits, bytes: 0, stays };
  if (ctx.ecosystem === "") return begunRecord(ctx, { ...known, ticket: null, workspace: root });
  const manifest = await loadManifest(ctx.system, root, ctx.ecosystem);
  const own = (id: string) => ticketDirectory(root, manifest, id);
  return begunRecord(ctx, {
    ...known,
    ticket,
    workspace: ticket === null ? join(root, manifest.workspaceDir) : own(ticket),
    also: tickets.filter((id) => id !== ticket).map((id) => ({ ticket: id, workspace: own(id) })),
  });
}

/** What cannot be written here takes nothing from the run: what undo finds changed it leaves alone in any case. */
async function quietly<T>(note: () => Promise<T>): Promise<T | null> {
  try {
    return await note();
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return null;
  }
}

/**
 * Notes a run that undo cannot take back; the note goes where it throws and nothing stays. What was thrown behind the
 * point of no return is finished later, and so is the note ({@linkcode settleKilled}).
 */
export async function noteBarred(ctx: ExecuteContext, barred: Barred): Promise<Settle | null> {
  const { system, layout, runId } = ctx;
  if (runId === null) return null;
  const noted = await quietly(async () => {
    const record = await begun(ctx, barred);
    await writeRecord(system, layout, record);
    return record;
  });
  if (noted === null) return null;
  return async (data) => {
    await quietly(async () => {
      if (data !== null) {
        await finish(ctx, { ...noted, stays: barred.left(data) ?? barred.stays });
      } else if (await system.files.lstat(unfinishedMarker(layout, runId)) === null) {
        await system.files.removeTree(runDirectory(layout, runId));
      }
    });
    return null;
  };
}

/**
 * Says of a run that was killed, and was settled since, what became of it: what was finished stands, what was taken back
 * leaves nothing here. That is known of runs that undo cannot take back. It is known of the end of a ticket's workspace,
 * too, of which everything was kept before it began.
 */
export async function settleKilled(
  { system, layout }: Pick<ExecuteContext, "system" | "layout">,
  runId: string,
  outcome: "finished" | "undone" | "tidied up",
): Promise<void> {
  const record = await readOperation(system, layout, runId);
  if (record === null || record.ended || outcome === "tidied up") return;
  if (record.stays === undefined && record.gone === undefined) return;
  await quietly(async () => {
    if (outcome === "finished") {
      const bytes = await keptBytes(system, layout, runId);
      await writeRecord(system, layout, { ...record, ended: true, bytes });
    } else await system.files.removeTree(runDirectory(layout, runId));
  });
}
