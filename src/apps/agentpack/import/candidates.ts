/**
 * What found assets become (PACK-56): modules with the ids, places and settings by which a deploy writes exactly what
 * was found, and nothing anywhere else.
 */

import { join } from "@std/path";

import { defined, fieldsOf } from "../../../base/object.ts";
import { sha256 } from "../../../base/hash.ts";
import { compareBytes, hashOf } from "../content.ts";
import type { Config, ModuleConfig, ModuleSource } from "../config/config.ts";
import { givenOutput, skillDirectory } from "../config/metadata.ts";
import { type Project, sanitizeName, skillName } from "../identity.ts";
import { TARGET_NAMES, type TargetName } from "../names.ts";
import { TARGETS } from "../target/table.ts";
import { booleanOption, missingFor, renders, wholeTarget } from "../target/target.ts";
import type { Asset, Left } from "./scan.ts";
import type { Files } from "../../../base/system/mod.ts";

/** A module that assets could become, or the one that they are already. */
export interface Candidate {
  readonly moduleId: string;
  /** Whether the configuration has this module. */
  readonly exists: boolean;
  /** The same content, found in one place or in several; never empty. */
  readonly assets: readonly [Asset, ...Asset[]];
  /** Where it goes, relative to the config repo, with `/`: a directory for skills and instructions, else a file. */
  readonly destination: string;
  readonly tags: readonly string[];
  readonly targets: readonly TargetName[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A name as part of an id: lower case, everything but letters, digits, `-` and `_` as `-`. */
export function idPart(name: string): string {
  return Array.from(name.toLowerCase(), (char) => /^[a-z0-9_-]$/.test(char) ? char : "-").join("");
}

/** Makes candidates of assets, in their order; assets of one scope that are the same become one. */
export function candidatesOf(
  config: Config,
  project: Project,
  assets: readonly Asset[],
): Candidate[] {
  const modules = new Map(config.modules.map((module) => [module.id, module]));
  const taken = new Set(modules.keys());
  const destinations = new Set<string>();
  const candidates: Candidate[] = [];
  for (const group of groupsOf(modules, project, assets)) {
    const [first] = group;
    const existing = existingModule(modules, project, first);
    const moduleId = existing ??
      idsOf(project, first).find((id) => !taken.has(id)) ?? hashedId(project, first);
    taken.add(moduleId);
    const destination = freeDestination(project, first, { moduleId, taken: destinations });
    destinations.add(destination);
    const targets = TARGET_NAMES.filter((name) => group.some(({ tool }) => tool === name));
    candidates.push({
      moduleId,
      exists: existing !== null,
      assets: group,
      destination,
      tags: tagsOf(project, first, targets),
      targets,
      metadata: metadataOf(config, assets, group, { moduleId, destination }),
    });
  }
  return candidates;
}

/** Assets that become one module each: what is there already or cannot be taken stands alone. */
function groupsOf(
  modules: ReadonlyMap<string, ModuleConfig>,
  project: Project,
  assets: readonly Asset[],
): [Asset, ...Asset[]][] {
  const groups = new Map<string, [Asset, ...Asset[]]>();
  for (const asset of assets) {
    const { rule, output } = asset;
    const alone = asset.problem !== null || asset.settings !== null ||
      existingModule(modules, project, asset) !== null;
    const place = rule.type === "instructions" ? "" : output;
    const key = alone
      ? `${asset.source}\0${output}`
      : [rule.type, rule.scope, place, contentKey(asset)].join("\0");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [asset]);
    else group.push(asset);
  }
  return [...groups.values()];
}

function contentKey({ files }: Asset): string {
  return files.map(({ path, executable, bytes }) => `${path} ${executable} ${hashOf(bytes)}`)
    .sort(compareBytes).join("\n");
}

/** The id of the one file that a tool reads instructions from; the one that nearly every tool reads has the plainest. */
function fileId(project: Project, scope: "user" | "project", tool: TargetName): string {
  if (scope === "user") return `instructions:user-${tool}`;
  const id = `instructions:project-${project.id}`;
  return tool === "codex" ? id : `${id}-${tool}`;
}

/** The ids an asset may have, the best first. */
function idsOf(project: Project, { tool, rule, name }: Asset): string[] {
  if (rule.assets?.kind === "file") return [fileId(project, rule.scope, tool)];
  const where = rule.scope === "user" ? "" : `project-${project.id}-`;
  const id = `${rule.type}:${where}${idPart(name)}`;
  // Those of files are theirs, whether there is one or not yet.
  const ofFiles = TARGET_NAMES.map((one) => fileId(project, rule.scope, one));
  return [id, `${id}-${tool}`].filter((one) => !ofFiles.includes(one));
}

/** The id of an asset whose better ones others have. */
function hashedId(project: Project, asset: Asset): string {
  const best = idsOf(project, asset).at(-1) ?? "";
  return `${best}-${sha256(`${asset.tool}\0${asset.rule.option}\0${asset.output}`).slice(0, 8)}`;
}

/** The module that an asset is already: one with an id of it that its tool gets in the same place. */
function existingModule(
  modules: ReadonlyMap<string, ModuleConfig>,
  project: Project,
  asset: Asset,
): string | null {
  // What is the same for several tools has an id of one of them.
  const alike = [
    asset,
    ...TARGET_NAMES.flatMap((tool) =>
      TARGETS[tool].rules.filter(({ type, scope }) =>
        type === asset.rule.type && scope === asset.rule.scope
      ).map((rule) => ({ ...asset, tool, rule }))
    ),
  ];
  const ids = asset.rule.assets?.kind === "file"
    ? TARGET_NAMES.map((tool) => fileId(project, asset.rule.scope, tool))
    : alike.flatMap((one) => [...idsOf(project, one), hashedId(project, one)]);
  return ids.find((id) => {
    const module = modules.get(id);
    return module !== undefined && renders(asset.tool, asset.rule, module) &&
      hasOutput(module, asset);
  }) ?? null;
}

/** The name that a module's file has by its source; null where the configuration does not tell. */
function lastPart(source: ModuleSource): string | null {
  const path = source.kind === "local" ? source.path : source.subdir;
  const name = path.slice(path.lastIndexOf("/") + 1);
  return /\.(?:md|toml)$/.test(name) ? name : null;
}

/** Whether a module's files go where an asset is, as far as the configuration tells. */
function hasOutput(module: ModuleConfig, { tool, output, settings }: Asset): boolean {
  if (settings !== null) {
    return (fieldsOf(module.metadata[tool])["file"] ?? output) === output;
  }
  // The command of a hook is known by its id alone.
  if (module.type === "instructions" || module.type === "hook") return true;
  if (module.type === "skill" || module.type === "mcp_server") {
    return skillDirectory(module) === output;
  }
  return (givenOutput(module) ?? lastPart(module.source) ?? output) === output;
}

/** Where an asset goes; files of one name from several tools stand in directories of the tools. */
function freeDestination(
  project: Project,
  asset: Asset,
  { moduleId, taken }: { readonly moduleId: string; readonly taken: ReadonlySet<string> },
): string {
  const destination = destinationOf(project, asset, moduleId);
  if (!taken.has(destination)) return destination;
  return destinationOf(project, { ...asset, output: `${asset.tool}/${asset.output}` }, moduleId);
}

function destinationOf(project: Project, { tool, rule, output }: Asset, moduleId: string): string {
  const own = `project-${project.id}`;
  const tail = skillName(moduleId);
  const isUser = rule.scope === "user";
  switch (rule.type) {
    case "skill":
      return `modules/skills/imported/${tail}`;
    case "command":
      return `modules/${tool === "gemini" ? "gemini" : "claude"}-commands/imported/${
        isUser ? "user" : own
      }/${output}`;
    case "subagent":
      return `modules/subagents/imported/${isUser ? "user" : own}/${output}`;
    case "prompt":
      return `modules/prompts/imported/${isUser ? "" : `${own}/`}${output}`;
    case "mcp_server":
    case "hook":
      return `modules/${rule.type === "hook" ? "hooks" : "mcp-servers"}/imported/${
        isUser ? "user" : own
      }/${sanitizeName(tail.startsWith(`${own}-`) ? tail.slice(own.length + 1) : tail)}.json`;
    case "instructions":
      if (isUser) return `modules/instructions/imported/user/${tool}`;
      // No module lies in the tree of another one.
      return tail === own
        ? `modules/instructions/imported/${project.id}`
        : `modules/instructions/imported/${own}/${tail.slice(`${own}-`.length)}`;
  }
}

function tagsOf(project: Project, { rule }: Asset, tools: readonly string[]): string[] {
  return rule.scope === "user"
    ? ["base", "imported", "user", ...tools]
    : ["imported", "project", `project-${project.id}`, ...tools];
}

function metadataOf(
  config: Config,
  all: readonly Asset[],
  group: readonly [Asset, ...Asset[]],
  { moduleId, destination }: { readonly moduleId: string; readonly destination: string },
): Readonly<Record<string, unknown>> {
  const [{ tool, rule, output, settings, description }] = group;
  const usual = rule.type === "skill" || rule.type === "mcp_server"
    ? skillName(moduleId)
    : destination.slice(destination.lastIndexOf("/") + 1);
  const only = onlyOf(config, all, group);
  return {
    scope: rule.scope,
    ...(rule.type === "instructions" || rule.type === "hook" || output === usual ? {} : { output }),
    ...(only === null ? {} : { only }),
    ...(settings === null ? {} : { [tool]: settings }),
    ...defined({ description }),
  };
}

/**
 * The options of the places it was found in, where its tools write the same in others, too; else null. An option that
 * is off counts as on where something else that was found needs it.
 */
function onlyOf(
  config: Config,
  all: readonly Asset[],
  group: readonly Asset[],
): readonly string[] | null {
  const mine = new Set(group.map(({ rule }) => rule));
  const others = group.flatMap(({ tool, rule }) =>
    TARGETS[tool].rules.filter((other) =>
      other.type === rule.type && other.scope === rule.scope && !mine.has(other)
    ).filter((other) =>
      other.option === null ||
      booleanOption(config.targets.get(tool)?.options ?? {}, other.option, other.on) ||
      all.some((asset) => asset.tool === tool && asset.rule.option === other.option)
    )
  );
  if (others.length === 0) return null;
  return [...new Set(group.map(({ tool, rule }) => `${tool}.${rule.option}`))].sort(compareBytes);
}

// Places where coding tools read what no target of this program writes: named, so that nobody believes them imported
// (PACK-56).

/** A place, what it holds, and for a file that holds other things, too, the member of it that is meant. */
type Known = readonly [path: string, what: string, member?: string];

const IN_HOME: readonly Known[] = [
  [".codex/AGENTS.override.md", "the override of Codex's instructions"],
  [".claude.json", "MCP servers of Claude Code for all projects", "mcpServers"],
  [".claude/rules", "rules of Claude Code in several files"],
  [".codeium/windsurf/hooks.json", "hooks of Windsurf"],
];

const IN_PROJECT: readonly Known[] = [
  ["AGENTS.override.md", "the override of Codex's instructions"],
  ["CLAUDE.local.md", "personal memory of Claude Code"],
  [".claude/CLAUDE.md", "the memory of Claude Code in this place"],
  [".claude/rules", "rules of Claude Code in several files"],
  [".cursorrules", "rules of Cursor in one file"],
  [".github/instructions", "instructions of VS Code in several files"],
  [".junie/mcp/mcp.json", "MCP servers of JetBrains"],
  [".windsurf/hooks.json", "hooks of Windsurf"],
  [".windsurfrules", "rules of Windsurf in one file"],
];

/** The known places that are there; a null directory is not looked at. */
export async function leftOutside(
  files: Files,
  { home, project }: { readonly home: string; readonly project: string | null },
): Promise<Left[]> {
  const left: Left[] = [];
  const look = async (base: string, known: readonly Known[]) => {
    for (const [name, what, member] of known) {
      const path = join(base, name);
      if (await files.stat(path) === null) continue;
      if (member !== undefined && !await hasMember(files, path, member)) continue;
      left.push({ path, reason: `no target writes ${what}` });
    }
  };
  await look(home, IN_HOME);
  if (project !== null) await look(project, IN_PROJECT);
  return left;
}

/** Whether a JSON file has something in a member; what cannot be read has nothing. */
async function hasMember(files: Files, path: string, member: string): Promise<boolean> {
  try {
    const value: unknown = JSON.parse(await files.readText(path) ?? "null");
    return Object.keys(fieldsOf(fieldsOf(value)[member])).length > 0;
  } catch {
    return false;
  }
}

/** Modules that a target does not write. */
export interface NotDeployed {
  readonly target: TargetName;
  /** What `agentpack.yaml` has to say: a path of keys, a colon, and the value. */
  readonly needs: string;
  readonly module_ids: readonly string[];
}

/** What is missing for candidates, once for each setting; a target that is not there is one setting as a whole. */
export function notDeployed(config: Config, candidates: readonly Candidate[]): NotDeployed[] {
  const found = new Map<string, NotDeployed>();
  const rulesOf = (name: TargetName) =>
    candidates.flatMap(({ assets }) =>
      assets.flatMap(({ tool, rule }) => tool === name ? [rule] : [])
    );
  for (const { moduleId, assets } of candidates) {
    for (const { tool, rule } of assets) {
      const needs = config.targets.has(tool)
        ? missingFor(config, tool, rule)
        : wholeTarget(tool, rulesOf(tool));
      if (needs === null) continue;
      const before = found.get(needs)?.module_ids ?? [];
      found.set(needs, { target: tool, needs, module_ids: [...new Set([...before, moduleId])] });
    }
  }
  return [...found.values()];
}
