/** The repositories that a command is about, in one workspace or in all (LOOK-10). */

import { meansAll } from "../../contract/input.ts";
import type { CommandContext } from "../../contract/mod.ts";
import {
  allAreas,
  type Area,
  areaHere,
  type Areas,
  namedInAny,
  type OfTicket,
  unlessGone,
} from "../tickets/areas.ts";
import type { Manifest, Repo } from "../manifest/manifest.ts";
import { nothingLeft, select, type Selecting } from "./selection.ts";
import type { Workspace } from "../workspace.ts";

/** What a selection means in one workspace. */
interface Chosen {
  readonly manifest: Manifest;
  readonly workspace: Workspace;
  /** In the order of the manifest. */
  readonly repos: readonly Repo[];
}

interface SelectingAnywhere extends Selecting {
  readonly all_tickets?: boolean | undefined;
}

/** A workspace with the repositories that are meant in it, in the order of the manifest. */
export interface ChosenArea extends Area {
  readonly repos: readonly Repo[];
}

/** A clone that is meant, and whose workspace it is in. */
export interface MeantClone {
  readonly repo: Repo;
  /** The directory of its workspace, absolute. */
  readonly workspace: string;
  readonly of: OfTicket;
}

/**
 * The selected repositories with their workspace. One git process, which looks for it while the manifest is read,
 * besides what the selection costs.
 */
export async function chosen(ctx: CommandContext, selection: Selecting): Promise<Chosen> {
  const { manifest, workspace } = await areaHere(ctx);
  const from = { manifest, workspace: workspace.directory, state: workspace.state };
  return { manifest, workspace, repos: await select(ctx, from, selection) };
}

/**
 * What is done with the repositories that are meant, in the workspace of the call or, with `all_tickets`, in every one
 * after the other; `repos` answers those that `found` is about. There a word selects in each workspace what fits it.
 * Throws as {@linkcode select} does where no workspace has a repository that fits.
 */
export async function inAreas<T>(
  ctx: CommandContext,
  selection: SelectingAnywhere,
  { look, among, here }: {
    /** `part` where a workspace may lack what others have. */
    readonly look: (area: Area, selection: Selecting & { readonly part: boolean }) => Promise<T>;
    readonly among: (found: T) => number;
    readonly here?: Promise<Area> | undefined;
  },
): Promise<{ readonly found: readonly T[]; readonly unreadable: Areas["unreadable"] }> {
  if (!meansAll(selection)) {
    const area = await (here ?? areaHere(ctx));
    return { found: [await look(area, { ...selection, part: false })], unreadable: [] };
  }
  const { areas, unreadable } = await allAreas(ctx);
  const { repos = [], tags = [], only } = selection;
  const words = { repos: await namedInAny(ctx, areas, repos), tags, only };
  const found: T[] = [];
  for (const area of areas) {
    const seen = await unlessGone(ctx, area.ticket, () => look(area, { ...words, part: true }));
    if (seen !== null) found.push(seen);
  }
  const [first] = areas;
  const none = found.every((each) => among(each) === 0);
  if (none && first !== undefined && repos.length + tags.length > 0) {
    throw nothingLeft(ctx.door, first.manifest, words);
  }
  return { found, unreadable };
}

/** The selected repositories of every workspace that is meant. Throws as {@linkcode inAreas} does. */
export async function chosenAnywhere(
  ctx: CommandContext,
  selection: SelectingAnywhere,
  action?: string,
): Promise<{
  readonly areas: readonly ChosenArea[];
  /** What answers say of tickets that could not be looked for. */
  readonly lacking: { readonly unreadable?: Areas["unreadable"] };
}> {
  const { found, unreadable } = await inAreas(ctx, selection, {
    look: async (area, words): Promise<ChosenArea> => {
      const { manifest, workspace: { directory, state } } = area;
      const from = { manifest, workspace: directory, state, part: words.part };
      const asked = { ...from, ...(action === undefined ? {} : { action }) };
      return { ...area, repos: await select({ ...ctx, ticket: area.ticket }, asked, words) };
    },
    among: ({ repos }) => repos.length,
  });
  return { areas: found, lacking: unreadable.length === 0 ? {} : { unreadable } };
}

/** The clones of workspaces, those of the first one first. */
export function clonesOf(areas: readonly ChosenArea[]): readonly MeantClone[] {
  return areas.flatMap(({ repos, workspace, of }) =>
    repos.map((repo) => ({ repo, workspace: workspace.directory, of }))
  );
}
