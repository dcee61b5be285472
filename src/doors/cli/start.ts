/** Begins the program: the world it runs in, and the command line in that. */

import { confinedHttp, realHttp } from "../../base/system/real/http.ts";
import { completePath, liesInDevices } from "../../base/system/real/at_start.ts";
import { realSystem } from "../../base/system/real/mod.ts";
import type { Streams } from "../../base/system/real/terminal.ts";
import { serviceOf } from "../../pipeline/wings.ts";
import { asksOnly, takeWords, unknownCommand } from "../../pipeline/line/words.ts";
import { EXIT } from "../../base/error.ts";
import { loadSettings } from "../../state/settings/mod.ts";
import type { Environment, System } from "../../base/system/mod.ts";
import { chooseColors, colorAsked } from "./colors.ts";
import { aliasEntries, type Aliases, aliasPlace, ENTRIES, expanded } from "./entries.ts";
import { ownLine } from "./programs/mod.ts";

interface Started {
  readonly args: readonly string[];
  /** Whether it is the binary, and not the program from source. */
  readonly standalone: boolean;
  readonly env: Parameters<typeof serviceOf>[0];
  /** Standard input and output where something of them was used already. */
  readonly streams: Streams | undefined;
}

/** The real world of the process. */
export function worldOf({ args, standalone, env, streams }: Started): System {
  completePath();
  // Deno takes away /dev, /proc and /sys as soon as one permission is given up, and repositories may lie there.
  const http = standalone && !liesInDevices(args) ? confinedHttp(serviceOf(env)) : realHttp;
  return realSystem(http, streams);
}

// The command line: from the argument vector to the exit code, and which ones may need the network.

/** First words of what may ask or change something at the service of a wing, or carry out what was asked for before. */
const REACH_OUT: readonly string[] = [
  "stocktrim",
  "confirm",
  "approve",
  "mcp",
  "serve",
  "run-worker",
  "complete",
];

/** First words of what listens on this machine, or looks whether somebody does. */
const LOOPBACK: readonly string[] = ["server", "server-worker", "server-probe"];

/** Whether a command line may need the network. Git and other programs have their own. */
export function mayNeedNetwork(
  path: readonly string[] | undefined,
  env: Pick<Environment, "get">,
): boolean {
  const [first = ""] = path ?? [];
  return LOOPBACK.includes(first) ||
    (REACH_OUT.includes(first) && serviceOf(env) !== null);
}

/** Runs one command line; answers the exit code of the process. */
export async function runCommandLine(world: System, given: readonly string[]): Promise<number> {
  // "amof help push" is "amof push --help".
  const said = given[0] === "help" ? [...given.slice(1), "--help"] : given;
  const { program } = world.env;
  const whole = await ownLine(program);
  if (whole !== null) {
    world.http.forgo();
    return await whole.run(world, said, program);
  }
  // Colours are chosen before flags are read, because problems with flags are printed in colour, too.
  const color = colorAsked(said);
  chooseColors(world.terminal, world.env, color ?? "auto");
  let argv = said;
  try {
    let aliases: Aliases = {};
    // A command of amof needs no look at the aliases.
    if (aliasPlace(said) >= 0) {
      ({ aliases } = await loadSettings(world, { lenient: asksOnly(said) }));
      argv = expanded(said, aliases);
    }
    const { words, rest } = takeWords(argv, ENTRIES);
    const named = ENTRIES.find((candidate) =>
      candidate.path.length === words.length &&
      candidate.path.every((word, index) => word === words[index])
    );
    if (!mayNeedNetwork(named?.path, world.env)) world.http.forgo();
    if (named?.kind === "program") {
      const { delegate } = await named.load();
      if (delegate !== undefined) return await delegate.run(world, rest, `amof ${words.join(" ")}`);
    }
    // What names a command and asks for no page is carried out.
    if (named === undefined || asksOnly(argv)) {
      const { printAsked } = await import("./asked_page.ts");
      const typed = argv === said ? given : argv;
      if (await printAsked(world, typed, named, { words, rest })) return EXIT.ok;
    }
    if (named === undefined) {
      throw unknownCommand(words, rest, [...ENTRIES, ...aliasEntries(aliases)]);
    }
    const { runEntry } = await import("./run_entry.ts");
    return await runEntry(world, await named.load(), rest, { color, run: runCommandLine });
  } catch (thrown) {
    // A reader that went away, such as `head`, is no failure.
    if (thrown instanceof Error && thrown.name === "BrokenPipe") return EXIT.ok;
    const { printFailure } = await import("./answer.ts");
    return printFailure(world, argv, thrown);
  }
}
