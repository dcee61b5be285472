/**
 * Results of programs that failed, for the tests of git.
 *
 * @module
 */

import { processResult } from "../../support/process_result.ts";
import { assertEquals } from "@std/assert";
import { Git, type PushOutcome } from "../../../src/git/mod.ts";
import { sha } from "../../../src/base/ids.ts";
import type { ProcessResult } from "../../../src/base/system/mod.ts";
import { World } from "../../support/world.ts";
import { hermetic } from "../_support.ts";
import { nothing } from "./_support.ts";

/** How a program failed, `git fetch` with 128 unless told otherwise. */
export function failed(fields: Partial<ProcessResult> = {}): ProcessResult {
  const git = { command: "git", args: ["fetch"] };
  return processResult(git, { exitCode: 128, durationMs: 12_300, ...fields });
}

/** A push that the remote refuses. */
export async function refusedPush(
  world: World,
  path: string,
  branch = "main",
): Promise<PushOutcome> {
  const head = await world.git(path, "rev-parse", "HEAD");
  const outcome = await new Git(hermetic(world)).at(path).remotes.push({
    commit: sha(head),
    branch,
    onLine: nothing,
  });
  assertEquals(outcome.ok, false);
  return outcome;
}
