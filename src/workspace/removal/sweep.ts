/** What killed processes left of directories that were being made beside their places. */

import { join } from "@std/path";
import type { System } from "../../base/system/mod.ts";

/** Removes what a killed process left beside the place of a directory that nobody else makes at the moment. */
export async function sweep(
  { system }: { readonly system: System },
  parent: string,
  name: string,
): Promise<void> {
  const prefix = `.${name}.amof-`;
  for (const entry of await system.files.list(parent)) {
    const rest = entry.name.startsWith(prefix) ? entry.name.slice(prefix.length) : "";
    if (entry.kind === "directory" && /^[0-9a-f]{8}$/.test(rest)) {
      await system.files.removeTree(join(parent, entry.name));
    }
  }
}
