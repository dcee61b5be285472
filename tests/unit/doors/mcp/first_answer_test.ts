// Covers introductionsFor(): which servers may greet before the program is loaded. What they say is compared with what
// the program says in tests/protocol/first_answer_test.ts.

import { assertEquals } from "@std/assert";
import { introductionsFor, mayHaveUserFile } from "../../../../src/doors/mcp/first_answer.ts";

const HOME = { HOME: "/home/me", PATH: "/usr/bin" };

/** The surroundings of a process, with files and directories by their paths. */
function around(
  variables: Readonly<Record<string, string>>,
  there: Readonly<Record<string, "file" | "directory" | "else">> = {},
): Parameters<typeof introductionsFor>[1] {
  return {
    get: (name) => variables[name],
    names: Object.keys(variables),
    look: (path) => there[path] ?? "nothing",
    directories: (path) =>
      Object.keys(there).filter((name) =>
        there[name] === "directory" && name.startsWith(`${path}/`) &&
        !name.slice(path.length + 1).includes("/")
      ).map((name) => name.slice(path.length + 1)),
  };
}

const CONTROL = {
  "/control/.git": "directory",
  "/control/ecosystems/shop": "directory",
  "/control/ecosystems/shop/ecosystem.yaml": "file",
  "/control/ecosystems/empty": "directory",
} as const;

function greets(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = HOME,
  there: Readonly<Record<string, "file" | "directory" | "else">> = CONTROL,
): boolean {
  return introductionsFor(args, around(variables, there)) !== null;
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
  ["mcp", "serve", "--read-only"],
  ["mcp", "serve", "--toolsets", "daily", "--confirm", "human", "--read-only"],
  ["mcp", "serve", "--max-mode", "plan"],
  ["mcp", "serve", "--max-mode", "plan", "--mode", "plan"],
  ["mcp", "serve", "--elicitation", "off"],
  ["mcp", "serve", "--root", "/control", "--ecosystem", "shop"],
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
  ["mcp", "serve", "--toolsets", "run"],
  ["mcp", "serve", "--toolsets", "daily,run"],
  ["mcp", "serve", "--tools", "amof_list_runs"],
  ["mcp", "serve", "--exclude-tools", "amof_list_runs"],
  ["mcp", "serve", "--ecosystem", "shop"],
  ["mcp", "serve", "--root", "control", "--ecosystem", "shop"],
  ["mcp", "serve", "--root", "/control", "--ecosystem", "empty"],
  ["mcp", "serve", "--root", "/control", "--ecosystem", "nowhere"],
  ["mcp", "serve", "--root", "/control", "--ecosystem", "../shop"],
  ["mcp", "serve", "--read-only=true"],
  ["mcp", "serve", "--max-mode", "plan", "--mode", "execute"],
  ["mcp", "serve", "--elicitation", "on"],
  ["mcp", "serve", "--ticket", "T-1"],
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
      "AMOF_TICKET",
      "AMOF_CONFIG",
      "AMOF_JOBS",
      "AMOF_ROOTS",
      "AGENTPACK_PROJECT_ROOT",
      "amof_mode",
    ]
  ) assertEquals([name, greeted(name)], [name, false]);
});

/** What variables make of a server that is started with these flags. */
const BY_VARIABLES: readonly (readonly [
  Readonly<Record<string, string>>,
  boolean,
  flags?: readonly string[],
])[] = [
  [{ AMOF_MODE: "plan" }, true],
  [{ AMOF_MODE: "" }, true],
  [{ AMOF_MODE: "reckless" }, false],
  // A flag comes before its variable.
  [{ AMOF_MODE: "reckless" }, true, ["--mode", "ask"]],
  [{ AMOF_MAX_MODE: "plan" }, true, ["--mode", "execute"]],
  [{ AMOF_MODE: "execute" }, true, ["--max-mode", "plan"]],
  [{ AMOF_READ_ONLY: "perhaps" }, true],
  [{ AMOF_CONFIRM: "human" }, true],
  [{ AMOF_CONFIRM: "nobody" }, false],
  [{ AMOF_TOOLSETS: "daily" }, true],
  [{ AMOF_TOOLSETS: "stocktrim" }, false],
  [{ AMOF_ECOSYSTEM: "shop", AMOF_ROOT: "/control" }, true],
  [{ AMOF_ECOSYSTEM: "shop" }, false],
  [{ AMOF_ECOSYSTEM: "shop", AMOF_ROOT: "/control" }, false, ["--root", "/elsewhere"]],
];

for (const [variables, expected, flags = []] of BY_VARIABLES) {
  const line = [...Object.entries(variables).map((pair) => pair.join("=")), "amof serve", ...flags];
  Deno.test(`${expected ? "" : "not "}greeted: ${line.join(" ")}`, () => {
    assertEquals(greets(["serve", ...flags], { ...HOME, ...variables }), expected);
  });
}

Deno.test("an ecosystem of a linked worktree, or of what may be one, is left to the program", () => {
  const args = ["serve", "--root", "/control", "--ecosystem", "shop"];
  const greeted = (there: Parameters<typeof greets>[2]) => greets(args, HOME, there);
  const { "/control/.git": _, ...without } = CONTROL;
  assertEquals(greeted(without), true);
  assertEquals(greeted({ ...without, "/control/.git": "file" }), false);
  assertEquals(greeted({ ...without, "/control/.git": "else" }), false);
  assertEquals(greeted({ ...CONTROL, "/control/.git/commondir": "file" }), false);
  const manifest = "/control/ecosystems/shop/ecosystem.yaml";
  assertEquals(greeted({ ...CONTROL, [manifest]: "else" }), false);
});

Deno.test("what keeps a server from changing anything is said, and nothing of how to confirm", () => {
  const said = (...args: readonly string[]) => {
    const { session, modern } = introductionsFor(["serve", ...args], around(HOME)) ?? {};
    return [session, modern].map((introduction) => introduction?.instructions ?? "");
  };
  for (const text of said()) assertEquals(/amof_confirm/.test(text), true);
  for (const text of [...said("--read-only"), ...said("--max-mode", "plan")]) {
    assertEquals([/amof_confirm/.test(text), /was started with --/.test(text)], [false, true]);
  }
});

Deno.test("a user file is noticed wherever one may be", () => {
  const places: readonly (readonly [string, string, string])[] = [
    ["HOME", "/home/me", "/home/me/.config/amof/config.yaml"],
    ["USERPROFILE", "C:\\me", "C:\\me/.config/amof/config.yaml"],
    ["XDG_CONFIG_HOME", "/x", "/x/amof/config.yaml"],
    ["AMOF_CONFIG_HOME", "/c", "/c/./config.yaml"],
    ["AMOF_HOME", "/a", "/a/config/config.yaml"],
  ];
  for (const [variable, value, file] of places) {
    const noticed = (kind: "file" | "else" | "nothing") =>
      mayHaveUserFile(around({ [variable]: value }, kind === "nothing" ? {} : { [file]: kind }));
    assertEquals([file, noticed("file"), noticed("else"), noticed("nothing")], [
      file,
      true,
      true,
      false,
    ]);
  }
});
