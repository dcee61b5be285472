// The server's pages in a real browser: what is there is seen, follows what happens, and can be used by everybody.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Page } from "playwright-core";
import { RunInStore } from "../support/run_in_store.ts";
import { ServerOf } from "../support/server.ts";
import { World } from "../support/world.ts";
import { CHROMIUM, open, openLive, startBrowser, violations, windowOn } from "./browser.ts";
import { disorder, install, releases, SCRIPT, SIX } from "./scenery.ts";

/** A branch may hold all of this; git forbids only the blank. */
const BRANCH = `feature/${SCRIPT}`;

async function rowsOf(page: Page): Promise<string[]> {
  const rows = await page.locator("table.repos tbody tr").allInnerTexts();
  return rows.map((row) => row.replaceAll(/\s+/g, " ").trim());
}

Deno.test({
  name: "the server's pages in a browser",
  ignore: CHROMIUM === null,
  fn: async (t) => {
    await using world = await World.make();
    await install(world, "shop", SIX);
    await disorder(world, "shop", BRANCH);
    await releases(world, [`Greet ${SCRIPT}`]);
    const printed = await world.amof([
      "-e",
      "shop",
      "exec",
      "--quiet",
      "--repo",
      "api,billing",
      "--",
      "echo",
      SCRIPT,
    ]);
    assertEquals(printed.code, 0, printed.stderr);
    await using server = await ServerOf.start(world);
    const listed = (await world.amof(["runs", "list", "--json"])).json();
    const [{ run_id: run } = { run_id: "" }] = listed["runs"] as { run_id: string }[];
    const views = [
      "/ecosystems",
      "/ecosystems/shop",
      "/ecosystems/nothing",
      "/runs",
      "/runs?status=cancelled",
      `/runs/${run}`,
      "/releases",
      "/audit",
      "/telemetry",
      "/approvals",
      "/passkeys",
    ];
    const browser = await startBrowser();
    try {
      await t.step("an ecosystem fills in how its repositories stand, problems first", async () => {
        const context = await windowOn(browser, server);
        const page = await openLive(context, "/ecosystems/shop");
        assertEquals((await rowsOf(page)).map((row) => row.replace(/ [0-9a-f]{7}$/, "")), [
          "gateway - ✗MISSING -",
          "api main !DIRTY ±2 changed",
          "billing main !UNPUSHED ↑2 ahead",
          "search main !BEHIND ↓1 behind",
          "docs RO main ✓OK",
          `web ${BRANCH} ✓OK ${SCRIPT}`,
        ]);
        assertEquals(await page.evaluate("performance.getEntriesByType('navigation').length"), 1);
        // What changes in a working copy is seen with the next look, on the very same page.
        await page.evaluate("window.kept = 'kept'; document.getElementById('keys').open = true");
        await world.write("control/worktrees/shop/repos/docs/new.txt", "new\n");
        await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
        await page.waitForSelector("#repo-docs .attention");
        assertEquals(
          await page.evaluate("[window.kept, document.getElementById('keys').open]"),
          ["kept", true],
        );
        await Deno.remove(`${world.clone("docs", "shop")}/new.txt`);
        await context.close();
      });

      await t.step("names, subjects and lines of logs are text", async () => {
        const context = await windowOn(browser, server);
        for (const path of ["/ecosystems", "/ecosystems/shop", "/releases", `/runs/${run}`]) {
          const page = await openLive(context, path);
          assertStringIncludes(await page.locator("main").innerText(), SCRIPT, path);
          assert(!(await page.title()).includes("taken"), path);
          assertEquals(await page.locator("main script, main b").count(), 0, path);
          await page.close();
        }
        await context.close();
      });

      await t.step("all of it is reached by keyboard", async () => {
        const context = await windowOn(browser, server);
        const page = await openLive(context, "/ecosystems/shop");
        await page.keyboard.press("Tab");
        assertEquals(await page.evaluate("document.activeElement.className"), "skip");
        const skip = await page.locator("a.skip").boundingBox();
        assert(skip !== null && skip.y >= 0, "the link is seen");
        await page.keyboard.press("Enter");
        assertEquals(await page.evaluate("document.activeElement.id"), "main");
        await page.keyboard.press("j");
        await page.keyboard.press("j");
        assertEquals(await page.evaluate("document.activeElement.id"), "repo-api");
        await page.keyboard.press("k");
        assertEquals(await page.evaluate("document.activeElement.id"), "repo-gateway");
        await page.keyboard.press("/");
        // A key that is typed into a field is no shortcut.
        await page.keyboard.type("?gr");
        assertEquals(await page.locator("input[name=repo]").inputValue(), "?gr");
        await page.keyboard.press("Enter");
        await page.waitForURL("**/ecosystems/shop?repo=*");
        await page.locator("main").focus();
        await page.keyboard.press("?");
        assertEquals(await page.locator("#keys").getAttribute("open"), "");
        await page.locator("main").focus();
        await page.keyboard.press("g");
        await page.keyboard.press("r");
        await page.waitForURL("**/runs");
        await page.keyboard.press("j");
        await page.keyboard.press("Enter");
        await page.waitForURL(`**/runs/${run}`);
        await context.close();
      });

      await t.step(
        "without its script a page is whole, and a link has the live state",
        async () => {
          const context = await windowOn(browser, server, { script: false });
          const page = await open(context, "/ecosystems/shop");
          assertEquals((await rowsOf(page)).length, SIX.length);
          await page.locator("noscript a").click();
          await page.waitForURL("**/ecosystems/shop?live");
          assertStringIncludes((await rowsOf(page)).join("\n"), "MISSING");
          await page.locator("select[name=show]").selectOption("needs attention");
          await page.getByRole("button", { name: "Apply" }).click();
          await page.waitForURL("**/ecosystems/shop?repo=&show=needs+attention");
          assertEquals((await rowsOf(page)).length, 4);
          await context.close();
        },
      );

      await t.step(
        "the log of a run goes on without a reload, and its lines are text",
        async () => {
          using printing = await RunInStore.begin(world);
          printing.print(["first line"]);
          const context = await windowOn(browser, server);
          const page = await open(context, `/runs/${printing.id}`);
          const log = page.locator("#log");
          await log.getByText("first line").waitFor();
          const lines = Array.from({ length: 300 }, (_, index) => `line ${index} ${SCRIPT}`);
          printing.print(lines);
          await log.getByText(lines.at(-1) ?? "").waitFor();
          assertEquals(await log.locator(".said").allTextContents(), ["first line", ...lines]);
          assertEquals(await log.locator("script, b").count(), 0);
          // It follows until somebody scrolls up to read, and the key begins it again.
          const atEnd = "(log => log.scrollHeight - log.scrollTop - log.clientHeight < 30)" +
            "(document.getElementById('log'))";
          await page.waitForFunction(atEnd);
          await log.evaluate((list) => list.scrollTo(0, 0));
          await page.waitForSelector("#follow:not(:checked)");
          printing.print(["later line"]);
          await log.getByText("later line").waitFor({ state: "attached" });
          assertEquals(await page.evaluate(atEnd), false);
          await page.keyboard.press("f");
          await page.waitForFunction(atEnd);
          printing.end();
          await page.waitForSelector("#log[data-ended]");
          // The record of the run on the same page says so as well.
          await page.locator(".heading .state", { hasText: "success" }).waitFor();
          assertEquals(await log.locator("li").count(), lines.length + 2);
          await context.close();
        },
      );

      await t.step("tabs that nobody sees hold no connection, and miss nothing", async () => {
        using printing = await RunInStore.begin(world);
        printing.print(["first line"]);
        const context = await windowOn(browser, server);
        const show = (page: Page, state: "hidden" | "visible") =>
          page.evaluate(
            `Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
            document.dispatchEvent(new Event("visibilitychange"))`,
          );
        const pages: Page[] = [];
        // A browser opens six connections to a server, and each of these pages listens to two streams.
        for (let tab = 0; tab < 8; tab++) {
          const page = await open(context, `/runs/${printing.id}`);
          await page.locator("#log").getByText("first line").waitFor();
          await show(page, "hidden");
          pages.push(page);
        }
        const [first] = pages;
        assert(first !== undefined);
        printing.print(["while nobody looked"]);
        await show(first, "visible");
        const log = first.locator("#log");
        await log.getByText("while nobody looked").waitFor();
        printing.print(["again live"]);
        await log.getByText("again live").waitFor();
        printing.end();
        await first.waitForSelector("#log[data-ended]");
        assertEquals((await log.locator(".said").allTextContents()).slice(0, 3), [
          "first line",
          "while nobody looked",
          "again live",
        ]);
        await context.close();
      });

      await t.step(
        "axe-core finds nothing in light, in dark and on a phone, and nothing is cut off",
        async () => {
          const context = await windowOn(browser, server);
          for (const path of views) {
            const page = await openLive(context, path);
            assertEquals(await violations(page, null), [], path);
            await page.emulateMedia({ colorScheme: "dark" });
            // What does not depend on colours is the same as before.
            assertEquals(await violations(page, ["color-contrast"]), [], `${path} in dark`);
            await page.setViewportSize({ width: 360, height: 740 });
            assertEquals(await violations(page, null), [], `${path} on a phone`);
            const wider = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
            assertEquals(wider, false, path);
            await page.close();
          }
          await context.close();
        },
      );
    } finally {
      await browser.close();
    }
  },
});
