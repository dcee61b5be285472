/** What a person sees of an agent before it goes to an engine (BOX-10). */

import type { Network } from "../../../machine/box/mod.ts";
import type { CommandContext, Preview } from "../../../contract/mod.ts";
import { blocks } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { keyValues, table } from "../../../base/text/table.ts";
import { count, duration, few } from "../../../base/text/words.ts";
import { variablesText } from "../../../workspace/programs/mod.ts";
import { type AgentData, type AgentPlace, lineOfAgent } from "../answer.ts";
import { type AgentFar, farRows } from "./plan.ts";

interface Facts extends AgentPlace {
  readonly time_limit_s: number | null;
  readonly network: Network;
}

/** The preview of facts about an agent on an engine. */
export function farPreview<F extends Facts>(
  ctx: CommandContext,
  facts: F,
  far: AgentFar,
): Preview<F, AgentData> {
  const { ticket_id: ticket, command, box, network, time_limit_s: limit } = facts;
  const line = lineOfAgent(command);
  const boxed = box === null
    ? "in no box: it can do whatever you can do on the node"
    : `in a box of the node, ${network === "none" ? "without" : "with all of"} the network`;
  const repos = count(far.repos.length, "repository", "repositories");
  const resumes = far.resumes?.slice(0, 8) ?? null;
  return {
    facts,
    summary: resumes === null
      ? `Would run ${cleanLine(command[0] ?? "", 40)} for ${ticket} on engine ${far.name}.`
      : `Would bring home what run ${resumes} made for ${ticket}.`,
    effects: [
      resumes === null
        ? `Run ${line} in clones of ${repos} on engine ${far.name}, ${boxed}`
        : `Follow ${line} of run ${resumes} on engine ${far.name} to its end`,
      "Put its commits on the branches of the ticket that are as they were; keep others beside them",
      ...(far.uncommitted.length === 0 ? [] : [
        `Leave here what is not committed in ${
          few(far.uncommitted, 5)
        }; commits of these are kept beside their branches`,
      ]),
    ],
    details: blocks(
      keyValues([
        ["Runs", line],
        ["For", ticket],
        ["Engine", `${far.name} (${far.found}), ${duration(far.seconds)} at most`],
        [
          "Box",
          box === null
            ? "none: it can read, change and send whatever you can there"
            : "that of the node; where it has none, nothing is run",
        ],
        ["Network", box === null || network === "full" ? "all of it" : "none"],
        ["Time limit", limit === null ? "none" : duration(limit)],
        [
          "Stays here",
          far.uncommitted.length === 0 ? null : `${few(far.uncommitted, 5)} (not committed)`,
        ],
        ["Gets", variablesText(ctx.system, far.environment)],
      ]),
      table(["repo", "begins at", "how"], farRows(far)),
    ),
    irreversible: "What the program does on its node cannot be undone by amof.",
    current: `${repos} of the ticket, as their remotes have them`,
    alternatives: ["Run it here: leave out --engine"],
  };
}
