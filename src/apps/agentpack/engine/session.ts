/**
 * Everything a call needs to know before it looks at modules, loaded in the order that decides which error
 * is seen first (PACK-26).
 *
 * Git processes: at most two, to find the project.
 */

import { type Config, loadConfig, type ModuleConfig } from "../config/config.ts";
import { type Lockfile, readLockfile } from "../config/lockfile.ts";
import { selectModules, selectTargets } from "../config/select.ts";
import { compareBytes, firstDifference } from "../content.ts";
import { detectProject, homeOf, machineId, type Project } from "../identity.ts";
import type { ComposeInput } from "../module/compose.ts";
import { TARGET_NAMES, type TargetName } from "../names.ts";
import type { Pack, Selection } from "../pack.ts";
import { lockWarnings, usableLockfile } from "../source/resolve.ts";
import { TARGETS } from "../target/table.ts";
import {
  knownOptions,
  rootsOf,
  type Target,
  type TargetPlace,
  type TargetRoot,
} from "../target/target.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { didYouMean, meantText } from "../../../base/text/words.ts";
import { onlyOptions } from "../config/metadata.ts";
import { configInvalid } from "../error.ts";

/** A loaded configuration with everything that was selected in it. */
export interface Session extends ComposeInput {
  readonly selection: Selection;
  readonly config: Config;
  readonly lockfile: Lockfile | null;
  readonly profile: string;
  /** The target filter: `all` or a name. */
  readonly filter: string;
  /** The targets the filter leaves, sorted. */
  readonly targets: readonly TargetName[];
  /** The modules the profile selects, sorted by id. */
  readonly modules: readonly ModuleConfig[];
  /** How each configured target is set up. */
  readonly places: ReadonlyMap<TargetName, TargetPlace>;
  /** The roots of the selected targets, sorted by target and path. */
  readonly roots: readonly TargetRoot[];
  /** The roots of all configured targets, sorted likewise. */
  readonly allRoots: readonly TargetRoot[];
  readonly warnings: readonly string[];
}

function placesOf(
  pack: Pack,
  config: Config,
  project: Project,
): ReadonlyMap<TargetName, TargetPlace> {
  return new Map(
    [...config.targets].map(([name, { scope, options }]) => [name, {
      scope,
      options,
      projectRoot: project.root,
      hasProject: project.noProject === null,
      env: pack.system.env,
    }]),
  );
}

/** What is left out where there is no project, if anything is. */
function noProjectWarnings(
  { noProject }: Project,
  targets: readonly TargetName[],
  places: ReadonlyMap<TargetName, TargetPlace>,
): string[] {
  const leavesOut = targets.some((name) => places.get(name)?.scope !== "user");
  if (noProject === null || !leavesOut) return [];
  return [
    `The project is ${noProject}, so what belongs into a project is left out; work in one, or name it with --project-root DIR or AGENTPACK_PROJECT_ROOT`,
  ];
}

function rootsFor(
  places: ReadonlyMap<TargetName, TargetPlace>,
  targets: readonly TargetName[],
): TargetRoot[] {
  return targets.flatMap((name) => {
    const place = places.get(name);
    return place === undefined ? [] : rootsOf(TARGETS[name], place);
  }).sort((a, b) =>
    firstDifference(compareBytes(a.target, b.target), compareBytes(a.root, b.root))
  );
}

/**
 * Refuses modules that `metadata.only` limits to an option which no target has: they would be without effect.
 * Throws `E_CONFIG_INVALID`.
 */
function checkLimits(modules: readonly ModuleConfig[]): void {
  const known = new Set(
    TARGET_NAMES.flatMap((name) =>
      TARGETS[name].rules.flatMap(({ option }) => option === null ? [] : [`${name}.${option}`])
    ),
  );
  for (const module of modules) {
    const unknown = onlyOptions(module)?.find((option) => !known.has(option));
    if (unknown === undefined) continue;
    throw configInvalid(
      `metadata.only of the module "${module.id}" names "${
        cleanLine(unknown, 60)
      }", which is no option of a target${meantText(didYouMean(unknown, [...known]))}`,
      { module_id: module.id, field: "metadata.only", option: unknown },
    );
  }
}

/**
 * Refuses an option whose name is nearly one of the target's: misspelt, it would be without effect. Answers a
 * warning for each one that nobody knows, which a later version may. Throws `E_CONFIG_INVALID`.
 */
function checkOptions(target: Target, place: TargetPlace): string[] {
  const known = knownOptions(target);
  return Object.keys(place.options).filter((name) => !known.includes(name)).map((name) => {
    const shown = cleanLine(name, 60);
    const near = didYouMean(name, known);
    if (near === null) {
      return `The target "${target.name}" has no option "${shown}", which is without effect`;
    }
    throw configInvalid(
      `The target "${target.name}" has no option "${shown}"; did you mean "${near}"?`,
      { target: target.name, option: name, did_you_mean: near, allowed: known },
    );
  });
}

/** Loads a session. Throws what is wrong with configuration, lockfile, target filter or profile. */
export async function loadSession(pack: Pack, selection: Selection): Promise<Session> {
  const { files, env } = pack.system;
  const home = homeOf(env, selection.repo);
  // The project is looked up while the configuration is read; its error is reported when the result is awaited.
  const detecting = detectProject(pack, selection.project);
  detecting.catch(() => {});
  const config = await loadConfig(files, home.config);
  const lockState = await readLockfile(files, home.lockfile);
  const project = await detecting;
  const machine = machineId(env, selection.machine);
  const filter = selection.target ?? "all";
  const targets = selectTargets(config, filter);
  const profile = selection.profile ?? "default";
  const modules = selectModules(config, profile);
  checkLimits(modules);
  const { lockfile, warning } = usableLockfile(lockState, modules);
  const places = placesOf(pack, config, project);
  const options = targets.flatMap((name) => {
    const place = places.get(name);
    if (place === undefined) return [];
    const warnings = checkOptions(TARGETS[name], place);
    TARGETS[name].check?.(place);
    return warnings;
  });
  return {
    pack,
    selection,
    home,
    config,
    lockfile,
    project,
    machineId: machine,
    profile,
    filter,
    targets,
    modules,
    places,
    roots: rootsFor(places, targets),
    allRoots: rootsFor(places, [...config.targets.keys()]),
    warnings: [
      ...(warning === null ? [] : [warning]),
      ...noProjectWarnings(project, targets, places),
      ...lockWarnings(lockfile, modules),
      ...options,
    ],
  };
}
