/**
 * Keeps the workspace's files out of the control repository's status without touching its tracked files.
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { join } from "@std/path";
import type { Git } from "../git/mod.ts";
import type { System } from "../system/mod.ts";
import type { Manifest } from "./manifest.ts";

/** What a control repository must not track (amof.md §1.2), anchored so that nothing else is hidden. */
function patterns(manifest: Manifest): string[] {
  const firsts = new Set(manifest.repos.map((repo) => `/${repo.path.split("/")[0] ?? ""}/`));
  return [
    ...new Set([
      `/${manifest.workspaceDir}/`,
      "/repos/",
      ...firsts,
      "/context/",
      "/.amof/",
      "/amof.*.code-workspace",
    ]),
  ];
}

async function excludeFile(git: Git, root: string): Promise<string | null> {
  const common = await git.commonDirectory(root);
  return common === null ? null : join(common, "info", "exclude");
}

/** The change to `info/exclude`, which all worktrees share, that hides a workspace; null when nothing is missing. */
export async function planIgnore(
  system: System,
  git: Git,
  root: string,
  manifest: Manifest,
): Promise<{ file: string; before: string | null; after: string } | null> {
  const file = await excludeFile(git, root);
  if (file === null) return null;
  const before = await system.files.readText(file);
  const lines = new Set((before ?? "").split(/\r?\n/));
  const missing = patterns(manifest).filter((pattern) => !lines.has(pattern));
  if (missing.length === 0) return null;
  const kept = before ?? "";
  const after = `${kept}${kept === "" || kept.endsWith("\n") ? "" : "\n"}${missing.join("\n")}\n`;
  return { file, before, after };
}
