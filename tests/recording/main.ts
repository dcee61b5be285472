/**
 * Writes the terminal recording of the README anew, from the real program: `deno task recording`.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { recordedPictures } from "./pictures.ts";

const PICTURES = fromFileUrl(new URL("../../.github/pictures/", import.meta.url));

for (const [name, text] of await recordedPictures()) {
  await Deno.writeTextFile(join(PICTURES, name), text);
}
