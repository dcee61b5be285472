/**
 * Bundles a program for tests, which start it thousands of times: `bundle.ts ENTRY DIRECTORY`, more than one
 * pair as well.
 *
 * It avoids what an ordinary bundle costs at each start. That is its size, and that the runtime reads every
 * module that an `import()` names, whether it is needed or not.
 *
 * @module
 */

import { join } from "@std/path";

/** Bundles a module into a directory, where its program then has the module's name. Throws when that fails. */
export async function bundle(entry: string, directory: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--code-splitting", "--minify", "--outdir", directory, entry],
    stderr: "piped",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  for await (const { name } of Deno.readDir(directory)) {
    if (!name.endsWith(".js")) continue;
    const path = join(directory, name);
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, hidden(text));
  }
}

/** Names chunks so that they are found when they are imported, and not before. */
function hidden(text: string): string {
  return text.replace(/\bimport\(("\.\/[\w-]+\.js")\)/g, "import(String($1))");
}

if (import.meta.main) {
  for (let at = 0; at + 1 < Deno.args.length; at += 2) {
    await bundle(Deno.args[at] ?? "", Deno.args[at + 1] ?? "");
  }
}
