/**
 * A day of use in minutes: `deno task soak [--minutes N] [--seed N] [--shift SECONDS] [--shifts N] [--place PLACE]
 * [--keep]`.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { Report } from "../chaos/report.ts";
import { soak } from "./soak.ts";

const flags = parseArgs(Deno.args, {
  string: ["minutes", "seed", "shift", "shifts", "place"],
  boolean: ["help", "keep"],
});
const number = (name: string, fallback: number) => Number(flags[name] ?? fallback);
const seed = number("seed", Date.now() % 1_000_000);
const minutes = number("minutes", 5);
const shift = number("shift", 30);
const shifts = number("shifts", Infinity);
const place: unknown = flags["place"];

// The lint rule is about the program; this is how a tool speaks.
function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

const places = (["steady", "fragile"] as const).filter((one) =>
  place === undefined || one === place
);
const isBad = !Number.isInteger(seed) || !(minutes > 0) || !(shift > 0) || !(shifts > 0) ||
  places.length === 0 || Deno.build.os !== "linux";
if (flags["help"] === true || isBad) {
  say("--minutes, --shift (in seconds) and --shifts take numbers above 0, --seed a whole one,");
  say("--place steady or fragile, --keep ends at the first shift that finds something and leaves");
  say("the places as they are; Linux only");
  Deno.exit(2);
}
say(`seed ${seed}, ${minutes} minutes`);
const report = new Report(`Soak of ${minutes} minutes, seed ${seed}`, say);
const until = Date.now() + minutes * 60_000;
await soak(
  { seed, until, shiftMs: shift * 1000, shifts, places, keep: flags["keep"] === true },
  report,
  say,
);
say(report.lines().join("\n"));
// Whatever a process makes for tests it removes when it exits, so this one does not get that far.
if (flags["keep"] === true && report.findings.length > 0) Deno.kill(Deno.pid, "SIGKILL");
Deno.exit(report.findings.length > 0 ? 1 : 0);
