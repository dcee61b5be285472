/**
 * Places where coding tools read what no target of this program writes: named, so that nobody believes them imported
 * (PACK-56).
 */

import { join } from "@std/path";
import { fieldsOf } from "../../../base/object.ts";
import type { Files } from "../../../base/system/mod.ts";
import type { Config } from "../config/config.ts";
import type { TargetName } from "../names.ts";
import { missingFor, wholeTarget } from "../target/target.ts";
import type { Left } from "./scan.ts";
import type { Candidate } from "./candidates.ts";

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
