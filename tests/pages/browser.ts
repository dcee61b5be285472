/**
 * A headless Chromium for tests of the server's pages.
 *
 * @module
 */

import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { ServerOf } from "../support/server.ts";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

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
  });
}

/** How a page is looked at. */
export interface Sight {
  readonly width?: number;
  readonly dark?: boolean;
  readonly script?: boolean;
}

/** Makes a window of its own for one server, signed in by its token. */
export async function windowOn(
  browser: Browser,
  server: ServerOf,
  { width = 1280, dark = false, script = true }: Sight = {},
): Promise<BrowserContext> {
  return await browser.newContext({
    baseURL: `http://127.0.0.1:${server.port}`,
    viewport: { width, height: width < 600 ? 844 : 800 },
    colorScheme: dark ? "dark" : "light",
    javaScriptEnabled: script,
    extraHTTPHeaders: { authorization: `Bearer ${server.token}` },
  });
}

/** Opens a page and waits until it shows how the repositories stand. */
export async function open(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(path);
  return page;
}
