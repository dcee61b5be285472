/**
 * The program with a wing left out: what remains goes on as before.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { WINGS as BUILT } from "../../src/pipeline/wings.ts";
import { bundle } from "../support/bundle.ts";
import { retell } from "../support/story.ts";
import { World } from "../support/world.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const STORIES = join(ROOT, "tests/stories");
const LIST = /(export const WINGS: readonly Wing\[\] = \[)([^\]]*)(\];)/;

/** The names of the wings, as the list has them. */
const WINGS = (LIST.exec(Deno.readTextFileSync(join(ROOT, "src/pipeline/wings.ts")))?.[2] ?? "")
  .split(",").map((name) => name.trim()).filter((name) => name !== "");

/** A walk through each of the core's capabilities, in which no wing has a word. */
const CORE = [
  "daily_work",
  "ticket_across_repositories",
  "squash_merge",
  "archive_and_restore",
  "release_alpha_to_stable",
  "doctor_repair",
];

/** Builds the program without a wing, and makes it the one under test. */
async function buildWithout(wing: string, directory: string): Promise<void> {
  const parts = ["src", "main.ts", "deno.json", "deno.lock"].map((name) => join(ROOT, name));
  const { success } = await new Deno.Command("cp", { args: ["-r", ...parts, directory] }).output();
  assert(success);
  const list = join(directory, "src/pipeline/wings.ts");
  const text = await Deno.readTextFile(list);
  const rest = WINGS.filter((name) => name !== wing).join(", ");
  await Deno.writeTextFile(list, text.replace(LIST, `$1${rest}$3`));
  await bundle(join(directory, "main.ts"), join(directory, "program"));
  const program = join(directory, "amof");
  const main = join(directory, "program/main.js");
  const run =
    `"${Deno.execPath()}" run --quiet --allow-all --no-config --no-lock --unstable-worker-options`;
  await Deno.writeTextFile(program, `#!/bin/sh\nexec ${run} "${main}" "$@"\n`, { mode: 0o755 });
  Deno.env.set("AMOF_BIN", program);
}

for (const [at, wing] of WINGS.entries()) {
  Deno.test({
    name: `without the wing ${wing} the core works as before`,
    ignore: Deno.env.get("AMOF_BIN") !== undefined || Deno.build.os === "windows",
    async fn() {
      const directory = await Deno.makeTempDir({ prefix: "amof-wing-" });
      try {
        await buildWithout(wing, directory);
        for (const name of CORE) {
          const whole = await Deno.readTextFile(join(STORIES, `${name}.txtar`));
          // Without undo nothing is promised of it.
          const story = wing === "UNDO" ? whole.replaceAll(/^ {2}Undo .*\n/gm, "") : whole;
          assertEquals(await retell(story), story, `${name} goes otherwise without ${wing}`);
        }
        await using world = await World.installed();
        const [load] = Object.values(BUILT[at]?.commands ?? {});
        const gone = await world.amof([...(await load?.())?.path ?? [], "--json"]);
        assertEquals(gone.code, 2);
        assertMatch(String(gone.json()["summary"]), /^Failed to find the command /);
      } finally {
        Deno.env.delete("AMOF_BIN");
        await Deno.remove(directory, { recursive: true });
      }
    },
  });
}
