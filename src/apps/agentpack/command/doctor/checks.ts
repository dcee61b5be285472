/** What doctor looks for in a setup. */

import { dirname, join } from "@std/path";
import { count, didYouMean, few } from "../../../../base/text/words.ts";
import type { ModuleConfig } from "../../config/config.ts";
import { selectModules } from "../../config/select.ts";
import type { Session } from "../../engine/session.ts";
import { TARGET_NAMES } from "../../names.ts";
import { activeRules, missingFor, renders } from "../../target/target.ts";
import { TARGETS } from "../../target/table.ts";
import { readLockfile } from "../../config/lockfile.ts";
import type { AgentpackCode } from "../../error.ts";
import { readJournal } from "../../engine/journal.ts";
import { orphanWarnings } from "../../engine/roots.ts";
import { listRecords } from "../../engine/snapshot.ts";
import { AmofError } from "../../../../base/error.ts";
import type { System } from "../../../../base/system/mod.ts";
import { writerOf } from "../../../../base/system/layout.ts";
import type { Home } from "../../identity.ts";

// What doctor says about parts of a configuration that are silently without effect (PACK-53).

// What doctor says about git, the lockfile, the state directory and what was left behind (PACK-53).

/** Something that a person should know about. */
export interface Finding {
  readonly kind:
    | "module"
    | "conflict"
    | "overlay"
    | "git"
    | "lockfile"
    | "state"
    | "orphan"
    | "no_effect"
    | "double"
    | "mount"
    | "leftover"
    | "uncommitted";
  readonly message: string;
  readonly module_id?: string;
  /** Where the same is said of several modules. */
  readonly module_ids?: readonly string[];
  readonly paths?: readonly string[];
  /** The code a command would fail with. */
  readonly code?: AgentpackCode;
}

async function gitFindings(session: Session): Promise<Finding[]> {
  try {
    await session.pack.git.version(session.pack.system.env.cwd);
    return [];
  } catch {
    return [{
      kind: "git",
      code: "E_GIT_NOT_FOUND",
      message: "git does not run: git sources, project ids and evolve need it",
    }];
  }
}

async function lockfileFindings(session: Session): Promise<Finding[]> {
  const { home, config } = session;
  const state = await readLockfile(session.pack.system.files, home.lockfile);
  const fromGit = config.modules.filter((module) => module.enabled && module.source.kind === "git");
  const say = (message: string): Finding => ({ kind: "lockfile", message });
  if (state.kind === "broken") {
    return [{ ...say(state.error.message), code: state.error.code }];
  }
  if (state.kind === "missing") {
    return fromGit.length === 0
      ? []
      : [say("There is no lockfile, so git modules follow their branches; write it with lock")];
  }
  const locked = new Set(state.lockfile.modules.map((module) => module.id));
  const known = new Set(config.modules.map((module) => module.id));
  return [
    ...[...locked].filter((id) => !known.has(id))
      .map((id) => say(`The lockfile still has "${id}", which agentpack.yaml no longer has`)),
    ...fromGit.filter((module) => !locked.has(module.id))
      .map((module) => say(`The lockfile does not have "${module.id}"; renew it with lock`)),
  ];
}

async function stateFindings(session: Session): Promise<Finding[]> {
  const { files } = session.pack.system;
  const { state } = session.home;
  const findings: Finding[] = [];
  let place = state;
  while (place !== dirname(place) && await files.stat(place) === null) place = dirname(place);
  if (!await files.isWritable(place)) {
    findings.push({
      kind: "state",
      message: `"${state}" cannot be written to; no deploy can work`,
    });
  }
  if (await readJournal(files, session.home) !== null) {
    findings.push({
      kind: "state",
      message: "A change was cut short; the next change, or doctor --fix, takes it back first",
    });
  }
  const { warnings } = await listRecords(files, session.home);
  return [...findings, ...warnings.map((message): Finding => ({ kind: "state", message }))];
}

/** Everything doctor checks besides modules, overlays and roots. */
export async function healthFindings(session: Session): Promise<Finding[]> {
  const orphans = await orphanWarnings(session);
  return [
    ...await gitFindings(session),
    ...await lockfileFindings(session),
    ...await stateFindings(session),
    ...orphans.map((message): Finding => ({ kind: "orphan", message })),
  ];
}

/** How many modules a finding names. */
const NAMED = 5;

/** Why no target writes a module; null when one does. */
function withoutOutput({ config }: Session, module: ModuleConfig): string | null {
  const needs: string[] = [];
  for (const name of TARGET_NAMES) {
    for (const rule of TARGETS[name].rules) {
      if (!renders(name, rule, module)) continue;
      const missing = missingFor(config, name, rule);
      if (missing === null) return null;
      // A tool that the module does not name is no useful advice.
      if (config.targets.has(name) || module.targets.includes(name)) needs.push(missing);
    }
  }
  return needs.length === 0
    ? `no target of agentpack.yaml writes a module of type ${module.type} here`
    : `agentpack.yaml would have to say "${needs[0]}"`;
}

/** One finding for all modules of which the same is to be said. */
function together(
  found: readonly { readonly id: string; readonly reason: string }[],
  say: (names: string, reason: string) => string,
): Finding[] {
  return [...Map.groupBy(found, ({ reason }) => reason)].map(([reason, modules]) => ({
    kind: "no_effect",
    message: say(few(modules.map(({ id }) => `"${id}"`), NAMED), reason),
    module_ids: modules.map(({ id }) => id),
  }));
}

/** Modules that no target writes, or no profile selects. */
function moduleEffects(session: Session): Finding[] {
  const { config } = session;
  const enabled = config.modules.filter((module) => module.enabled);
  const selected = new Set(
    [...config.profiles.keys()].flatMap((name) => selectModules(config, name).map(({ id }) => id)),
  );
  const silent = enabled.flatMap((module) => {
    const reason = withoutOutput(session, module);
    return reason === null ? [] : [{ id: module.id, reason }];
  });
  const unselected = enabled.filter(({ id }) => !selected.has(id)).map(({ id, tags }) => ({
    id,
    reason: tags.length === 0
      ? "they have no tags, and none names them"
      : `none includes ${few(tags.map((tag) => `"${tag}"`), NAMED)}`,
  }));
  return [
    ...together(silent, (names, reason) => `Nothing is deployed of ${names}: ${reason}`),
    ...together(unselected, (names, reason) => `No profile selects ${names}: ${reason}`),
  ];
}

/** Modules that a tool gets in several places, of which it reads all. */
function doubleFindings(session: Session): Finding[] {
  return session.targets.flatMap((target) => {
    const place = session.places.get(target);
    if (place === undefined || target === "export_dir") return [];
    const rules = activeRules(TARGETS[target], place);
    const ids = session.modules.filter((module) =>
      rules.filter((rule) => renders(target, rule, module)).length > 1
    ).map(({ id }) => id);
    return ids.length === 0 ? [] : [{
      kind: "double",
      message: `${target} gets ${
        few(ids.map((id) => `"${id}"`), NAMED)
      } more than once: give the target one scope, the module a metadata.scope, or switch an option off`,
      module_ids: ids,
    }];
  });
}

/** Profiles that name what is not there. */
function profileEffects({ config }: Session): Finding[] {
  if (config.modules.length === 0) return [];
  const ids = config.modules.map(({ id }) => id);
  const tags = [...new Set(config.modules.flatMap((module) => module.tags))];
  return [...config.profiles].flatMap(([name, profile]) => {
    const say = (message: string): Finding => ({
      kind: "no_effect",
      message: `The profile "${name}" ${message}`,
    });
    const unknown = [...profile.includeModules, ...profile.excludeModules]
      .filter((id) => !ids.includes(id))
      .map((id) => say(`names the module "${id}", which there is not${meant(id, ids)}`));
    const near = profile.includeTags
      .filter((tag) => !tags.includes(tag) && didYouMean(tag, tags) !== null)
      .map((tag) => say(`includes the tag "${tag}", which no module has${meant(tag, tags)}`));
    // A profile that includes nothing means it.
    const wants = profile.includeTags.length + profile.includeModules.length > 0;
    const empty = wants && near.length + unknown.length === 0 &&
        selectModules(config, name).length === 0
      ? [say(`selects none of ${count(ids.length, "module")}`)]
      : [];
    return [...unknown, ...near, ...empty];
  });
}

function meant(word: string, words: readonly string[]): string {
  const near = didYouMean(word, words);
  return near === null ? "" : `; did you mean "${near}"?`;
}

/** Places on file systems that are mounted read-only, where no permission helps. */
async function mountFindings(session: Session): Promise<Finding[]> {
  const { files } = session.pack.system;
  const { repo, state } = session.home;
  const places = new Set<string>();
  for (const place of [repo, state, ...session.roots.map(({ root }) => root)]) {
    let at = place;
    while (at !== dirname(at) && await files.lstat(at) === null) at = dirname(at);
    if (await files.isReadOnly(at)) places.add(place);
  }
  return [...places].map((place) => ({
    kind: "mount",
    message:
      `"${place}" lies on a file system that is mounted read-only; nothing can be written there`,
  }));
}

/** Everything of a configuration that is without effect. */
export async function effectFindings(session: Session): Promise<Finding[]> {
  return [
    ...moduleEffects(session),
    ...doubleFindings(session),
    ...profileEffects(session),
    ...await mountFindings(session),
  ];
}

// Temporary files that killed processes left behind, as doctor finds and removes them (PACK-53).

/** What a step of a change prepares beside its destination. */
const STEP = /^\.agentpack-\d+-\d+\.tmp$/;
/** What a checkout is filled as, beside its place. */
const CHECKOUT = /^\.[0-9a-f]{40}\.[0-9a-f-]{36}\.tmp$/;
/** A checkout is filled without the lock of the home; nobody waits so long for one. */
const FILLING_MS = 24 * 3_600_000;

/** Whether a process is changing something of this home right now. */
async function isBusy({ files, processes }: System, home: Home): Promise<boolean> {
  const pid = Number(await files.readText(home.lock));
  if (!Number.isInteger(pid) || pid <= 0) return false;
  return await processes.isAlive({ pid, startedAt: null, bootId: null });
}

async function isAbandoned({ processes }: System, name: string): Promise<boolean> {
  if (STEP.test(name)) return true;
  const pid = writerOf(name, "beside");
  return pid !== null && !await processes.isAlive({ pid, startedAt: null, bootId: null });
}

async function abandonedIn(
  system: System,
  directory: string,
  deep: boolean,
  found: Set<string>,
): Promise<void> {
  for (const { name, kind } of await system.files.list(directory)) {
    const path = join(directory, name);
    if (kind === "file" && await isAbandoned(system, name)) found.add(path);
    if (deep && kind === "directory" && name !== ".git") {
      await abandonedIn(system, path, deep, found);
    }
  }
}

/** Checkouts that nobody finished filling. */
async function halfCheckouts({ files, clock }: System, home: Home): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await files.list(home.checkouts)) {
    const directory = join(home.checkouts, name);
    for (const entry of await files.list(directory)) {
      if (!CHECKOUT.test(entry.name)) continue;
      const path = join(directory, entry.name);
      const modified = (await files.lstat(path))?.modifiedMs ?? null;
      if (modified !== null && clock.now() - modified > FILLING_MS) found.push(path);
    }
  }
  return found;
}

/**
 * Temporary files and directories that nobody writes any more, sorted. They lie below the roots of the session,
 * in the config repo, in the state of the home or among the checkouts. `holding` says that this process has the
 * lock of the home.
 */
export async function leftovers(session: Session, holding: boolean): Promise<string[]> {
  const { home, pack: { system } } = session;
  const checkouts = await halfCheckouts(system, home);
  // A running change owns its temporary files, and the journal removes those of one that was cut short.
  if (!holding && await isBusy(system, home)) return checkouts;
  if (await readJournal(system.files, home) !== null) return checkouts;
  const found = new Set(checkouts);
  for (const { root, scanExtras } of session.roots) {
    await abandonedIn(system, root, scanExtras, found);
  }
  await abandonedIn(system, home.repo, true, found);
  for (const directory of [home.state, home.snapshots]) {
    await abandonedIn(system, directory, false, found);
  }
  const waiting = new Set(await uncommitted(session));
  for (const { name } of await system.files.list(home.scratch)) {
    const path = join(home.scratch, name);
    if (!waiting.has(path)) found.add(path);
  }
  return [...found].sort();
}

/**
 * Working copies of the config repo among the temporary files that hold changes nobody has committed: what evolve
 * propose leaves for a person when its commit fails. Nobody removes them. One git process for each.
 */
export async function uncommitted({ home, pack }: Session): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await pack.system.files.list(home.scratch)) {
    const path = join(home.scratch, name);
    if (kind !== "directory" || await pack.system.files.lstat(join(path, ".git")) === null) {
      continue;
    }
    try {
      if ((await pack.git.at(path).status()).changes.length === 0) continue;
    } catch (error) {
      if (!(error instanceof AmofError)) throw error;
      // A checkout that cannot be inspected may hold changes.
    }
    found.push(path);
  }
  return found;
}

/** Removes what {@linkcode leftovers} found; answers what was there. */
export async function removeLeftovers(session: Session): Promise<string[]> {
  const { files } = session.pack.system;
  const found = await leftovers(session, true);
  for (const path of found) {
    if ((await files.lstat(path))?.kind === "directory") await files.removeTree(path);
    else await files.remove(path);
  }
  return found;
}
