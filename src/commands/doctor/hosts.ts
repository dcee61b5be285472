/**
 * The look of `amof doctor` at the entries by which AI hosts start amof.
 *
 * @module
 */

import type { CommandContext } from "../../contract/mod.ts";
import { checkEntries } from "../../machine/hosts/mod.ts";
import { list } from "../../base/text/words.ts";
import { type Check, found } from "./found.ts";

/** Looks at the hosts of the user, and at those of the control repository; nothing where none starts amof. */
export async function checkHosts({ system, root }: CommandContext): Promise<Check[]> {
  const entries = await checkEntries(system, root === "" ? system.env.cwd : root);
  const whole = entries.filter(({ problem }) => problem === null).map(({ name }) => name);
  return [
    ...entries.flatMap(({ name, problem, fix }) =>
      problem === null ? [] : [found(`entry of ${name}`, "warning", problem, fix)]
    ),
    ...(whole.length === 0 ? [] : [found("hosts", "ok", list(whole))]),
  ];
}
