/**
 * Suggested actions as command lines.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { actionLine } from "../../../../src/doors/cli/render.ts";

Deno.test("actionLine() repeats the flag of a list and quotes what a shell would read", () => {
  const line = actionLine("amof_push_ecosystem", {
    message: "it's $HOME; rm",
    repos: ["api", "web"],
    commit: true,
    allow_base: false,
  });
  assertEquals(
    line,
    "amof push --message 'it'\\''s $HOME; rm' --repo api --repo web --commit",
  );
});

Deno.test("actionLine() says the names of many repositories in one word", () => {
  const repos = ["api", "web", "docs", "lib"].map((name) => `!${name}`);
  assertEquals(
    actionLine("amof_push_ecosystem", { repos }),
    "amof push --repo '!api,!web,!docs,!lib'",
  );
});

Deno.test("actionLine() names a run by how its id begins, and a token in full", () => {
  const id = "4e8c1d72-0b5a-4a53-9c7e-2f1d9a3b6c10";
  assertEquals(actionLine("amof_get_run_logs", { run_id: id }), "amof runs logs 4e8c1d72");
  assertEquals(
    actionLine("amof_sync_ecosystem", { ecosystem: "shop", only: [`failed=${id}`] }),
    "amof -e shop sync --only failed=4e8c1d72",
  );
  assertEquals(actionLine("amof_confirm", { token: id }), `amof confirm ${id}`);
});
