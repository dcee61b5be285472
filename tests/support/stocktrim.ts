/**
 * The stand-in of StockTrim for tests, and the search for its credentials in whatever a test has produced.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { type FakeStockTrim, startFake } from "./stocktrim/server.ts";
import { World } from "./world.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";
import type { System } from "../../src/base/system/mod.ts";

/** A running stand-in with credentials that nothing else is called. */
export interface TestStockTrim extends FakeStockTrim {
  /** The variables by which the program finds it. */
  readonly env: Readonly<Record<string, string>>;
  /** The requests so far as lines: `GET /api/Products?code=SKU-001`. */
  lines(): string[];
}

/** Starts a stand-in; dispose of it when the test ends. */
export async function fakeStockTrim(): Promise<TestStockTrim> {
  const secret = () => `secret-${crypto.randomUUID()}`;
  const fake = await startFake({ id: secret(), signature: `Tenant & Sons/${secret()}` });
  return {
    ...fake,
    [Symbol.asyncDispose]: () => fake[Symbol.asyncDispose](),
    env: {
      STOCKTRIM_BASE_URL: fake.url,
      STOCKTRIM_API_AUTH_ID: fake.id,
      STOCKTRIM_API_AUTH_SIGNATURE: fake.signature,
    },
    lines: () =>
      fake.requests.map(({ method, path, query }) => {
        const search = new URLSearchParams(query).toString();
        return `${method} ${path}${search === "" ? "" : `?${search}`}`;
      }),
  };
}

/** A world whose programs find a stand-in; what is changed there is a change of the world. */
export async function worldWithStockTrim(): Promise<{ world: World; shop: TestStockTrim }> {
  const [world, shop] = await Promise.all([World.make(), fakeStockTrim()]);
  await world.makeControl();
  Object.assign(world.env, shop.env);
  // Also a change that comes to nothing must not have been sent.
  world.outside.push(() => [JSON.stringify(shop.shop), ...changesIn(shop)].join("\n"));
  return { world, shop };
}

/** The requests so far that may change something. */
export function changesIn(shop: TestStockTrim): string[] {
  return shop.lines().filter((line) => !line.startsWith("GET ") && line !== "POST /api/OrderPlan");
}

/** The real world with another environment, in which waiting takes no time and is remembered. */
export function hastyWorld(env: Readonly<Record<string, string>>): {
  readonly system: System;
  /** How long was waited, in milliseconds. */
  readonly waits: number[];
} {
  const waits: number[] = [];
  const real = realSystem();
  let ahead = 0;
  const system: System = {
    ...real,
    env: { ...real.env, get: (name) => env[name] },
    clock: {
      now: () => real.clock.now() + ahead,
      sleep(ms) {
        waits.push(Math.round(ms));
        ahead += ms;
        return Promise.resolve();
      },
    },
  };
  return { system, waits };
}

/** The forms in which a secret may hide. */
function formsOf(secret: string): string[] {
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    btoa(secret),
    [...new TextEncoder().encode(secret)].map((byte) => byte.toString(16).padStart(2, "0")).join(
      "",
    ),
  ];
}

async function filesBelow(directory: string): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(directory)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory) found.push(...await filesBelow(path));
    else if (entry.isFile) found.push(path);
  }
  return found;
}

/**
 * Fails where a credential of the stand-in is in one of these texts, or in any file below these directories.
 * Logs, database and audit of a world lie below its own.
 */
export async function assertNoSecrets(
  service: Pick<FakeStockTrim, "id" | "signature">,
  { texts = [], directories = [] }: {
    readonly texts?: readonly string[];
    readonly directories?: readonly string[];
  },
): Promise<void> {
  const secrets = [service.id, service.signature].flatMap(formsOf);
  const holds = (text: string) => secrets.some((secret) => text.includes(secret));
  const places = texts.flatMap((text, index) => holds(text) ? [`text ${index}: ${text}`] : []);
  for (const directory of directories) {
    for (const path of await filesBelow(directory)) {
      if (holds(new TextDecoder("latin1").decode(await Deno.readFile(path)))) places.push(path);
    }
  }
  assertEquals(places, []);
}
