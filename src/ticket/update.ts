/**
 * `amof ticket update`: brings the base branches into the branches of the active ticket (TICKET-7, TICKET-8).
 *
 * Each repository for itself: a conflict stops only that one, and leaves it as git leaves it, to go on or back. Nothing
 * is pushed, and no commit that a remote has is rewritten unless a rebase was asked for in so many words.
 *
 * @module
 */

import { foldingInput } from "../contract/folding.ts";
import { AmofError } from "../error.ts";
import { inPool } from "../async/pool.ts";
import {
  type CommandContext,
  type ExecuteContext,
  mutation,
  type Result,
} from "../contract/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { table } from "../text/table.ts";
import { count, few } from "../text/words.ts";
import {
  inspectSelected,
  type Outcome,
  outcomeOf,
  type RepoSnapshot,
  type Selecting,
  SELECTION_FLAGS,
  selectionInput,
  Tally,
  type TicketState,
  Transfers,
} from "../workspace/mod.ts";
import { directoriesOf, type TicketPlace, ticketPlace } from "./preflight.ts";
import { requireTicket, stashName } from "./ticket.ts";
import { keptFor, returnKept } from "./update_kept.ts";
import { planMiddle } from "./update_middle.ts";
import {
  heldRow,
  type MiddleFact,
  settleOne,
  type Site,
  tidyUpdate,
  updateOne,
  type UpdateRow,
} from "./update_one.ts";
import {
  baseOf,
  dirty,
  held,
  type HeldFact,
  type How,
  inTheWay,
  isHeld,
  keptAlready,
  look,
  remoteBase,
  unready,
  type UpdateFact,
} from "./update_plan.ts";

interface UpdateInput extends Selecting {
  readonly ticket_id?: string | undefined;
  readonly how?: How | undefined;
  readonly step?: "continue" | "abort" | undefined;
  readonly offline: boolean;
  readonly stash: boolean;
}

interface UpdateFacts {
  readonly ticket_id: string;
  readonly repos_affected: readonly string[];
  /** Repositories that would be updated. */
  readonly repos: readonly UpdateFact[];
  /** Repositories in the middle of an update, which would go on or back. */
  readonly waiting: readonly MiddleFact[];
  readonly held: readonly HeldFact[];
}

interface UpdateData {
  readonly ticket_id: string;
  readonly outcome: Outcome;
  readonly repos: readonly UpdateRow[];
}

/** The active ticket; throws where there is none, or another one is meant. */
function activeTicket(place: TicketPlace, id: string | undefined): [string, TicketState] {
  const active = place.state.active_ticket;
  if (id !== undefined) requireTicket(place.state, id);
  const ticket = active === null ? undefined : place.state.tickets[active];
  if (active === null || ticket === undefined || (id !== undefined && id !== active)) {
    throw new AmofError(
      "invalid_transition",
      id === undefined
        ? "Cannot update a ticket: none is active"
        : `Cannot update ${id}: it is not the active ticket`,
      {
        hint: `Go to it: amof ticket switch ${id ?? "ID"}`,
        details: { ticket_id: id ?? null, active_ticket: active },
      },
    );
  }
  return [active, ticket];
}

/** Throws where two arguments contradict each other. */
function checkInput({ how, step, offline, stash }: UpdateInput): void {
  if (step === undefined || (how === undefined && !offline && !stash)) return;
  const other = how !== undefined ? `--${how}` : offline ? "--offline" : "--stash";
  throw new AmofError("invalid_arguments", `Cannot use --${step} together with ${other}`, {
    hint: `What was begun goes on as it began: amof ticket update --${step}`,
    details: { field: "step" },
  });
}

/** What would happen to one repository, or why not. */
async function decide(
  ctx: CommandContext,
  place: TicketPlace,
  [id, ticket]: readonly [string, TicketState],
  { snapshot, input }: { readonly snapshot: RepoSnapshot; readonly input: UpdateInput },
): Promise<UpdateFact | HeldFact> {
  const { repo, git, directory } = snapshot;
  const branch = ticket.repos[repo.name] ?? "";
  const not = unready(snapshot, branch);
  if (not !== null) return not;
  const fact = await look(ctx, place, { snapshot, base: baseOf(ticket, repo), asked: input.how });
  const files = git === null ? 0 : inTheWay(git);
  if (files > 0 && (fact.behind ?? 0) > 0) {
    if (!input.stash) return dirty(snapshot, files, fact.behind ?? 0);
    const name = stashName(id);
    const earlier = (git?.stashes ?? 0) > 0 &&
      await keptFor(ctx.git.at(directory, repo.name), name) !== null;
    return earlier ? keptAlready(snapshot, name) : { ...fact, aside: git?.changes.length ?? 0 };
  }
  return input.offline && fact.behind === 0 ? { ...held(snapshot, ""), up_to_date: true } : fact;
}

async function plan(
  ctx: CommandContext,
  input: UpdateInput,
): Promise<{ facts: UpdateFacts; place: TicketPlace }> {
  checkInput(input);
  const place = await ticketPlace(ctx);
  const [id, ticket] = activeTicket(place, input.ticket_id);
  const { manifest, workspace, state } = place;
  const from = { manifest, workspace: workspace.directory, state };
  const snapshots = (await inspectSelected(ctx, from, input))
    .filter(({ repo }) => Object.hasOwn(ticket.repos, repo.name));
  const { step } = input;
  if (step !== undefined) {
    const { waiting, held } = await planMiddle(ctx, { id, ticket, step }, snapshots);
    const names = waiting.map(({ name }) => name);
    return { place, facts: { ticket_id: id, repos_affected: names, repos: [], waiting, held } };
  }
  const decided = await inPool(
    ctx.jobs,
    snapshots,
    (snapshot) => decide(ctx, place, [id, ticket], { snapshot, input }),
  );
  const repos = decided.filter((fact): fact is UpdateFact => !isHeld(fact));
  return {
    place,
    facts: {
      ticket_id: id,
      repos_affected: repos.map(({ name }) => name),
      repos,
      waiting: [],
      held: decided.filter(isHeld),
    },
  };
}

/** Decides how the whole ended. */
function conclude(id: string, rows: readonly UpdateRow[]): Result<UpdateData> {
  const { outcome, ...failure } = outcomeOf(rows, {
    done: rows.filter((row) => row.code === null).length,
    head: (done, of) =>
      done > 0 ? `Updated ${done} of ${count(of, "repo")} of ${id};` : `Cannot update ${id};`,
    told: ["name", "result", "code", "detail", "files", "kept"],
  });
  return { data: { ticket_id: id, outcome, repos: rows }, ...failure };
}

/** One line about what would happen. */
function describe(
  { name, branch, base, behind, how, published, why, aside }: UpdateFact,
): string {
  const to = cleanLine(branch, 60);
  const rewritten = how === "rebase" && published > 0
    ? `, which rewrites ${count(published, "published commit")}`
    : "";
  return `${name}  ${
    how === "merge" ? `merge origin/${base} into ${to}` : `rebase ${to} onto origin/${base}`
  } (${
    behind === null ? "never fetched" : `${count(behind, "commit")} as last fetched`
  })${rewritten}${why === null ? "" : `; no rebase because ${why}`}${
    aside === 0 ? "" : `; ${count(aside, "changed file")} kept and given back`
  }`;
}

function describeMiddle(fact: MiddleFact, step: "continue" | "abort"): string {
  const { name, doing, changed_files, kept, back_to } = fact;
  if (doing === "return") {
    return `${name}  ${
      back_to === null ? "" : `take the update back, to ${back_to.slice(0, 7)}, and `
    }give its changes back`;
  }
  return `${name}  ${
    step === "continue"
      ? `go on with the ${doing}`
      : `take the ${doing} back, with ${count(changed_files, "changed file")}`
  }${kept === null ? "" : ", and give its changes back"}`;
}

/** The steps that tidy up where the work is cut off, last first: what stood aside comes back when all else is done. */
function tidyAll(facts: UpdateFacts, directories: (repo: string) => string, stash: boolean) {
  const kept = stashName(facts.ticket_id);
  const aside = [
    ...(stash ? facts.repos.map(({ name, branch }) => ({ name, branch, other: null })) : []),
    ...facts.waiting.filter((fact) => fact.kept !== null)
      .map(({ name, branch, back_to: other }) => ({ name, branch, other })),
  ];
  return [
    ...aside.map(({ name, branch, other }) =>
      returnKept.step({ repo: name, directory: directories(name), branch, name: kept, other })
    ),
    ...facts.repos.map(({ name, head, base }) =>
      tidyUpdate.step({ repo: name, directory: directories(name), head, ref: remoteBase(base) })
    ),
    ...facts.waiting.map(({ name }) =>
      // Nothing has to be mended there: what git noted stays until it is done.
      tidyUpdate.step({ repo: name, directory: directories(name), head: "", ref: "" })
    ),
  ];
}

async function carryOut(
  ctx: ExecuteContext,
  input: UpdateInput,
  facts: UpdateFacts,
): Promise<UpdateRow[]> {
  const place = await ticketPlace(ctx);
  const directories = await directoriesOf(ctx, place);
  const site = (name: string): Site => {
    const repo = place.manifest.repos.find((entry) => entry.name === name);
    if (repo === undefined) throw new TypeError(`Nobody knows the repository "${name}"`);
    return { place, repo, directory: directories(name), kept: stashName(facts.ticket_id) };
  };
  const { step } = input;
  const transfers = input.offline ? null : new Transfers(ctx.transfers);
  const total = facts.repos.length + facts.waiting.length;
  const tally = new Tally(ctx.report, "updating", total);
  const told = async (name: string, work: () => Promise<UpdateRow>) => {
    tally.begin(name);
    try {
      return await work();
    } finally {
      tally.end(name);
    }
  };
  const rows = await ctx.watchOver(tidyAll(facts, directories, input.stash), async () => [
    // Transfers are limited by host and in all; the pool only bounds how many wait.
    ...await inPool(
      64,
      facts.repos,
      (fact) =>
        told(
          fact.name,
          () =>
            updateOne(ctx, site(fact.name), fact, {
              transfers,
              asked: input.how,
              stash: input.stash,
            }),
        ),
    ),
    ...step === undefined
      ? []
      : await inPool(ctx.jobs, facts.waiting, (fact) =>
        told(fact.name, () =>
          settleOne(ctx, site(fact.name), fact, step))),
  ]);
  const all = [...rows, ...facts.held.map(heldRow)];
  return place.manifest.repos.flatMap(({ name }) => all.filter((row) => row.name === name));
}

/** `amof ticket update`. */
export const updateTicket = mutation({
  name: "amof_ticket_update",
  path: ["ticket", "update"],
  toolset: "ticket",
  scope: "ecosystem",
  extra: true,
  safety: "safe-write",
  confirm: "none",
  asks: { deed: "update", will: "rewrite or discard work here" },
  runs: "ticket_update",
  exclusive: true,
  openWorld: true,
  inWorkspace: true,
  readies: "after_commit",
  title: "Update ticket",
  summary:
    "Bring the base branches into the ticket's branches, by merge or rebase; pushes nothing.",
  description:
    "The remotes are fetched first, unless --offline. The manifest says how (tickets.update: merge or rebase; merge when absent); a branch with commits that a remote has is merged all the same, unless --rebase is typed, which asks first. A conflict stops only its repository: resolve it, git add, then --continue, or --abort to go back; both take every repository of the ticket that waits, or those selected. Repositories with changes of tracked files are held back; with --stash the changes stand aside meanwhile and come back, at the latest with --continue or --abort. What was held back or stopped makes the exit code 5.",
  positionals: ["ticket_id"],
  flags: SELECTION_FLAGS,
  switches: {
    merge: { how: "merge" },
    rebase: { how: "rebase" },
    continue: { step: "continue" },
    abort: { step: "abort" },
  },
  examples: [
    "ticket update",
    "ticket update --rebase --repo api",
    "ticket update --stash",
    "ticket update --continue",
    "ticket update --abort --repo api",
  ],
  input: (z) =>
    z.strictObject({
      ticket_id: z.string().optional().describe("The active ticket"),
      how: z.enum(["merge", "rebase"]).optional().describe("Instead of what the manifest says"),
      step: z.enum(["continue", "abort"]).optional().describe("Go on behind conflicts, or back"),
      ...selectionInput(z),
      offline: z.boolean().default(false).describe("Fetch nothing"),
      stash: z.boolean().default(false).describe("Let changes stand aside meanwhile"),
      ...foldingInput(z),
    }),
  raised: (input) =>
    input.how === "rebase" || input.step === "abort"
      ? { safety: "dangerous-write", confirm: "simple" }
      : null,
  async preview(ctx, input) {
    const { facts, place } = await plan(ctx, input);
    const { repos, waiting, ticket_id: id } = facts;
    const { step } = input;
    const blocked = facts.held.filter(({ code }) => code !== null);
    const rewritten = repos.filter(({ how }) => how === "rebase")
      .reduce((sum, { published }) => sum + published, 0);
    const nothing = repos.length + waiting.length === 0;
    const effects = [
      ...repos.map(describe),
      ...(step === undefined ? [] : waiting.map((fact) => describeMiddle(fact, step))),
    ];
    return {
      facts,
      summary: nothing
        ? blocked.length > 0
          ? `Would not update ${id}: every repo that could be is held back.`
          : step === undefined
          ? `Would not update ${id}: there is nothing to bring in.`
          : `Would not change ${id}: no repo of it waits to go on or back.`
        : step === undefined
        ? `Would update ${id} in ${count(repos.length, "repo")}.`
        : step === "continue"
        ? `Would go on in ${count(waiting.length, "repo")} of ${id}.`
        : `Would go back in ${count(waiting.length, "repo")} of ${id}.`,
      effects,
      details: [
        ...effects,
        ...blocked.map(({ name, detail }) => `${name}  held back: ${detail}`),
      ],
      ...(step === "abort" && waiting.length > 0
        ? { irreversible: "What was resolved since it stopped is discarded." }
        : rewritten > 0
        ? {
          irreversible: `${
            count(rewritten, "commit")
          } that others may have would be rewritten; push never forces, so they can only be pushed by hand.`,
        }
        : {}),
      current: `Ticket ${id} is active in ${
        count(Object.keys(place.state.tickets[id]?.repos ?? {}).length, "repo")
      }`,
      alternatives: [
        "Look at the state first: amof status",
        ...(input.how === "rebase" ? ["Merge instead: amof ticket update --merge"] : []),
      ],
      ...(nothing ? { settled: conclude(id, facts.held.map(heldRow)) } : {}),
    };
  },
  async execute(ctx, input, facts) {
    return conclude(facts.ticket_id, await carryOut(ctx, input, facts));
  },
  render: (data: UpdateData, input) => {
    const bad = data.repos.filter((row) => row.code !== null);
    const moved = data.repos.filter((row) =>
      ["updated", "taken_back", "given_back"].includes(row.result)
    );
    const all = (result: UpdateRow["result"]) =>
      moved.length > 0 && moved.every((row) => row.result === result);
    const stopped = bad.filter((row) => row.result === "conflict");
    const rest = data.repos.filter((row) => row.code === null);
    const done = all("taken_back")
      ? `Went back in ${count(moved.length, "repo")} of ${data.ticket_id}`
      : all("given_back")
      ? `Gave the changes back in ${count(moved.length, "repo")} of ${data.ticket_id}`
      : moved.length > 0
      ? `Updated ${data.ticket_id} in ${count(moved.length, "repo")}`
      : bad.length > 0
      ? `Updated nothing of ${data.ticket_id}`
      : `Kept ${data.ticket_id} as it is: it is up to date`;
    const ordered = [...bad, ...rest];
    const shown = table(
      ["repo", "branch", "result", "detail"],
      ordered.map((row) => [
        `${row.code === null ? "" : "✗ "}${row.name}`,
        cleanLine(row.branch, 60),
        row.result.replaceAll("_", " "),
        cleanLine(row.detail, row.code === null ? 120 : 300),
      ]),
    );
    const isPlain = (index: number) =>
      ["up_to_date", "updated"].includes(ordered[index]?.result ?? "");
    return {
      summary: bad.length === 0
        ? `${done}.`
        : `${done}; ${
          stopped.length > 0
            ? `conflicts in ${few(stopped.map(({ name }) => cleanLine(name, 20)), 1)}`
            : `${count(bad.length, "repo")} held back or failed`
        }.`,
      details: data.repos.length === 0
        ? ""
        : input.all
        ? shown
        : shown.folding(isPlain, "updated or up to date"),
    };
  },
});
