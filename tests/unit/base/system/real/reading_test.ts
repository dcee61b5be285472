// Covers realFiles.readText(): what is small is read at once, and nothing holds up the program.

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { realFiles } from "../../../../../src/base/system/real/files.ts";

Deno.test("readText() answers small and large files, and null where none is", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const large = "line\n".repeat(40_000);
    await Deno.writeTextFile(join(directory, "small"), "übung\n");
    await Deno.writeTextFile(join(directory, "large"), large);
    assertEquals(await realFiles.readText(join(directory, "small")), "übung\n");
    assertEquals(await realFiles.readText(join(directory, "large")), large);
    assertEquals(await realFiles.readText(join(directory, "none")), null);
    assertEquals(await realFiles.readText(join(directory, "small", "below")), null);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test({
  name: "readText() of a pipe waits for who writes, and holds nobody else up",
  ignore: Deno.build.os === "windows",
  async fn() {
    const directory = await Deno.makeTempDir();
    try {
      const pipe = join(directory, "pipe");
      await new Deno.Command("mkfifo", { args: [pipe] }).output();
      const reading = realFiles.readText(pipe);
      // If that blocked, nobody would come to this.
      await new Deno.Command("sh", { args: ["-c", 'echo said > "$1"', "sh", pipe] }).output();
      assertEquals(await reading, "said\n");
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
