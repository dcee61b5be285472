/**
 * The values of flags and arguments as they are now: names of ecosystems, repositories, tickets, runs and the like.
 *
 * Reads files, and the store where there is one; writes nothing, reaches no remote, and starts no process except
 * git for the tags of releases.
 *
 * @module
 */

import { join } from "@std/path";
import { defined } from "../../object.ts";
import { readArchives } from "../../archive/mod.ts";
import { COMMANDS } from "../../command/registry.ts";
import {
  choiceSetting,
  CONTROL,
  currentEcosystem,
  ecosystemNames,
  endedTickets,
  findRoot,
  loadManifest,
  loadState,
  type Manifest,
  type TicketState,
  ticketWorkspaces,
} from "../../workspace/mod.ts";
import { Git, isReadOnlyGit } from "../../git/mod.ts";
import { SETTINGS, type Settings } from "../../settings/mod.ts";
import type { Store } from "../../store/mod.ts";
import { layoutOf } from "../../store/layout.ts";
import { readOnly } from "../../system/read_only.ts";
import { type System, timestamp } from "../../system/mod.ts";
import { TOOLSET_WORDS } from "../../contract/mod.ts";
import {
  besidesExcluded,
  CHANGED,
  changedCandidates,
  FAILED,
  isOwnWord,
  nameIn,
  repoCandidates,
  selectionCandidates,
  standingCandidates,
  tagCandidates,
} from "./selection.ts";
import { DOCUMENTS } from "../programs/schema.ts";
import type { Candidate, LookUp } from "./place.ts";

/** The line that asks the shell to offer its own directories. No candidate looks like it. */
export const DIRECTORIES = ":directories";

/** How many of the newest are offered where there is no end to them. */
const NEWEST = 50;

/** What a name may consist of to be offered: nothing that any of the shells would have to quote. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N}._\/+@-]{0,199}$/u;

/** The world as the line that is being typed would see it. */
interface Place {
  readonly system: System;
  readonly settings: Settings;
  readonly root: () => Promise<string>;
  readonly ecosystem: () => Promise<string>;
  /** The store, or null where none was made yet. */
  readonly store: () => Promise<Store | null>;
}

function placeOf(
  real: System,
  settings: Settings,
  given: ReadonlyMap<string, string>,
): Place {
  const system = readOnly(real, isReadOnlyGit);
  const store = async () => {
    const { database } = layoutOf(system.env);
    if (await system.files.stat(database) === null) return null;
    const { openStore } = await import("../../store/open.ts");
    return openStore(database);
  };
  const known = async () => (await store())?.runs.roots(NEWEST) ?? [];
  const root = () => findRoot(system, given.get("root") ?? null, settings.root, known);
  const ecosystem = async () => {
    const named = given.get("ecosystem");
    if (named !== undefined) return named;
    const at = await root();
    return await currentEcosystem(
      system,
      at,
      async () => (await store())?.settings.get(choiceSetting(at)) ?? null,
    );
  };
  return { system, settings, root, ecosystem, store };
}

function plain(values: readonly string[], help = ""): Candidate[] {
  return values.map((value) => ({ value, help }));
}

const toolNames = () =>
  COMMANDS.filter((command) => command.only !== "cli")
    .map(({ name, title }): Candidate => ({ value: name, help: title }));

/** The state of the workspace, or null, with what tells the ecosystem's own tickets from those of others in it. */
async function ticketState({ system, root, ecosystem }: Place) {
  const at = await root();
  const { name, workspaceDir } = await loadManifest(system, at, await ecosystem());
  const state = await loadState(system, join(at, workspaceDir));
  return { state, isOurs: (ticket: TicketState) => (ticket.ecosystem ?? name) === name };
}

async function manifestOf({ system, root, ecosystem }: Place): Promise<Manifest> {
  return await loadManifest(system, await root(), await ecosystem());
}

async function openTickets(place: Place): Promise<Candidate[]> {
  const { state, isOurs } = await ticketState(place);
  return Object.entries(state?.tickets ?? {}).filter(([, ticket]) => isOurs(ticket))
    .map(([id]) => ({ value: id, help: id === state?.active_ticket ? "active" : "" }));
}

/** Tickets that have ended and left branches: they can be taken up again, or cleaned up. */
async function overTickets(place: Place): Promise<Candidate[]> {
  const { state, isOurs } = await ticketState(place);
  return state === null ? [] : [...endedTickets(state)].filter(([, ticket]) => isOurs(ticket))
    .map(([id]) => ({ value: id, help: "ended, branches left" }));
}

/** The newest runs. */
async function runs({ root, store }: Place): Promise<Candidate[]> {
  // Without a control repository the commands about runs show those of all.
  const at = await root().catch(() => undefined);
  const found = (await store())?.runs.list({ ...defined({ root: at }), limit: NEWEST });
  return (found ?? []).map(({ runId, action, ecosystem, status, createdAt }) => ({
    value: runId,
    help: [action, ecosystem, status, timestamp(createdAt)].filter((part) => part !== "")
      .join(", "),
  }));
}

/** Fields that the answers of all commands have; what a command adds is told where one is wrong. */
const COMMON_FIELDS: readonly Candidate[] = [
  { value: "summary", help: "One sentence" },
  { value: "_context", help: "Scope, ecosystem, mode, session and time of the answer" },
  { value: "suggested_actions", help: "What can follow: tool and arguments" },
];

/** Where the values of each source are. */
const SOURCES: Readonly<
  Record<string, (place: Place, typed: string) => Promise<readonly Candidate[]>>
> = {
  ecosystem: async ({ system, root }) => plain(await ecosystemNames(system, await root())),
  repository: async (place) => repoCandidates(await manifestOf(place)),
  selection: (place, typed) =>
    besidesExcluded(typed, async () => {
      const manifest = await manifestOf(place);
      const workspace = join(await place.root(), manifest.workspaceDir);
      return await selectionCandidates(place.system, workspace, manifest);
    }),
  tag: (place, typed) => besidesExcluded(typed, async () => tagCandidates(await manifestOf(place))),
  standing: (place, typed) =>
    besidesExcluded(typed, async (word) => {
      if (word.startsWith(FAILED)) {
        return (await runs(place)).map(({ value, help }) => ({ value: `${FAILED}${value}`, help }));
      }
      const manifest = await manifestOf(place);
      const workspace = join(await place.root(), manifest.workspaceDir);
      return word.startsWith(CHANGED)
        ? await changedCandidates(place.system, workspace, manifest)
        : await standingCandidates(place.system, workspace, manifest);
    }),
  ticket: openTickets,
  workspace_ticket: async (place) => {
    const at = await place.root();
    const tickets = await ticketWorkspaces(place.system, at, await manifestOf(place));
    return plain(tickets.map(({ id }) => id));
  },
  task: async (place) => {
    const { tasks } = await manifestOf(place);
    return tasks.map(({ name, description }) => ({ value: name, help: description }));
  },
  any_ticket: async (place) => [...await openTickets(place), ...await overTickets(place)],
  archive: async ({ system, root, ecosystem }) =>
    (await readArchives(system, await root(), await ecosystem()))
      .map(({ name, record }) => ({ value: name, help: record?.archived_at ?? "cannot be read" })),
  release: async ({ system, root }) => {
    const tags = await new Git(system).at(await root(), CONTROL).releases.tags();
    return tags.map(({ name, date }) => ({ value: name, help: date }));
  },
  run: runs,
  approval: async ({ system, store }) =>
    ((await store())?.approvals.list(system.clock.now(), false, NEWEST) ?? [])
      .map(({ id, summary }) => ({ value: id, help: summary })),
  toolset: () => Promise.resolve(plain(TOOLSET_WORDS)),
  tool: () => Promise.resolve(toolNames()),
  schema: () => Promise.resolve([...plain(DOCUMENTS, "A document"), ...toolNames()]),
  field: () => Promise.resolve(COMMON_FIELDS),
  setting: ({ settings: { aliases } }) =>
    Promise.resolve([
      ...SETTINGS.filter(({ kind }) => kind !== "aliases")
        .map(({ name, help }): Candidate => ({ value: name, help })),
      ...Object.entries(aliases).map(([word, line]) => ({ value: `aliases.${word}`, help: line })),
    ]),
  directory: () => Promise.resolve(plain([DIRECTORIES])),
};

/** Looks values up in a world. A name that no shell would take as it is, is left out. */
export function lookUpIn(system: System, settings: Settings): LookUp {
  return async ({ choices, source }, given, typed) => {
    if (choices !== undefined && choices.length > 0) return plain(choices);
    const find = SOURCES[source ?? ""];
    if (find === undefined) return [];
    const found = await find(placeOf(system, settings, given), typed);
    return found.filter(({ value }) =>
      ["directory", "field"].includes(source ?? "") || isOwnWord(value) ||
      PLAIN.test(nameIn(value))
    );
  };
}
