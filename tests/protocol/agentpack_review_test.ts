/**
 * Plans that are longer than an answer over MCP may be: what is shown, what is summarised, what a token is for.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import type { ToolAnswer } from "../support/mcp_client.ts";
import { setUp, snapshot } from "../support/pack_fixture.ts";
import { PackWorld } from "../support/pack_world.ts";
import { assertRefused, serve, text } from "./_agentpack.ts";

interface Shown {
  readonly target: string;
  readonly op: string;
  readonly path: string;
}

function changes(answer: ToolAnswer, ...below: string[]): Shown[] {
  return pick(answer.data, "data", ...below, "changes") as Shown[];
}

function review(answer: ToolAnswer, member: string): unknown {
  return pick(answer.data, "data", "review", member);
}

/** How many changes the directories of an answer hold. */
function summarised(answer: ToolAnswer): number {
  const directories = review(answer, "not_shown") as Record<string, number | string>[];
  return directories.flatMap((one) => Object.values(one)).filter((value) =>
    typeof value === "number"
  ).reduce((sum, value) => sum + value, 0);
}

Deno.test("a plan that is too long shows what can lose something first and counts the rest", async () => {
  await using world = await PackWorld.make();
  const targets =
    "  codex: { mode: files, scope: both, options: { write_user_prompts: true, write_prompt_skills: false } }";
  await setUp(world, targets);
  await world.write("m/tidy/old.md", "old\n");
  await snapshot(world);
  const skill = (name: string) => join(world.project, ".codex/skills/tidy", name);
  await Deno.remove(join(world.repo, "m/tidy/old.md"));
  await world.write(skill("SKILL.md"), "edited\n");
  await world.write("m/tidy/SKILL.md", "---\nname: tidy\ndescription: Sort.\n---\n");
  for (let at = 0; at < 150; at++) await world.write(`m/tidy/d${at % 3}/f${at}.md`, `${at}\n`);
  await world.write(skill("d1/f1.md"), "theirs\n");
  await using client = serve(world);
  await client.initialize();
  const first = await client.call("deploy");
  // In both scopes: 150 files, SKILL.md, and old.md that goes.
  const total = 304;
  assertEquals(review(first, "total"), total);
  assertEquals(review(first, "counts"), { delete: 2, adopt: 1, edited: 1, update: 1, create: 299 });
  assertEquals(
    changes(first).slice(0, 5).map(({ op, path }) => [op, path.split("/tidy/")[1]]),
    [
      ["delete", "old.md"],
      ["delete", "old.md"],
      ["update", "d1/f1.md"],
      ["update", "SKILL.md"],
      ["update", "SKILL.md"],
    ],
  );
  assertEquals(changes(first).length + summarised(first), total);
  assertStringIncludes(
    (first.data["warnings"] as string[])[0] ?? "",
    `The plan has ${total} changes, of which this answer shows ${changes(first).length}`,
  );
  assertEquals(first.data["truncated"], undefined);

  assertStringIncludes(first.text, "at a terminal all of it is shown by: amof agentpack plan");
  const refused = await client.call("plan", { cursor: "7" });
  assertEquals(assertRefused(refused, "E_INVALID_ARGUMENTS")["argument"], "cursor");

  // A diff stands beside every change that a preview shows.
  const preview = await client.call("preview", { diff: true });
  const shown = changes(preview, "plan");
  assert(shown.length > 5 && shown.length < total, String(shown.length));
  assertEquals(changes(preview, "diff"), shown);
  const files = pick(preview.data, "data", "diff", "files") as { root: string; path: string }[];
  assertEquals(
    files.map(({ root, path }) => join(root, path)).sort(),
    shown.map(({ path }) => path).sort(),
  );

  const explained = await client.call("explain", { kind: "plan" });
  assertEquals(changes(explained).length + summarised(explained), total);

  // The token is for all of it, and for nothing else.
  const token = text(first, "confirm_token");
  await world.write("m/tidy/d0/f0.md", "other\n");
  const apply = { yes: true, confirm_token: token, adopt: true };
  assertRefused(await client.call("deploy_apply", apply), "E_CONFIRM_TOKEN_MISMATCH");
  await world.write("m/tidy/d0/f0.md", "0\n");
  const done = await client.call("deploy_apply", apply);
  assertEquals(pick(done.data, "data", "applied"), true, done.text);
  assertEquals(await world.read(skill("d2/f149.md")), "149\n");
  // What fits is answered as it is.
  const idle = await client.call("plan");
  assertEquals([changes(idle), review(idle, "total")], [[], undefined]);
  // Drift is cut in the same way, edits first.
  for (let at = 0; at < 150; at++) await world.write(skill(`d${at % 3}/f${at}.md`), "edited\n");
  await Deno.remove(skill("SKILL.md"));
  for (const [tool, args] of [["status", {}], ["explain", { kind: "status" }]] as const) {
    const answer = await client.call(tool, args);
    const drift = pick(answer.data, "data", "drift") as { readonly kind: string }[];
    assertEquals(review(answer, "total"), 151, tool);
    assertEquals(drift.length + summarised(answer), 151, tool);
    assert(drift.every(({ kind }) => kind === "modified"), tool);
    assertStringIncludes(answer.text, "all of it is shown by: amof agentpack status");
  }
});
