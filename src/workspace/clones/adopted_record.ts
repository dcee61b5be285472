/**
 * Which clones a workspace reaches through links that lead out of it (ADOPT-1).
 *
 * That stands in the git directory of its working copy, where no checkout can put anything: a link alone, which may
 * come from anybody, is refused.
 */

import { join } from "@std/path";
import { fieldsOf } from "../../base/object.ts";
import { Git } from "../../git/mod.ts";
import type { System } from "../../base/system/mod.ts";

/** Places in the workspace with the directories that their links lead to. */
type Adopted = Readonly<Record<string, string>>;

/** Where the record is in a git directory. */
export function recordBelow(gitDirectory: string): string {
  return join(gitDirectory, "amof", "adopted.json");
}

/** Where the record of a workspace is; null where there is none. No process. */
export async function adoptedFile(system: System, workspace: string): Promise<string | null> {
  const directory = await new Git(system).at(workspace).gitDirectory();
  return directory === null ? null : recordBelow(directory);
}

/** Reads the text of a record. */
export function readAdopted(text: string | null): Adopted {
  try {
    const clones = fieldsOf(fieldsOf(JSON.parse(text ?? "{}"))["clones"]);
    return Object.fromEntries(
      Object.entries(clones).filter((entry): entry is [string, string] =>
        typeof entry[1] === "string"
      ),
    );
  } catch {
    // Without a record that can be read no link is followed out of the workspace.
    return {};
  }
}

/** The clones that a workspace has adopted: places relative to it, with absolute directories. No process. */
export async function adoptedBy(system: System, workspace: string): Promise<Adopted> {
  const file = await adoptedFile(system, workspace);
  return file === null ? {} : readAdopted(await system.files.readText(file));
}
