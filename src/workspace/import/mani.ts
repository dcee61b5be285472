/** `mani.yaml` of mani. */

import { fieldsOf, isObject } from "../../base/object.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import {
  besideOf,
  droppedNote,
  type Imported,
  type Listed,
  listed,
  MOST_INCLUDES,
  type Source,
  textOf,
  textsOf,
  unreadable,
} from "./imported.ts";
import { yamlOf } from "./yaml.ts";

/** Reads projects, also those of the files below `import`, as far as they lie below the directory of the list. */
export async function importMani({ text, shown, include }: Source): Promise<Imported> {
  const repos: Listed[] = [];
  const notes: string[] = [];
  const waiting: { readonly name: string; readonly text: string }[] = [{ name: shown, text }];
  const seen = new Set<string>();
  for (let at = 0; at < waiting.length; at++) {
    const file = waiting[at];
    if (file === undefined) break;
    const root = fieldsOf(await yamlOf(file.text, file.name));
    if (at === 0 && root["projects"] === undefined && root["import"] === undefined) {
      throw unreadable(shown, 'it has no "projects"');
    }
    for (const [name, value] of Object.entries(fieldsOf(root["projects"]))) {
      const project = fieldsOf(value);
      const url = textOf(project["url"]);
      if (url === null) {
        notes.push(`${cleanLine(name, 60)}: it has no url`);
        continue;
      }
      repos.push(listed({
        what: name,
        name,
        path: textOf(project["path"]) ?? name,
        url,
        branch: textOf(project["branch"]),
        version: textOf(project["branch"]),
        tags: textsOf(project["tags"]),
      }));
      notes.push(...droppedNote(name, project, ["url", "path", "branch", "tags", "desc"]));
    }
    if (isObject(root["tasks"])) {
      const tasks = Object.keys(root["tasks"]).map((name) => cleanLine(name, 40));
      notes.push(`tasks, to be written by hand: ${tasks.join(", ")}`);
    }
    notes.push(...droppedNote(file.name, root, ["projects", "import", "tasks"]));
    for (const named of textsOf(root["import"])) {
      // Relative to the file that names it.
      const path = at === 0 ? named : besideOf(file.name, named);
      if (seen.has(path)) continue;
      seen.add(path);
      if (seen.size > MOST_INCLUDES) {
        throw unreadable(shown, `it imports more than ${MOST_INCLUDES} files`);
      }
      waiting.push({ name: path, text: await include(path) });
    }
  }
  return { repos, groups: {}, notes };
}
