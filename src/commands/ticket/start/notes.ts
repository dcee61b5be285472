/** What a person should know of a start, besides what it does in each repository. */

import { cleanLine } from "../../../base/text/sanitize.ts";
import { count, few, list } from "../../../base/text/words.ts";
import { describeUnasked } from "./origin.ts";
import type { StartFacts } from "./plan.ts";
import { inPool } from "../../../base/async/pool.ts";
import type { ExecuteContext } from "../../../contract/mod.ts";
import { bringLateSubmodules, Transfers } from "../../../workspace/clones/changing.ts";
import { repoDirectory } from "../../../workspace/mod.ts";
import type { TicketPlace } from "../preflight.ts";

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

/** What is said of repositories that begin past the lock, which their base branches are at here. */
export function pastLockNote(
  past: readonly { readonly name: string; readonly source: string }[],
  isDone: boolean,
): string[] {
  return past.length === 0 ? [] : [
    `${few(past.map(({ name }) => name), 5)} ${
      isDone ? "began" : past.length === 1 ? "begins" : "begin"
    } at the newest ${
      list([...new Set(past.map(({ source }) => source))])
    } as last fetched, past the lock`,
  ];
}

/** Where else the ticket is, what the remotes could not be asked, and what they would get from two sides. */
export function notesOf(facts: StartFacts, isDone = false): string[] {
  const { ticket_id, repos, shared, past_lock: past = [] } = facts;
  return [
    ...thereNote(facts, isDone),
    ...pastLockNote(repos.filter(({ name }) => past.includes(name)), isDone),
    ...repos.flatMap(({ unasked, branch }) =>
      unasked === null ? [] : [describeUnasked(unasked, branch)]
    ),
    ...repos.flatMap(({ name, branch, source, staying, action }) =>
      staying === 0 ? [] : [
        action === "create"
          ? `${name}: ${count(staying, "commit")} that only ${source} here has ${
            staying === 1 ? "stays" : "stay"
          } there; ${
            isDone ? "the status says how to take such along" : "--carry takes such along"
          }`
          : `${name}: ${
            count(staying, "commit")
          } not taken along from ${source}: ${branch} is there`,
      ]
    ),
    ...repos.flatMap(({ name, source, commits, off }) =>
      commits === 0 ? [] : [
        `${name}: ${cleanLine(source, 60)} here keeps ${
          commits === 1 ? "the commit" : "the commits"
        }, too${
          off === null || !isDone ? "" : `; to take ${commits === 1 ? "it" : "them"} off: ${off}`
        }`,
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

// How a person reads what became of each repository when a ticket began: its branch, or why it was left out.

const WORDS = {
  create: "new branch",
  track: "branch of the remote",
  reuse: "earlier branch",
  stay: "on it already",
  read: "to read",
} as const;

/** What was done in a repository, in words for a person; data says it by one word. */
export function howOf(action: keyof typeof WORDS): string {
  return WORDS[action];
}

/** A line for each reason, with the repositories that it left out. */
export function skippedLines(
  skipped: readonly { readonly name: string; readonly reason: string }[],
): string[] {
  return [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, same]) =>
    `– ${few(same.map(({ name }) => name), 6)}: ${reason}`
  );
}

// The submodules of repositories that go to a branch of somebody else.

/**
 * Brings submodules along to branches of remotes, which name commits that only the remotes of those may have; the status
 * tells of what stays behind.
 */
export async function bringInside(
  ctx: ExecuteContext,
  { manifest, workspace }: TicketPlace,
  { repos }: StartFacts,
): Promise<void> {
  const brought = repos.filter(({ action }) => action === "track").map(({ name }) => name);
  const having = manifest.repos.filter(({ name, submodules }) =>
    submodules && brought.includes(name)
  );
  const transfers = new Transfers(ctx.transfers);
  await inPool(ctx.jobs, having, async (repo) => {
    const directory = await repoDirectory(ctx.system, workspace.directory, repo);
    await bringLateSubmodules(ctx, transfers, { repo, directory });
  });
}
