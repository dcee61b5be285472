/**
 * The chaos suite: `deno task chaos [--seed N] [--count N] [--only kills,interrupts,callers] [--command NAME] [--all]`.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { callers } from "./callers.ts";
import { VICTIMS } from "./commands.ts";
import { interruptCommand } from "./interrupts.ts";
import { killCommand } from "./kills.ts";
import { Random } from "./random.ts";
import { Report } from "./report.ts";
import type { Victim } from "./victim.ts";

const flags = parseArgs(Deno.args, {
  string: ["seed", "count", "only", "command"],
  boolean: ["all", "help"],
});
const given = (name: string, fallback: string) => String(flags[name] ?? fallback);
const seed = Number(given("seed", String(Date.now() % 1_000_000)));
const only = given("only", "kills,interrupts,callers").split(",");
const count = Number(given("count", "130"));
const everything = flags["all"] === true;
const wanted = given("command", "");
const named = VICTIMS.filter(({ name }) => name === wanted);
const victims = named.length > 0 ? named : VICTIMS.filter(({ name }) => name.startsWith(wanted));
if (
  flags["help"] === true || !Number.isInteger(seed) || !Number.isInteger(count) || count < 1 ||
  victims.length === 0
) {
  say("--seed and --count take whole numbers, --command one of these, or how several begin:");
  for (const { name } of VICTIMS) say(`  ${name}`);
  Deno.exit(2);
}

/** Spreads the trials over the commands. */
async function each(
  title: string,
  random: Random,
  most: number,
  work: (victim: Victim, random: Random, most: number, report: Report) => Promise<void>,
): Promise<Report> {
  const report = new Report(title, say);
  const share = everything ? Infinity : Math.max(1, Math.ceil(most / Math.max(1, victims.length)));
  for (const victim of victims) {
    const before = report.findings.length;
    await work(victim, random.fork(), share, report);
    const found = report.findings.slice(before).length;
    say(`  ${victim.name}: ${found === 0 ? "nothing found" : `${found} findings`}`);
  }
  return report;
}

// The lint rule is about the program; this is how a tool speaks.
function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

say(`seed ${seed}`);
const random = new Random(seed);
const reports: Report[] = [];
if (only.includes("kills")) {
  reports.push(await each("Kills inside git calls", random.fork(), count, killCommand));
}
if (only.includes("interrupts")) {
  const most = Math.ceil(count / 2);
  reports.push(
    await each(
      "Ctrl-C at random moments",
      random.fork(),
      most,
      (victim, chance, times, report) =>
        interruptCommand(victim, chance, Math.min(times, most), report),
    ),
  );
}
if (only.includes("callers")) {
  const report = new Report("Two servers and a person on two ecosystems", say);
  await callers(random.fork(), flags["count"] === undefined ? 1_000 : count, report);
  reports.push(report);
}
for (const report of reports) say(report.lines().join("\n"));
Deno.exit(reports.some((report) => report.findings.length > 0) ? 1 : 0);
