/** The editor's workspace file of an ecosystem (WORKSPACE-20). */

import { join } from "@std/path";
import { fieldsOf, isObject } from "../base/object.ts";
import type { System } from "../base/system/mod.ts";
import { isInside, normalPath } from "./manifest/document.ts";
import type { Manifest } from "./manifest/manifest.ts";

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
  return contentText(folders);
}

/** The text of the editor file of a ticket with clones at these places. */
export function ticketEditorText(
  ticket: string,
  clones: readonly { readonly name: string; readonly path: string }[],
): string {
  return contentText([
    { path: ".", name: ticket },
    ...clones.map(({ name, path }) => ({ path, name })),
  ]);
}

function contentText(folders: readonly { readonly path: string; readonly name: string }[]): string {
  const content = {
    folders,
    settings: {
      "git.repositoryScanMaxDepth": 1,
      "files.exclude": { "**/__pycache__": true, "**/*.pyc": true, "**/node_modules": true },
    },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** What an editor file holds. As long as nobody wrote a comment into it, it is plain JSON. */
async function contentOf(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    const { parse } = await import("jsonc-parser");
    return parse(text, [], { allowTrailingComma: true });
  }
}

/** The folders of an editor file in their order; null for what is no such file. */
async function foldersOf(text: string): Promise<readonly { path?: unknown }[] | null> {
  const { folders } = fieldsOf(await contentOf(text));
  return Array.isArray(folders) && folders.every(isObject) ? folders : null;
}

/** The directories inside a workspace that its editor file names, relative to it. No process. */
export async function editorFolders(
  system: System,
  workspace: string,
  manifest: Manifest,
): Promise<string[]> {
  const text = await system.files.readText(editorFile(workspace, manifest));
  const folders = text === null ? null : await foldersOf(text);
  return (folders ?? []).flatMap(({ path }) =>
    typeof path === "string" && isInside(path) ? [normalPath(path)] : []
  );
}

/**
 * Brings the editor file up to date. Repositories that came are added in the order of the manifest, and folders
 * inside the workspace that are gone for good are removed. All else in it, comments too, stays as its owner
 * wrote it. A deleted file stays deleted. Answers whether something was written.
 */
export async function refreshEditorFile(
  system: System,
  workspace: string,
  manifest: Manifest,
): Promise<boolean> {
  const file = editorFile(workspace, manifest);
  const text = await system.files.readText(file);
  const folders = text === null ? null : await foldersOf(text);
  if (text === null || folders === null) return false;
  const { applyEdits, modify } = await import("jsonc-parser");
  const options = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: "\n" } };
  let after = text;
  const change = (path: (string | number)[], value: unknown, isArrayInsertion = false) => {
    after = applyEdits(after, modify(after, path, value, { ...options, isArrayInsertion }));
  };
  const there = (path: string) => system.files.lstat(join(workspace, path));
  const wanted = manifest.repos.filter(({ enabled }) => enabled);
  const order = new Map(wanted.map(({ path }, place) => [path, place]));
  const left: string[] = folders.map(({ path }) =>
    typeof path === "string" ? normalPath(path) : ""
  );
  // From the end, so that the places of those before stay.
  for (let index = folders.length - 1; index >= 0; index--) {
    const path = folders[index]?.path;
    if (typeof path !== "string" || !isInside(path)) continue;
    // What could not be cloned this time comes with the next sync.
    if (order.has(normalPath(path)) || await there(path) !== null) continue;
    change(["folders", index], undefined);
    left.splice(index, 1);
  }
  for (const [place, { name, path }] of wanted.entries()) {
    if (left.includes(path) || await there(path) === null) continue;
    const next = left.findIndex((one) => (order.get(one) ?? -1) > place);
    const index = next < 0 ? left.length : next;
    change(["folders", index], { path, name }, true);
    left.splice(index, 0, path);
  }
  if (after === text) return false;
  await system.files.write(file, after);
  return true;
}
