import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { privateFiles } from "../../../../src/git/changing.ts";
import { realFiles as files } from "../../../../src/base/system/real/files.ts";
import { World } from "../../../support/world.ts";

for (const [format, length] of [["sha1", 40], ["sha256", 64]] as const) {
  Deno.test(`an empty repository of ours is one to git, for ${format} and any address of its origin`, async () => {
    await using world = await World.make();
    for (const origin of ["https://example.com/a.git", 'a "b"\\c\n;d #e ', "../x=y[z]"]) {
      const empty = privateFiles("clone", { like: "a".repeat(length), origin });
      await files.scratch(empty, async (directory) => {
        const clone = join(directory, "clone");
        const ask = (...args: string[]) => world.git(clone, ...args);
        assertEquals((await ask("rev-parse", "--show-object-format")).trim(), format);
        assertEquals((await ask("rev-parse", "--is-bare-repository")).trim(), "true");
        assertEquals(await ask("config", "--null", "remote.origin.url"), `${origin}\0`);
        const written = await ask("hash-object", "-w", "--stdin", "-t", "blob");
        assertEquals(written.trim().length, length);
      });
    }
  });
}

Deno.test("nothing tidies up in the background in a repository of ours that is about to go", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const like = await world.git(join(world.remotes, "api.git"), "rev-parse", "main");
  const empty = privateFiles("clone", { like, origin: world.url("api") });
  await files.scratch(empty, async (directory) => {
    const clone = join(directory, "clone");
    const trace = join(directory, "trace");
    const fetched = await world.command("git", ["fetch", "origin", "main"], {
      cwd: clone,
      env: { GIT_TRACE: trace },
    });
    assertEquals(fetched.code, 0, fetched.stderr);
    const started = await Deno.readTextFile(trace);
    assertEquals(started.match(/maintenance|gc --auto/g), null, started);
  });
});
