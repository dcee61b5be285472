// Covers perform(): a journal is closed only where nothing of it is left.

import { assertEquals, assertRejects } from "@std/assert";
import { AmofError } from "../../../../src/base/error.ts";
import { runId } from "../../../../src/base/ids.ts";
import type { ExecuteContext } from "../../../../src/contract/mod.ts";
import { operation, operationTable, perform } from "../../../../src/runs/steps/mod.ts";
import { openStore } from "../../../../src/state/store/open.ts";
import { Git } from "../../../../src/git/mod.ts";
import { memoryWorld } from "../../../support/memory.ts";
import { rememberingReporter } from "../../_support.ts";
import { newRun } from "../../state/store/_records.ts";

type Step = { readonly name: string; readonly fails?: "act" | "undo" };

/** Performs steps; answers what was done, in which states they are, and whether the journal stands open. */
async function performed(steps: readonly Step[], pointOfNoReturn: number | null = null) {
  const done: string[] = [];
  const busy = (name: string) =>
    Promise.reject(new AmofError("would_lose_work", `${name} is busy`));
  const step = operation<Step>({
    name: "step",
    describe: ({ name }) => name,
    touches: ({ name }) => [`/${name}`],
    act: (_, { name, fails }) => {
      done.push(name);
      return fails === "act" ? busy(name) : Promise.resolve();
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
    layout: { state: "/state" },
    root: run.root,
    ecosystem: run.ecosystem,
    signal: new AbortController().signal,
    report: rememberingReporter(),
  } as unknown as ExecuteContext;
  const tools = { table: store.journal, operations: operationTable([step]) };
  const work = () =>
    perform(ctx, tools, {
      runId: runId(run.runId),
      steps: steps.map((one) => step.step(one)),
      pointOfNoReturn,
    });
  if (steps.some(({ fails }) => fails === "act")) await assertRejects(work, AmofError);
  else await work();
  const [journal] = store.journal.unfinished(run.root, run.ecosystem);
  store.close();
  return { done, open: journal?.entries.map(({ state }) => state) ?? null };
}

Deno.test("perform() does all steps, and closes the journal", async () => {
  assertEquals(await performed([{ name: "a" }, { name: "b" }]), { done: ["a", "b"], open: null });
});

Deno.test("perform() takes back what it began, the step that failed too, and closes the journal", async () => {
  assertEquals(await performed([{ name: "a" }, { name: "b", fails: "act" }, { name: "c" }]), {
    done: ["a", "b", "-b", "-a"],
    open: null,
  });
});

Deno.test("perform() leaves the journal open where something could not be taken back", async () => {
  assertEquals(await performed([{ name: "a", fails: "undo" }, { name: "b", fails: "act" }]), {
    done: ["a", "b", "-b", "-a"],
    open: ["undoing", "undone"],
  });
});

Deno.test("perform() takes nothing back behind the point of no return", async () => {
  assertEquals(await performed([{ name: "a" }, { name: "b", fails: "act" }], 1), {
    done: ["a", "b"],
    open: ["done", "begun"],
  });
});
