// The terminal recording of the README is what the program does now, and the same every time.

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { recordedPictures } from "./pictures.ts";

const PICTURES = fromFileUrl(new URL("../../.github/pictures/", import.meta.url));

/** The texts of a picture, without its shape. */
function textsOf(svg: string): string[] {
  return [...svg.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map(([, text = ""]) =>
    text.replaceAll(/<[^>]*>/g, "\u00a0").trim()
  );
}

Deno.test({
  name: "the recording shows what the program does now (deno task recording)",
  // The program `script` of Windows is another one.
  ignore: Deno.build.os === "windows",
  async fn() {
    const pictures = await recordedPictures();
    for (const [name, text] of pictures) {
      const found = await Deno.readTextFile(join(PICTURES, name));
      // Their texts first: where they differ, that tells what changed.
      assertEquals(textsOf(found), textsOf(text), name);
      assertEquals(found.replaceAll("\r\n", "\n"), text, name);
    }
    const told = textsOf(pictures.get("recording.svg") ?? "").join("\n");
    for (
      const words of ["Checked 6 repos", "Started SHOP-142", "Proceed with push?", "Pushed 2 repos"]
    ) {
      assert(told.replaceAll("\u00a0", "").includes(words), words);
    }
  },
});
