/**
 * A day of use in minutes: `deno task soak [--minutes N] [--seed N] [--shift SECONDS]`.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { Report } from "../chaos/report.ts";
import { soak } from "./soak.ts";

const flags = parseArgs(Deno.args, { string: ["minutes", "seed", "shift"], boolean: ["help"] });
const number = (name: string, fallback: number) => Number(flags[name] ?? fallback);
const seed = number("seed", Date.now() % 1_000_000);
const minutes = number("minutes", 5);
const shift = number("shift", 30);

// The lint rule is about the program; this is how a tool speaks.
function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

const isBad = !Number.isInteger(seed) || !(minutes > 0) || !(shift > 0) ||
  Deno.build.os !== "linux";
if (flags["help"] === true || isBad) {
  say("--minutes and --shift (in seconds) take numbers above 0, --seed a whole one; Linux only");
  Deno.exit(2);
}
say(`seed ${seed}, ${minutes} minutes`);
const report = new Report(`Soak of ${minutes} minutes, seed ${seed}`, say);
const until = Date.now() + minutes * 60_000;
const places = ["steady", "fragile"] as const;
await soak({ seed, until, shiftMs: shift * 1000, shifts: Infinity, places }, report, say);
say(report.lines().join("\n"));
Deno.exit(report.findings.length > 0 ? 1 : 0);
