/** Which repositories of an ecosystem a command is about: the one selection language of all commands (SELECT-1). */

import { defined } from "../../base/object.ts";
import { AmofError } from "../../base/error.ts";
import type { Door } from "../../base/policy/mode.ts";
import type { CommandContext, ZodNamespace } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import {
  type InspectOptions,
  inspectRepos,
  type RepoSnapshot,
} from "../../workspace/clones/mod.ts";
import type { Manifest, Repo } from "../../workspace/manifest/mod.ts";
import { byName, byTag, field, meansCurrent, nameFits, shownWords, wordsOf } from "./words.ts";
import { keepInState, type SelectTools } from "./by_state.ts";
import type { Workspace, WorkspaceState } from "../../workspace/mod.ts";
import { meansAll } from "../../contract/input.ts";
import {
  allAreas,
  type Area,
  type Areas,
  currentArea,
  namedInAny,
  type OfTicket,
  unlessGone,
} from "./areas.ts";

/** What a command is asked to select by; an absent or empty list selects nothing away. */
export interface Selecting {
  /** Names, patterns, `.`, and any of these behind `!`. */
  readonly repos?: readonly string[] | undefined;
  /** Tags and groups of the manifest, also behind `!`. */
  readonly tags?: readonly string[] | undefined;
  /** How repositories stand. */
  readonly only?: readonly string[] | undefined;
}

interface Selectable {
  readonly manifest: Manifest;
  /** The directory of the workspace, or null where there is none: every repository is missing then. */
  readonly workspace: string | null;
  readonly state: WorkspaceState | null;
  /** What the runs of the command are called, for `failed`; absent for any command. */
  readonly action?: string;
  /** Whether it is one of several that are selected from: a word need not fit anything here. */
  readonly part?: boolean;
}

/** The members of an input that select repositories. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export const selectionInput = (z: ZodNamespace) => ({
  repos: z.array(z.string()).optional().describe("Only api, 'svc-*', '.', '!web'"),
  tags: z.array(z.string()).optional().describe("Only of a tag or group"),
  only: z.array(z.string()).optional().describe(
    "Only dirty, ahead, behind, diverged, merged, missing, readonly, work, failed[=RUN], changed[=REF] or on:BRANCH",
  ),
});

/** How those members are called on the command line. */
export const SELECTION_FLAGS = { repos: "repo", tags: "tag" } as const;

interface Selected {
  /** In the order of the manifest. */
  readonly repos: readonly Repo[];
  /** How they stand, where that had to be looked at. */
  readonly snapshots: readonly RepoSnapshot[] | null;
}

/** Whether words select: without, all repositories are meant. */
export function isSelecting({ repos = [], tags = [], only = [] }: Selecting): boolean {
  return repos.length + tags.length + only.length > 0;
}

/** What is said of an answer without repositories where `only` may be why; null where it is not. */
export function noneStands({ only = [] }: Selecting): string | null {
  return only.length === 0 ? null : `No repository is as asked: ${cleanLine(only.join(","), 50)}.`;
}

/** The error of words that leave no repository. */
function nothingLeft(door: Door, manifest: Manifest, input: Selecting): AmofError {
  const { repos, tags } = input;
  return new AmofError(
    "repo_not_found",
    `Cannot find a repository in "${manifest.name}" for ${shownWords(door, { repos, tags })}`,
    {
      hint: "See the repositories with their tags: amof ecosystem describe",
      details: { ...defined({ repos, tags }) },
    },
  );
}

/** Selects as {@linkcode select} does, and answers besides how the repositories stand where `only` had to look. */
export async function selectLooking(
  ctx: SelectTools,
  from: Selectable,
  input: Selecting,
  options: InspectOptions = {},
): Promise<Selected> {
  const { manifest } = from;
  const enabled = manifest.repos.filter((repo) => repo.enabled);
  const names = wordsOf(field(ctx.door, "repos"), input.repos);
  const tags = wordsOf(field(ctx.door, "tags"), input.tags);
  const named = await byName(ctx, from, names);
  const tagged = byTag(ctx.door, manifest, tags);
  const repos = enabled.filter((repo) => named(repo) && tagged(repo));
  if (repos.length === 0 && names.length + tags.length > 0 && from.part !== true) {
    throw nothingLeft(ctx.door, manifest, input);
  }
  const only = wordsOf(field(ctx.door, "only"), input.only);
  return only.length === 0
    ? { repos, snapshots: null }
    : await keepInState(ctx, { ...from, repos, only, options });
}

/**
 * The enabled repositories that are asked for, in the order of the manifest. Empty where `only` leaves none.
 *
 * Costs nothing but reading files, unless `only` asks how they stand: then what looking at each costs that the other
 * words leave. Throws `repo_not_found` for a word that fits no repository and for words that leave none together, and
 * `invalid_arguments` for a word that means nothing.
 */
export async function select(
  ctx: SelectTools,
  from: Selectable,
  input: Selecting,
): Promise<readonly Repo[]> {
  return (await selectLooking(ctx, from, input)).repos;
}

/**
 * Tells which repositories a selection will let through, as far as that is certain without the manifest. Where
 * tags or `.` decide it is none, so that nothing is looked at in vain.
 */
export function foreseen(input: Selecting): (name: string) => boolean {
  const words = (input.repos ?? []).flatMap((text) => text.split(","));
  const isOpen = (input.tags ?? []).length > 0 ||
    words.some((word) => meansCurrent(word) || /^\s*!?\s*$/.test(word));
  return isOpen ? () => false : nameFits(wordsOf("", words));
}

/** Looks at the repositories that {@linkcode select} answers; at each of them once, whatever selects them. */
export async function inspectSelected(
  ctx: SelectTools,
  from: Selectable & { readonly workspace: string },
  input: Selecting,
  options: InspectOptions = {},
): Promise<readonly RepoSnapshot[]> {
  const { repos, snapshots } = await selectLooking(ctx, from, input, options);
  const { workspace, state } = from;
  return snapshots ?? await inspectRepos(ctx, { workspace, repos, state }, options);
}

// The repositories that a command is about, in one workspace or in all (LOOK-10).

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
 * The selected repositories with their workspace. Costs what `findWorkspace` costs, and what the selection does.
 */
export async function chosen(ctx: CommandContext, selection: Selecting): Promise<Chosen> {
  const { manifest, workspace } = await currentArea(ctx);
  const from = { manifest, workspace: workspace.directory, state: workspace.state };
  return { manifest, workspace, repos: await select(ctx, from, selection) };
}

/**
 * Looks at the selected repositories in the workspace of the call or, with `all_tickets`, in every workspace in
 * turn. There a word selects in each workspace what fits it. `among` answers how many repositories a result is
 * about.
 *
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
    const area = await (here ?? currentArea(ctx));
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
