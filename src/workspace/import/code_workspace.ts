/** `.code-workspace` of editors: JSON with comments and the folders that are open. */

import { fieldsOf } from "../../base/object.ts";
import {
  droppedNote,
  type Imported,
  lastName,
  listed,
  type Source,
  textOf,
  unreadable,
} from "./imported.ts";

/** Reads the folders; each is asked for its address. */
export async function importCodeWorkspace({ text, shown }: Source): Promise<Imported> {
  const { parse } = await import("jsonc-parser");
  const root = fieldsOf(parse(text, [], { allowTrailingComma: true }));
  const folders = root["folders"];
  if (!Array.isArray(folders)) throw unreadable(shown, 'it has no "folders"');
  const notes = droppedNote(shown, root, ["folders"]);
  const repos = folders.flatMap((value) => {
    const folder = fieldsOf(value);
    const path = textOf(folder["path"]);
    if (path === null) {
      notes.push("A folder without a path");
      return [];
    }
    return [listed({ what: path, name: lastName(path), clone: path })];
  });
  return { repos, groups: {}, notes };
}
