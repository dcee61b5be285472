/**
 * Writes the pictures of the README anew, from the real program: `deno task screenshots`.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { ServerOf } from "../support/server.ts";
import { World } from "../support/world.ts";
import { openLive, startBrowser, windowOn } from "./browser.ts";
import { disorder, install, releases, SIX } from "./scenery.ts";

const PICTURES = fromFileUrl(new URL("../../.github/pictures/", import.meta.url));

await using world = await World.make();
await install(world, "shop", SIX);
for (
  const args of [
    ["sync", "--repo", "api,billing"],
    ["exec", "--repo", "api,billing,docs", "--", "git", "log", "-1", "--stat"],
    ["exec", "--repo", "search", "--", "git", "show", "nothing"],
  ]
) await world.amof(["-e", "shop", "--quiet", ...args]);
const { runs } = (await world.amof(["runs", "list", "--json"])).json();
const [, run] = runs as { run_id: string }[];
await disorder(world, "shop", "feature/SHOP-142");
await releases(world, ["Say who asked", "Round totals once"]);
await using server = await ServerOf.start(world);
const browser = await startBrowser();
try {
  for (
    const [name, path, sight, height] of [
      ["ecosystem", "/ecosystems/shop", {}, 620],
      ["run", `/runs/${run?.run_id}`, { dark: true }, 560],
      ["releases", "/releases", {}, 620],
    ] as const
  ) {
    const context = await windowOn(browser, server, sight);
    const page = await openLive(context, path);
    await page.setViewportSize({ width: 1100, height });
    await page.screenshot({ path: join(PICTURES, `${name}.png`) });
    await context.close();
  }
} finally {
  await browser.close();
}
