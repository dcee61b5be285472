// Covers the memory world: it answers as the real one would, and notices what a script does not expect.

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { memoryWorld } from "../support/memory.ts";
import { timestamp } from "../../src/base/system/mod.ts";

Deno.test("memoryWorld() files are read, listed and looked at", async () => {
  const { files } = memoryWorld({ files: { "/a/b.txt": "é", "/a/c/d.txt": "" } }).system;
  assertEquals(await files.readText("/a/b.txt"), "é");
  assertEquals(await files.readBytes("/a/b.txt"), new TextEncoder().encode("é"));
  assertEquals(await files.list("/a"), [{ name: "b.txt", kind: "file" }, {
    name: "c",
    kind: "directory",
  }]);
  assertEquals((await files.stat("/a/b.txt"))?.size, 2);
  assertEquals((await files.stat("/a/c"))?.kind, "directory");
});

Deno.test("memoryWorld() files that do not exist are null, empty or false", async () => {
  const { files } = memoryWorld().system;
  assertEquals([await files.readText("/x"), await files.readBytes("/x"), await files.stat("/x")], [
    null,
    null,
    null,
  ]);
  assertEquals([await files.realPath("/x"), await files.readLink("/x"), await files.list("/x")], [
    null,
    null,
    [],
  ]);
  assertEquals([await files.remove("/x"), await files.removeTree("/x")], [false, false]);
});

Deno.test("memoryWorld() files.write() makes parents and replaces", async () => {
  const { system } = memoryWorld();
  await system.files.write("/a/b/c", "one");
  await system.files.write("/a/b/c", new TextEncoder().encode("two"));
  assertEquals(await system.files.readText("/a/b/c"), "two");
  assertEquals((await system.files.stat("/a/b"))?.kind, "directory");
});

Deno.test("memoryWorld() files.create() refuses what exists", async () => {
  const { files } = memoryWorld({ files: { "/a": "x" } }).system;
  await assertRejects(() => files.create("/a", "y"), Error, "File exists");
  await files.create("/b", "y");
  assertEquals([await files.readText("/a"), await files.readText("/b")], ["x", "y"]);
});

Deno.test("memoryWorld() files.makeDirectory() says whether it is new", async () => {
  const { files } = memoryWorld().system;
  assertEquals([await files.makeDirectory("/a/b"), await files.makeDirectory("/a/b")], [
    true,
    false,
  ]);
  assertEquals(await files.list("/a"), [{ name: "b", kind: "directory" }]);
});

Deno.test("memoryWorld() files.rename() moves files and whole directories", async () => {
  const world = memoryWorld({ files: { "/a/x": "1", "/a/b/y": "2", "/ab": "3" } });
  await world.system.files.rename("/a", "/n");
  assertEquals([...world.files].sort(), [["/ab", "3"], ["/n/b/y", "2"], ["/n/x", "1"]]);
  assertEquals(await world.system.files.stat("/a"), null);
});

Deno.test("memoryWorld() files.remove() removes a file or an empty directory, not a full one", async () => {
  const { files } = memoryWorld({ files: { "/a/x": "1" } }).system;
  await assertRejects(() => files.remove("/a"));
  assertEquals(await files.readText("/a/x"), "1");
  assertEquals([await files.remove("/a/x"), await files.remove("/a")], [true, true]);
  assertEquals(await files.stat("/a"), null);
});

Deno.test("memoryWorld() files.removeTree() removes what lies below, and nothing that begins alike", async () => {
  const world = memoryWorld({ files: { "/a/x": "1", "/a/b/y": "2", "/ab": "3" } });
  assertEquals(await world.system.files.removeTree("/a"), true);
  assertEquals([...world.files.keys()], ["/ab"]);
  assertEquals(await world.system.files.stat("/a/b"), null);
});

Deno.test("memoryWorld() programs answer by their whole line", async () => {
  const world = memoryWorld({ programs: { "git status -z": { stdout: "one\ntwo", exitCode: 3 } } });
  const lines: string[] = [];
  const result = await world.system.processes.run({
    command: "git",
    args: ["status", "-z"],
    onLine: (stream, line) => lines.push(`${stream} ${line}`),
  });
  assertEquals([result.exitCode, result.stdout, result.startError], [3, "one\ntwo", null]);
  assertEquals(lines, ["stdout one", "stdout two"]);
});

Deno.test("memoryWorld() throws at a program nobody expects", () => {
  const { system } = memoryWorld({ programs: { "git status": {} } });
  assertThrows(
    () => system.processes.run({ command: "git", args: ["push"] }),
    Error,
    "Unexpected program: git push",
  );
});

Deno.test("memoryWorld() names programs that were expected and never called", async () => {
  const world = memoryWorld({ programs: { "git status": {}, "git push": {} } });
  await world.system.processes.run({ command: "git", args: ["status"] });
  assertEquals(world.unusedPrograms(), ["git push"]);
});

Deno.test("memoryWorld() time stands still until it is moved or slept through", async () => {
  const world = memoryWorld({ now: 1000 });
  world.advance(500);
  await world.system.clock.sleep(250);
  assertEquals([world.system.clock.now(), timestamp(world.system.clock.now())], [
    1750,
    "1970-01-01T00:00:01.750Z",
  ]);
});

Deno.test("memoryWorld() identifiers count up", () => {
  const { ids } = memoryWorld().system;
  assertEquals([ids.uuid(), ids.hex(8)], ["00000000-0000-4000-8000-000000000001", "00000002"]);
});

Deno.test("memoryWorld() remembers what was printed and answers with what is typed", async () => {
  const { system, output } = memoryWorld({ input: ["yes"], terminal: true });
  system.terminal.out("a");
  system.terminal.out("b");
  system.terminal.err("c");
  assertEquals(output, { out: "ab", err: "c" });
  assertEquals([await system.terminal.ask("?"), await system.terminal.ask("")], ["yes", null]);
  assertEquals(output.err, "c?");
  assertEquals(system.terminal.stdinIsTerminal, true);
});
