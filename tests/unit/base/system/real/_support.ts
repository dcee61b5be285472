/**
 * Small real programs, for tests of how they are run.
 *
 * @module
 */

import type { ProcessRequest, ProcessResult } from "../../../../../src/base/system/mod.ts";
import { realProcesses } from "../../../../../src/base/system/real/processes.ts";

const ignore = Deno.build.os === "windows";

/** A test that only runs where there is a shell. */
export function test(
  name: string,
  fn: () => Promise<void> | void,
  onlyOn?: typeof Deno.build.os,
): void {
  Deno.test({ name, fn, ignore: ignore || (onlyOn !== undefined && Deno.build.os !== onlyOn) });
}

/** Runs a script. */
export function shell(
  script: string,
  options: Partial<ProcessRequest> = {},
): Promise<ProcessResult> {
  return realProcesses.run({ command: "sh", args: ["-c", script], ...options });
}

/** Waits until something holds; whether it ever does is what is tested, not when. */
export async function eventually(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 1_500; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Never came true: ${what}`);
}
