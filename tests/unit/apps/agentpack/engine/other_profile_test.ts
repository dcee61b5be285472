import { assertEquals, assertMatch } from "@std/assert";
import { deployPlan, plan } from "../../../../support/pack_calls.ts";
import { deploy, setUp } from "../../../../support/pack_fixture.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

Deno.test("plan() and deploy say that files would go only because another profile is meant", async () => {
  await using world = await PackWorld.inMemory();
  await setUp(world, "  cursor: { mode: files, scope: project }");
  await deploy(world, { profile: "more" });
  for (const ask of [plan, deployPlan]) {
    const { data, warnings } = await ask(world.reader(), {});
    assertEquals(data.summary, { create: 0, update: 0, delete: 1 });
    assertMatch(
      warnings.join(),
      /profile "default" does not select "instructions:beta", so 1 file would be deleted; --profile more selects them/,
    );
  }
  assertEquals((await plan(world.reader(), { profile: "more" })).warnings, []);
});

Deno.test("plan() says nothing of profiles where a module is gone for good", async () => {
  await using world = await PackWorld.inMemory();
  const targets = "  cursor: { mode: files, scope: project }";
  const module = (name: string) =>
    `\n  - { id: "instructions:${name}", type: instructions, tags: [base], source: { local_path: { path: m/${name} } } }`;
  await setUp(world, targets, module("alpha") + module("beta"));
  await deploy(world);
  await setUp(world, targets, module("alpha"));
  const { data, warnings } = await plan(world.reader(), {});
  assertEquals(data.summary, { create: 0, update: 0, delete: 1 });
  assertEquals(warnings.filter((warning) => warning.includes("profile")), []);
});
