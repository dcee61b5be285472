/**
 * Keeps the data that libraries carry as texts in their source compressed, beside the modules of a bundle. The runtime
 * copies all that a binary embeds at every start, so what only one flag needs would delay every command.
 *
 * @module
 */

import { join } from "@std/path";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

/** Where the compressed data lies, beside the modules. */
export const DATA = "data";
/** From how many characters on data is worth a file. */
const LONG = 65_536;
const LITERAL = new RegExp(`"(data:[\\w/+.-]+;base64,)([A-Za-z0-9+/]{${LONG},}={0,2})"`, "g");

/**
 * A module with its long data URLs replaced by expressions that read them from files below {@linkcode DATA}, and these
 * files: compressed, by name. The same module gives the same bytes.
 */
export function withoutData(
  text: string,
): { readonly text: string; readonly files: ReadonlyMap<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>();
  const replaced = text.replace(LITERAL, (_, head: string, base64: string) => {
    const bytes = gzipSync(Uint8Array.fromBase64(base64), { level: 9 });
    const name = `${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}.gz`;
    files.set(name, bytes);
    const path = JSON.stringify(`./${DATA}/${name}`);
    return `(${
      JSON.stringify(head)
    }+gunzip_data(Deno.readFileSync(new URL(${path},import.meta.url))).toString("base64"))`;
  });
  if (files.size === 0) return { text, files };
  return { text: `import{gunzipSync as gunzip_data}from"node:zlib";${replaced}`, files };
}

/** Does so for all modules of the bundle in a directory, and removes what an older one has left below {@linkcode DATA}. */
export async function compressData(directory: string): Promise<void> {
  const data = join(directory, DATA);
  await Deno.remove(data, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.mkdir(data);
  for await (const { name } of Deno.readDir(directory)) {
    if (!name.endsWith(".js")) continue;
    const path = join(directory, name);
    const { text, files } = withoutData(await Deno.readTextFile(path));
    if (files.size === 0) continue;
    await Deno.writeTextFile(path, text);
    for (const [file, bytes] of files) await Deno.writeFile(join(data, file), bytes);
  }
}
