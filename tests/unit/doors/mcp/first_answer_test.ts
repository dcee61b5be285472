// Covers introductionsFor(): which servers may greet before the program is loaded. What they say is compared with what
// the program says in tests/protocol/first_answer_test.ts.

import { assertEquals } from "@std/assert";
import { introductionsFor } from "../../../../src/doors/mcp/first_answer.ts";

const HOME = { HOME: "/home/me", PATH: "/usr/bin" };

function greets(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = HOME,
  there: readonly string[] = [],
): boolean {
  const around = {
    get: (name: string) => variables[name],
    names: Object.keys(variables),
    mayBeThere: (path: string) => there.includes(path),
  };
  return introductionsFor(args, around) !== null;
}

const GREETED: readonly (readonly string[])[] = [
  ["mcp", "serve"],
  ["mcp", "start"],
  ["serve"],
  ["mcp", "serve", "--root", "/control"],
  ["mcp", "serve", "--root=/control", "--mode", "plan"],
  ["serve", "--mode=execute", "--confirm", "human"],
  ["mcp", "serve", "--confirm=token"],
  ["mcp", "serve", "--toolsets", "daily"],
  ["mcp", "serve", "--toolsets=default"],
];

for (const args of GREETED) {
  Deno.test(`greeted before the program is loaded: amof ${args.join(" ")}`, () => {
    assertEquals(greets(args), true);
  });
}

const NOT_GREETED: readonly (readonly string[])[] = [
  [],
  ["mcp"],
  ["mcp", "tools"],
  ["mcp", "config", "serve"],
  ["status", "serve"],
  ["mcp serve"],
  ["served"],
  ["--root", "/control", "mcp", "serve"],
  ["mcp", "serve", "more"],
  ["mcp", "serve", "--"],
  ["mcp", "serve", "--help"],
  ["mcp", "serve", "--read-only"],
  ["mcp", "serve", "--toolsets", "run"],
  ["mcp", "serve", "--toolsets", "daily,run"],
  ["mcp", "serve", "--tools", "amof_list_runs"],
  ["mcp", "serve", "--exclude-tools", "amof_list_runs"],
  ["mcp", "serve", "--ecosystem", "shop"],
  ["mcp", "serve", "--ticket", "T-1"],
  ["mcp", "serve", "--max-mode", "plan"],
  ["mcp", "serve", "--mode", "reckless"],
  ["mcp", "serve", "--confirm", "nobody"],
  ["mcp", "serve", "--root"],
  ["mcp", "serve", "--root", ""],
  ["mcp", "serve", "--root", "--mode"],
  ["mcp", "serve", "--mode", "ask", "--mode", "plan"],
  ["mcp", "serve", "--constructor", "x"],
  ["mcp", "serve", "--json"],
];

for (const args of NOT_GREETED) {
  Deno.test(`not greeted before the program has looked: amof ${args.join(" ")}`, () => {
    assertEquals(greets(args), false);
  });
}

Deno.test("variables that say where something is leave a server as it is, and all others of ours are looked at", () => {
  const greeted = (name: string) => greets(["mcp", "serve"], { ...HOME, [name]: "/there" });
  for (
    const name of ["AMOF_HOME", "AMOF_ROOT", "AMOF_STATE_HOME", "AMOF_PATH", "XDG_CONFIG_HOME"]
  ) {
    assertEquals([name, greeted(name)], [name, true]);
  }
  for (
    const name of [
      "AMOF_MODE",
      "AMOF_TOOLSETS",
      "AMOF_READ_ONLY",
      "AMOF_CONFIG",
      "AMOF_JOBS",
      "AMOF_ROOTS",
      "AGENTPACK_PROJECT_ROOT",
      "amof_mode",
    ]
  ) assertEquals([name, greeted(name)], [name, false]);
});

Deno.test("where there is a user file, the program reads it first", () => {
  const places: readonly (readonly [string, string, string])[] = [
    ["HOME", "/home/me", "/home/me/.config/amof/config.yaml"],
    ["USERPROFILE", "C:\\me", "C:\\me/.config/amof/config.yaml"],
    ["XDG_CONFIG_HOME", "/x", "/x/amof/config.yaml"],
    ["AMOF_CONFIG_HOME", "/c", "/c/./config.yaml"],
    ["AMOF_HOME", "/a", "/a/config/config.yaml"],
  ];
  for (const [variable, value, file] of places) {
    assertEquals([file, greets(["mcp", "serve"], { [variable]: value })], [file, true]);
    assertEquals([file, greets(["mcp", "serve"], { [variable]: value }, [file])], [file, false]);
  }
});
