/**
 * Puts test files together for a run of tests: `groups.ts DIRECTORY` writes modules there that import several test
 * files each, `groups.ts DIRECTORY --all` those of all tests. Every file that the runner starts costs it a tenth of a
 * second of a processor, and loads anew what the files before it have loaded.
 *
 * @module
 */

import { fromFileUrl, join, relative } from "@std/path";

const TESTS = fromFileUrl(new URL("..", import.meta.url));

/**
 * Folders in the order in which they begin, with how much source a group has at most, in bytes, unless a single file
 * has more. What waits for programs and clocks comes first and alone, so that short tests fill the end.
 */
const FOLDERS: Readonly<Record<string, number>> = {
  pages: 0,
  engines: 0,
  faults: 0,
  chaos: 0,
  scenario: 50_000,
  protocol: 50_000,
  property: 50_000,
  unit: 80_000,
};

/** The same for all other folders. */
const OTHERS = 80_000;

/** Folders that are of a run of all tests alone: most of their time goes into the programs that they start. */
const LONG = new Set(["pages", "engines", "faults", "chaos", "soak", "scenario", "protocol"]);

/** A test file below the folder of the tests. */
interface TestFile {
  readonly path: string;
  readonly bytes: number;
}

/** The test files below a directory, folder by folder. */
function filesBelow(directory: string): TestFile[] {
  return [...Deno.readDirSync(directory)]
    .toSorted((a, b) => a.name < b.name ? -1 : 1)
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory) return filesBelow(path);
      return entry.name.endsWith("_test.ts") ? [{ path, bytes: Deno.statSync(path).size }] : [];
    });
}

/** Divides files into groups of neighbours with about as much source each, at most `most` bytes. */
function divided(files: readonly TestFile[], most: number): TestFile[][] {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const share = total / Math.ceil(total / most);
  const groups = new Map<number, TestFile[]>();
  let before = 0;
  for (const file of files) {
    // Where the middle of a file lies decides which group it is in.
    const index = most === 0 ? groups.size : Math.floor((before + file.bytes / 2) / share);
    groups.set(index, [...groups.get(index) ?? [], file]);
    before += file.bytes;
  }
  return [...groups.values()];
}

/** Writes the groups into a directory that holds nothing else; `all` tells whether the long ones are among them. */
function write(directory: string, all: boolean): void {
  try {
    Deno.removeSync(directory, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  Deno.mkdirSync(directory, { recursive: true });
  const entries = [...Deno.readDirSync(TESTS)].toSorted((a, b) => a.name < b.name ? -1 : 1);
  const names = entries.filter((entry) => entry.isDirectory).map(({ name }) => name);
  const folders = [...new Set([...Object.keys(FOLDERS), ...names])]
    .filter((folder) => all || !LONG.has(folder));
  const groups = folders.flatMap((folder) =>
    divided(filesBelow(join(TESTS, folder)), FOLDERS[folder] ?? OTHERS)
      .map((group) => ({ folder, group }))
  );
  const beside = entries.filter(({ isFile, name }) => isFile && name.endsWith("_test.ts"))
    .map(({ name }) => ({ path: join(TESTS, name), bytes: 0 }));
  groups.push({ folder: "beside", group: beside });
  for (const [index, { folder, group }] of groups.entries()) {
    const name = `${String(index).padStart(2, "0")}_${folder}_test.ts`;
    const lines = group.map(({ path }) =>
      `import ${JSON.stringify(relative(directory, path).replaceAll("\\", "/"))};\n`
    );
    Deno.writeTextFileSync(join(directory, name), lines.join(""));
  }
}

if (import.meta.main) write(join(Deno.cwd(), Deno.args[0] ?? ""), Deno.args.includes("--all"));
