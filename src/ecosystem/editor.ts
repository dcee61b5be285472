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

/** Writes the editor file with the repositories that exist on the disk. */
export async function writeEditorFile(
  system: System,
  workspace: string,
  manifest: Manifest,
): Promise<void> {
  const folders = [{ path: ".", name: "AMOF Workspace" }];
  for (const repo of manifest.repos) {
    if (repo.enabled && await system.files.stat(join(workspace, repo.path)) !== null) {
      folders.push({ path: repo.path, name: repo.name });
    }
  }
  const content = {
    folders,
    settings: {
      "git.repositoryScanMaxDepth": 1,
      "files.exclude": { "**/__pycache__": true, "**/*.pyc": true, "**/node_modules": true },
    },
  };
  await system.files.write(
    editorFile(workspace, manifest),
    `${JSON.stringify(content, null, 2)}\n`,
  );
}
