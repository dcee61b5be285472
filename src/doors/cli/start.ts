/** Begins the program: the world it runs in, and the command line in that. */

import { confinedHttp, realHttp } from "../../base/system/real/http.ts";
import { liesInDevices } from "../../base/system/real/devices.ts";
import { realSystem } from "../../base/system/real/mod.ts";
import type { Streams } from "../../base/system/real/terminal.ts";
import { completePath } from "../../base/system/real/places.ts";
import { serviceOf } from "../../pipeline/wings.ts";
import { runCommandLine } from "./main.ts";

interface Started {
  readonly args: readonly string[];
  /** Whether it is the binary, and not the program from source. */
  readonly standalone: boolean;
  readonly env: Parameters<typeof serviceOf>[0];
  /** Standard input and output where something of them was used already. */
  readonly streams: Streams | undefined;
}

/** Builds the real world and carries out the command line in it; answers the exit code of the process. */
export async function start({ args, standalone, env, streams }: Started): Promise<number> {
  completePath();
  // Deno takes away /dev, /proc and /sys as soon as one permission is given up, and repositories may lie there.
  const http = standalone && !liesInDevices(args) ? confinedHttp(serviceOf(env)) : realHttp;
  return await runCommandLine(realSystem(http, streams), args);
}
