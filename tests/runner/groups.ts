/**
 * Puts test files together: every file that the runner starts costs it a tenth of a second of a processor, and loads
 * anew what the files before it have loaded.
 *
 * @module
 */

import { folderOf, type TestFile } from "./files.ts";

/** Several test files that run as one. */
export interface Group {
  readonly folder: string;
  readonly paths: readonly string[];
}

/**
 * Folders in the order in which they begin, with how much source a group has at most, in bytes, unless a single file
 * has more. What waits for programs and clocks comes first and alone, so that short tests fill the end.
 */
const FOLDERS: Readonly<Record<string, number>> = {
  pages: 0,
  engines: 0,
  faults: 0,
  chaos: 0,
  soak: 0,
  evals: 0,
  scenario: 50_000,
  protocol: 50_000,
  property: 50_000,
  unit: 80_000,
};

/** The same for all other folders. */
const OTHERS = 80_000;

/** Puts test files together, in the order in which they begin. */
export function groupsOf(files: readonly TestFile[]): Group[] {
  const folders = new Set([...Object.keys(FOLDERS), ...files.map(folderOf)]);
  return [...folders].flatMap((folder) =>
    divided(files.filter((file) => folderOf(file) === folder), FOLDERS[folder] ?? OTHERS)
      .map((group) => ({ folder, paths: group.map(({ path }) => path) }))
  );
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
