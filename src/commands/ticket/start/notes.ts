/** What a person should know of a start, besides what it does in each repository. */

import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, few, list } from "../../../base/text/words.ts";
import { describeUnasked } from "./origin.ts";
import type { StartFacts } from "./plan.ts";

/** Where a ticket is that somebody else has begun: in which repositories, and the line that leaves the others out. */
function thereNote({ ticket_id: id, repos, there = [] }: StartFacts, isDone: boolean): string[] {
  if (there.length === 0) return [];
  const made = repos.filter(({ action }) => action === "create").map(({ name }) => name);
  const [branch = ""] = repos.filter(({ name }) => there.includes(name)).map((one) => one.branch);
  return [
    `${cleanLine(branch, 60)} is at the remote${there.length === 1 ? "" : "s"} of ${
      few(there, 5)
    } only, and new in ${few(made, 5)}; ${isDone ? "to leave those" : "to start only there"}: ${
      isDone
        ? `amof ticket end ${id} --repo ${made.join(",")} --cleanup-local`
        : `amof ticket start ${id} --repo ${there.join(",")}`
    }`,
  ];
}

/** Where else the ticket is, what the remotes could not be asked, and what they would get from two sides. */
export function notesOf(facts: StartFacts, isDone = false): string[] {
  const { ticket_id, repos, shared } = facts;
  return [
    ...thereNote(facts, isDone),
    ...repos.flatMap(({ unasked, branch }) =>
      unasked === null ? [] : [describeUnasked(unasked, branch)]
    ),
    ...repos.flatMap(({ name, branch, source, staying, action }) =>
      staying === 0 ? [] : [
        action === "create"
          ? `${name}: ${count(staying, "commit")} that only ${source} here has ${
            staying === 1 ? "stays" : "stay"
          } there; ${isDone ? "to take such along: amof status" : "--carry takes such along"}`
          : `${name}: ${
            count(staying, "commit")
          } not taken along from ${source}: ${branch} is there`,
      ]
    ),
    ...shared.map((names) =>
      `${list(names)} have the same address, so only one of them can push ${
        repos.find(({ name }) => name === names[0])?.branch
      }. Leave the others out: amof ticket start ${ticket_id} ${
        names.slice(1).map((name) => `--repo '!${name}'`).join(" ")
      }`
    ),
  ];
}
