/**
 * `amof ecosystem switch`, from outside.
 *
 * @module
 */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { World } from "../support/world.ts";

async function two(): Promise<World> {
  const world = await World.withEcosystem({ repos: [] });
  await world.addEcosystem("shop", { repos: [] });
  return world;
}

/** The ecosystem a call without a name means, or the error code. */
async function meant(
  world: World,
  options: { cwd?: string; args?: readonly string[] } = {},
): Promise<unknown> {
  const ran = await world.amof(
    [...options.args ?? [], "ecosystem", "describe", "--json"],
    options.cwd === undefined ? {} : { cwd: options.cwd },
  );
  return pick(ran.json(), "error") ?? pick(ran.json(), "name");
}

Deno.test("amof ecosystem switch is remembered by later calls", async () => {
  await using world = await two();
  assertEquals(await meant(world), "scope_required");
  const ran = await world.amof(["ecosystem", "switch", "shop", "--json"]);
  assertEquals(ran.code, 0);
  assertEquals(pick(ran.json(), "active_ecosystem"), "shop");
  assertEquals(await meant(world), "shop");
  await world.amof(["ecosystem", "switch", "demo"]);
  assertEquals(await meant(world), "demo");
  // What is remembered has no preview, and a dry run remembers nothing.
  for (const line of [["ecosystem", "switch", "shop"], ["back"], ["config", "edit"]]) {
    const dry = await world.amof([...line, "--dry-run", "--json"]);
    assertEquals([dry.code, pick(dry.json(), "error")], [2, "invalid_arguments"], dry.stdout);
  }
  assertEquals((await world.amof(["scope", "--dry-run"])).code, 0);
  assertEquals(await meant(world), "demo");
});

Deno.test("amof ecosystem switch is remembered for each control repository by itself", async () => {
  await using world = await two();
  await using other = await two();
  const env = { AMOF_HOME: join(world.directory, "state") };
  const otherMeans = async () => {
    const ran = await other.amof(["ecosystem", "describe", "--json"], { env });
    return pick(ran.json(), "error") ?? pick(ran.json(), "name");
  };
  await world.amof(["ecosystem", "switch", "shop"]);
  assertEquals(await otherMeans(), "scope_required");
  await other.amof(["ecosystem", "switch", "demo"], { env });
  assertEquals(await otherMeans(), "demo");
  assertEquals(await meant(world), "shop");
});

Deno.test("amof ecosystem switch yields to -e and to where the caller stands", async () => {
  await using world = await two();
  await world.install("demo");
  await world.amof(["ecosystem", "switch", "shop"]);
  assertEquals(await meant(world, { args: ["-e", "demo"] }), "demo");
  assertEquals(await meant(world, { cwd: world.workspace("demo") }), "demo");
  assertEquals(await meant(world, { cwd: join(world.control, "ecosystems", "demo") }), "demo");
  assertEquals(await meant(world), "shop");
});

Deno.test("amof ecosystem switch refuses an unknown name and keeps the choice", async () => {
  await using world = await two();
  await world.amof(["ecosystem", "switch", "shop"]);
  const ran = await world.amof(["ecosystem", "switch", "shopp"]);
  assertEquals(ran.code, 2);
  assertEquals(ran.stdout, "");
  assertStringIncludes(ran.stderr, 'did you mean "shop"?');
  assertStringIncludes(ran.stderr, "demo and shop");
  assertEquals(await meant(world), "shop");
});

Deno.test("amof ecosystem switch needs a name", async () => {
  await using world = await two();
  const ran = await world.amof(["ecosystem", "switch"]);
  assertEquals(ran.code, 2);
  assertStringIncludes(ran.stderr, "ECOSYSTEM is required");
});

Deno.test("amof ecosystem switch does not outlive the ecosystem it chose", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.addEcosystem("shop", { repos: [] });
  await world.addEcosystem("third", { repos: [] });
  await world.amof(["ecosystem", "switch", "shop"]);
  await Deno.remove(join(world.control, "ecosystems", "shop"), { recursive: true });
  assertEquals(await meant(world), "scope_required");
});

Deno.test("amof ecosystem switch changes nothing in the control repository", async () => {
  await using world = await two();
  const before = await world.fingerprint();
  await world.amof(["ecosystem", "switch", "shop"]);
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof ecosystem switch tells whether there is a workspace, and what to do when there is none", async () => {
  await using world = await two();
  await world.install("demo");
  const first = async (name: string) => {
    const ran = await world.amof(["ecosystem", "switch", name, "--json"]);
    return [pick(ran.json(), "installed"), pick(ran.json(), "suggested_actions", 0, "id")];
  };
  assertEquals(await first("demo"), [true, "get_ecosystem_status"]);
  assertEquals(await first("shop"), [false, "install_ecosystem"]);
  await world.write("control/ecosystems/shop/ecosystem.yaml", "repos: 7\n");
  assertEquals((await first("shop"))[0], null);
});

Deno.test("amof back returns to the ecosystem chosen before, and there again", async () => {
  await using world = await two();
  const back = async (...flags: string[]) => {
    const ran = await world.amof(["back", ...flags, "--json"]);
    return [ran.code, pick(ran.json(), "moved"), await meant(world)];
  };
  assertEquals(await back(), [0, false, "scope_required"]);
  await world.amof(["ecosystem", "switch", "shop"]);
  // It says where it stays.
  assertMatch((await world.amof(["back"])).stdout, /^Stayed at global > shop\./m);
  await world.amof(["ecosystem", "switch", "demo"]);
  assertEquals(await back(), [0, true, "shop"]);
  assertEquals(await back(), [0, true, "demo"]);
  assertEquals(await back("--to-global"), [0, true, "scope_required"]);
  assertEquals(await back(), [0, true, "demo"]);
});

Deno.test("amof scope says the same of its place in the answer and in _context", async () => {
  await using world = await two();
  for (const place of [null, "shop"]) {
    if (place !== null) await world.amof(["ecosystem", "switch", place]);
    const answer = (await world.amof(["scope", "--json"])).json();
    assertEquals(pick(answer, "ecosystem"), place);
    for (const member of ["scope", "ecosystem", "breadcrumb", "mode"]) {
      assertEquals(pick(answer, "_context", member), pick(answer, member), member);
    }
  }
});

Deno.test("amof mode says how the mode of a call is chosen", async () => {
  await using world = await two();
  const kept = await world.amof(["mode", "execute"]);
  assertEquals(kept.code, 0, kept.stderr);
  const other = await world.amof(["mode", "plan"]);
  assertEquals(other.code, 2);
  assertStringIncludes(other.stderr, "amof push --mode plan");
});
