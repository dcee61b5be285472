// Covers parseArguments(): checking and splitting the arguments of a call.

import { assertEquals, assertRejects } from "@std/assert";
import { parseArguments } from "../../../src/pipeline/common.ts";
import { AmofError } from "../../../src/base/error.ts";
import {
  type Command,
  type ConfirmKind,
  mutation,
  onlyTyped,
  query,
} from "../../../src/contract/mod.ts";
import { COMMANDS } from "../../support/loaded.ts";

const LOOK = query({
  name: "amof_look",
  path: ["look"],
  toolset: "ecosystem",
  scope: "ecosystem",
  title: "Look",
  summary: "Look at something.",
  examples: [],
  input: (z) =>
    z.strictObject({
      thing: z.string().describe("What to look at"),
      times: z.int().min(1).default(3).describe("How often"),
      level: z.enum(["low", "high"]).optional().describe("How closely"),
      tags: z.array(z.string()).default([]).describe("Anything"),
    }),
  run: () => Promise.resolve({ data: {} }),
  render: () => ({ summary: "Looked." }),
});

function change(confirm: ConfirmKind): Command {
  return mutation({
    name: "amof_change",
    path: ["change"],
    toolset: "ecosystem",
    scope: "global",
    safety: "dangerous-write",
    confirm,
    title: "Change",
    summary: "Change something.",
    examples: [],
    input: (z) => z.strictObject({}),
    preview: () =>
      Promise.resolve({ facts: {}, summary: "", effects: [], current: "", alternatives: [] }),
    execute: () => Promise.resolve({ data: {} }),
    render: () => ({ summary: "Changed." }),
  });
}

async function refusal(
  command: Command,
  args: Readonly<Record<string, unknown>>,
): Promise<AmofError> {
  const error = await assertRejects(() => parseArguments(command, args), AmofError);
  assertEquals(error.code, "invalid_arguments");
  return error;
}

async function issues(command: Command, args: Readonly<Record<string, unknown>>): Promise<unknown> {
  return (await refusal(command, args)).details["issues"];
}

Deno.test("parseArguments() fills in defaults", async () => {
  assertEquals(await parseArguments(LOOK, { thing: "x" }), {
    input: { thing: "x", times: 3, tags: [] },
    common: {},
  });
});

Deno.test("parseArguments() splits the command's own arguments from the shared ones", async () => {
  assertEquals(
    await parseArguments(LOOK, { thing: "x", tags: ["a"], mode: "plan", ecosystem: "demo" }),
    {
      input: { thing: "x", times: 3, tags: ["a"] },
      common: { mode: "plan", ecosystem: "demo" },
    },
  );
});

Deno.test("parseArguments() takes null for absent", async () => {
  assertEquals(
    await parseArguments(LOOK, {
      thing: "x",
      times: null,
      level: null,
      mode: null,
      ecosystem: null,
    }),
    { input: { thing: "x", times: 3, tags: [] }, common: {} },
  );
});

Deno.test("parseArguments() takes a null for a required argument for a missing one", async () => {
  assertEquals(await issues(LOOK, { thing: null }), [{
    path: "thing",
    problem: "is missing",
  }]);
});

Deno.test("parseArguments() refuses an unknown argument and names the nearest", async () => {
  assertEquals(await issues(LOOK, { thing: "x", tims: 1 }), [
    { path: "tims", problem: 'is not one of its arguments; did you mean "times"?' },
  ]);
});

Deno.test("parseArguments() finds the nearest among the shared arguments too", async () => {
  assertEquals(await issues(LOOK, { thing: "x", ecosytem: "demo" }), [
    { path: "ecosytem", problem: 'is not one of its arguments; did you mean "ecosystem"?' },
  ]);
});

Deno.test("parseArguments() guesses nothing for an argument like no other", async () => {
  assertEquals(await issues(LOOK, { thing: "x", _dry_run_now_please: 1 }), [
    { path: "_dry_run_now_please", problem: "is not one of its arguments" },
  ]);
});

Deno.test("parseArguments() refuses an unknown argument also when it is null", async () => {
  assertEquals(await issues(LOOK, { thing: "x", zzzzzzzz: null }), [{
    path: "zzzzzzzz",
    problem: "is not one of its arguments",
  }]);
});

Deno.test("parseArguments() refuses names that every object has", async () => {
  for (const name of ["constructor", "toString", "hasOwnProperty"]) {
    assertEquals(await issues(LOOK, { thing: "x", [name]: 1 }), [{
      path: name,
      problem: "is not one of its arguments",
    }]);
  }
  const args = JSON.parse('{"thing":"x","__proto__":{"times":5}}') as Record<string, unknown>;
  assertEquals(await issues(LOOK, args), [{
    path: "__proto__",
    problem: "is not one of its arguments",
  }]);
});

Deno.test("parseArguments() cleans the name of an unknown argument", async () => {
  assertEquals(await issues(LOOK, { thing: "x", "\u001b[31mzz\u202ezzzz": 1 }), [
    { path: "zzzzzz", problem: "is not one of its arguments" },
  ]);
});

const WRONG: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
  ["a number for a text", { thing: 5 }, "thing"],
  ["a text for a number", { thing: "x", times: "5" }, "times"],
  ["a fraction for a whole number", { thing: "x", times: 1.5 }, "times"],
  ["a number below its bound", { thing: "x", times: 0 }, "times"],
  ["a value that is not among the choices", { thing: "x", level: "middle" }, "level"],
  ["a text for a list", { thing: "x", tags: "a" }, "tags"],
  ["an item of the wrong type", { thing: "x", tags: ["a", 1] }, "tags.1"],
  ["a mode that is none", { thing: "x", mode: "yolo" }, "mode"],
  ["an ecosystem that is no text", { thing: "x", ecosystem: ["demo"] }, "ecosystem"],
];

for (const [what, args, path] of WRONG) {
  Deno.test(`parseArguments() refuses ${what} at ${path}`, async () => {
    const found = await issues(LOOK, args) as { path: string }[];
    assertEquals(found.map((issue) => issue.path), [path]);
  });
}

Deno.test("parseArguments() names the choices of a value", async () => {
  assertEquals(await issues(LOOK, { thing: "x", level: "middle" }), [
    { path: "level", problem: 'must be one of low or high, not "middle"' },
  ]);
});

Deno.test("parseArguments() reports everything that is wrong at once", async () => {
  const found = await issues(LOOK, { times: 0, tims: 1, mode: "x" }) as { path: string }[];
  assertEquals(found.map((issue) => issue.path), ["tims", "thing", "times", "mode"]);
});

Deno.test("parseArguments() says the first problem in its message and the names that are listed in its hint", async () => {
  const error = await refusal(LOOK, { thing: "x", tims: 1 });
  assertEquals(
    error.message,
    'Cannot call amof_look: tims is not one of its arguments; did you mean "times"?',
  );
  assertEquals(error.hint, "Known arguments: thing, times, level, tags, ecosystem");
});

Deno.test("parseArguments() names an argument whose value is wrong, also one that its tool does not list", async () => {
  assertEquals((await refusal(LOOK, { thing: "x", mode: "x" })).hint.split(", ").at(-1), "mode");
});

Deno.test("parseArguments() means no member that only a person may give", async () => {
  const guarded = query({
    ...LOOK,
    input: (z) =>
      z.strictObject({
        thing: z.string(),
        allow_things: onlyTyped(z.boolean().optional().describe("Let it go")),
      }),
  });
  const error = await refusal(guarded, { thing: "x", allow_thing: true });
  assertEquals(error.message, "Cannot call amof_look: allow_thing is not one of its arguments");
  assertEquals(error.hint, "Known arguments: thing, ecosystem");
});

const SHARED: readonly (readonly [ConfirmKind, readonly string[]])[] = [
  ["none", ["mode", "dry_run"]],
  ["simple", ["mode", "dry_run", "confirm", "confirmation_token"]],
  ["preview", ["mode", "dry_run", "confirm", "confirmation_token"]],
  ["type", ["mode", "dry_run", "confirm_name", "confirmation_token"]],
];

/** A token and a dry run have plainer ways, which the list of tools shows (MCP-9). */
const LISTED: readonly string[] = ["mode", "confirm", "confirm_name"];

for (const [confirm, names] of SHARED) {
  Deno.test(`parseArguments() of a mutation with confirmation ${confirm} knows ${names.join(", ")}`, async () => {
    const values = {
      mode: "execute",
      dry_run: true,
      confirm: true,
      confirm_name: "demo",
      confirmation_token: "t",
    };
    const given = Object.fromEntries(
      Object.entries(values).filter(([name]) => names.includes(name)),
    );
    assertEquals((await parseArguments(change(confirm), given)).common as unknown, given);
    assertEquals(
      (await refusal(change(confirm), { zzzzzzzzz: 1 })).hint,
      `Known arguments: ${names.filter((name) => LISTED.includes(name)).join(", ")}`,
    );
  });
}

Deno.test("parseArguments() knows no confirmation for a query", async () => {
  const found = await issues(LOOK, { thing: "x", confirm: true, dry_run: true }) as {
    path: string;
  }[];
  assertEquals(found.map((issue) => issue.path), ["confirm", "dry_run"]);
});

for (const command of COMMANDS) {
  Deno.test(`parseArguments() refuses an argument that ${command.name} does not declare`, async () => {
    const found = await issues(command, { _dry_run_undeclared: true }) as { path: string }[];
    assertEquals(found[0]?.path, "_dry_run_undeclared");
  });
}

Deno.test("what only a person decides is told as the whole line that they type", async () => {
  const end = COMMANDS.find(({ name }) => name === "amof_ticket_end");
  const rows: readonly (readonly [args: Readonly<Record<string, unknown>>, line: string])[] = [
    [{ ticket_id: "T-1", discard_local: true }, "amof ticket end T-1 --discard-local"],
    [
      { ticket_id: "a b", discard_local: true, only: ["x", "y"], confirm: true, ecosystem: "shop" },
      "amof ticket end 'a b' --only x --only y --discard-local --ecosystem shop",
    ],
    [{ ticket_id: "a\nb", discard_local: true }, "amof ticket end $'a\\x0ab' --discard-local"],
    [{ ticket_id: { a: 1 }, discard_local: true }, "amof ticket end --help"],
  ];
  for (const [args, line] of rows) {
    const error = await assertRejects(() => parseArguments(end as Command, args), AmofError);
    assertEquals(error.hint, `A person does it in a terminal: ${line}`);
  }
});
