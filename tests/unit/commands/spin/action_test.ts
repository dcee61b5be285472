// Covers spinCommand(): what was agreed to and is not approved any more does not run.

import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../../src/base/error.ts";
import type { ExecuteContext } from "../../../../src/contract/mod.ts";
import { spinDeploy } from "../../../../src/commands/spin/deploy.ts";
import { readProvisioner } from "../../../../src/commands/spin/provisioner.ts";
import { Git } from "../../../../src/git/mod.ts";
import { openStore } from "../../../../src/state/store/open.ts";
import { PROVISIONER, worldWithProvisioner } from "../../../support/provisioner.ts";
import { hermetic } from "../../_support.ts";

Deno.test({
  name: "a script whose approval was taken back since it was agreed to does not run",
  ignore: Deno.build.os === "windows", // shell script
  async fn() {
    await using world = await worldWithProvisioner("touch ran");
    const store = openStore(":memory:");
    const system = hermetic(world);
    const ctx = {
      system,
      git: new Git(system),
      root: world.control,
      ecosystem: "demo",
      ticket: null,
      runId: "run_1",
      store: () => Promise.resolve(store),
      environments: store.environments,
    } as unknown as ExecuteContext;
    const { provisioner: { hash } } = await readProvisioner(ctx, PROVISIONER);
    const facts = { provisioner: PROVISIONER, hash, argument: "demo", timeout_s: 5 };
    const refused = await assertRejects(
      async () => await spinDeploy.execute(ctx, { timeout: 5 } as never, facts as never),
      AmofError,
    );
    assertEquals(refused.code, "provisioner_untrusted");
    assertEquals(await Deno.stat(join(world.control, "ran")).catch(() => null), null);
  },
});
