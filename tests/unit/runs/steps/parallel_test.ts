// Covers steps of different repositories that are done at once (STEP-7): which are, and what a failure leaves.

import { assertEquals } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { runId } from "../../../../src/base/ids.ts";
import type { ExecuteContext } from "../../../../src/contract/mod.ts";
import { Git } from "../../../../src/git/mod.ts";
import { operation, operationTable, perform, stagesOf } from "../../../../src/runs/steps/mod.ts";
import { openStore } from "../../../../src/state/store/open.ts";
import { memoryWorld } from "../../../support/memory.ts";
import { rememberingReporter } from "../../_support.ts";
import { newRun } from "../../state/store/_records.ts";

type Step = { readonly place: string; readonly name: string };

/** Operations by their first letter: `p` and `q` of two phases, `o` one by one, `u` in places that nobody knows. */
function operationsOf(act: (step: Step) => Promise<void>, undo: (step: Step) => void) {
  const declared = {
    describe: ({ name }: Step) => name,
    act: (_: unknown, step: Step) => act(step),
    undo: (_: unknown, step: Step) => Promise.resolve(undo(step)),
  };
  const touches = ({ place }: Step) => [place];
  return {
    p: operation<Step>({ ...declared, name: "p", touches, phase: "prepare" }),
    q: operation<Step>({ ...declared, name: "q", touches, phase: "change" }),
    o: operation<Step>({ ...declared, name: "o", touches }),
    u: operation<Step>({ ...declared, name: "u", phase: "prepare" }),
  };
}

/** Steps as `p/a1`: the operation, the place `/a`, and a name. */
function stepsOf(operations: ReturnType<typeof operationsOf>, names: string) {
  return names.split(" ").map((name) =>
    operations[name[0] as "p" | "q" | "o" | "u"].step({
      place: name.slice(1, 3),
      name: name.slice(2),
    })
  );
}

for (
  const [what, names, beyond, stages] of [
    ["one in each place", "p/a1 p/b1 p/c1", null, "a1 + b1 + c1"],
    ["some in each place", "p/a1 p/a2 p/b1 p/b2", null, "a1 a2 + b1 b2"],
    ["a place again", "p/a1 p/b1 p/a2 p/b2", null, "a1 + b1, a2 + b2"],
    ["one by one", "o/a1 o/b1 p/a2 p/b2", null, "a1, b1, a2 + b2"],
    ["one by one between", "p/a1 p/b1 o/c1 p/a2 p/b2", null, "a1 + b1, c1, a2 + b2"],
    ["another phase", "p/a1 q/a2 q/b1 q/c1", null, "a1, a2 + b1 + c1"],
    ["nobody knows where", "p/a1 u/b1 u/c1 p/d1", null, "a1, b1, c1, d1"],
    ["the point of no return", "p/a1 p/b1 p/c1 p/d1", 2, "a1 + b1, c1 + d1"],
    ["the point of no return in a place", "p/a1 p/a2 p/b1", 1, "a1, a2 + b1"],
  ] as readonly (readonly [string, string, number | null, string])[]
) {
  Deno.test(`stagesOf(): ${what}`, () => {
    const operations = operationsOf(() => Promise.resolve(), () => {});
    const entries = stepsOf(operations, names).map((step, seq) => ({
      ...step,
      seq,
      state: "planned" as const,
    }));
    const found = stagesOf(entries, operationTable(Object.values(operations)), beyond);
    const text = found.map((chains) =>
      chains.map((chain) => chain.map(({ args }) => String(args["name"])).join(" ")).join(" + ")
    ).join(", ");
    assertEquals(text, stages);
  });
}

/** Performs steps as two jobs; answers what began and what was taken back, and whether the journal stands open. */
async function performed(
  names: string,
  act: (step: Step, begun: readonly string[]) => Promise<void>,
  files: Readonly<Record<string, string>> = {},
) {
  const begun: string[] = [];
  const operations = operationsOf((step) => {
    begun.push(step.name);
    return act(step, begun);
  }, ({ name }) => begun.push(`-${name}`));
  const store = openStore(":memory:");
  const run = newRun();
  store.runs.add(run);
  const { system } = memoryWorld();
  for (const [path, text] of Object.entries(files)) await system.files.write(path, text);
  const ctx = {
    system,
    git: new Git(system),
    jobs: 2,
    layout: { state: "/state" },
    root: run.root,
    ecosystem: run.ecosystem,
    signal: new AbortController().signal,
    report: rememberingReporter(),
  } as unknown as ExecuteContext;
  const tools = { table: store.journal, operations: operationTable(Object.values(operations)) };
  const steps = stepsOf(operations, names);
  const failed = await perform(ctx, tools, { runId: runId(run.runId), steps })
    .then(() => null, (error) => String(error.message));
  const isOpen = store.journal.unfinished(run.root, run.ecosystem).length > 0;
  store.close();
  return { begun, failed, isOpen };
}

/** Waits until something is so, for a second at most. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000 && !isSo(); turn++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  if (!isSo()) throw new AmofError("timeout", "Nobody else has begun");
}

Deno.test("steps in different repositories are at work at the same time", async () => {
  const ended = await performed(
    "p/a1 p/b1",
    (_, begun) => until(() => begun.length === 2),
  );
  assertEquals(ended, { begun: ["a1", "b1"], failed: null, isOpen: false });
});

Deno.test("a failure lets the other step end, begins no further one, and takes all back", async () => {
  let hasFailed = false;
  const ended = await performed("p/a1 p/b1 p/c1", async ({ name }, begun) => {
    await until(() => begun.includes("b1"));
    if (name === "b1") {
      hasFailed = true;
      throw new AmofError("would_lose_work", "b is busy");
    }
    await until(() => hasFailed);
  });
  assertEquals(ended, {
    begun: ["a1", "b1", "-b1", "-a1"],
    failed: "b is busy",
    isOpen: false,
  });
});

Deno.test("worktrees of one repository are worked on one after the other", async () => {
  let atWork = 0;
  const ended = await performed("p/a1 p/b1 p/c1", async () => {
    assertEquals(++atWork, 1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    atWork--;
  }, {
    "/a/.git": "gitdir: /main/.git/worktrees/a\n",
    "/b/.git": "gitdir: /main/.git/worktrees/b\n",
    "/c/.git": "gitdir: /main/.git/worktrees/c\n",
    ...Object.fromEntries(
      ["a", "b", "c"].map((name) => [`/main/.git/worktrees/${name}/commondir`, "../..\n"]),
    ),
  });
  assertEquals(ended, { begun: ["a1", "b1", "c1"], failed: null, isOpen: false });
});
