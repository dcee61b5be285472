/**
 * Breaks the program in many small ways, each in a copy of the checkout, and tells which of them the tests notice:
 * `deno task mutants [--only ID|PATTERN] [--room ROOM] [--against DIRECTORY] [--jobs N] [--named-only]`.
 *
 * @module
 */

import { fromFileUrl, resolve } from "@std/path";
import { inPool } from "../../src/base/async/pool.ts";
import { MUTANTS } from "./list.ts";
import { broken, type Mutant, occurrences } from "./mutant.ts";
import { chosen, type Options, optionsOf, USAGE } from "./options.ts";
import { alone, type Stage, Suite, WIDER } from "./suite.ts";
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

/** What a mutant is tried in. */
interface Bench {
  readonly tree: Tree;
  readonly suite: Suite;
}

/** What notices a mutant in a stage of the tests, or null; the tree is broken before and after. */
async function noticed(
  mutant: Mutant,
  stage: Stage,
  { tree, suite }: Bench,
): Promise<string | null> {
  const [by = null] = await suite.broken(tree, stage, async (work) => {
    tree.mend();
    try {
      return await work();
    } finally {
      apply(mutant, tree);
    }
  });
  return by;
}

function apply(mutant: Mutant, tree: Tree): void {
  tree.breakFile(mutant.file, broken(tree.read(mutant.file) ?? "", [mutant]));
}

/** Applies a mutant to a tree and runs tests until one of them fails. */
async function tried(mutant: Mutant, bench: Bench, { namedOnly }: Options): Promise<Verdict> {
  const { tree } = bench;
  const files = mutant.tests.filter((file) => tree.read(file) !== null);
  apply(mutant, tree);
  try {
    if (!await loads(tree, mutant.file)) return { kind: "does not compile" };
    for (const file of files) {
      const by = await noticed(mutant, alone(file), bench);
      if (by !== null) return { kind: "found", by };
    }
    for (const stage of namedOnly ? [] : WIDER) {
      const by = await noticed(mutant, stage, bench);
      if (by === null) continue;
      // Among so many tests one may fail by chance: it does so again.
      const [file = ""] = by.split(" › ");
      const again = tree.read(file) === null ? by : await noticed(mutant, alone(file), bench);
      if (again !== null) return { kind: "found", by: again };
    }
    return { kind: "SURVIVED" };
  } finally {
    tree.mend();
  }
}

async function tryAll(mutants: readonly Mutant[], options: Options): Promise<Verdict[]> {
  const checkout = options.against === null ? HERE : resolve(options.against);
  await using trees = new AsyncDisposableStack();
  Deno.addSignalListener("SIGINT", () => void trees.disposeAsync().finally(() => Deno.exit(130)));
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
        : await tried(mutant, { tree, suite }, options));
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
/** How early a mutant is tried: what short tests notice comes first. */
function rank({ tests: [first = ""] }: Mutant): number {
  return ["tests/unit/", "tests/property/"].findIndex((folder) => first.startsWith(folder)) >>> 0;
}

const mutants = options === null
  ? []
  : chosen(MUTANTS, options).toSorted((a, b) => rank(a) - rank(b));
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
