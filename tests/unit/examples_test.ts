// Every @example of a doc comment type-checks and holds. They are written into files of their own, because
// `deno check --doc` imports all exports of a module into each of its examples and then finds most of them unused.

import { assert, assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join, toFileUrl } from "@std/path";
import { MODULES } from "../support/documents.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** The examples of a module as programs whose imports lead there from anywhere. */
function examplesOf(name: string, text: string): string[] {
  return [...text.matchAll(/^ *\* @example\n *\* ```ts\n([\s\S]*?)^ *\* ```$/gm)].map((match) =>
    (match[1] ?? "").replaceAll(/^ *\* ?/gm, "").replaceAll(
      /from "(\.[^"]+)"/g,
      (_, path: string) => `from "${toFileUrl(join(ROOT, dirname(name), path))}"`,
    )
  );
}

Deno.test("every example of a doc comment type-checks and holds", async () => {
  const directory = await Deno.makeTempDir();
  try {
    let count = 0;
    for (const { name, text } of MODULES.filter(({ name }) => name.startsWith("src/"))) {
      for (const [index, example] of examplesOf(name, text).entries()) {
        const file = `${name.replaceAll("/", "_").replace(/\.ts$/, "")}_${index}_test.ts`;
        await Deno.writeTextFile(join(directory, file), example);
        count++;
      }
    }
    assert(count >= 20, String(count));
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "--quiet", "--allow-all", "--config", join(ROOT, "deno.json"), directory],
      env: { NO_COLOR: "1" },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).output();
    const said = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
    assertEquals(code, 0, said);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
