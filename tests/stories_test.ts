/**
 * The stories of `tests/stories`, each a walk that a user takes at the command line. With `AMOF_UPDATE_STORIES` set
 * their files are written as it happened, for review.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { retell } from "./support/story.ts";

const STORIES = fromFileUrl(new URL("stories", import.meta.url));

for (const file of [...Deno.readDirSync(STORIES)].map((entry) => entry.name).toSorted()) {
  const path = join(STORIES, file);
  const text = Deno.readTextFileSync(path);
  Deno.test({
    name: `story: ${text.split("\n")[0]}`,
    ignore: Deno.build.os === "windows", // commands go through sh
    async fn() {
      const told = await retell(text);
      if (Deno.env.get("AMOF_UPDATE_STORIES")) await Deno.writeTextFile(path, told);
      else assertEquals(told, text, `${file} goes otherwise`);
    },
  });
}
