/**
 * The editor's workspace file of an ecosystem (amof.md §1.9).
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { join } from "@std/path";
import type { System } from "../system/mod.ts";
import type { Manifest } from "./manifest.ts";

/** Where the editor file of a workspace is. */
export function editorFile(workspace: string, manifest: Manifest): string {
  return join(workspace, `amof.${manifest.name}.code-workspace`);
}

/** The text of the editor file; repositories that are not there are left out unless they are about to be cloned. */
export async function editorText(
  system: System,
  workspace: string,
  manifest: Manifest,
  coming: readonly string[] = [],
): Promise<string> {
  const folders = [{ path: ".", name: "AMOF Workspace" }];
  for (const repo of manifest.repos) {
    const there = coming.includes(repo.name) ||
      await system.files.stat(join(workspace, repo.path)) !== null;
    if (repo.enabled && there) folders.push({ path: repo.path, name: repo.name });
  }
  const content = {
    folders,
    settings: {
      "git.repositoryScanMaxDepth": 1,
      "files.exclude": { "**/__pycache__": true, "**/*.pyc": true, "**/node_modules": true },
    },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
