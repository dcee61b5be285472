/**
 * The HTTP API at a steady rate, a run that many follow at once, and the pages of many repositories.
 *
 * @module
 */

import { RunInStore } from "../support/run_in_store.ts";
import { ServerOf } from "../support/server.ts";
import type { World } from "../support/world.ts";
import { add, inTurns } from "./measure.ts";
import { installed } from "./reading.ts";

/** Requests in a second, and for how many seconds. */
const RATE = 50;
const SECONDS = 10;
const FOLLOWERS = 50;
const LINES = 10_000;

const PATHS = [
  "/api/v1/ecosystems",
  "/api/v1/ecosystems/demo",
  "/api/v1/runs?limit=20",
  "/api/v1/audit?limit=20",
];

/** How long each request took from when it was due, in milliseconds, and how many failed. */
async function steadily(
  server: ServerOf,
  paths: readonly string[],
): Promise<{ readonly taken: readonly number[]; readonly errors: number }> {
  const headers = { authorization: `Bearer ${server.token}` };
  const taken: number[] = [];
  let errors = 0;
  const began = performance.now();
  await Promise.all(Array.from({ length: RATE * SECONDS }, async (_, at) => {
    const due = began + at * 1000 / RATE;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    const response = await fetch(`http://127.0.0.1:${server.port}${paths[at % paths.length]}`, {
      headers,
    }).catch(() => null);
    await response?.text();
    if (response?.ok !== true) errors++;
    taken.push(performance.now() - due);
  }));
  return { taken: taken.toSorted((a, b) => a - b), errors };
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
}

/** Resident memory of a process in MiB: now, and at most until now; NaN where the platform does not tell. */
async function residentMiB(pid: number): Promise<readonly [now: number, most: number]> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? NaN);
  return [of("VmRSS") / 1024, of("VmHWM") / 1024];
}

/** How long pages about 100 repositories take to their end, before and after these were looked at. */
async function pages(): Promise<void> {
  await using world = await installed(100);
  await using server = await ServerOf.start(world);
  const page = (path: string) => async () => {
    const { status } = await server.ask(path, { headers: { accept: "text/html" } });
    if (status !== 200) throw new Error(`${path} answered ${status}`);
  };
  const began = performance.now();
  await page("/ecosystems/demo")();
  add("first page of a server, 100 repositories", { figure: performance.now() - began });
  const [health = NaN, all = NaN, one = NaN] = await inTurns(
    15,
    page("/api/v1/health"),
    page("/ecosystems"),
    page("/ecosystems/demo"),
  );
  const budget = "≤ 100 ms";
  add("page of all ecosystems, 100 repositories, floor: health", {
    floor: health,
    figure: all,
    budget,
  });
  add("page of one ecosystem, 100 repositories, floor: health", {
    floor: health,
    figure: one,
    budget,
  });
}

/** Measures the server of a world. */
export async function httpApi(world: World): Promise<void> {
  await using server = await ServerOf.start(world);
  // What is loaded with the first call of each kind is not what is measured.
  for (const path of PATHS) await server.ask(path);
  const floor = await steadily(server, ["/api/v1/health"]);
  const { taken, errors } = await steadily(server, PATHS);
  add(`p50 of the API at ${RATE} requests/s, floor: health`, {
    floor: percentile(floor.taken, 0.5),
    figure: percentile(taken, 0.5),
  });
  add(`p99 of the API at ${RATE} requests/s, floor: health`, {
    floor: percentile(floor.taken, 0.99),
    figure: percentile(taken, 0.99),
  });
  add(`errors in ${RATE * SECONDS} requests`, { figure: errors, budget: "0", unit: "" });

  const [before] = await residentMiB(server.pid);
  using run = await RunInStore.begin(world);
  const began = performance.now();
  const followers = Array.from({ length: FOLLOWERS }, async () => {
    const response = await fetch(
      `http://127.0.0.1:${server.port}/api/v1/runs/${run.id}/stream`,
      { headers: { authorization: `Bearer ${server.token}` } },
    );
    const text = await response.text();
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    const inOrder = ids.every((id, at) => id === at + 1);
    return inOrder && text.endsWith("data: [DONE]\n\n") ? LINES - ids.length : LINES;
  });
  for (let at = 0; at < LINES; at += 100) {
    run.print(
      Array.from({ length: 100 }, (_, of) => `line ${at + of} of a build that says a few words`),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  run.end();
  const lost = (await Promise.all(followers)).reduce((sum, each) => sum + each, 0);
  add(`lines lost of ${LINES}, ${FOLLOWERS} followers`, { figure: lost, budget: "0", unit: "" });
  add("until all have them all", { figure: performance.now() - began });
  const [after, most] = await residentMiB(server.pid);
  add("resident after that, floor: before", { floor: before, figure: after, unit: "MiB" });
  add("resident at most", { floor: before, figure: most, unit: "MiB" });
  await pages();
}
