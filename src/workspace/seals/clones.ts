/** The clones of all workspaces of a control repository, and the addresses they may have. */

import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { ecosystemNames } from "../discover.ts";
import { checkManifest, type Manifest } from "../manifest/manifest.ts";
import { repoDirectory } from "../workspace.ts";

async function manifestsOf(system: System, root: string): Promise<Manifest[]> {
  const found: Manifest[] = [];
  for (const name of await ecosystemNames(system, root)) {
    const { manifest } = await checkManifest(system, root, name).catch(() => ({ manifest: null }));
    if (manifest !== null) found.push(manifest);
  }
  return found;
}

/** Where the clones of all workspaces are or would be; a place that cannot be used is left out. */
export async function workspaceClones(system: System, root: string): Promise<string[]> {
  const places: string[] = [];
  for (const { workspaceDir, repos } of await manifestsOf(system, root)) {
    for (const repo of repos) {
      const place = await repoDirectory(system, join(root, workspaceDir), repo).catch(() => null);
      if (place !== null) places.push(place);
    }
  }
  return places;
}

/** The addresses that the manifests of a control repository name. */
export async function originsOf(system: System, root: string): Promise<ReadonlySet<string>> {
  return new Set(
    (await manifestsOf(system, root)).flatMap(({ repos }) => repos.map(({ url }) => url)),
  );
}
