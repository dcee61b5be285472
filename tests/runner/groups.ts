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

/** Folders of which each file is a group: what they wait for, programs and clocks, leaves processors free. */
const WAITING = new Set(["pages", "engines", "faults", "chaos", "soak", "evals"]);

/** How much source a group of the other folders has at most, in bytes, unless a single file has more. */
const MOST: Readonly<Record<string, number>> = {
  scenario: 40_000,
  protocol: 40_000,
  property: 50_000,
  unit: 80_000,
};

/** The same for all other folders. */
const OTHERS = 80_000;

/**
 * Puts test files together, in the order in which they begin: what waits is spread evenly among what keeps processors
 * busy, and short tests fill the end.
 */
export function groupsOf(files: readonly TestFile[]): Group[] {
  const folders = new Set([...WAITING, ...Object.keys(MOST), ...files.map(folderOf)]);
  const groups = [...folders].flatMap((folder) => {
    const most = WAITING.has(folder) ? 0 : MOST[folder] ?? OTHERS;
    return divided(files.filter((file) => folderOf(file) === folder), most)
      .map((group) => ({ folder, paths: group.map(({ path }) => path) }));
  });
  const placed = [true, false].flatMap((waits) => {
    const those = groups.filter(({ folder }) => WAITING.has(folder) === waits);
    return those.map((group, index) => ({ group, at: (index + 0.5) / those.length }));
  });
  return placed.toSorted((a, b) => a.at - b.at).map(({ group }) => group);
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
