// Covers `deno task compile`: the same source gives the same bytes, wherever it lies and whatever is left of a bundle before.

import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../.github/packaging/root.ts";
import { run, sha256File } from "../../.github/packaging/tools.ts";
import { namesByContent } from "../support/chunk_names.ts";

/** Compiles as the task does, in a copy of the source and to another place; answers the digest of the binary. */
async function compiled(source: string, output: string): Promise<string> {
  const { tasks } = JSON.parse(await Deno.readTextFile(join(source, "deno.json")));
  const line: string = tasks.compile.command;
  assert(line.includes("--output bin/amof "), line);
  await run("sh", ["-ec", line.replace("--output bin/amof ", `--output '${output}' `)], {
    cwd: source,
    // No copy is a repository, and of these the commit's time would count.
    env: { SOURCE_DATE_EPOCH: "1700000000" },
  });
  return await sha256File(output);
}

/** Copies what the program is made of. */
async function copied(to: string): Promise<string> {
  await Deno.mkdir(join(to, "tests"), { recursive: true });
  for (const name of ["deno.json", "deno.lock", "main.ts", "src", "tests/support", "tests/lint"]) {
    await run("cp", ["-R", join(ROOT, name), join(to, name)]);
  }
  return to;
}

Deno.test({
  name: "compiled in two directories the program is the same to the byte",
  // It takes as long as compiling twice.
  ignore: Deno.env.get("AMOF_PACKAGES") === undefined || Deno.build.os === "windows",
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      // One name for both, because the program knows what it was called.
      const output = join(directory, "amof");
      const here = await copied(join(directory, "here"));
      const first = await compiled(here, output);
      await Deno.remove(output);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      assertEquals(await compiled(await copied(join(directory, "else", "where")), output), first);
      // Something of the bundle before is left, under names that are not used any more.
      await Deno.writeTextFile(join(here, "bin", "bundle", "old-AAAAAAAA.js"), "left();\n");
      await Deno.remove(output);
      assertEquals(await compiled(here, output), first);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});

Deno.test("parts of a bundle are named by what they hold and lead to, not by what the bundler called them", () => {
  const bundle = (a: string, b: string, c: string, text = "1") =>
    new Map([
      ["main.js", `import "./${a}"; import("./${b}")`],
      // In a circle, and alike but for what they lead to.
      [a, `import "./${b}"; export {}`],
      [b, `import "./${c}"; export {}`],
      [c, `import "./${a}"; export const a = ${text}`],
    ]);
  const [a, b, c] = ["chunk-AAAAAAAA.js", "chunk-BBBBBBBB.js", "push-CCCCCCCC.js"] as const;
  const one = namesByContent(bundle(a, b, c));
  const other = namesByContent(bundle(b, a, "push-DDDDDDDD.js"));
  assertEquals([one.get(a), one.get(b), one.get(c)], [
    other.get(b),
    other.get(a),
    other.get("push-DDDDDDDD.js"),
  ]);
  assertEquals(new Set(one.values()).size, 3);
  assert(one.get(c)?.startsWith("push-"));
  assertNotEquals(namesByContent(bundle(a, b, c, "2")).get(c), one.get(c));
  assertThrows(() => namesByContent(new Map([[a, "same()"], [b, "same()"]])));
});
