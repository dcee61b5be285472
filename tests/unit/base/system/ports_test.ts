// The ports that agentpack needs, in all three worlds.

import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { ioErrorFacts } from "../../../../src/base/io_error.ts";
import { memoryWorld } from "../../../support/memory.ts";
import type { Files } from "../../../../src/base/system/mod.ts";
import { readOnly, ReadOnlyViolation } from "../../../../src/base/system/read_only.ts";
import { realSystem } from "../../../../src/base/system/real/mod.ts";

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await work(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function checkLock(files: Files, path: string, pid: number): Promise<void> {
  const first = await files.lock(path);
  assert(first !== null);
  assertEquals(await files.readText(path), `${pid}\n`);
  assertEquals(await files.lock(path), null);
  await first.release();
  await first.release();
  assertEquals(await files.readText(path), "");
  const second = await files.lock(path);
  assert(second !== null);
  await second.release();
}

Deno.test("Files.lock() is held by one at a time and names the process, in the real and the memory world", async () => {
  await inDirectory((directory) =>
    checkLock(realSystem().files, join(directory, "state/lock"), Deno.pid)
  );
  await checkLock(memoryWorld().system.files, "/state/lock", 4242);
});

Deno.test("Files.create() without flush still refuses to replace a file", async () => {
  await inDirectory(async (directory) => {
    const { files } = realSystem();
    const path = join(directory, "a/b");
    await files.create(path, "x", { mode: 0o750, flush: false });
    assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o750);
    let kind: string | undefined;
    await files.create(path, "y", { flush: false }).catch((error: unknown) => {
      kind = ioErrorFacts(error)?.kind;
    });
    assertEquals([kind, await files.readText(path)], ["already_exists", "x"]);
    await files.flushDirectory(directory);
    assertEquals(await files.isWritable(directory), true);
    assertEquals(await files.isWritable(join(directory, "nothing")), false);
  });
});

Deno.test("ioErrorFacts() tells kinds by code, and foreign errors from those of files", async () => {
  await inDirectory(async (directory) => {
    const kindOf = async (work: () => Promise<unknown>) => {
      try {
        await work();
        return "none";
      } catch (error) {
        return ioErrorFacts(error)?.kind ?? "foreign";
      }
    };
    await Deno.writeTextFile(join(directory, "f"), "");
    await Deno.symlink("loop", join(directory, "loop"));
    assertEquals(await kindOf(() => Deno.readFile(directory)), "is_a_directory");
    assertEquals(await kindOf(() => Deno.readFile(join(directory, "f/x"))), "not_a_directory");
    assertEquals(
      await kindOf(() => Deno.readFile(join(directory, "x".repeat(300)))),
      "path_too_long",
    );
    assertEquals(await kindOf(() => Deno.readFile(join(directory, "a\0b"))), "invalid_path");
    assertEquals(await kindOf(() => Deno.readFile(join(directory, "loop"))), "link_loop");
    assertEquals(await kindOf(() => Deno.remove(directory)), "not_empty");
    assertEquals(await kindOf(() => Promise.reject(new Error("else"))), "foreign");
    const memory = memoryWorld({ files: { "/f": "" } }).system.files;
    assertEquals(await kindOf(() => memory.create("/f", "")), "already_exists");
  });
});

Deno.test("Processes.run() keeps bytes when it is asked to", async () => {
  const { processes } = realSystem();
  const request = { command: "printf", args: ["\\377\\000a"] };
  assertEquals(
    (await processes.run({ ...request, binary: true })).bytes,
    new Uint8Array([255, 0, 97]),
  );
  assertEquals((await processes.run(request)).bytes, undefined);
  const scripted = memoryWorld({ programs: { "printf x": { stdout: "é" } } }).system.processes;
  const answer = await scripted.run({ command: "printf", args: ["x"], binary: true });
  assertEquals(answer.bytes, new TextEncoder().encode("é"));
});

Deno.test("readOnly() refuses locks and flushes", () => {
  const { files } = readOnly(memoryWorld().system, () => true);
  assertThrows(() => files.lock("/x"), ReadOnlyViolation);
  assertThrows(() => files.flushDirectory("/x"), ReadOnlyViolation);
});

Deno.test("Environment.hostname() is a name or null", () => {
  const name = realSystem().env.hostname();
  assert(name === null || name.length > 0);
});

Deno.test("link() gives a file another name, and says where it cannot", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const { files } = realSystem();
    await files.create(join(directory, "a"), "one");
    assertEquals(await files.link(join(directory, "a"), join(directory, "b")), true);
    await files.remove(join(directory, "a"));
    assertEquals(await files.readText(join(directory, "b")), "one");
    assertEquals(await files.link(join(directory, "a"), join(directory, "c")), false);
    assertEquals(await files.link(directory, join(directory, "c")), false);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
