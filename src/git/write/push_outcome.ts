/** Reads how a push ended out of what git prints for programs. */

import type { ProcessResult } from "../../base/system/mod.ts";
import { refusedRef } from "../call/failure_kind.ts";

/** How a push ended. */
export interface PushOutcome {
  readonly ok: boolean;
  /** Git's one-line reason when a ref was refused, with what the remote said to it. */
  readonly reason: string | null;
  readonly result: ProcessResult;
}

/**
 * What every push is called with: no tags but those named, and no submodules, but a refusal where a commit
 * would name a submodule's commit that nobody else could get.
 */
export const PUSH_OPTIONS = [
  "--porcelain",
  "--progress",
  "--no-follow-tags",
  "--recurse-submodules=check",
];

/** Called for each line git prints while it works. */
export type OnLine = (stream: "stdout" | "stderr", line: string) => void;

/** Reads how a `push --porcelain` ended. */
export function pushOutcome(result: ProcessResult): PushOutcome {
  const refused = result.stdout.split("\n").filter((line) => line.startsWith("!"))
    .map((line) => line.split("\t")[2] ?? "");
  // In an atomic push the refs that did nothing wrong are refused too, and say only that.
  const telling = refused.find((reason) => !reason.includes("atomic push fail")) ?? refused[0];
  return {
    ok: result.exitCode === 0 && telling === undefined,
    reason: telling === undefined ? null : refusedRef(telling, result),
    result,
  };
}
