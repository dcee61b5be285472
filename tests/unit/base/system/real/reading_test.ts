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

Deno.test("what is read at once is whole at the edge of a small file, and as the runtime reads it", async () => {
  const directory = await Deno.makeTempDir();
  try {
    for (const size of [0, 65_535, 65_536, 65_537]) {
      const bytes = new Uint8Array(size).map((_, index) => index * 7);
      await Deno.writeFile(join(directory, "bytes"), bytes);
      assertEquals(await realFiles.readBytes(join(directory, "bytes")), bytes, `${size}`);
      assertEquals(await realFiles.readBytes(join(directory, "bytes"), 10), bytes, `${size}`);
    }
    // What is no UTF-8, and a mark at the beginning, is read as the runtime does.
    await Deno.writeFile(
      join(directory, "odd"),
      Uint8Array.of(0xef, 0xbb, 0xbf, 65, 0xe2, 0x82, 66),
    );
    assertEquals(
      await realFiles.readText(join(directory, "odd")),
      await Deno.readTextFile(join(directory, "odd")),
    );
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
