// Covers perform(): a journal is closed only where nothing of it is left, and an interrupt stops only what can be undone.

import { assertEquals } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { runId } from "../../../../src/base/ids.ts";
import type { ExecuteContext } from "../../../../src/contract/mod.ts";
import { operation, operationTable, perform } from "../../../../src/runs/steps/mod.ts";
import { openStore } from "../../../../src/state/store/open.ts";
import { Git } from "../../../../src/git/mod.ts";
import { memoryWorld } from "../../../support/memory.ts";
import { rememberingReporter } from "../../_support.ts";
import { newRun } from "../../state/store/_records.ts";

type Step = {
  readonly name: string;
  readonly fails?: "act" | "undo";
  /** Whether somebody interrupts while it acts. */
  readonly interrupted?: boolean;
};

/**
 * Performs steps; answers what was done, with `!` behind what an interrupt stops, in which states they are, and whether
 * the journal stands open.
 */
async function performed(steps: readonly Step[], pointOfNoReturn: number | null = null) {
  const done: string[] = [];
  const interrupt = new AbortController();
  const busy = (name: string) =>
    Promise.reject(new AmofError("would_lose_work", `${name} is busy`));
  const step = operation<Step>({
    name: "step",
    describe: ({ name }) => name,
    touches: ({ name }) => [`/${name}`],
    act: ({ signal }, { name, fails, interrupted }) => {
      if (interrupted) interrupt.abort();
      done.push(signal.aborted ? `${name}!` : name);
      return fails === "act" || signal.aborted ? busy(name) : Promise.resolve();
    },
    undo: (_, { name, fails }) => {
      done.push(`-${name}`);
      return fails === "undo" ? busy(name) : Promise.resolve();
    },
  });
  const store = openStore(":memory:");
  const run = newRun();
  store.runs.add(run);
  const { system } = memoryWorld();
  const ctx = {
    system,
    git: new Git(system),
    jobs: 4,
    layout: { state: "/state" },
    root: run.root,
    ecosystem: run.ecosystem,
    signal: interrupt.signal,
    report: rememberingReporter(),
  } as unknown as ExecuteContext;
  const tools = { table: store.journal, operations: operationTable([step]) };
  const work = () =>
    perform(ctx, tools, {
      runId: runId(run.runId),
      steps: steps.map((one) => step.step(one)),
      pointOfNoReturn,
    });
  let failed = false;
  await work().catch((error) => {
    if (!(error instanceof AmofError)) throw error;
    failed = true;
  });
  const [journal] = store.journal.unfinished(run.root, run.ecosystem);
  store.close();
  return { done, failed, open: journal?.entries.map(({ state }) => state) ?? null };
}

for (
  const [what, steps, beyond, ended] of [
    [
      "does all steps, and closes the journal",
      [{ name: "a" }, { name: "b" }],
      null,
      { done: ["a", "b"], failed: false, open: null },
    ],
    [
      "takes back what it began, the step that failed too, and closes the journal",
      [{ name: "a" }, { name: "b", fails: "act" }, { name: "c" }],
      null,
      { done: ["a", "b", "-b", "-a"], failed: true, open: null },
    ],
    [
      "leaves the journal open where something could not be taken back",
      [{ name: "a", fails: "undo" }, { name: "b", fails: "act" }],
      null,
      { done: ["a", "b", "-b", "-a"], failed: true, open: ["undoing", "undone"] },
    ],
    [
      "takes nothing back behind the point of no return",
      [{ name: "a" }, { name: "b", fails: "act" }],
      1,
      { done: ["a", "b"], failed: true, open: ["done", "begun"] },
    ],
    [
      "is stopped by an interrupt, and takes back what it began",
      [{ name: "a" }, { name: "b", interrupted: true }, { name: "c" }],
      2,
      { done: ["a", "b!", "-b", "-a"], failed: true, open: null },
    ],
    [
      "is stopped by nothing behind the point of no return",
      [{ name: "a" }, { name: "b", interrupted: true }, { name: "c" }],
      1,
      { done: ["a", "b", "c"], failed: false, open: null },
    ],
  ] as readonly (readonly [string, readonly Step[], number | null, unknown])[]
) {
  Deno.test(`perform() ${what}`, async () => {
    assertEquals(await performed(steps, beyond), ended);
  });
}
