// Covers files.list() and files.tree(): nothing that a directory holds is left out.

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { realFiles } from "../../../../../src/base/system/real/files.ts";

const POSIX = Deno.build.os !== "windows";

async function inDirectory(script: string, work: (directory: string) => Promise<void>) {
  const directory = await Deno.makeTempDir();
  try {
    const { success } = await new Deno.Command("sh", { args: ["-ec", script], cwd: directory })
      .output();
    assertEquals(success, true);
    await work(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test({
  name: "list() tells every kind, sorted, and tree() what is below, links not followed",
  ignore: !POSIX,
  async fn() {
    const script = "mkdir -p b/c .hid && : > b/c/d && : > übung && ln -s b a && mkfifo p";
    await inDirectory(script, async (directory) => {
      assertEquals(await realFiles.list(directory), [
        { name: ".hid", kind: "directory" },
        { name: "a", kind: "symlink" },
        { name: "b", kind: "directory" },
        { name: "p", kind: "other" },
        { name: "übung", kind: "file" },
      ]);
      assertEquals(
        (await realFiles.tree(directory, 10))?.toSorted(),
        [".hid", "a", "b", "b/c", "b/c/d", "p", "übung"],
      );
      assertEquals(await realFiles.list(join(directory, "a")), [{ name: "c", kind: "directory" }]);
      assertEquals(await realFiles.list(join(directory, "none")), []);
      assertEquals(await realFiles.list(join(directory, "übung")), []);
      assertEquals(await realFiles.list(join(directory, "b\0c")).catch(() => "refused"), "refused");
    });
  },
});

Deno.test({
  name: "list() tells of more files than the system does at once",
  ignore: !POSIX,
  async fn() {
    const script = "seq -f 'a-file-with-a-name-of-some-length-%06g' 3000 | xargs touch";
    await inDirectory(script, async (directory) => {
      const names = (await realFiles.list(directory)).map(({ name }) => name);
      assertEquals(new Set(names).size, 3000);
      assertEquals(names.at(-1), "a-file-with-a-name-of-some-length-003000");
    });
  },
});

Deno.test({
  name: "a directory whose name is no UTF-8 is told, and is none that can be looked into",
  // Other systems have no such names.
  ignore: Deno.build.os !== "linux",
  async fn() {
    const script =
      'mkdir "$(printf d\\\\351)" && : > "$(printf d\\\\351)/x" && : > "$(printf f\\\\351)"';
    await inDirectory(script, async (directory) => {
      assertEquals(await realFiles.list(directory), [
        { name: "d\uFFFD", kind: "other" },
        { name: "f\uFFFD", kind: "file" },
      ]);
      assertEquals(
        (await realFiles.tree(directory, 10))?.toSorted(),
        ["d\uFFFD", "f\uFFFD"],
      );
    });
  },
});
