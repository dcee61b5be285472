/** Clones in which nothing may be run before somebody has looked (SEAL-8). */

import { AmofError } from "../../base/error.ts";
import { defined } from "../../base/object.ts";
import { few } from "../../base/text/words.ts";
import { suspectsText } from "../../workspace/seals/mod.ts";
import { type ExecPlace, placeLabel } from "./facts.ts";

/** A clone in which something is to be run. */
type RunPlace = Pick<ExecPlace, "ticket" | "name" | "untrusted">;

/** The words that name the first of some clones, and the others of its workspace. */
function trustWords(changed: readonly RunPlace[]): string {
  const ticket = changed[0]?.ticket;
  const names = changed.filter((place) => place.ticket === ticket).map(({ name }) => name);
  return [...(ticket ? ["--ticket", ticket] : []), ...names].join(" ");
}

/**
 * The error of clones in which git would run what nobody has looked at; null where there are none. Nearly every program
 * that is run in a repository calls git, and would run it with the rights of whoever started that (SEAL-8). `line` is
 * what would be run, as it is shown.
 */
export function untrustedClones(
  line: string,
  repos: readonly RunPlace[],
  { selects }: {
    /** Whether the call says in which repositories it runs. */
    readonly selects: boolean;
  },
): AmofError | null {
  const changed = repos.filter(({ untrusted }) => untrusted.length > 0);
  const [first] = changed;
  if (first === undefined) return null;
  const names = changed.map(placeLabel);
  return new AmofError(
    "clone_untrusted",
    `Cannot run "${line}" in ${few(names, 5)}: in "${names[0]}" ${suspectsText(first.untrusted)}`,
    {
      hint: `A person looks at it and approves it in a terminal: amof repo trust ${
        trustWords(changed)
      }${selects ? `\nLeave it out: the same command with --repo '!${first.name}'` : ""}`,
      details: {
        repos: changed.map(({ ticket, name, untrusted }) => ({
          ...defined({ ticket }),
          name,
          untrusted,
        })),
      },
    },
  );
}
