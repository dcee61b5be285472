/**
 * Which breaks the compiler notices: those say nothing about the tests.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import { broken, type Mutant } from "./mutant.ts";
import type { Tree } from "./tree.ts";

/** Something that is never used: no mistake in a break that leaves a step out. */
const UNUSED = new Set(["TS6133", "TS6192", "TS6196", "TS6198"]);

/** Where the compiler sees a mistake. */
interface Mistake {
  readonly file: string;
  readonly line: number;
}

/** The mistakes in what `deno check` prints, other than names that are never used. */
export function mistakesIn(text: string, root: string): Mistake[] {
  const base = `${toFileUrl(root)}/`;
  let code = "";
  return text.split("\n").flatMap((line) => {
    code = /^(?:\S+ )?(TS\d+) \[/.exec(line)?.[1] ?? code;
    const place = /^\s+at (file:\S+):(\d+):\d+$/.exec(line);
    if (place === null || UNUSED.has(code)) return [];
    const file = String(place[1]);
    return file.startsWith(base) ? [{ file: file.slice(base.length), line: Number(place[2]) }] : [];
  });
}

/** Divides mutants into groups that can be applied together: those that break the same text are in different ones. */
function together(tree: Tree, mutants: readonly Mutant[]): Mutant[][] {
  const groups: Mutant[][] = [];
  const fits = (group: readonly Mutant[], mutant: Mutant) => {
    try {
      const others = group.filter(({ file }) => file === mutant.file);
      broken(tree.read(mutant.file) ?? "", [...others, mutant]);
      return true;
    } catch {
      return false;
    }
  };
  for (const mutant of mutants) {
    const group = groups.find((others) => fits(others, mutant));
    if (group === undefined) groups.push([mutant]);
    else group.push(mutant);
  }
  return groups;
}

/**
 * The ids of the mutants that do not compile, told by applying many of them at once, and one by one those of a file in
 * which a mistake lies elsewhere than where one of them was applied.
 */
export async function notCompiling(tree: Tree, mutants: readonly Mutant[]): Promise<Set<string>> {
  const guilty = new Set<string>();
  const unclear = new Set<Mutant>();
  for (const group of together(tree, mutants)) {
    const files = Map.groupBy(group, ({ file }) => file);
    for (const [file, own] of files) tree.breakFile(file, broken(tree.read(file) ?? "", own));
    const { text } = await tree.deno(["check", "main.ts"], 1_800_000);
    for (const { file, line } of mistakesIn(text, tree.root)) {
      const own = files.get(file);
      if (own === undefined) throw new Error(`A break makes ${file}:${line} wrong:\n${text}`);
      const now = tree.read(file) ?? "";
      const there = own.filter(({ replace }) => {
        const first = now.slice(0, now.indexOf(replace)).split("\n").length;
        return replace !== "" && line >= first && line < first + replace.split("\n").length;
      });
      for (const { id } of there) guilty.add(id);
      for (const mutant of there.length === 0 ? own : []) unclear.add(mutant);
    }
    tree.mend();
  }
  for (const mutant of unclear) {
    tree.breakFile(mutant.file, broken(tree.read(mutant.file) ?? "", [mutant]));
    const { text } = await tree.deno(["check", mutant.file], 1_800_000);
    if (mistakesIn(text, tree.root).length > 0) guilty.add(mutant.id);
    tree.mend();
  }
  return guilty;
}

/** Whether a module of the tree can be loaded. */
export async function loads(tree: Tree, file: string): Promise<boolean> {
  const url = JSON.stringify(toFileUrl(join(tree.root, file)).href);
  const { code } = await tree.deno(["eval", `await import(${url})`], 120_000);
  return code === 0;
}
