/**
 * The program with a wing left out: what remains goes on as before.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { WINGS as BUILT } from "../../src/pipeline/wings.ts";
import { bundle } from "../support/bundle.ts";
import { third } from "../support/sample.ts";
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

/** Builds the program without a wing; answers the argument vector that starts it. */
async function buildWithout(wing: string, directory: string): Promise<string[]> {
  const parts = ["src", "main.ts", "deno.json", "deno.lock"].map((name) => join(ROOT, name));
  const { success } = await new Deno.Command("cp", { args: ["-r", ...parts, directory] }).output();
  assert(success);
  const list = join(directory, "src/pipeline/wings.ts");
  const text = await Deno.readTextFile(list);
  const rest = WINGS.filter((name) => name !== wing).join(", ");
  await Deno.writeTextFile(list, text.replace(LIST, `$1${rest}$3`));
  await bundle(join(directory, "main.ts"), join(directory, "program"));
  const flags = ["--quiet", "--allow-all", "--no-config", "--no-lock", "--unstable-worker-options"];
  return [Deno.execPath(), "run", ...flags, join(directory, "program/main.js")];
}

for (const [at, wing] of WINGS.entries()) {
  Deno.test({
    name: `without the wing ${wing} the core works as before`,
    ignore: Deno.env.get("AMOF_BIN") !== undefined || Deno.build.os === "windows",
    async fn() {
      const directory = await Deno.makeTempDir({ prefix: "amof-wing-" });
      try {
        const program = await buildWithout(wing, directory);
        for (const name of third(CORE, at)) {
          const whole = await Deno.readTextFile(join(STORIES, `${name}.txtar`));
          // Without undo nothing is promised of it.
          const story = wing === "UNDO" ? whole.replaceAll(/^ {2}(?:2> *)?Undo .*\n/gm, "") : whole;
          assertEquals(await retell(story, program), story, `${name} goes otherwise`);
        }
        await using world = await World.installed();
        const [load] = Object.values(BUILT[at]?.commands ?? {});
        const [command = "", ...before] = program;
        const words = [...before, ...(await load?.())?.path ?? [], "--json"];
        const gone = await world.command(command, words, { cwd: world.control });
        assertEquals(gone.code, 2);
        assertMatch(String(gone.json()["summary"]), /^Failed to find the command /);
      } finally {
        await Deno.remove(directory, { recursive: true });
      }
    },
  });
}
