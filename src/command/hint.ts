/**
 * Makes the command lines of a hint mean the ecosystem that the call was about, wherever they are pasted.
 *
 * @module
 */

import { COMMANDS } from "./registry.ts";

let pattern: RegExp | null = null;

/** "amof " in front of every command that is about one ecosystem. */
function aboutEcosystem(): RegExp {
  if (pattern === null) {
    const paths = COMMANDS.filter((command) => command.scope === "ecosystem")
      .map((command) => command.path.join(" "));
    pattern = new RegExp(`\\bamof (?=(?:${paths.join("|")})(?![-\\w]))`, "g");
  }
  return pattern;
}

/** `amof status` as `amof -e NAME status`; as it is when it names an ecosystem, or none is known. */
export function namingEcosystem(hint: string, ecosystem: string | null): string {
  if (ecosystem === null || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(ecosystem)) return hint;
  return / (?:-e|--ecosystem) /.test(hint)
    ? hint
    : hint.replace(aboutEcosystem(), `amof -e ${ecosystem} `);
}
