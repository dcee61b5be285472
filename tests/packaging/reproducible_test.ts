// Covers `deno task compile`: the same source in the same place gives the same bytes.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../.github/packaging/root.ts";
import { run, sha256File } from "../../.github/packaging/tools.ts";

/** Compiles as the task does, to another place; answers the digest of the binary. */
async function compiled(output: string): Promise<string> {
  const { tasks } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const line: string = tasks.compile.command;
  assert(line.includes("--output bin/amof "), line);
  // Nothing of the bundle before stays, and none of its times.
  await Deno.remove(join(ROOT, "bin", "bundle"), { recursive: true }).catch(() => {});
  await run("sh", ["-ec", line.replace("--output bin/amof ", `--output '${output}' `)], {
    cwd: ROOT,
  });
  return await sha256File(output);
}

Deno.test({
  name: "compiled twice the program is the same to the byte",
  // It takes as long as compiling twice.
  ignore: Deno.env.get("AMOF_PACKAGES") === undefined || Deno.build.os === "windows",
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      // One name for both, because the program knows what it was called.
      const output = join(directory, "amof");
      const first = await compiled(output);
      await Deno.remove(output);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      assertEquals(await compiled(output), first);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
