/**
 * The values of flags and arguments as they are now: names of ecosystems, repositories, tickets, runs and the like.
 *
 * Reads files, and the store where there is one; writes nothing, reaches no remote, and starts no process except
 * git for the tags of releases.
 */

import { join } from "@std/path";
import { defined } from "../../../base/object.ts";
import { readArchives } from "../../../commands/archive/record.ts";
import { COMMANDS } from "../../../pipeline/registry.ts";
import { WINGS } from "../../../pipeline/wings.ts";
import { loadState, type TicketState } from "../../../workspace/mod.ts";
import { findRoot } from "../../../commands/ecosystem/root.ts";
import { choiceSetting, currentEcosystem } from "../../../commands/ecosystem/discover.ts";
import { ecosystemNames, loadManifest, type Manifest } from "../../../workspace/manifest/mod.ts";
import { CONTROL } from "../../../workspace/removal/mod.ts";
import {
  endedTickets,
  scopeManifest,
  ticketDirectory,
  ticketWorkspaces,
} from "../../../workspace/tickets/mod.ts";
import { Git, isReadOnlyGit } from "../../../git/mod.ts";
import { Releases } from "../../../git/write/mod.ts";
import { BASE } from "../../../contract/input.ts";
import { few } from "../../../base/text/words.ts";
import { SETTINGS, type Settings } from "../../../state/settings/mod.ts";
import { isFinal, typedRunId } from "../../../runs/mod.ts";
import type { RunRecord, Store } from "../../../state/store/mod.ts";
import { layoutOf } from "../../../base/system/layout.ts";
import { readOnly } from "../../../base/system/read_only.ts";
import { type System, timestamp } from "../../../base/system/mod.ts";
import { TOOLSET_WORDS } from "../../../contract/mod.ts";
import { OWN_TOOLS } from "../../wings.ts";
import { DOCUMENTS } from "../programs/schema.ts";
import type { Slot } from "../../../pipeline/line/grammar.ts";
import { isBelow } from "../../../base/paths.ts";
import { STATE_WORDS } from "../../../commands/selection/mod.ts";

/** Something that can stand at the place, and what it means. */
export interface Candidate {
  readonly value: string;
  readonly help: string;
}

/** Looks up the values of a slot; `given` are the flags of the line by name, `typed` is what is there of the value. */
export type LookUp = (
  slot: Slot,
  given: ReadonlyMap<string, string>,
  typed: string,
) => Promise<readonly Candidate[]>;

// The words by which repositories are selected, as completion offers them (SELECT-3, SELECT-4).

/** What stands before the name of a run. */
const FAILED = "failed=";

const ON = "on:";

/** What stands before the name of a commit to compare with. */
const CHANGED = "changed=";

/** What stands before a word that leaves out. */
const NOT = "!";

/** The repository that one stands in. */
const CURRENT: Candidate = { value: ".", help: "the one you stand in" };

/** How many repositories of a tag are named. */
const MOST_NAMED = 5;

/** The name in a word that begins with what says how it is meant. */
function nameIn(word: string): string {
  const positive = word.startsWith(NOT) ? word.slice(NOT.length) : word;
  const prefix = [FAILED, ON, CHANGED].find((each) => positive.startsWith(each)) ?? "";
  return positive.slice(prefix.length);
}

/** The words that a beginning allows: those that leave out only behind "!", which a shell may have to be told to keep. */
async function besidesExcluded(
  typed: string,
  words: (typed: string) => Promise<readonly Candidate[]>,
): Promise<readonly Candidate[]> {
  if (!typed.startsWith(NOT)) return await words(typed);
  return (await words(typed.slice(NOT.length))).map(({ value, help }) => ({
    value: `${NOT}${value}`,
    help: `all but ${help === "" ? value : help}`,
  }));
}

/** The repositories of a manifest, each with its base branch. */
function repoCandidates({ repos }: Manifest): Candidate[] {
  return repos.map(({ name, branch, readonly: fixed }) => ({
    value: name,
    help: fixed ? `${branch}, read-only` : branch,
  }));
}

/** The words that name repositories: each name, and the one that one stands in, where that is in the workspace. */
async function selectionCandidates(
  { env, files }: System,
  workspace: string,
  manifest: Manifest,
): Promise<Candidate[]> {
  const stands = isBelow(workspace, await files.realPath(env.cwd) ?? env.cwd);
  return [...repoCandidates(manifest), ...(stands ? [CURRENT] : [])];
}

/** Whether a word is one of the program's own rather than a name. */
function isOwnWord(word: string): boolean {
  return nameIn(word) === CURRENT.value;
}

/** The tags and groups of a manifest, each with what it selects. */
function tagCandidates({ repos, groups }: Manifest): Candidate[] {
  const found = new Map<string, string[]>(
    Object.entries(groups).map(([name, names]) => [name, [...names]]),
  );
  for (const { name, tags } of repos) {
    for (const tag of tags) found.set(tag, [...new Set([...found.get(tag) ?? [], name])]);
  }
  return [...found].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([value, names]) => ({ value, help: few(names, MOST_NAMED) }));
}

/** The branches that clones are on, each with the names of the repositories. */
async function checkedOut(
  system: System,
  workspace: string,
  { repos }: Manifest,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const on = new Map<string, string[]>();
  for (const { name, path, enabled } of repos) {
    const clone = new Git(system).at(join(workspace, path));
    const branch = enabled ? await clone.branches.current().catch(() => null) : null;
    if (branch !== null) on.set(branch, [...on.get(branch) ?? [], name]);
  }
  return on;
}

/** What repositories can be compared with: their base branches here and on the remote, and the branches they are on. */
async function changedCandidates(
  system: System,
  workspace: string,
  manifest: Manifest,
): Promise<Candidate[]> {
  const bases = manifest.repos.map(({ branch }) => branch);
  const on = await checkedOut(system, workspace, manifest);
  const refs = new Set([...bases.map((branch) => `origin/${branch}`), ...bases, ...on.keys()]);
  return [...refs].map((ref) => ({ value: `${CHANGED}${ref}`, help: "" }));
}

/** How repositories can stand, and the branches they are on. Starts no process. */
async function stateCandidates(
  system: System,
  workspace: string,
  manifest: Manifest,
): Promise<Candidate[]> {
  const on = await checkedOut(system, workspace, manifest);
  return [
    ...STATE_WORDS.filter(([word]) => !word.startsWith(ON))
      .map(([word, help]) => ({ value: word.replace(/\[.*$/, ""), help })),
    ...[...on].map(([branch, names]) => ({
      value: `${ON}${branch}`,
      help: few(names, MOST_NAMED),
    })),
  ];
}

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
  /** The ticket that the line names, or null. */
  readonly ticket: string | null;
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
    const { openStore } = await import("../../../state/store/open.ts");
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
  const named = given.get("ticket") ?? BASE;
  return { system, settings, root, ecosystem, ticket: named === BASE ? null : named, store };
}

function plain(values: readonly string[], help = ""): Candidate[] {
  return values.map((value) => ({ value, help }));
}

const toolNames = () =>
  COMMANDS.filter((command) => command.mcp !== "never")
    .map(({ name, title }): Candidate => ({ value: name, help: title }));

/** The state of the workspace, or null, with what tells the ecosystem's own tickets from those of others in it. */
async function ticketState({ system, root, ecosystem }: Place) {
  const at = await root();
  const { name, workspaceDir } = await loadManifest(system, at, await ecosystem());
  const state = await loadState(system, join(at, workspaceDir));
  return { state, isOurs: (ticket: TicketState) => (ticket.ecosystem ?? name) === name };
}

/** The manifest; in the line of a ticket that has its own workspace, with the repositories of that alone. */
async function manifestOf({ system, root, ecosystem, ticket }: Place): Promise<Manifest> {
  const at = { system, root: await root(), ecosystem: await ecosystem(), ticket };
  const scoped = await scopeManifest(at).catch(() => null);
  if (ticket === null || scoped === null) return await scopeManifest({ ...at, ticket: null });
  return { ...scoped, repos: scoped.repos.filter(({ enabled }) => enabled) };
}

async function openTickets(place: Place): Promise<Candidate[]> {
  const { state, isOurs } = await ticketState(place);
  return Object.entries(state?.tickets ?? {}).filter(([, ticket]) => isOurs(ticket))
    .map(([id]) => ({ value: id, help: id === state?.active_ticket ? "active" : "" }));
}

async function ownTickets(place: Place): Promise<Candidate[]> {
  const { system, root, ecosystem } = place;
  const at = await root();
  const manifest = await loadManifest(system, at, await ecosystem());
  return (await ticketWorkspaces(system, at, manifest)).map(({ id, record }) => {
    const work = Object.entries(record?.repos ?? {}).filter(([, { role }]) => role === "work");
    return { value: id, help: few(work.map(([name]) => name), 5) };
  });
}

/** Tickets that are worked on, wherever that is. */
async function heldTickets(place: Place): Promise<Candidate[]> {
  return [...await openTickets(place), ...await ownTickets(place)];
}

/** What stands for the base workspace where a ticket could stand. */
const BASE_PLACE: Candidate = { value: BASE, help: "the base workspace" };

/** Tickets that have ended and left branches: they can be taken up again, or cleaned up. */
async function overTickets(place: Place): Promise<Candidate[]> {
  const { state, isOurs } = await ticketState(place);
  return state === null ? [] : [...endedTickets(state)].filter(([, ticket]) => isOurs(ticket))
    .map(([id]) => ({ value: id, help: "ended, branches left" }));
}

/** Where the clones are that a manifest is about. */
function workspaceOf(root: string, manifest: Manifest): string {
  const { workspaceDir, ticket } = manifest;
  return ticket === undefined ? join(root, workspaceDir) : ticketDirectory(root, manifest, ticket);
}

async function runs(
  { root, store }: Place,
  typed: string,
  isMeant: (run: RunRecord) => boolean = () => true,
): Promise<Candidate[]> {
  // Without a control repository the commands about runs show those of all.
  const at = await root().catch(() => undefined);
  const found = (await store())?.runs.list({ ...defined({ root: at }), limit: NEWEST });
  return (found ?? []).filter(isMeant).map(({ runId, action, ecosystem, status, createdAt }) => ({
    value: typedRunId(runId, typed),
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

type Source = (place: Place, typed: string) => Promise<readonly Candidate[]>;

/** Where the values of each source are. */
const SOURCES: Readonly<Record<string, Source>> = {
  ...Object.assign({}, ...WINGS.map(({ values }) => values)),
  ecosystem: async ({ system, root }) => plain(await ecosystemNames(system, await root())),
  repository: async (place) => repoCandidates(await manifestOf(place)),
  selection: (place, typed) =>
    besidesExcluded(typed, async () => {
      const manifest = await manifestOf(place);
      const workspace = workspaceOf(await place.root(), manifest);
      return await selectionCandidates(place.system, workspace, manifest);
    }),
  tag: (place, typed) => besidesExcluded(typed, async () => tagCandidates(await manifestOf(place))),
  standing: (place, typed) =>
    besidesExcluded(typed, async (word) => {
      if (word.startsWith(FAILED)) {
        return (await runs(place, nameIn(word))).map(({ value, help }) => ({
          value: `${FAILED}${value}`,
          help,
        }));
      }
      const manifest = await manifestOf(place);
      const workspace = workspaceOf(await place.root(), manifest);
      return word.startsWith(CHANGED)
        ? await changedCandidates(place.system, workspace, manifest)
        : await stateCandidates(place.system, workspace, manifest);
    }),
  ticket: heldTickets,
  own_ticket: ownTickets,
  workspace_ticket: async (place) => [...await ownTickets(place), BASE_PLACE],
  place_ticket: async (place) => [...await heldTickets(place), BASE_PLACE],
  base_ticket: async (place) => [...await openTickets(place), ...await overTickets(place)],
  task: async (place) => {
    const { tasks } = await manifestOf(place);
    return tasks.map(({ name, description }) => ({ value: name, help: description }));
  },
  any_ticket: async (place) => [...await heldTickets(place), ...await overTickets(place)],
  archive: async ({ system, root, ecosystem }) =>
    (await readArchives(system, await root(), await ecosystem()))
      .map(({ name, record }) => ({ value: name, help: record?.archived_at ?? "cannot be read" })),
  release: async ({ system, root }) => {
    const tags = await new Git(system).at(await root(), CONTROL).part(Releases).tags();
    return tags.map(({ name, date }) => ({ value: name, help: date }));
  },
  run: runs,
  active_run: (place, typed) => runs(place, typed, ({ status }) => !isFinal(status)),
  approval: async ({ system, store }) =>
    ((await store())?.approvals.list(system.clock.now(), false, NEWEST) ?? [])
      .map(({ id, summary }) => ({ value: id, help: summary })),
  toolset: () =>
    Promise.resolve(plain([...TOOLSET_WORDS, ...OWN_TOOLS.map(({ toolset }) => toolset)])),
  tool: () => Promise.resolve(toolNames()),
  schema: () => Promise.resolve([...plain(DOCUMENTS, "A document"), ...toolNames()]),
  field: () => Promise.resolve(COMMON_FIELDS),
  topic: async () => {
    const { TOPICS } = await import("../topics.ts");
    return Object.entries(TOPICS).map(([value, { summary }]) => ({ value, help: summary }));
  },
  setting: ({ settings: { aliases } }) =>
    Promise.resolve([
      ...SETTINGS.filter(({ kind }) => !["aliases", "engines", "hosts"].includes(kind))
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
