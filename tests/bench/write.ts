/**
 * Writes figures for readers: `.github/pictures/speed.json` and `speed.svg`, and the table of the README.
 *
 * @module
 */

import { join } from "@std/path";
import { cpus, release } from "node:os";
import type { Row } from "./measure.ts";
import { merged, type Speed, speedOf, speedPlot, withSpeed } from "./shown.ts";

/** Where the figures are kept, below the repository. */
export const SPEED_FILE = ".github/pictures/speed.json";

/** The figures that are shown now, or null when none were written yet. */
export async function readSpeed(root: string): Promise<Speed | null> {
  const text = await Deno.readTextFile(join(root, SPEED_FILE)).catch(() => null);
  return text === null ? null : JSON.parse(text) as Speed;
}

function machine(): string {
  const all = cpus();
  return `${all.length} × ${all[0]?.model.trim() ?? "unknown"}, ${Deno.build.os} ${release()}`;
}

/** Writes the figures of this run; of a part of it, with the others as they were. */
export async function writeSpeed(root: string, rows: readonly Row[]): Promise<void> {
  const { version } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
  const date = new Date().toISOString().slice(0, 10);
  const now = speedOf(rows, { machine: machine(), date, version });
  const speed = merged(await readSpeed(root), now);
  await Deno.writeTextFile(join(root, SPEED_FILE), `${JSON.stringify(speed, null, 2)}\n`);
  await Deno.writeTextFile(join(root, ".github/pictures/speed.svg"), speedPlot(speed));
  const readme = join(root, "README.md");
  await Deno.writeTextFile(readme, withSpeed(await Deno.readTextFile(readme), speed));
}
