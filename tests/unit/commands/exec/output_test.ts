// Covers Display: in which order output is shown, what fits one line, and what is the same of many.

import { assertEquals } from "@std/assert";
import {
  Display,
  type OutputForm,
  type Trouble,
} from "../../../../src/commands/exec/invocation/output.ts";

/** Everything that a display shows, standard error behind `2>`. */
function shown(
  names: readonly string[],
  work: (display: Display) => void,
  { form = "group", folds = false }: { form?: OutputForm; folds?: boolean } = {},
): string[] {
  const written: string[] = [];
  const print = (stream: string, text: string) => {
    const mark = stream === "stderr" ? "2> " : "";
    written.push(...text.slice(0, -1).split("\n").map((line) => `${mark}${line}`));
  };
  const display = new Display({ print, folds }, form, { names, log: "amof runs logs" });
  work(display);
  return written;
}

function trouble(how: string, why: string | null = null): Trouble {
  return { how, note: `${how}, 1.0s`, why };
}

const many = (count: number) => Array.from({ length: count }, (_, at) => `r${at + 10}`);

Deno.test("Display shows repositories in their order, whichever ends first, each as soon as its turn has come", () => {
  const lines: string[] = [];
  const print = (_: string, text: string) => void lines.push(text);
  const display = new Display({ print }, "group", { names: ["api", "docs", "web"], log: "" });
  for (const name of ["docs", "web", "api"]) display.line(name, "stdout", `on ${name}`);
  display.ended("docs", null);
  assertEquals(lines, []);
  display.ended("api", null);
  assertEquals(lines, ["api   on api\n", "docs  on docs\n"]);
  display.ended("web", null);
  display.finish();
  assertEquals(lines.slice(2), ["web   on web\n"]);
});

Deno.test("Display has a line for what is one, a block for more, and nothing for nothing", () => {
  const lines = shown(["api", "docs", "web", "z"], (display) => {
    display.line("api", "stdout", "one");
    display.line("api", "stdout", "two");
    display.line("docs", "stderr", "warned");
    display.ended("api", null);
    display.ended("docs", null);
    display.ended("web", null);
    display.ended("z", trouble("exit status 2"));
    display.finish();
  });
  assertEquals(lines, ["── api", "one", "two", "2> ", "2> docs  warned", "✗ z     exit status 2"]);
});

Deno.test("Display says how a program failed once, with its line or above its lines", () => {
  const lines = shown(["api", "docs", "web"], (display) => {
    display.line("api", "stderr", "no");
    display.ended("api", trouble("exit status 1"));
    display.ended("docs", trouble("could not be started", "x is not installed"));
    for (const text of ["a", "b"]) display.line("web", "stdout", text);
    display.ended("web", trouble("timed out"));
    display.finish();
  });
  assertEquals(lines, [
    "2> ✗ api   exit status 1: no",
    "✗ docs  could not be started: x is not installed",
    "── web ✗ timed out, 1.0s",
    "a",
    "b",
  ]);
});

Deno.test("Display tells a person once what is the same of many, and a program of each", () => {
  const names = many(40);
  const work = (display: Display) => {
    for (const [at, name] of names.toReversed().entries()) {
      display.line(name, "stdout", at === 3 ? "dev" : at < 28 ? "main" : "fatal: none");
      display.ended(name, at < 28 ? null : trouble("exit status 128"));
    }
    display.finish();
  };
  assertEquals(shown(names, work, { folds: true }), [
    "r46  dev",
    "✗ 12 repositories: exit status 128: fatal: none",
    "  r10, r11, r12 and 9 more",
    "27 repositories: main",
    "  r22, r23, r24 and 24 more",
  ]);
  assertEquals(shown(names, work).length, 40);
  assertEquals(
    shown(names, (display) => {
      for (const name of names) {
        for (const text of ["a", "b"]) display.line(name, "stdout", text);
        display.ended(name, null);
      }
      display.finish();
    }, { folds: true }),
    ["── 40 repositories", "a", "b"],
  );
});

Deno.test("Display holds back no more than fits, and then goes by the order alone", () => {
  const names = many(20);
  const lines = shown(names, (display) => {
    for (const name of names) {
      display.line(name, "stdout", "x".repeat(20_000));
      display.ended(name, null);
    }
  }, { folds: true });
  assertEquals(lines.map((line) => line.slice(0, 3)), names);
});

Deno.test("Display names a single repository never, and one of a stream that failed at its end", () => {
  const end = (display: Display) => {
    display.line("api", "stdout", "hi");
    display.ended("api", trouble("exit status 1"));
    display.finish();
  };
  assertEquals(shown(["api"], end), ["hi"]);
  assertEquals(shown(["api", "docs"], end, { form: "stream" }), [
    "api  │ hi",
    "2> api  │ ✗ exit status 1, 1.0s",
  ]);
  assertEquals(shown(["api", "docs"], end, { form: "none" }), []);
});
