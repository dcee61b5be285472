/**
 * The program with a wing left out: what remains goes on as before.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { WINGS as BUILT } from "../../src/pipeline/wings.ts";
import { bundle } from "../support/bundle.ts";
import { newDirectory } from "../support/place.ts";
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

let built: Promise<string> | undefined;

/** Builds a program that leaves out the wing whose place in the list a file beside it names; answers its directory. */
async function build(): Promise<string> {
  const directory = newDirectory();
  const parts = ["src", "main.ts", "deno.json", "deno.lock"].map((name) => join(ROOT, name));
  const { success } = await new Deno.Command("cp", { args: ["-r", ...parts, directory] }).output();
  assert(success);
  const list = join(directory, "src/pipeline/wings.ts");
  const text = await Deno.readTextFile(list);
  const out = 'Number(Deno.readTextFileSync(new URL("out", import.meta.url)))';
  await Deno.writeTextFile(list, text.replace(LIST, `$1$2].filter((_, at) => at !== ${out});`));
  const program = join(directory, "program");
  await bundle(join(directory, "main.ts"), program);
  return program;
}

/** The argument vector that starts the program without a wing, until the next one is left out. */
async function programWithout(at: number): Promise<string[]> {
  const directory = await (built ??= build());
  await Deno.writeTextFile(join(directory, "out"), String(at));
  const flags = ["--quiet", "--allow-all", "--no-config", "--no-lock", "--unstable-worker-options"];
  return [Deno.execPath(), "run", ...flags, join(directory, "main.js")];
}

for (const [at, wing] of WINGS.entries()) {
  Deno.test({
    name: `without the wing ${wing} the core works as before`,
    ignore: Deno.env.get("AMOF_BIN") !== undefined || Deno.build.os === "windows",
    async fn() {
      const program = await programWithout(at);
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
    },
  });
}
