/** Toolsets that are named for a server that does not run yet. */

import { AGENTPACK, TOOLSET_WORDS } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { didYouMean, list } from "../../base/text/words.ts";

/** Throws `invalid_arguments` for a name that is no toolset, and where the servers have toolsets of their own. */
export function requireToolsets(toolsets: string, servers: readonly string[]): void {
  const other = servers.find((server) => server !== "amof");
  if (other !== undefined) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot choose toolsets for the server ${other}: it has its own`,
      { hint: "Leave out --toolsets, which only amof's own server takes" },
    );
  }
  const names = toolsets.split(",").map((name) => name.trim());
  const valid = TOOLSET_WORDS.filter((name) => name !== AGENTPACK);
  for (const name of names) {
    const word = name.replace(/^-/, "");
    if (valid.includes(word)) continue;
    const near = didYouMean(word, valid);
    throw new AmofError(
      "invalid_arguments",
      `Cannot use the toolset "${word}"${near === null ? "" : `; did you mean "${near}"?`}`,
      { hint: `Known: ${list(valid)}` },
    );
  }
}
