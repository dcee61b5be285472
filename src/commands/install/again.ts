/** The command line that installs the same, and keeps what works. */

import { shellWord } from "../../base/text/words.ts";
import type { GuardInput } from "../../workspace/manifest/mod.ts";
import type { Selecting } from "../selection/mod.ts";

/** What an install is asked for. */
interface Asked extends GuardInput, Selecting {
  readonly push: boolean;
  readonly repair: boolean;
  readonly locked: boolean;
  readonly lock_file?: string | undefined;
  readonly adopt?: string | undefined;
}

/** The command that installs what was asked for, as far as that can be cloned. */
export function keepingLine(
  { repos = [], tags = [], only = [], allow_no_touch: touches = [], ...asked }: Asked,
): string {
  const each = (flag: string, values: readonly string[]) =>
    values.map((value) => `--${flag} ${shellWord(value)}`);
  return [
    "amof install",
    ...each("repo", repos),
    ...each("tag", tags),
    ...each("only", only),
    ...each("adopt", asked.adopt === undefined ? [] : [asked.adopt]),
    ...each("lock-file", asked.lock_file === undefined ? [] : [asked.lock_file]),
    ...(asked.locked ? ["--locked"] : []),
    ...(asked.repair ? ["--repair"] : []),
    ...(asked.push ? ["--push"] : []),
    ...each("allow-no-touch", touches),
    "--keep-going",
  ].join(" ");
}
