/**
 * What the program weighs, for whoever takes care that it does not grow by itself: `deno task figures`.
 *
 * @module
 */

import { loadedWith, type Module, MODULES, START, WINGS } from "./modules.ts";

function lines(modules: readonly Module[]): number {
  return modules.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0);
}

function room(name: string): string {
  return name.includes("/") ? name.slice(0, name.indexOf("/")) : "";
}

/** The most rooms that stand on each other. */
function floors(): number {
  const below = new Map<string, Set<string>>();
  for (const { name, imports } of MODULES) {
    const known = below.get(room(name)) ?? new Set();
    for (const target of imports) if (room(target) !== room(name)) known.add(room(target));
    below.set(room(name), known);
  }
  const height = (of: string): number =>
    1 + Math.max(0, ...[...below.get(of) ?? []].map((other) => height(other)));
  return Math.max(...[...below.keys()].map((of) => height(of)));
}

/** Modules that are loaded before a command has done anything. */
function loaded(...command: readonly string[]): number {
  return loadedWith(...START, "doors/cli/run_entry.ts", "doors/cli/run_command.ts", ...command)
    .modules.length;
}

const CHANGE = ["pipeline/change.ts", "pipeline/execute.ts"];

const FIGURES: readonly (readonly [string, number])[] = [
  ["lines of src", lines(MODULES)],
  ["files", MODULES.length],
  [
    "exports",
    MODULES.reduce((sum, { text }) => sum + [...text.matchAll(/^export /gm)].length, 0),
  ],
  ["rooms", new Set(MODULES.map(({ name }) => room(name))).size],
  ["floors", floors()],
  ["modules of a start", loadedWith(...START).modules.length],
  ["modules of status", loaded("commands/status/status.ts")],
  ["modules of push", loaded(...CHANGE, "commands/push/push.ts")],
  ...Object.entries(WINGS).map(([wing, place]) =>
    [`lines of ${wing}`, lines(MODULES.filter(({ name }) => place.test(name)))] as const
  ),
  [
    "lines without these",
    lines(MODULES.filter(({ name }) => !Object.values(WINGS).some((place) => place.test(name)))),
  ],
];

if (import.meta.main) {
  const text = FIGURES.map(([what, value]) =>
    `${what.padEnd(28)} ${value.toLocaleString("en").padStart(8)}\n`
  ).join("");
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}
