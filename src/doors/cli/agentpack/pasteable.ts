/**
 * Makes the commands that hints and warnings name pasteable: below the doors nobody knows which words call agentpack.
 *
 * @module
 */

import { PACK_ENTRIES } from "./parse.ts";

/** Where a command is named: at the end of "do this:", or behind a word that leads to it. */
const LEADS = "(?<=: |\\(|; |\\b(?:run|repeat|with|see) )";

/** Commands whose words people also use for other things; they stand behind a colon, and before an option or the end. */
const COMMON = ["status", "plan", "diff", "sync", "record", "remove", "add", "schema", "help"];

function patternOf(): RegExp {
  const paths = PACK_ENTRIES.map(({ path }) => path.join(" "));
  const words = (list: readonly string[]) =>
    [...list].sort((a, b) => b.length - a.length).join("|");
  const clear = words(paths.filter((path) => !COMMON.includes(path)));
  const common = words(paths.filter((path) => COMMON.includes(path)));
  return new RegExp(`${LEADS}(?:${clear})(?=$|[ ,;.)])|(?<=: )(?:${common})(?=$| -|[,;.])`, "g");
}

let pattern: RegExp | null = null;

/** A text in which each command of agentpack begins with the words that call it. */
export function pasteable(text: string, prefix: string): string {
  pattern ??= patternOf();
  return text.replace(pattern, (command) => `${prefix} ${command}`);
}
