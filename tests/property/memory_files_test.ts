// Files in memory answer as those of the disk, whatever is done to them in whatever order.

import { assertEquals } from "@std/assert";
import { basename, join } from "@std/path";
import { ioErrorFacts } from "../../src/base/io_error.ts";
import type { Files } from "../../src/base/system/mod.ts";
import { realFiles } from "../../src/base/system/real/files.ts";
import fc from "fast-check";
import { MemoryFiles } from "../support/memory_files.ts";
import { newDirectory } from "../support/place.ts";

/** What a step is done with: two paths, what to write, and permission bits. */
interface Given {
  readonly path: string;
  readonly other: string;
  readonly text: string;
  readonly mode: number;
}

const PATHS = ["a", "b", "a/x", "a/y", "b/x", "a/x/z", "b/x/z/deep"];

const STEPS: Readonly<Record<string, (files: Files, given: Given) => Promise<unknown>>> = {
  write: (files, { path, text }) => files.write(path, text),
  create: (files, { path, text, mode }) => files.create(path, text, { flush: false, mode }),
  append: (files, { path, text }) => files.append(path, text),
  copy: (files, { path, other }) => files.copy(path, other, { flush: false }),
  duplicate: (files, { path, other }) => files.duplicate(path, other),
  makeDirectory: (files, { path }) => files.makeDirectory(path),
  rename: (files, { path, other }) => files.rename(path, other),
  remove: (files, { path }) => files.remove(path),
  removeTree: (files, { path }) => files.removeTree(path),
  link: (files, { path, other }) => files.link(path, other),
  symlink: (files, { path, other }) => files.symlink(other, path),
  "symlink to a name": (files, { path, other }) => files.symlink(basename(other), path),
  async lock(files, { path }) {
    const lock = await files.lock(path);
    const second = await files.lock(path);
    await lock?.release();
    return [lock !== null, second];
  },
};

async function info(files: Files, path: string, of: "stat" | "lstat"): Promise<unknown> {
  const found = await files[of](path);
  // Sizes of directories and times are the business of each disk.
  return found?.kind === "file" ? { ...found, modifiedMs: 0 } : found?.kind;
}

const LOOKS: readonly ((files: Files, path: string) => Promise<unknown>)[] = [
  (files, path) => info(files, path, "stat"),
  (files, path) => info(files, path, "lstat"),
  (files, path) => files.exists(path),
  (files, path) => files.list(path),
  (files, path) => files.realPath(path),
  (files, path) => files.readText(path),
  (files, path) => files.readBytes(path),
  (files, path) => files.readPiece(path, 1, 2),
  (files, path) => files.hash(path),
];

/** Which of several things in the way a system names depends on where it looked first. */
const IN_THE_WAY = ["already_exists", "is_a_directory", "not_a_directory", "link_loop"];

/** What something answers, or why it cannot be done. */
async function outcome(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    const kind = ioErrorFacts(error)?.kind ?? String(error);
    return IN_THE_WAY.includes(kind) ? "in the way" : kind;
  }
}

Deno.test("files in memory answer as those of the disk, whatever is done to them", async () => {
  const step = fc.record({
    name: fc.constantFrom(...Object.keys(STEPS)),
    path: fc.constantFrom(...PATHS),
    other: fc.constantFrom(...PATHS),
    text: fc.constantFrom("", "one", "two\n", "\ufeffé\u{1f600}"),
    mode: fc.constantFrom(0o600, 0o644, 0o755),
  });
  const sequences = fc.array(step, { minLength: 4, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(sequences, async (sequence) => {
      const directory = newDirectory();
      const memory = new MemoryFiles(() => 0, Deno.pid).files;
      await memory.makeDirectory(directory);
      const same = async (what: string, ask: (files: Files) => Promise<unknown>) =>
        assertEquals(await outcome(() => ask(memory)), await outcome(() => ask(realFiles)), what);
      for (const { name, ...given } of sequence) {
        const [path, other] = [join(directory, given.path), join(directory, given.other)];
        await same(name, async (files) => await STEPS[name]?.(files, { ...given, path, other }));
      }
      for (const place of ["", ...PATHS]) {
        for (const [index, look] of LOOKS.entries()) {
          await same(`look ${index} at "${place}"`, (files) => look(files, join(directory, place)));
        }
      }
      await Deno.remove(directory, { recursive: true });
    }),
    { numRuns: 60 },
  );
});
