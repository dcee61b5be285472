/**
 * What every package holds besides the program: licences, manual pages, completions.
 *
 * @module
 */

import { SCRIPTS } from "../../src/doors/cli/completion/scripts.ts";
import { manualPages } from "./man/all.ts";
import type { ManualPage } from "./man/pages.ts";
import { thirdPartyNotices } from "./notices.ts";
import { PROJECT } from "./project.ts";
import { ROOT } from "./root.ts";
import type { Target } from "./targets.ts";

/** A release that packages are made of. */
export interface Release {
  readonly target: Target;
  /** The compiled program. */
  readonly program: string;
  /** Where packages are put. */
  readonly output: string;
  /** Where they are built. */
  readonly work: string;
  /** The moment of the release, in seconds. */
  readonly epoch: number;
  readonly license: string;
  readonly notices: string;
  readonly manual: readonly ManualPage[];
}

/** The completion scripts under the names that their shells look for. */
export const COMPLETIONS = {
  bash: { file: "amof.bash", text: SCRIPTS.bash },
  zsh: { file: "_amof", text: SCRIPTS.zsh },
  fish: { file: "amof.fish", text: SCRIPTS.fish },
  powershell: { file: "amof.ps1", text: SCRIPTS.powershell },
} as const;

/** Gathers what all packages of a target share. */
export async function releaseOf(
  given: Pick<Release, "target" | "program" | "output" | "work" | "epoch">,
): Promise<Release> {
  return {
    ...given,
    license: await Deno.readTextFile(`${ROOT}LICENSE`),
    notices: await thirdPartyNotices(),
    manual: await manualPages({ version: PROJECT.version, date: new Date(given.epoch * 1000) }),
  };
}
