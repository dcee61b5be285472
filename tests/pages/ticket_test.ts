// The page of a ticket in a real browser, with its pull requests at a forge.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { beginTicket, forgeWorld } from "../support/forge/world.ts";
import { ServerOf } from "../support/server.ts";
import { CHROMIUM, openLive, startBrowser, violations, windowOn } from "./browser.ts";
import { SCRIPT } from "./scenery.ts";

Deno.test({
  name: "the page of a ticket shows its pull requests, and which repository could not be asked",
  ignore: CHROMIUM === null || Deno.build.os === "windows",
  async fn() {
    await using at = await forgeWorld("github", ["lib", "api", "web"]);
    const { world, forge } = at;
    await beginTicket(world, "P-1", ["lib", "api"]);
    const opened = await world.amof(["pr", "open", "--yes"]);
    assertEquals(opened.code, 0, opened.stderr);
    const head = (repo: string) => world.git(world.clone(repo), "rev-parse", "HEAD");
    forge.checks.set(await head("api"), [{ name: "ci", state: "failure" }]);
    const [lib, api] = [forge.find("lib", 1), forge.find("api", 1)];
    if (lib !== undefined) await forge.merge(lib, await head("lib"), "merge");
    if (api !== undefined) api.title = SCRIPT;
    forge.before = ({ path }) => /shop\/web/.test(path) ? { status: 502, body: {} } : null;
    await using server = await ServerOf.start(world);
    const browser = await startBrowser();
    try {
      for (const sight of [{}, { dark: true }, { width: 390 }]) {
        const context = await windowOn(browser, server, sight);
        const page = await openLive(context, "/ecosystems/demo/tickets/P-1");
        const rows = await page.locator("table.changes tbody tr").allTextContents();
        assertEquals(rows.map((row) => row.replaceAll(/\s+/g, " ")), [
          "lib#1✓mergedmainP-1: lib learns something",
          `api#1·openmain✗failedchecks failed${SCRIPT}`,
        ]);
        const text = await page.locator("main").innerText();
        assertStringIncludes(text, "partly landed");
        assertStringIncludes(text, "web: Cannot read pull requests");
        assertEquals(await violations(page, null), []);
        const width = "document.documentElement.scrollWidth <= innerWidth";
        assertEquals(await page.evaluate(width), true);
        await context.close();
      }
    } finally {
      await browser.close();
    }
  },
});
