/** Lines of a `.gitignore`, which is its owner's: what stands there stays, and new lines end as the others do. */

import { join } from "@std/path";
import type { Files } from "../../base/system/mod.ts";
import { withEndsOf } from "../../base/text/yaml_edit.ts";
import { writeFile } from "./io.ts";

/** Adds the lines that a directory's `.gitignore` lacks; answers whether there were any. */
export async function ignore(
  files: Files,
  directory: string,
  lines: readonly string[],
): Promise<boolean> {
  const path = join(directory, ".gitignore");
  const text = await files.readText(path) ?? "";
  const present = text.split(/\r?\n/);
  const missing = lines.filter((line) => !present.includes(line));
  if (missing.length === 0) return false;
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  await writeFile(files, path, withEndsOf(text, `${before}${missing.join("\n")}\n`));
  return true;
}
