/**
 * A headless Chromium for tests of the server's pages.
 *
 * @module
 */

import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { ServerOf } from "../support/server.ts";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** How long a page may take on a machine that has a lot else to do. */
const PATIENCE_MS = 120_000;

/** Where a Chromium is installed; null without one. */
export const CHROMIUM: string | null = PLACES.find((path) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}) ?? null;

/** Starts it. */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: CHROMIUM ?? "",
    args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"],
    timeout: PATIENCE_MS,
  });
}

/** How a page is looked at. */
export interface Sight {
  readonly width?: number;
  readonly dark?: boolean;
  readonly script?: boolean;
}

/** Makes a window of its own for one server, known by its token. */
export async function windowOn(
  browser: Browser,
  server: ServerOf,
  { width = 1280, dark = false, script = true }: Sight = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: `http://127.0.0.1:${server.port}`,
    viewport: { width, height: width < 600 ? 844 : 800 },
    colorScheme: dark ? "dark" : "light",
    javaScriptEnabled: script,
    extraHTTPHeaders: { authorization: `Bearer ${server.token}` },
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** Opens a page. */
export async function open(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

/** Opens a page and waits until it shows how the repositories stand now. */
export async function openLive(context: BrowserContext, path: string): Promise<Page> {
  const page = await open(context, path);
  await page.waitForSelector("main:not([data-more])");
  return page;
}

/** What axe-core finds wrong with a page: rule, and where. All rules count unless some are named. */
export async function violations(page: Page, rules: readonly string[] | null): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = JSON.stringify(rules === null ? {} : { runOnly: rules });
  return await page.evaluate(`axe.run(${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
      id + " " + target.join(" ") + ": " + failureSummary)))`);
}
