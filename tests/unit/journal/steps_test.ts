// Covers runSteps(): all or nothing, undone in reverse, what could not be undone is said.

// @ts-types="@types/std/assert.d.ts"
import { assertEquals, assertRejects } from "@std/assert";
import { AmofError, EXIT } from "../../../src/error.ts";
import { runSteps, type Step } from "../../../src/journal/mod.ts";
import { rememberingReporter } from "../_support.ts";

const live = () => new AbortController().signal;

/** A step that notes in `done` what it does; parts may be replaced. */
function step(done: string[], name: string, parts: Partial<Step> = {}): Step {
  return {
    name,
    act: () => Promise.resolve(void done.push(`act ${name}`)),
    undo: () => Promise.resolve(void done.push(`undo ${name}`)),
    ...parts,
  };
}

const failing = (error: Error) => ({ act: () => Promise.reject(error) });

Deno.test("runSteps() does all steps in order and undoes none", async () => {
  const done: string[] = [];
  const report = rememberingReporter();
  await runSteps([step(done, "a"), step(done, "b")], report, live());
  assertEquals(done, ["act a", "act b"]);
  assertEquals(report.lines, ["info a", "info b"]);
  assertEquals(report.steps, ["1/2 a", "2/2 b"]);
});

Deno.test("runSteps() of nothing does nothing", async () => {
  await runSteps([], rememberingReporter(), live());
});

Deno.test("runSteps() undoes the finished steps in reverse when one fails, and throws the failure", async () => {
  const done: string[] = [];
  const failure = new AmofError("git_failed", "Cannot clone");
  const steps = [
    step(done, "a"),
    step(done, "b"),
    step(done, "c", failing(failure)),
    step(done, "d"),
  ];
  const thrown = await assertRejects(
    () => runSteps(steps, rememberingReporter(), live()),
    AmofError,
  );
  assertEquals(done, ["act a", "act b", "undo b", "undo a"]);
  assertEquals(thrown === failure, true);
});

Deno.test("runSteps() does not undo the step that failed", async () => {
  const done: string[] = [];
  const steps = [step(done, "a", failing(new AmofError("git_failed", "x")))];
  await assertRejects(() => runSteps(steps, rememberingReporter(), live()), AmofError);
  assertEquals(done, []);
});

Deno.test("runSteps() passes over steps that have no inverse", async () => {
  const done: string[] = [];
  const { undo: _undo, ...withoutInverse } = step(done, "b");
  const steps = [
    step(done, "a"),
    withoutInverse,
    step(done, "c", failing(new AmofError("git_failed", "x"))),
  ];
  const error = await assertRejects(
    () => runSteps(steps, rememberingReporter(), live()),
    AmofError,
  );
  assertEquals(done, ["act a", "act b", "undo a"]);
  assertEquals("left_behind" in error.details, false);
});

Deno.test("runSteps() goes on undoing when an undo fails, and says what was left behind", async () => {
  const done: string[] = [];
  const report = rememberingReporter();
  const failure = new AmofError("git_failed", "Cannot clone", {
    hint: "Try again",
    details: { repo: "api" },
    exit: EXIT.partial,
  });
  const steps = [
    step(done, "a"),
    step(done, "b", { undo: () => Promise.reject(new Error("busy")) }),
    step(done, "c"),
    step(done, "d", failing(failure)),
  ];
  const thrown = await assertRejects(() => runSteps(steps, report, live()), AmofError);
  assertEquals(done, ["act a", "act b", "act c", "undo c", "undo a"]);
  assertEquals([thrown.code, thrown.message, thrown.hint, thrown.exit], [
    "git_failed",
    "Cannot clone",
    "Try again",
    EXIT.partial,
  ]);
  assertEquals(thrown.details, { repo: "api", left_behind: ["b: busy"] });
  assertEquals(thrown.cause === failure, true);
  assertEquals(report.lines.filter((line) => line.startsWith("error")), [
    'error Could not undo "b": busy',
  ]);
});

Deno.test("runSteps() throws a foreign failure as it is", async () => {
  const failure = new RangeError("odd");
  const done: string[] = [];
  const steps = [step(done, "a"), step(done, "b", failing(failure))];
  assertEquals(
    await assertRejects(() => runSteps(steps, rememberingReporter(), live()), RangeError),
    failure,
  );
  assertEquals(done, ["act a", "undo a"]);
});

Deno.test("runSteps() stops between two steps when it is cancelled, and undoes", async () => {
  const done: string[] = [];
  const controller = new AbortController();
  const steps = [
    step(done, "a"),
    step(done, "b", {
      act: () => {
        done.push("act b");
        controller.abort();
        return Promise.resolve();
      },
    }),
    step(done, "c"),
  ];
  const error = await assertRejects(
    () => runSteps(steps, rememberingReporter(), controller.signal),
    AmofError,
  );
  assertEquals([error.code, error.message], ["cancelled", 'Stopped before "c"']);
  assertEquals(done, ["act a", "act b", "undo b", "undo a"]);
});

Deno.test("runSteps() begins nothing when it was cancelled before", async () => {
  const done: string[] = [];
  const error = await assertRejects(
    () => runSteps([step(done, "a")], rememberingReporter(), AbortSignal.abort()),
    AmofError,
  );
  assertEquals([error.code, done], ["cancelled", []]);
});

Deno.test("runSteps() keeps what was done when the cancellation comes after the last step", async () => {
  const done: string[] = [];
  const controller = new AbortController();
  const last = step(done, "a", {
    act: () => {
      controller.abort();
      return Promise.resolve(void done.push("act a"));
    },
  });
  await runSteps([last], rememberingReporter(), controller.signal);
  assertEquals(done, ["act a"]);
});
