// What a reviewer is shown is what is deployed.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { call } from "../../../../support/pack_door.ts";
import { deploy, setUp } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

const CODEX =
  "  codex: { mode: files, scope: user, options: { write_user_prompts: true, write_prompt_skills: false } }";

Deno.test("previews show what hides or reorders text, and every plan warns of it", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  await world.write("m/changelog.md", "Be \u202Eevil\u202C and\u200B quiet\u001B[2K.\nNext\n");
  await world.write("m/tidy/a\u2066b\n.md", "fine\n");
  const prompt = join(world.home, ".codex", "prompts", "changelog.md");
  const content =
    `"${prompt}" would get 4 hidden characters (U+202E, U+202C, U+200B and U+001B), first in line 1`;
  for (const words of [["preview", "--diff"], ["diff"]]) {
    const shown = await call(world, words);
    assertStringIncludes(
      shown.stdout,
      "+Be <U+202E>evil<U+202C> and<U+200B> quiet<U+001B>[2K.\n+Next\n",
    );
    assertStringIncludes(shown.stdout, "tidy/a<U+2066>b<U+000A>.md");
    assertStringIncludes(shown.stderr, content);
    // deno-lint-ignore no-control-regex
    assert(!/[\u202E\u200B\u2066\u001B]/.test(shown.stdout + shown.stderr), shown.stderr);
  }
  const { warnings } = (await call(world, ["plan", "--json"])).envelope();
  assertEquals(warnings.filter((line) => line.includes(content)).length, 1);
  assertEquals(
    warnings.filter((line) => line.includes('tidy/a<U+2066>b<U+000A>.md" has hidden')).length,
    1,
  );
});

Deno.test("previews tell lines that end otherwise apart", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, CODEX);
  await deploy(world);
  await world.write("m/changelog.md", "Write a changelog entry.\r\n");
  const { stdout, stderr } = await call(world, ["diff"]);
  assertStringIncludes(stdout, "-Write a changelog entry.\n+Write a changelog entry.␍\n");
  assertEquals(stderr.includes("hidden"), false);
});
