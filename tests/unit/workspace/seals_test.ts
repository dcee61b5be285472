// Covers SealGuard: what a person looked at is what is sealed, and where the commits of a boxed clone may go.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { sealOf } from "../../../src/git/mod.ts";
import { SealGuard } from "../../../src/workspace/seals/mod.ts";
import { layoutOf } from "../../../src/state/store/mod.ts";
import { openStore } from "../../../src/state/store/open.ts";
import { World } from "../../support/world.ts";
import { hermetic, repositoryIn } from "../_support.ts";

/** A repository, and what keeps the seals of a control repository beside it. */
async function keeping(world: World) {
  const { directory, git, ctx } = await repositoryIn(world);
  await git("remote", "add", "origin", world.url("api"));
  const store = openStore(":memory:");
  const system = hermetic(world);
  const keeper = () =>
    new SealGuard({
      system,
      git: ctx.git,
      layout: layoutOf(system.env),
      store: () => Promise.resolve(store),
      settings: { boxPaths: { hide: [], show: [], write: [] } },
      root: world.directory,
    });
  return { directory, git, system, keeper };
}

Deno.test("what changed once more since a person looked is not sealed, and what did not is", async () => {
  await using world = await World.make();
  const { directory, git, system, keeper } = await keeping(world);
  const digest = (await sealOf(system, directory))?.digest ?? "";
  const looked = { by: "somebody", digests: [digest] };
  assertEquals(await keeper().seal([directory], looked), [directory]);
  await git("config", "core.pager", "evil");
  assertEquals(await keeper().seal([directory], looked), []);
  assertEquals((await keeper().standing(directory)).state, "changed");
});

Deno.test("a second address for pushes that came into a boxed clone does not count", async () => {
  await using world = await World.make();
  const { directory, git, keeper } = await keeping(world);
  await keeper().seal([directory]);
  await keeper().markBoxed(directory);
  await git("config", "remote.origin.pushurl", "/elsewhere");
  const call = { access: "read", network: false, sends: false } as const;
  const bypass = await keeper().before(directory, call, "api");
  assert(bypass !== null && "sanitized" in bypass);
  const config = await Deno.readTextFile(join(String(bypass.sanitized), "config"));
  assertEquals([config.includes(world.url("api")), config.includes("elsewhere")], [true, false]);
});
