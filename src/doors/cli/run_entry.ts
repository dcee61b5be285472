/** Carries out a line of which it is known what it names: from its arguments to the exit code. */

import { AmofError } from "../../base/error.ts";
import { makeApp } from "../../pipeline/app.ts";
import { type Entry, parseInvocation } from "../../pipeline/line/parse.ts";
import type { RunLine } from "../../pipeline/line/program.ts";
import { type Color, loadSettings, withSettings } from "../../state/settings/mod.ts";
import { layoutOf } from "../../base/system/layout.ts";
import type { System } from "../../base/system/mod.ts";
import { chooseColors } from "./colors.ts";
import type { GlobalFlags } from "../../pipeline/line/flags.ts";

/**
 * Whether what goes on is shown live: to a person at a terminal that can move its cursor, who has not asked for lines
 * or for silence. In CI nobody looks while it goes on.
 */
function showsLive(
  { env, terminal }: System,
  { json, quiet, verbose }: {
    readonly json: boolean;
    readonly quiet: boolean;
    readonly verbose: boolean;
  },
): boolean {
  const set = (name: string) => !["", "false"].includes(env.get(name) ?? "");
  return terminal.stdoutIsTerminal && terminal.stderrIsTerminal && !json && !quiet && !verbose &&
    (env.platform === "windows" || !["", "dumb"].includes(env.get("TERM") ?? "")) && !set("CI");
}

/** Looks at what was asked for before anything is done. Throws `invalid_arguments`. */
async function checkForm({ jq }: Pick<GlobalFlags, "jq">): Promise<void> {
  if (jq !== null) await (await import("./jq.ts")).checkExpression(jq);
}

/** Runs a command or program with what stands behind its words; `run` runs whole command lines. Answers the exit code. */
export async function runEntry(
  world: System,
  entry: Entry,
  rest: readonly string[],
  { color, run }: { readonly color: Color | null; readonly run: RunLine },
): Promise<number> {
  const settings = await loadSettings(world, {
    lenient: entry.kind === "program" && entry.lenient === true,
  });
  // `config` tells where a value comes from, so it must see the environment without the values of the file.
  const system = entry.path[0] === "config" ? world : withSettings(world, settings);
  chooseColors(world.terminal, world.env, color ?? settings.color ?? "auto");
  const invocation = await parseInvocation(entry, rest);
  const appIn = (world: System) =>
    makeApp(world, layoutOf(system.env), {
      settings,
      root: invocation.flags.root,
      jobs: invocation.flags.jobs,
      timeout: invocation.switches.timeout,
    });
  try {
    await checkForm(invocation.flags);
    if (entry.kind === "program") {
      const { argumentsFor, programContext } = await import("./run_program.ts");
      const args = await argumentsFor(entry, invocation);
      return await entry.main({ ...programContext(appIn(system), invocation.flags), run }, args);
    }
    // Programs, and first of all the servers, begin without what commands are carried out with.
    const { runCommand } = await import("./run_command.ts");
    if (!showsLive(system, invocation.flags)) {
      return await runCommand(appIn(system), entry, invocation, null);
    }
    const { Area, withArea } = await import("./live/area.ts");
    const area = new Area(system, entry.path.join(" "));
    try {
      return await runCommand(appIn(withArea(system, area)), entry, invocation, area);
    } finally {
      area.end();
    }
  } catch (error) {
    if (!(error instanceof AmofError) || !/\bthe same command\b/.test(error.hint)) throw error;
    const { failedAgain } = await import("./implied.ts");
    throw failedAgain(error, invocation);
  }
}
