/** `import`: makes modules of assets that are there already (PACK-56). */

import { count, few } from "../../../base/text/words.ts";
import { compareBytes } from "../content.ts";
import { type Config, parseConfig, readConfigText } from "../config/config.ts";
import { changeRepo, fileWrite } from "../engine/repo_change.ts";
import { addModules, addProfile } from "../config/edit.ts";
import { type Act, declare, flag, type Look, members, text } from "../declare/command.ts";
import { lines, nextActions, shownPath } from "../declare/show.ts";
import type { HeldLock } from "../engine/journal.ts";
import { commandLine } from "../engine/next_action.ts";
import { AgentpackError } from "../error.ts";
import { rootCause } from "../../../base/error.ts";
import { absolutePath, detectProject, type Home, type Project } from "../identity.ts";
import { givenDescription } from "../config/metadata.ts";
import {
  type Candidate,
  candidatesOf,
  leftOutside,
  type NotDeployed,
  notDeployed,
} from "../import/candidates.ts";
import { scanAssets } from "../import/scan.ts";
import { pathIn, posix, type Twins, userHome, withPosix } from "../io.ts";
import type { Files } from "../../../base/system/mod.ts";
import { validateModule } from "../module/validate.ts";
import type { ModuleType, TargetName } from "../names.ts";
import type { Answer, Pack, Selection } from "../pack.ts";

/** One asset and what happens to it. */
interface ImportItem extends Twins<"source_path" | "dest_path"> {
  readonly op: "create" | "skip_existing_module" | "skip_invalid";
  readonly module_id: string;
  readonly module_type: ModuleType;
  readonly scope: "user" | "project";
  /** Where the same content lies for other tools, which get this module, too. */
  readonly other_sources?: readonly string[];
  readonly other_sources_posix?: readonly string[];
  readonly tags: readonly string[];
  readonly targets: readonly TargetName[];
  readonly skip_reason?: string;
}

/** `data` of `import`. */
interface ImportData extends Twins<"repo" | "home_root"> {
  readonly applied: boolean;
  readonly reason?: "dry_run" | "nothing_to_import";
  readonly project: {
    readonly project_id: string;
    readonly project_root: string;
    readonly project_root_posix: string;
    readonly origin_url: string | null;
  };
  readonly plan: readonly ImportItem[];
  readonly summary: {
    readonly create: number;
    readonly skip_existing_module: number;
    readonly skip_invalid: number;
  };
  /** Destinations that exist. */
  readonly conflicts: readonly {
    readonly module_id: string;
    readonly path: string;
    readonly path_posix: string;
  }[];
  /** What tools read there and no module can hold. */
  readonly left: readonly {
    readonly path: string;
    readonly path_posix: string;
    readonly reason: string;
  }[];
  /** What no deploy would write before something is set. */
  readonly not_deployed: readonly NotDeployed[];
  readonly next_actions: readonly string[];
}

/** An item with what it is made of. */
interface Planned {
  readonly item: ImportItem;
  readonly candidate: Candidate;
}

/** Shows what could be imported, or with the lock held copies it and adds it to the configuration. */
async function bringIn(
  { pack, selection, home }: Look,
  root: string | undefined,
  act: Act | null,
): Promise<Answer<ImportData>> {
  const { files, env } = pack.system;
  const text = await readConfigText(files, home.config);
  const config = await parseConfig(text, home.config);
  const project = await detectProject(pack, selection.project);
  const otherHome = root === undefined ? null : absolutePath(env, root);
  const homeRoot = otherHome ?? userHome(env);
  const scan = await scanAssets({ files, env, config, project, home: otherHome });
  const outside = await leftOutside(files, {
    home: homeRoot,
    project: project.noProject === null ? project.root : null,
  });
  const planned = await planItems(home, candidatesOf(config, project, scan.assets));
  const creating = planned.filter(({ item }) => item.op === "create");
  const conflicts = await conflictsOf(files, creating);
  const dataOf = (applying: boolean): ImportData => ({
    applied: applying,
    ...(applying ? {} : { reason: creating.length === 0 ? "nothing_to_import" : "dry_run" }),
    ...withPosix("repo", home.repo),
    ...withPosix("home_root", homeRoot),
    project: {
      project_id: project.id,
      ...withPosix("project_root", project.root),
      origin_url: project.origin,
    },
    plan: planned.map(({ item }) => item),
    summary: summaryOf(planned),
    conflicts,
    left: [...scan.left, ...outside].map(({ path, reason }) => ({
      ...withPosix("path", path),
      reason,
    })),
    not_deployed: notDeployed(
      config,
      planned.filter(({ item }) => item.op !== "skip_invalid").map(({ candidate }) => candidate),
    ),
    next_actions: nextSteps(pack, selection, { project, creating, applying }),
  });
  const applying = act !== null && creating.length > 0;
  if (applying) {
    refuseConflicts(conflicts);
    await act.approve(dataOf(false));
    await carryOut(pack, act.held, { text, project, config, creating });
  }
  return { data: dataOf(applying), warnings: warningsOf(project, creating) };
}

/** What was or would be imported; whoever is about to be asked is not told to ask for it. */
type Imported = Answer<ImportData> & { readonly asked?: boolean };

function warningsOf(project: Project, creating: readonly Planned[]): string[] {
  const nowhere = project.noProject === null
    ? []
    : [`The project is ${project.noProject}, so only your home was looked through`];
  return [
    ...nowhere,
    ...creating.flatMap(({ candidate }) =>
      candidate.assets.flatMap(({ warning }) => warning ?? [])
    ),
  ];
}

/** What belongs to a project is selected by the profile of that project alone. */
function nextSteps(
  pack: Pack,
  selection: Selection,
  { project, creating, applying }: {
    readonly project: Project;
    readonly creating: readonly Planned[];
    readonly applying: boolean;
  },
): string[] {
  if (creating.length === 0) return [];
  const ofProject = creating.some(({ item }) => item.scope === "project");
  const profile = ofProject ? profileOf(project) : selection.profile;
  const line = (...words: string[]) => commandLine(pack, { ...selection, profile }, words);
  return applying
    ? [line("preview", "--diff"), line("deploy", "--apply", "--yes")]
    : [commandLine(pack, selection, ["import", "--apply", "--yes"])];
}

function profileOf(project: Project): string {
  return `project-${project.id}`;
}

function summaryOf(planned: readonly Planned[]): ImportData["summary"] {
  const count = (op: ImportItem["op"]) => planned.filter(({ item }) => item.op === op).length;
  return {
    create: count("create"),
    skip_existing_module: count("skip_existing_module"),
    skip_invalid: count("skip_invalid"),
  };
}

/** The destinations of items that exist already. */
async function conflictsOf(
  files: Files,
  creating: readonly Planned[],
): Promise<ImportData["conflicts"]> {
  const conflicts: ImportData["conflicts"][number][] = [];
  for (const { item } of creating) {
    if (await files.lstat(item.dest_path) === null) continue;
    const { module_id, dest_path, dest_path_posix } = item;
    conflicts.push({ module_id, path: dest_path, path_posix: dest_path_posix });
  }
  return conflicts;
}

async function planItems(home: Home, candidates: readonly Candidate[]): Promise<Planned[]> {
  const planned: Planned[] = [];
  for (const candidate of candidates) {
    const [{ source, rule, problem }, ...others] = candidate.assets;
    const destination = pathIn(home.repo, candidate.destination);
    const reason = candidate.exists ? null : problem ?? await invalidity(candidate);
    const op = candidate.exists
      ? "skip_existing_module"
      : reason !== null
      ? "skip_invalid"
      : "create";
    const otherSources = others.map((asset) => asset.source);
    planned.push({
      candidate,
      item: {
        op,
        module_id: candidate.moduleId,
        module_type: rule.type,
        scope: rule.scope,
        ...withPosix("source_path", source),
        ...(others.length === 0
          ? {}
          : { other_sources: otherSources, other_sources_posix: otherSources.map(posix) }),
        ...withPosix("dest_path", destination),
        tags: candidate.tags,
        targets: candidate.targets,
        ...(reason === null ? {} : { skip_reason: reason }),
      },
    });
  }
  return planned;
}

/** Why a candidate would be no valid module, or null. */
async function invalidity(
  { moduleId, destination, assets, metadata }: Candidate,
): Promise<string | null> {
  const [{ rule, files: found }] = assets;
  const name = destination.slice(destination.lastIndexOf("/") + 1);
  const files = new Map(
    found.map((file) => [file.path === "" ? name : file.path, { bytes: file.bytes }]),
  );
  try {
    const description = givenDescription({ metadata });
    await validateModule({ id: moduleId, type: rule.type, description, files });
    return null;
  } catch (error) {
    return rootCause(error);
  }
}

function refuseConflicts(conflicts: ImportData["conflicts"]): void {
  if (conflicts.length === 0) return;
  const paths = conflicts.map((conflict) => conflict.path).sort(compareBytes).slice(0, 20);
  throw new AgentpackError(
    "E_IMPORT_CONFLICT",
    `${conflicts.length} destinations in the config repo exist already`,
    {
      count: conflicts.length,
      sample_paths: paths,
      sample_paths_posix: paths.map(posix),
      hint: "Move them away, or add them as modules yourself",
    },
  );
}

/** Copies everything and adds it to the configuration: all of it, or nothing. */
async function carryOut(
  pack: Pack,
  held: HeldLock,
  { text, project, config, creating }: {
    readonly text: string;
    readonly project: Project;
    readonly config: Config;
    readonly creating: readonly Planned[];
  },
): Promise<void> {
  const { home } = held;
  const copies = creating.flatMap(({ item, candidate }) =>
    candidate.assets[0].files.map((file) => {
      const path = file.path === "" ? item.dest_path : pathIn(item.dest_path, file.path);
      // The write fails if a file has appeared there since the check for conflicts.
      return { ...fileWrite(home.repo, path, file.bytes, file.executable), expected: null };
    })
  );
  const modules = creating.map(({ item, candidate }) => ({
    id: candidate.moduleId,
    type: item.module_type,
    tags: candidate.tags,
    targets: candidate.targets,
    source: { kind: "local", path: candidate.destination } as const,
    metadata: candidate.metadata,
  }));
  const edited = await addModules(text, modules);
  const profile = profileOf(project);
  const needsProfile = !config.profiles.has(profile) &&
    creating.some(({ item }) => item.scope === "project");
  const whole = needsProfile ? await addProfile(edited, profile, ["base", profile]) : edited;
  await parseConfig(whole, home.config);
  await changeRepo(pack, held, [...copies, fileWrite(home.repo, home.config, whole)]);
}

/** How many modules a line names. */
const NAMED = 2;

function itemLine(item: ImportItem): string {
  const id = shownPath(item.module_id);
  const sources = [item.source_path, ...item.other_sources ?? []].map(shownPath).join(", ");
  if (item.op === "create") return `  + ${id}  ${sources}`;
  const reason = item.skip_reason === undefined
    ? "there is such a module"
    : shownPath(item.skip_reason);
  return `  skipped  ${id}  ${sources}  ${reason}`;
}

/** `import`. */
export const importCommand = declare({
  path: ["import"],
  summary: "Find assets that coding tools have already, and make modules of them.",
  options: {
    apply: flag({ help: "Copy them into the config repo and add them to agentpack.yaml" }),
    home_root: text({ help: "Look in this home directory", value: "DIR" }),
  },
  examples: ["import", "import --apply"],
  changes: { flag: "apply", asks: "first" },
  look: async (call, { home_root, apply }): Promise<Imported> => ({
    ...await bringIn(call, home_root, null),
    asked: apply,
  }),
  act: (call, { home_root }): Promise<Imported> => bringIn(call, home_root, call),
  answers: members<ImportData>(
    "applied",
    "reason",
    "repo",
    "repo_posix",
    "home_root",
    "home_root_posix",
    "project",
    "plan",
    "summary",
    "conflicts",
    "left",
    "not_deployed",
    "next_actions",
  ),
  render: ({ data, asked }) =>
    lines(
      data.summary.create === 0
        ? "Nothing to import"
        : `${data.applied ? "Imported" : "Would import"} ${count(data.summary.create, "module")}`,
      data.plan.map(itemLine),
      data.conflicts.map((conflict) => `  exists already: ${shownPath(conflict.path)}`),
      data.left.map(({ path, reason }) => `  left  ${shownPath(path)}  ${reason}`),
      data.not_deployed.length === 0
        ? null
        : "Nothing of these is deployed before agentpack.yaml says so:",
      data.not_deployed.map(({ needs, module_ids }) =>
        `  ${needs}  # ${few(module_ids.map(shownPath), NAMED)}`
      ),
      asked === true ? null : nextActions(data.next_actions),
    ),
  refuse(_call, _input, planned) {
    refuseConflicts(planned?.data.conflicts ?? []);
  },
  isIdle: ({ data }) => data.summary.create === 0,
});
