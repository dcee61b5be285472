/**
 * Which git processes a command starts, noted by a program named git that hands everything on to the real one.
 *
 * @module
 */

import { join } from "@std/path";
import { type Ran, World } from "./world.ts";

/** A call of git: where, and with which verb. */
export interface GitCalled {
  readonly directory: string;
  readonly verb: string;
}

/** Runs the program under test and answers besides which calls of git it made. POSIX only. */
export async function callsOfGit(
  world: World,
  args: readonly string[],
): Promise<{ readonly ran: Ran; readonly calls: readonly GitCalled[] }> {
  const noted = join(world.directory, "git-calls");
  const env = await world.wrapGit(
    [
      '(while [ "$1" = -c ]; do shift 2; done',
      `printf '%s\\t%s\\n' "$PWD" "$1" >> '${noted}')`,
    ].join("\n"),
  );
  const ran = await world.amof(args, { env });
  const text = await Deno.readTextFile(noted).catch(() => "");
  await Deno.remove(noted).catch(() => {});
  return {
    ran,
    calls: text.split("\n").filter((line) => line !== "").map((line) => {
      const [directory = "", verb = ""] = line.split("\t");
      return { directory, verb };
    }),
  };
}

/** How many calls were made in each clone, by the name of its directory. */
export function perClone(calls: readonly GitCalled[]): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = {};
  for (const { directory, verb } of calls) {
    const name = /\/repos\/([^/]+)$/.exec(directory)?.[1];
    if (name !== undefined) (found[name] ??= []).push(verb);
  }
  return found;
}
