/** Which pager long output goes through (SETTING-11). */

import type { Environment } from "../../base/system/mod.ts";
import { splitWords } from "../../base/text/split_words.ts";
import type { Settings } from "./values.ts";

/** Ways to say that there shall be none. */
const NONE = ["", "off", "cat"];

/**
 * The argument vector of the pager, started without a shell; null where there shall be none.
 *
 * In order: `AMOF_PAGER`, the setting `pager`, `PAGER`, less. A terminal that cannot move its cursor has none.
 */
export function pagerCommand(
  env: Environment,
  { pager }: Pick<Settings, "pager">,
): readonly string[] | null {
  if (env.get("AMOF_PAGER") === "" || ["", "dumb"].includes(env.get("TERM") ?? "")) return null;
  const named = pager ?? env.get("PAGER");
  if (named === undefined) return ["less", "-FRX"];
  if (NONE.includes(named.trim())) return null;
  const words = splitWords(named);
  return words === null || words.length === 0 ? null : words;
}
