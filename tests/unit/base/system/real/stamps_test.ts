// Covers files.list() and files.tree(): nothing that a directory holds is left out; and files.stamps().

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { type FileInfo, STAMP_LENGTH } from "../../../../../src/base/system/mod.ts";
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

Deno.test({
  name: "stamps tell of every change, also of one that takes size and time with it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await inDirectory("echo one > file && ln -s file link", async (directory) => {
      const file = join(directory, "file");
      const old = new Date("2020-01-02T03:04:05.678Z");
      const seen = new Set<string>();
      for (const text of ["two\n", "six\n", "ten\n"]) {
        await Deno.writeTextFile(file, text);
        await Deno.utime(file, old, old);
        seen.add(`${await realFiles.stamps(directory, ["file"])}`);
        // The kernel's clock goes on at most so often.
        await new Promise((ended) => setTimeout(ended, 20));
      }
      assertEquals(seen.size, 3);
    });
  },
});

Deno.test("stamps are of each path: relative, absolute, of a link, of the directory, of none", async () => {
  await inDirectory("mkdir d && echo one > d/file && ln -s file d/link", async (directory) => {
    const place = join(directory, "d");
    const paths = ["file", join(place, "file"), "link", "", "none", "file/none", "a\u00fc"];
    const stamps = await realFiles.stamps(place, paths);
    const rows = paths.map((
      _,
      at,
    ) => [...stamps.slice(at * STAMP_LENGTH, (at + 1) * STAMP_LENGTH)]);
    const kinds = rows.map(([mode]) => (mode ?? 0) >> 12);
    assertEquals(kinds, [8, 8, 10, 4, 0, 0, 0]);
    assertEquals(rows[0], rows[1]);
    const { ino, mtime } = await Deno.lstat(join(place, "file"));
    const inode = (rows[0]?.[5] ?? 0) * 2 ** 32 + ((rows[0]?.[4] ?? 0) >>> 0);
    assertEquals([rows[0]?.[2], inode], [4, ino]);
    assertEquals(Math.floor((mtime?.getTime() ?? 0) / 1_000), rows[0]?.[8]);
    assertEquals([...await realFiles.stamps(join(directory, "gone"), ["file"])], Array(12).fill(0));
    const absent: [paths: string[], boolean][] = [
      [[], true],
      [["none", "file/none", join(place, "none")], true],
      [["none", "file"], false],
      [["link"], false],
      [[join(place, "file")], false],
      [[""], false],
    ];
    for (const [those, are] of absent) {
      assertEquals(await realFiles.areAbsent(place, those), are, those.join());
    }
    assertEquals(await realFiles.areAbsent(join(directory, "gone"), ["file"]), true);
    assertEquals(await Promise.all(paths.map((one) => realFiles.exists(join(place, one)))), [
      ...[true, false, true, true, false, false, false],
    ]);
    assertEquals(await realFiles.stamps(place, ["a\0b"]).catch(() => "refused"), "refused");
  });
});

Deno.test({
  name: "stat() and lstat() say what the runtime says",
  ignore: !POSIX,
  async fn() {
    const script = [
      "mkdir -m 2750 d && printf 12345 > d/f && chmod 4640 d/f && ln -s d/f a && ln -s d b",
      "ln -s none gone && mkfifo p && truncate -s 5G large",
      "touch -d @1700000000.987654321 d/f && touch -d 1960-01-02 old && touch -d 2100-01-02 new",
    ].join("\n");
    const said = (info: Deno.FileInfo): FileInfo => ({
      kind: info.isSymlink
        ? "symlink"
        : info.isDirectory
        ? "directory"
        : info.isFile
        ? "file"
        : "other",
      size: info.size,
      mode: (info.mode ?? 0) & 0o7777,
      modifiedMs: info.mtime?.getTime() ?? null,
    });
    await inDirectory(script, async (directory) => {
      for (const name of ["d", "d/f", "a", "b", "b/f", "p", "large", "old", "new", "/dev/null"]) {
        const path = name.startsWith("/") ? name : join(directory, name);
        assertEquals(await realFiles.stat(path), said(await Deno.stat(path)), name);
        assertEquals(await realFiles.lstat(path), said(await Deno.lstat(path)), name);
      }
      for (const name of ["none", "d/f/x", "gone"]) {
        assertEquals(await realFiles.stat(join(directory, name)), null, name);
      }
      assertEquals((await realFiles.lstat(join(directory, "gone")))?.kind, "symlink");
      assertEquals(await realFiles.readText(join(directory, "a")), "12345");
    });
  },
});
