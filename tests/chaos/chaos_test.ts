// A small sample of the chaos suite; `deno task chaos` is the whole of it.

import { assert, assertEquals } from "@std/assert";
import { callers } from "./callers.ts";
import { VICTIMS } from "./commands.ts";
import { interruptCommand } from "./interrupts.ts";
import { killCommand } from "./kills.ts";
import { Random } from "./random.ts";
import { findingLines, Report } from "./report.ts";

const POSIX = Deno.build.os !== "windows"; // kills by signal, in shells

function nothingFound(report: Report): void {
  assertEquals(report.findings.flatMap(findingLines), []);
}

function victim(name: string) {
  const found = VICTIMS.find((each) => each.name === name);
  if (found === undefined) throw new TypeError(`There is no command "${name}" here`);
  return found;
}

for (const [name, times] of [["push", 2], ["release", 1]] as const) {
  Deno.test({
    name: `amof ${name} killed inside its git calls ends in before or after`,
    ignore: !POSIX,
    async fn() {
      const report = new Report(name);
      await killCommand(victim(name), new Random(7), times, report);
      nothingFound(report);
      assertEquals(report.of("trials"), times);
    },
  });
}

Deno.test({
  name: "amof install interrupted at a random moment ends in before or after",
  ignore: !POSIX,
  async fn() {
    const report = new Report("install");
    await interruptCommand(victim("install"), new Random(7), 1, report);
    nothingFound(report);
  },
});

Deno.test({
  name: "two servers and a person on two ecosystems do not get in each other's way",
  ignore: !POSIX,
  async fn() {
    const report = new Report("callers");
    await callers(new Random(7), 24, report);
    nothingFound(report);
    assert(report.of("calls") >= 24);
  },
});

Deno.test("the same seed makes the same choices", () => {
  const choices = (seed: number) => {
    const random = new Random(seed);
    return Array.from({ length: 20 }, () => random.below(100));
  };
  assertEquals(choices(5), choices(5));
  assert(choices(5).join() !== choices(6).join());
  assertEquals(new Random(5).shuffled([1, 2, 3]).sort(), [1, 2, 3]);
});
