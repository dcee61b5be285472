/**
 * `deno task demo --of stocktrim`: the walk it takes, and the stand-in, which a terminal keeps until Enter is pressed.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { PseudoTerminal, quoted } from "../support/pseudo_terminal.ts";
import { textWidth } from "../../src/base/text/table.ts";
import { assertNoSecrets } from "../support/stocktrim.ts";
import { World } from "../support/world.ts";

const DEMO = fromFileUrl(new URL("../support/demo.ts", import.meta.url));

Deno.test({
  name: "task demo --of stocktrim deletes in a stand-in, which answers until Enter is pressed",
  ignore: Deno.build.os === "windows", // a pseudo-terminal
  async fn() {
    await using world = await World.make();
    const sandbox = join(world.directory, "sandbox");
    const demo = [Deno.execPath(), "run", "--quiet", "--allow-all", DEMO];
    const line = [...demo, "--of", "stocktrim", sandbox].map(quoted).join(" ");
    const terminal = new PseudoTerminal(world, line, { cwd: world.directory });
    const shown = () => terminal.text.replaceAll("\r\n", "\n");
    await terminal.until(() => shown().includes("until you press Enter"), 60_000, shown);
    for (
      const said of [
        "Product SKU-002 deleted successfully",
        'Cannot find the product "SKU-002"',
        "stocktrim_product_delete",
        "amof mcp install claude-code --server stocktrim --dry-run",
      ]
    ) assertStringIncludes(shown(), said);
    const env = Object.fromEntries(
      [...shown().replaceAll("\\\n", "").matchAll(/^export (\w+)=(.*)$/gm)].map((
        found,
      ) => [found[1] ?? "", found[2] ?? ""]),
    );
    const { STOCKTRIM_BASE_URL: url = "", STOCKTRIM_API_AUTH_ID: id = "" } = env;
    const signature = env["STOCKTRIM_API_AUTH_SIGNATURE"] ?? "";
    assert(url !== "" && id !== "" && signature !== "", shown());

    const found = await world.amof(["stocktrim", "product", "get", "SKU-001"], {
      cwd: sandbox,
      env,
    });
    assertEquals([found.code, found.stderr], [0, ""]);
    assertStringIncludes(found.stdout, "Found product SKU-001");
    await terminal.types("\n");
    assertEquals(await terminal.ends(30_000, shown), 0);
    await assertRejects(() => fetch(url));
    assertStringIncludes(shown().replaceAll("\\\n", ""), `Remove it all with:\nrm -r ${sandbox}`);
    assertEquals(shown().split("\n").filter((line) => textWidth(line) > 80), []);
    await assertNoSecrets({ id, signature }, { texts: [found.stdout], directories: [sandbox] });
  },
});
