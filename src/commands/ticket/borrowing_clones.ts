/** The clones of a ticket that borrow from mirrors. */

import { join } from "@std/path";
import type { CommandContext } from "../../contract/mod.ts";
import { repoDirectory } from "../../workspace/mod.ts";
import type { OwnWorkspace } from "./own_workspace.ts";

/** A clone that borrows. */
export interface BorrowingClone {
  readonly name: string;
  /** Absolute. */
  readonly directory: string;
}

/**
 * The clones of a ticket that borrow, or of which its record says so: something that made them independent may have been
 * killed half-way, or before it could write that down. No process.
 */
export async function borrowingClones(
  { system }: Pick<CommandContext, "system">,
  { directory, record }: OwnWorkspace,
): Promise<BorrowingClone[]> {
  const clones: BorrowingClone[] = [];
  for (const [name, { path, mirror }] of Object.entries(record.repos)) {
    const clone = await repoDirectory(system, directory, { name, path });
    const info = join(clone, ".git", "objects", "info");
    // The second is what a process that was killed while it did this has left.
    const entries = (await system.files.list(info)).map((entry) => entry.name);
    const borrows = mirror !== null ||
      entries.some((entry) => /^alternates(?:\.amof-ended)?$/.test(entry));
    if (borrows) clones.push({ name, directory: clone });
  }
  return clones;
}
