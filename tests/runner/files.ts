/**
 * The test files, and which of them make up a run of tests.
 *
 * @module
 */

import { dirname, join, relative } from "@std/path";

/** A test file by its path from the root of the checkout, with slashes. */
export interface TestFile {
  readonly path: string;
  readonly bytes: number;
}

/** Folders of a run of all tests alone: most of their time goes into the programs that they start. */
const LONG = new Set([
  "chaos",
  "engines",
  "evals",
  "faults",
  "pages",
  "protocol",
  "scenario",
  "soak",
]);

/** Folders, and files beside them, that know the program by what it reads and writes alone. */
const BLACK_BOX = new Set(["protocol", "scenario", "stories_test.ts"]);

/** Folders of which a half can be run against the binary in place of the source. */
const HALVED = new Set(["protocol", "scenario"]);

/** What tries every command once, or only a binary can show, is for the binary, whatever its name. */
const FOR_BINARY = new Set([
  "tests/scenario/every_query_test.ts",
  "tests/scenario/help_test.ts",
  "tests/scenario/modes_test.ts",
]);

/**
 * Makes a number of a name. Of those that give the binary a half of the tests it is one of the cheapest: a program that
 * is started for each call costs more than twice as much as calls in the process of the tests.
 */
const FACTOR = 18_238;

/** What a run is made of. */
export type Run =
  /** What answers while you wait. */
  | "quick"
  /** All others. */
  | "long"
  | "all"
  /** What runs against the binary in `AMOF_BIN`. */
  | "binary"
  /** What takes a sample otherwise. */
  | "thorough";

/** Whether a word names a run. */
export function isRun(word: string): word is Run {
  return ["quick", "long", "all", "binary", "thorough"].includes(word);
}

/** The folder of a test file below `tests`, or the name of a file that stands beside them. */
export function folderOf({ path }: Pick<TestFile, "path">): string {
  return path.split("/")[1] ?? "";
}

/** Whether a test file is of the half that belongs to the binary: its name alone decides, in every run alike. */
export function isOfBinary(file: Pick<TestFile, "path">): boolean {
  if (!HALVED.has(folderOf(file))) return false;
  if (FOR_BINARY.has(file.path)) return true;
  let sum = 0;
  for (const letter of file.path) sum = (sum * FACTOR + letter.charCodeAt(0)) % 65_521;
  return sum % 2 === 1;
}

/**
 * The files of a run. With `half` the run of all others leaves out the half that belongs to the binary, and that of
 * the binary has nothing else; `takers` are the files that take a sample.
 */
export function filesOf(
  run: Run,
  files: readonly TestFile[],
  { half, takers }: { readonly half: boolean; readonly takers: ReadonlySet<string> },
): TestFile[] {
  const isIn: Readonly<Record<Run, (file: TestFile) => boolean>> = {
    quick: (file) => !LONG.has(folderOf(file)),
    long: (file) => LONG.has(folderOf(file)) && !(half && isOfBinary(file)),
    all: () => true,
    binary: (file) => half ? isOfBinary(file) : BLACK_BOX.has(folderOf(file)),
    thorough: ({ path }) => takers.has(path),
  };
  return files.filter(isIn[run]);
}

/** All test files of a checkout, folder by folder. */
export function testFiles(root: string): TestFile[] {
  return below(join(root, "tests"))
    .filter((path) => path.endsWith("_test.ts"))
    .map((path) => ({
      path: relative(root, path).replaceAll("\\", "/"),
      bytes: Deno.statSync(path).size,
    }));
}

/** The test files that take a sample (`tests/support/sample.ts`), themselves or by what they import of the tests. */
export function takersOf(root: string): Set<string> {
  const imports = below(join(root, "tests")).filter((path) => path.endsWith(".ts"))
    .map((path) => ({ path, imported: importsOf(path) }));
  const takers = new Set([join(root, "tests", "support", "sample.ts")]);
  for (let known = 0; known < takers.size;) {
    known = takers.size;
    for (const { path, imported } of imports) {
      if (imported.some((named) => takers.has(named))) takers.add(path);
    }
  }
  return new Set(
    [...takers].filter((path) => path.endsWith("_test.ts"))
      .map((path) => relative(root, path).replaceAll("\\", "/")),
  );
}

/** What a module imports by a path of its own. */
function importsOf(path: string): string[] {
  const found = Deno.readTextFileSync(path).matchAll(/from "(\.[^"]+)"|import\("(\.[^"]+)"\)/g);
  return [...found].map(([, named = "", called = ""]) => join(dirname(path), named || called));
}

/** All files below a directory, by name. */
function below(directory: string): string[] {
  return [...Deno.readDirSync(directory)]
    .toSorted((a, b) => a.name < b.name ? -1 : 1)
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      return entry.isDirectory ? below(path) : [path];
    });
}
