/** What `amof doctor` tells of remembered answers of git (WORKSPACE-34). */

import { join } from "@std/path";
import type { CommandContext } from "../../contract/mod.ts";
import { count, few } from "../../base/text/words.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { repoDirectory } from "../../workspace/mod.ts";
import { type Check, found } from "./found.ts";

/**
 * The clones of an ecosystem that git is always asked about because a memory was wrong, and with `compares` how many
 * answers were compared. Follows the look at the clones, whose answers those are. No git process.
 */
export async function checkVerdicts(
  { git, root, system }: CommandContext,
  { workspaceDir, repos }: Manifest,
  compares: boolean,
): Promise<Check[]> {
  const { verdicts } = git;
  if (verdicts === null) return compares ? [found("verdicts", "ok", "switched off")] : [];
  const off: string[] = [];
  for (const repo of repos) {
    const clone = await repoDirectory(system, join(root, workspaceDir), repo).catch(() => null);
    if (clone !== null && await verdicts.isOff(clone)) off.push(repo.name);
  }
  const name = "verdicts";
  if (off.length > 0) {
    const words = `git said something else of ${
      few(off, 3)
    } than was remembered, so it is always asked there`;
    return [found(name, "warning", words, "Tell the project, it is a defect of amof")];
  }
  const { compared } = verdicts.counts;
  return compares
    ? [found(name, "ok", `${count(compared, "answer")} compared, all as remembered`)]
    : [];
}
