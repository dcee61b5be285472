// Covers inspectRepos(): a clone that is taken away while it is looked at is missing, and not broken.

import { assertEquals } from "@std/assert";
import { Git } from "../../../../src/git/mod.ts";
import { inspectRepos } from "../../../../src/workspace/clones/mod.ts";
import { loadManifest } from "../../../../src/workspace/manifest/mod.ts";
import { World } from "../../../support/world.ts";
import { hermetic, rememberingReporter } from "../../_support.ts";

Deno.test("inspectRepos() calls a clone missing that went away under its eyes", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const system = hermetic(world);
  const { processes } = system;
  const taking: typeof processes = {
    ...processes,
    run: async (request: Parameters<typeof processes.run>[0]) => {
      if (request.cwd === world.clone("api")) {
        await Deno.remove(world.clone("api"), { recursive: true }).catch(() => {});
      }
      return await processes.run(request);
    },
  };
  const seen = { ...system, processes: taking };
  const { repos } = await loadManifest(seen, world.control, "demo");
  const looked = await inspectRepos(
    { system: seen, git: new Git(seen), jobs: 1, report: rememberingReporter() },
    { workspace: world.workspace(), repos, state: null },
  );
  assertEquals(looked.map(({ repo, missing, error }) => [repo.name, missing, error?.code]), [
    ["api", true, undefined],
    ["web", false, undefined],
  ]);
});
