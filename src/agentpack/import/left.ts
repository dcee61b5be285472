/**
 * Places where coding tools read what no target of this program writes: named, so that nobody believes them imported
 * (PACK-56).
 *
 * @module
 */

import { join } from "@std/path";
import type { Files } from "../../system/mod.ts";
import type { Left } from "./scan.ts";

type Known = readonly [path: string, what: string];

const IN_HOME: readonly Known[] = [
  [".codex/AGENTS.override.md", "the override of Codex's instructions"],
  [".cursor/mcp.json", "MCP servers of Cursor for all projects"],
  [".codeium/windsurf/global_workflows", "workflows of Windsurf for all projects"],
];

const IN_PROJECT: readonly Known[] = [
  ["AGENTS.override.md", "the override of Codex's instructions"],
  ["CLAUDE.local.md", "personal memory of Claude Code"],
  [".claude/CLAUDE.md", "the memory of Claude Code in this place"],
  [".cursorrules", "rules of Cursor in one file"],
  [".github/instructions", "instructions of VS Code in several files"],
  [".windsurfrules", "rules of Windsurf in one file"],
];

/** The known places that are there; a null directory is not looked at. */
export async function leftOutside(
  files: Files,
  { home, project }: { readonly home: string; readonly project: string | null },
): Promise<Left[]> {
  const places = [
    ...IN_HOME.map(([path, what]) => [join(home, path), what] as const),
    ...(project === null
      ? []
      : IN_PROJECT.map(([path, what]) => [join(project, path), what] as const)),
  ];
  const left: Left[] = [];
  for (const [path, what] of places) {
    if (await files.stat(path) === null) continue;
    left.push({ path, reason: `no target writes ${what}` });
  }
  return left;
}
