/**
 * `import`: makes modules of assets that are there already (PACK-56).
 *
 * @module
 */

import { count } from "../../text/words.ts";
import { compareBytes } from "../bytes.ts";
import { type Config, parseConfig, readConfigText } from "../config/config.ts";
import { addModules, addProfile } from "../config/edit.ts";
import { declare, type Look, members } from "../declare/command.ts";
import { flag, text } from "../declare/option.ts";
import { lines, nextActions, shownPath } from "../declare/show.ts";
import { type HeldLock } from "../engine/lock.ts";
import { commandLine } from "../engine/next_action.ts";
import { changeRepo, fileWrite } from "../engine/repo_change.ts";
import { AgentpackError, rootCause } from "../error.ts";
import { absolutePath, type Home } from "../identity/home.ts";
import { detectProject, type Project } from "../identity/project.ts";
import { type Found, scanAssets } from "../import/scan.ts";
import { pathIn, posix, userHome } from "../io.ts";
import type { Files } from "../../system/mod.ts";
import { validateModule } from "../module/validate.ts";
import type { ModuleType, TargetName } from "../names.ts";
import type { Answer, Pack } from "../pack.ts";

/** One asset and what happens to it. */
export interface ImportItem {
  readonly op: "create" | "skip_existing_module" | "skip_invalid";
  readonly module_id: string;
  readonly module_type: ModuleType;
  readonly scope: "user" | "project";
  readonly source_path: string;
  readonly source_path_posix: string;
  readonly dest_path: string;
  readonly dest_path_posix: string;
  readonly tags: readonly string[];
  readonly targets: readonly TargetName[];
  readonly skip_reason?: string;
}

/** `data` of `import`. */
export interface ImportData {
  readonly applied: boolean;
  readonly reason?: "dry_run" | "nothing_to_import";
  readonly repo: string;
  readonly repo_posix: string;
  readonly home_root: string;
  readonly home_root_posix: string;
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
  readonly next_actions: readonly string[];
}

/** An item with what it is made of. */
interface Planned {
  readonly item: ImportItem;
  readonly found: Found;
}

/** Shows what could be imported, or with the lock held copies it and adds it to the configuration. */
async function bringIn(
  { pack, selection, home }: Look,
  root: string | undefined,
  held: HeldLock | null,
): Promise<Answer<ImportData>> {
  const { files, env } = pack.system;
  const text = await readConfigText(files, home.config);
  const config = await parseConfig(text, home.config);
  const project = await detectProject(pack, selection.project);
  const homeRoot = root === undefined ? userHome(env) : absolutePath(env, root);
  const found = await scanAssets({ files, home: homeRoot, project });
  const planned = await planItems(home, config, found);
  const creating = planned.filter(({ item }) => item.op === "create");
  const warnings = creating.flatMap(({ found }) => found.warning === null ? [] : [found.warning]);
  const conflicts = await conflictsOf(files, creating);
  const applying = held !== null && creating.length > 0;
  if (applying) {
    refuseConflicts(conflicts);
    await carryOut(pack, held, { text, project, config, creating });
  }
  const line = (...words: string[]) => commandLine(pack, selection, words);
  return {
    data: {
      applied: applying,
      ...(applying ? {} : { reason: creating.length === 0 ? "nothing_to_import" : "dry_run" }),
      repo: home.repo,
      repo_posix: posix(home.repo),
      home_root: homeRoot,
      home_root_posix: posix(homeRoot),
      project: {
        project_id: project.id,
        project_root: project.root,
        project_root_posix: posix(project.root),
        origin_url: project.origin,
      },
      plan: planned.map(({ item }) => item),
      summary: summaryOf(planned),
      conflicts,
      next_actions: creating.length === 0
        ? []
        : applying
        ? [line("preview", "--diff"), line("deploy", "--apply", "--yes")]
        : [line("import", "--apply", "--yes")],
    },
    warnings,
  };
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

async function planItems(
  home: Home,
  config: Config,
  found: readonly Found[],
): Promise<Planned[]> {
  const ids = new Set(config.modules.map((module) => module.id));
  const planned: Planned[] = [];
  for (const one of found) {
    const destination = pathIn(home.repo, one.destination);
    const exists = ids.has(one.moduleId);
    const problem = exists ? null : one.problem ?? await invalidity(one);
    const op = exists ? "skip_existing_module" : problem !== null ? "skip_invalid" : "create";
    if (op === "create") ids.add(one.moduleId);
    planned.push({
      found: one,
      item: {
        op,
        module_id: one.moduleId,
        module_type: one.type,
        scope: one.scope,
        source_path: one.source,
        source_path_posix: posix(one.source),
        dest_path: destination,
        dest_path_posix: posix(destination),
        tags: one.tags,
        targets: one.targets,
        ...(problem === null ? {} : { skip_reason: problem }),
      },
    });
  }
  return planned;
}

/** Why an asset would be no valid module, or null. */
async function invalidity(found: Found): Promise<string | null> {
  const name = found.destination.slice(found.destination.lastIndexOf("/") + 1);
  const files = new Map(
    found.files.map((file) => [file.path === "" ? name : file.path, { bytes: file.bytes }]),
  );
  try {
    await validateModule({ id: found.moduleId, type: found.type, files });
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
  const copies = creating.flatMap(({ item, found }) =>
    found.files.map((file) => {
      const path = file.path === "" ? item.dest_path : pathIn(item.dest_path, file.path);
      // Nothing may have appeared there since the look for conflicts.
      return { ...fileWrite(home.repo, path, file.bytes, file.executable), expected: null };
    })
  );
  const modules = creating.map(({ found }) => ({
    id: found.moduleId,
    type: found.type,
    tags: found.tags,
    targets: found.targets,
    source: { kind: "local", path: found.destination } as const,
  }));
  const edited = await addModules(text, modules);
  const profile = `project-${project.id}`;
  const needsProfile = !config.profiles.has(profile) &&
    creating.some(({ found }) => found.scope === "project");
  const whole = needsProfile ? await addProfile(edited, profile, ["base", profile]) : edited;
  await parseConfig(whole, home.config);
  await changeRepo(pack, held, [...copies, fileWrite(home.repo, home.config, whole)]);
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
  look: (call, { home_root }) => bringIn(call, home_root, null),
  act: (call, { home_root }) => bringIn(call, home_root, call.held),
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
    "next_actions",
  ),
  render: ({ data }) =>
    lines(
      data.summary.create === 0
        ? "Nothing to import"
        : `${data.applied ? "Imported" : "Would import"} ${count(data.summary.create, "module")}`,
      data.plan.map((item) =>
        item.op === "create"
          ? `  + ${shownPath(item.module_id)}  ${shownPath(item.source_path)}`
          : `  skipped  ${shownPath(item.module_id)}  ${
            item.skip_reason === undefined ? "there is such a module" : shownPath(item.skip_reason)
          }`
      ),
      data.conflicts.map((conflict) => `  exists already: ${shownPath(conflict.path)}`),
      nextActions(data.next_actions),
    ),
  isIdle: ({ data }) => data.summary.create === 0,
});
