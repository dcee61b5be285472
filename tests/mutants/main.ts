/**
 * Breaks the program in many small ways, each in a copy of the checkout, and tells which of them the tests notice:
 * `deno task mutants [--only ID|PATTERN] [--room ROOM] [--against DIRECTORY] [--jobs N] [--named-only]`.
 *
 * @module
 */

import { fromFileUrl, resolve } from "@std/path";
import { inPool } from "../../src/async/pool.ts";
import { MUTANTS } from "./list.ts";
import { broken, type Mutant, occurrences } from "./mutant.ts";
import { chosen, type Options, optionsOf, USAGE } from "./options.ts";
import { named, type Stage, Suite, WIDER } from "./suite.ts";
import { Tree } from "./tree.ts";
import { loads, notCompiling } from "./types.ts";

/** What became of a mutant. */
interface Verdict {
  readonly kind: "found" | "SURVIVED" | "stale" | "does not apply" | "does not compile";
  /** What noticed it, where something did. */
  readonly by?: string;
}

const HERE = fromFileUrl(new URL("../..", import.meta.url));

// The lint rule is about the program; this is how a tool speaks.
function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

/** Whether a mutant can be applied to a checkout; elsewhere than here its text may well have been another. */
function unfit(mutant: Mutant, tree: Tree, { against }: Options): Verdict | null {
  const times = occurrences(tree.read(mutant.file) ?? "", mutant.find);
  if (times === 1) return null;
  return { kind: against === null ? "stale" : "does not apply" };
}

/** Applies a mutant to a tree and runs tests until one of them fails. */
async function tried(
  mutant: Mutant,
  { tree, suite, options }: { tree: Tree; suite: Suite; options: Options },
): Promise<Verdict> {
  const files = mutant.tests.filter((file) => tree.read(file) !== null);
  // What is known of the whole program is asked before it is broken.
  const whole = [];
  for (const file of files) whole.push(await suite.whole(tree, named([file])));
  tree.breakFile(mutant.file, broken(tree.read(mutant.file) ?? "", [mutant]));
  try {
    if (!await loads(tree, mutant.file)) return { kind: "does not compile" };
    const [by] = files.length === 0 ? [] : await suite.broken(tree, named(files), whole);
    if (by !== undefined) return { kind: "found", by };
  } finally {
    tree.mend();
  }
  if (options.namedOnly) return { kind: "SURVIVED" };
  for (const stage of WIDER) {
    const by = await widely(mutant, stage, { tree, suite });
    if (by !== null) return { kind: "found", by };
  }
  return { kind: "SURVIVED" };
}

/** The test of a stage that notices a mutant, and does so again alone: among so many, one may fail by chance. */
async function widely(
  mutant: Mutant,
  stage: Stage,
  { tree, suite }: { tree: Tree; suite: Suite },
): Promise<string | null> {
  const whole = await suite.whole(tree, stage);
  tree.breakFile(mutant.file, broken(tree.read(mutant.file) ?? "", [mutant]));
  const first = await suite.broken(tree, stage, [whole]);
  tree.mend();
  for (const name of first) {
    const file = name.split(" › ")[0] ?? "";
    if (tree.read(file) === null) return name;
    const alone = await suite.whole(tree, named([file]));
    tree.breakFile(mutant.file, broken(tree.read(mutant.file) ?? "", [mutant]));
    const again = await suite.broken(tree, named([file]), [alone]);
    tree.mend();
    if (again[0] !== undefined) return again[0];
  }
  return null;
}

async function tryAll(mutants: readonly Mutant[], options: Options): Promise<Verdict[]> {
  const checkout = options.against === null ? HERE : resolve(options.against);
  await using trees = new AsyncDisposableStack();
  Deno.addSignalListener("SIGINT", () => void trees.disposeAsync().then(() => Deno.exit(130)));
  const free: Tree[] = [];
  for (let at = 0; at < Math.min(options.jobs, mutants.length); at++) {
    free.push(trees.use(await Tree.of(checkout)));
  }
  const [first] = free;
  if (first === undefined) return [];
  const fit = mutants.filter((mutant) => unfit(mutant, first, options) === null);
  const wrong = await notCompiling(first, fit);
  const suite = new Suite();
  return await inPool(options.jobs, mutants, async (mutant): Promise<Verdict> => {
    const begin = performance.now();
    const tree = free.pop() ?? first;
    const verdict = unfit(mutant, tree, options) ??
      (wrong.has(mutant.id)
        ? { kind: "does not compile" as const }
        : await tried(mutant, { tree, suite, options }));
    free.push(tree);
    const seconds = ((performance.now() - begin) / 1000).toFixed(0).padStart(4);
    say(`${mutant.id.padEnd(40)} ${seconds} s  ${verdict.kind}${by(verdict)}`);
    return verdict;
  });
}

function by(verdict: Verdict): string {
  return verdict.by === undefined ? "" : ` by ${verdict.by}`;
}

const options = optionsOf(Deno.args);
const mutants = options === null ? [] : chosen(MUTANTS, options);
if (options === null || mutants.length === 0) {
  say(options === null ? USAGE : "No mutant is called like that.");
  Deno.exit(2);
}
const verdicts = await tryAll(mutants, options);
const counts = Map.groupBy(verdicts, ({ kind }) => kind);
say(
  `${verdicts.length} mutants: ` +
    [...counts].map(([kind, all]) => `${all.length} ${kind}`).toSorted().join(", "),
);
Deno.exit(
  ["SURVIVED", "stale", "does not compile"].some((kind) => counts.has(kind as Verdict["kind"]))
    ? 1
    : 0,
);
