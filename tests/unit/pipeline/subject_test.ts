// What a person is asked about a call that is about no ecosystem: its preview says what it is done to.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { actionPhrase, requestFor } from "../../../src/pipeline/consent/approver.ts";
import { hintFor, needed, shownRequest, wrongName } from "../../../src/pipeline/consent/words.ts";
import { type Mutation, mutation, type Preview } from "../../../src/contract/mod.ts";

const DELETE = mutation({
  name: "amof_forget",
  path: ["forget"],
  toolset: "session",
  scope: "session",
  safety: "dangerous-write",
  confirm: "type",
  asks: { deed: "deletion", verb: "delete", will: "delete a supplier for good" },
  title: "Delete supplier",
  summary: "Delete a supplier.",
  examples: [],
  input: (z) => z.strictObject({}),
  preview: () => Promise.resolve(PREVIEW),
  execute: () => Promise.resolve({ data: {} }),
  render: () => ({ summary: "Deleted it." }),
}) as Mutation;

const PREVIEW: Preview<Record<string, unknown>, Record<string, unknown>> = {
  facts: { tag: "v1.0.0" },
  subject: { name: "supplier ACME", typed: { what: "supplier code", value: "ACME" } },
  summary: "Would delete supplier ACME.",
  effects: ["Delete supplier ACME"],
  current: "It is there",
  alternatives: [],
};

const CALL = {
  command: DELETE,
  preview: PREVIEW,
  ecosystem: "",
  ticket: null,
  door: "mcp",
  input: {},
  root: "",
  fingerprint: "",
  owner: "",
  lasts: true,
  confirmBy: "token",
  pages: null,
  timeout: null,
  asker: {
    root: "",
    sessionId: "s",
    client: "c",
    place: { scope: "global", ecosystem: null, ticket: null, runId: null, releaseTag: null },
  },
  signal: new AbortController().signal,
} as const;

Deno.test("requestFor() asks about the subject of the preview, and for its name to be typed", () => {
  const { signal } = CALL;
  const asked = requestFor(DELETE, PREVIEW, { ecosystem: "", typed: "ACME", signal });
  assertEquals(asked.heading, "Delete supplier ACME?");
  assertEquals(asked.deed, "deletion");
  assertEquals(asked.typed, { what: "supplier code", value: "ACME" });
  assertEquals(actionPhrase(DELETE, PREVIEW, "", true), "deletion of supplier ACME");
});

Deno.test("a preview without a subject is about the ecosystem, then about a release", () => {
  const { subject: _, ...plain } = PREVIEW;
  assertEquals(actionPhrase(DELETE, plain, "shop", true), "deletion of shop");
  assertEquals(actionPhrase(DELETE, plain, "", true), "deletion of v1.0.0");
  const { signal } = CALL;
  const asked = requestFor(DELETE, plain, { ecosystem: "shop", typed: "shop", signal });
  assertEquals(asked.typed, { what: "ecosystem name", value: "shop" });
});

Deno.test("a hint names the way that the refusal names, where the token is not the only one", () => {
  const hint = (tokenOnly: boolean) =>
    hintFor(CALL, "simple", { token: "T", approvalId: null, isAnew: false, tokenOnly });
  assertStringIncludes(needed(CALL, "simple", "token"), "Set confirm=true.");
  assertStringIncludes(hint(false), "the same call with confirm=true, or: amof_confirm(token)");
  assertStringIncludes(hint(true), "with their consent: amof_confirm(token)");
});

Deno.test("what is said about a name to be typed says which", () => {
  assertEquals(
    needed(CALL, "type", "token"),
    "Deletion will delete a supplier for good. A person must type the supplier code.",
  );
  assertEquals(
    needed({ ...CALL, door: "cli" }, "type", "token"),
    "Deletion will delete a supplier for good; give the supplier code with --confirm-name",
  );
  assertEquals(
    hintFor(CALL, "type", { token: "T", approvalId: null, isAnew: false, tokenOnly: false }),
    "A person must type the supplier code: amof_confirm(token, typed_value)",
  );
  assertEquals(
    hintFor({ ...CALL, door: "http" }, "type", {
      token: "T",
      approvalId: null,
      isAnew: false,
      tokenOnly: false,
    }),
    "A person must type the supplier code: POST /api/v1/confirmations with token and typed_value",
  );
  assertEquals(
    hintFor({ ...CALL, door: "http" }, "type", {
      token: "T",
      approvalId: "4e8c1d72",
      isAnew: false,
      tokenOnly: false,
    }),
    "Ask a person to run in a terminal: amof approve 4e8c1d72\nThen poll POST /api/v1/confirmations with token",
  );
  assertEquals(wrongName(CALL, 2).message, "To delete 'ACME', set confirm_name='ACME'.");
  assertEquals(
    wrongName(CALL, 2, { redeems: true }).message,
    "To delete 'ACME', set typed_value='ACME'.",
  );
  assertEquals(wrongName(CALL, 2).hint, "A person must type the supplier code");
  const shown = shownRequest(CALL, { kind: "type", token: "T", expiresAt: 0, approvalId: null });
  assertEquals(shown["typed_value_is"], "supplier code");
});
