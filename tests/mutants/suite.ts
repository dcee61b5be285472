/**
 * The tests of a tree, in stages: what fails in them, and what fails in the whole program already.
 *
 * @module
 */

import type { Ended, Tree } from "./tree.ts";

/** Some of the tests. */
export interface Stage {
  readonly name: string;
  /** The arguments of Deno, one run after the other. */
  readonly runs: readonly (readonly string[])[];
  readonly env?: Readonly<Record<string, string>>;
  /** How many milliseconds a run has when nothing is known of it. */
  readonly limit: number;
}

/** How the tests of a stage ended. */
export interface Outcome {
  /** What failed: files with the names of their tests, or a word about the run itself. */
  readonly failed: readonly string[];
  readonly milliseconds: number;
}

const TEST = ["test", "--quiet", "--no-check", "--allow-all"];

/** One test file. */
export function alone(file: string): Stage {
  return { name: file, runs: [[...TEST, file]], limit: 600_000 };
}

/** What is run where the named tests notice nothing: what answers while one waits, then whatever starts programs. */
export const WIDER: readonly Stage[] = [
  { name: "task test", runs: [["task", "--quiet", "test"]], limit: 3_600_000 },
  {
    name: "scenario and protocol",
    runs: [
      ["run", "--quiet", "--allow-all", "tests/support/bundle.ts", "main.ts", "bin/test"],
      [...TEST, "--parallel", "tests/scenario", "tests/protocol"],
    ],
    env: { AMOF_ENTRY: "bin/test/main.js" },
    limit: 7_200_000,
  },
];

/** The names of the tests that failed, as the runner lists them in the end. */
export function failuresIn(text: string): string[] {
  const found = text.split("\n").flatMap((line) => {
    const failed = /^(.+) => (?:\.\/)?(\S+?):\d+:\d+$/.exec(line);
    if (failed !== null) return [`${failed[2]} › ${failed[1]}`];
    const uncaught = /^(?:\.\/)?(\S+) \(uncaught error\)$/.exec(line);
    return uncaught === null ? [] : [`${uncaught[1]} › an error outside of its tests`];
  });
  return [...new Set(found)];
}

function failed({ code, text, hung }: Ended): string[] {
  if (hung) return ["no end within the time limit"];
  if (code === 0) return [];
  const names = failuresIn(text);
  return names.length === 0 ? [`exit code ${code}: ${lastLine(text)}`] : names;
}

function lastLine(text: string): string {
  return text.split("\n").findLast((line) => line.trim() !== "")?.trim() ?? "";
}

async function run(
  tree: Tree,
  stage: Stage,
  limit: number,
  more: readonly string[],
): Promise<Outcome> {
  let milliseconds = 0;
  for (const args of stage.runs) {
    const all = args[0] === "test" ? [...args, ...more] : args;
    const first = await tree.deno(all, limit, stage.env);
    // Somebody has ended it, which says nothing about the program.
    const ended = first.code > 128 && !first.hung ? await tree.deno(all, limit, stage.env) : first;
    milliseconds += ended.milliseconds;
    const names = failed(ended);
    if (names.length > 0) return { failed: names, milliseconds };
  }
  return { failed: [], milliseconds };
}

/** The tests of a checkout; what is asked of its unbroken trees is remembered. */
export class Suite {
  readonly #whole = new Map<string, Promise<Outcome>>();

  /** How a stage ends in the unbroken tree. */
  whole(tree: Tree, stage: Stage): Promise<Outcome> {
    const known = this.#whole.get(stage.name) ?? run(tree, stage, stage.limit, []);
    this.#whole.set(stage.name, known);
    return known;
  }

  /**
   * What fails in a broken tree, as far as it does not fail in the unbroken one; `without` gives the latter to work.
   * That is only asked where something fails, or where it is known: then a program that hangs has several times as long
   * as it took when it was whole.
   */
  async broken(
    tree: Tree,
    stage: Stage,
    without: (work: () => Promise<Outcome>) => Promise<Outcome>,
  ): Promise<readonly string[]> {
    const known = await this.#whole.get(stage.name);
    const took = known?.milliseconds ?? Infinity;
    const limit = Math.min(stage.limit, 120_000 + 8 * took);
    const first = known === undefined || known.failed.length === 0 ? ["--fail-fast"] : [];
    const { failed } = await run(tree, stage, limit, first);
    if (failed.length === 0) return failed;
    const before = await without(() => this.whole(tree, stage));
    if (first.length === 0 || before.failed.length === 0) {
      return failed.filter((name) => !before.failed.includes(name));
    }
    // What fails anyway may have ended the run before anything else could.
    const all = await run(tree, stage, stage.limit, []);
    return all.failed.filter((name) => !before.failed.includes(name));
  }
}
