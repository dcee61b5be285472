// Covers the types of mutation(): what changes something cannot be declared without a preview.

import { assertEquals } from "@std/assert";
import { mutation, type Preview, query } from "../../../src/contract/mod.ts";

const COMMON = {
  name: "amof_change",
  path: ["change"],
  toolset: "ecosystem",
  scope: "global",
  title: "Change",
  summary: "Change something.",
  examples: [],
} as const;

interface Data {
  readonly [field: string]: unknown;
  readonly done: number;
}

const preview = (): Promise<Preview<{ readonly files: number }, Data>> =>
  Promise.resolve({ facts: { files: 1 }, summary: "", effects: [], current: "", alternatives: [] });

Deno.test("mutation() takes a command with a preview", () => {
  const command = mutation({
    ...COMMON,
    safety: "safe-write",
    confirm: "none",
    input: (z) => z.strictObject({ name: z.string() }),
    preview,
    // Input and facts arrive with the types that were declared for them.
    execute: (_ctx, input, facts) =>
      Promise.resolve({ data: { done: input.name.length + facts.files } }),
    render: (data: Data) => ({ summary: `Did ${data.done}.` }),
  });
  assertEquals([command.kind, command.safety, command.confirm], ["mutation", "safe-write", "none"]);
});

Deno.test("mutation() does not type-check without a preview", () => {
  // @ts-expect-error -- a mutation that cannot be previewed
  const command = mutation({
    ...COMMON,
    safety: "safe-write",
    confirm: "none",
    input: (z) => z.strictObject({}),
    execute: () => Promise.resolve({ data: { done: 1 } }),
    render: () => ({ summary: "Did it." }),
  });
  assertEquals(command.kind, "mutation");
});

Deno.test("mutation() does not type-check as read-only", () => {
  const command = mutation({
    ...COMMON,
    // @ts-expect-error -- what only reads is a query
    safety: "read-only",
    confirm: "none",
    input: (z) => z.strictObject({}),
    preview,
    execute: () => Promise.resolve({ data: { done: 1 } }),
    render: () => ({ summary: "Did it." }),
  });
  assertEquals(command.kind, "mutation");
});

Deno.test("mutation() does not type-check without saying how it asks for consent", () => {
  // @ts-expect-error -- no kind of confirmation
  const command = mutation({
    ...COMMON,
    safety: "dangerous-write",
    input: (z) => z.strictObject({}),
    preview,
    execute: () => Promise.resolve({ data: { done: 1 } }),
    render: () => ({ summary: "Did it." }),
  });
  assertEquals(command.kind, "mutation");
});

Deno.test("query() does not type-check with something to execute", () => {
  const command = query({
    ...COMMON,
    input: (z) => z.strictObject({}),
    run: () => Promise.resolve({ data: { done: 1 } }),
    render: () => ({ summary: "Looked." }),
    // @ts-expect-error -- a query changes nothing
    execute: () => Promise.resolve({ data: { done: 1 } }),
  });
  assertEquals([command.kind, command.safety], ["query", "read-only"]);
});
