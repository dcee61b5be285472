/**
 * `amof undo`: takes back what a run did to repositories (UNDO-3, UNDO-4).
 *
 * @module
 */

import {
  type CommandContext,
  mutation,
  type Preview,
  type Rendered,
  type Result,
} from "../contract/mod.ts";
import { AmofError } from "../error.ts";
import { cleanLine } from "../text/sanitize.ts";
import { table } from "../text/table.ts";
import { count, few } from "../text/words.ts";
import {
  noneStands,
  type Selecting,
  SELECTION_FLAGS,
  selectionInput,
  undeletable,
} from "../workspace/mod.ts";
import { chosenRepos } from "./chosen.ts";
import {
  broughtBy,
  drop,
  type DroppedFact,
  droppingEffects,
  isOfAdded,
  planDropping,
} from "./drop.ts";
import { newestOf, operationOf, operationsHere, whyNot } from "./find.ts";
import { lookAtRepos, refused, type UndoFact } from "./plan.ts";
import type { OperationRecord } from "./record.ts";
import { isOfGone, planRemaking, type RemadeFact, remake, remakingEffects } from "./remake.ts";
import { bringRepoBack, bringTicketsBack, ticketsMoved } from "./steps.ts";
import { sameTickets, ticketsIn } from "./tickets.ts";
import {
  againOf,
  isOfMade,
  meetsWhole,
  planUnmaking,
  refuseSelecting,
  type UnmadeFact,
  unmake,
  unmakingEffects,
} from "./unmake.ts";

interface UndoFacts {
  /** The run that is taken back. */
  readonly undone: string;
  readonly action: string;
  readonly repos: readonly UndoFact[];
  readonly left_out: readonly string[];
  /** Whether the workspace's tickets go back, too. */
  readonly tickets: boolean;
  /** The workspace that the run made, and that goes; null for any other run. */
  readonly made: UnmadeFact | null;
  /** The workspace that the run took away, and that comes back; null for any other run. */
  readonly gone: RemadeFact | null;
  /** The clones that the run brought, and that go; null for any other run. */
  readonly added: DroppedFact | null;
}

interface UndoRow {
  readonly name: string;
  readonly result: "restored";
  readonly branch: string | null;
  readonly head: UndoFact["head"];
  /** How many names were moved, made or deleted. */
  readonly refs: number;
  readonly files: number;
}

interface UndoData {
  readonly undone: string;
  readonly action: string;
  readonly repos: readonly UndoRow[];
  readonly left_out: readonly string[];
  /** What stays as it is, one sentence each. */
  readonly stays: readonly string[];
  /** The workspace that went, because the run had made it, or null. */
  readonly removed: Pick<UnmadeFact, "ticket_id" | "workspace" | "repos"> | null;
  /** The workspace that came back, because the run had taken it away, or null. */
  readonly returned: Pick<RemadeFact, "ticket_id" | "workspace" | "repos"> | null;
  /** The clones that went, because the run had brought them into a workspace, or null. */
  readonly dropped: {
    readonly ticket_id: string | null;
    readonly workspace: string;
    readonly repos: readonly string[];
  } | null;
  /** What could not be deleted, or null. */
  readonly left: string | null;
}

async function planUndo(
  ctx: CommandContext,
  input: Selecting & { readonly run?: string | undefined },
): Promise<{ record: OperationRecord; facts: UndoFacts }> {
  const all = await operationsHere(ctx);
  const now = ctx.system.clock.now();
  const record = input.run === undefined ? newestOf(all, now) : operationOf(all, input.run);
  const why = whyNot(record, all, now);
  if (why !== null) {
    throw new AmofError(
      "undo_impossible",
      `Cannot undo run ${record.run_id.slice(0, 8)}: ${why}`,
      { hint: "See what can be undone: amof operations", details: { run_id: record.run_id } },
    );
  }
  const { run_id: undone, action } = record;
  const none = { made: null, gone: null, added: null };
  const whole = { undone, action, repos: [], left_out: [], tickets: false, ...none };
  if (isOfMade(record)) {
    refuseSelecting(record, input);
    const { fact: made } = await planUnmaking(ctx, record);
    return { record, facts: { ...whole, made } };
  }
  if (isOfGone(record)) {
    refuseSelecting(record, input);
    return { record, facts: { ...whole, gone: await planRemaking(ctx, record) } };
  }
  if (isOfAdded(record)) {
    refuseSelecting(record, input);
    return { record, facts: { ...whole, added: await planDropping(ctx, record) } };
  }
  const names = await chosenRepos(ctx, record, input);
  const looks = await lookAtRepos(ctx, record, names);
  const obstacles = looks.flatMap((one) => "obstacle" in one ? [one.obstacle] : []);
  const repos = looks.flatMap((one) => "fact" in one ? [one.fact] : []);
  if (obstacles.length > 0) throw refused(record.run_id, obstacles, repos.length);
  const { before, after } = record.tickets;
  // Tickets are of all repositories together: where one is left out, they stay.
  const tickets = !sameTickets(before, after) && names.length === record.repos.length;
  if (tickets && !sameTickets(await ticketsIn(ctx.system, record.workspace), after)) {
    throw ticketsMoved(record.run_id);
  }
  const left_out = record.repos.map(({ name }) => name).filter((name) => !names.includes(name));
  return {
    record,
    facts: { ...whole, repos, left_out, tickets },
  };
}

/** How many files are named one by one. */
const NAMED = 5;
/** What is said before a run of programs goes back, which take their time while people go on editing. */
const MEANWHILE =
  "What people wrote there while the program ran is taken back, too; a second undo brings it again";

/** Which files are put back and which go away; empty for none. */
function describeFiles({ files, deletes }: UndoFact): string[] {
  if (files.length === 0) return [];
  const gone = new Set(deletes);
  const back = files.filter((path) => !gone.has(path));
  const named = (paths: readonly string[]) => few(paths.map((path) => cleanLine(path, 80)), NAMED);
  const parts = [
    ...back.length === 0 ? [] : [`puts back ${named(back)}`],
    ...deletes.length === 0 ? [] : [`deletes ${named(deletes)}`],
  ];
  return [`${count(files.length, "file")} (${parts.join("; ")})`];
}

/** What goes back in a repository, in a few words. */
function describe(fact: UndoFact): string {
  const { name, branch, head, refs } = fact;
  const parts = [
    ...head.from === head.to ? [] : [`back to ${head.to?.slice(0, 8) ?? "no commit"}`],
    ...branch === null ? [] : [`on ${cleanLine(branch, 60)}`],
    ...refs.length === 0 ? [] : [count(refs.length, "branch or tag", "branches or tags")],
    ...describeFiles(fact),
  ];
  return `${name}: ${parts.join(", ")}`;
}

/** The answer to a plan that was carried out. */
function answerOf(facts: UndoFacts, left: string | null = null): UndoData {
  const { made, gone, added } = facts;
  return {
    undone: facts.undone,
    action: facts.action,
    repos: facts.repos.map(({ name, branch, head, refs, files }) => ({
      name,
      result: "restored",
      branch,
      head,
      refs: refs.length,
      files: files.length,
    })),
    left_out: facts.left_out,
    stays: [...facts.repos.flatMap(({ stays }) => stays), ...gone?.stays ?? []],
    removed: made === null ? null : {
      ticket_id: made.ticket_id,
      workspace: made.workspace,
      repos: made.repos,
    },
    returned: gone === null ? null : {
      ticket_id: gone.ticket_id,
      workspace: gone.workspace,
      repos: gone.repos,
    },
    dropped: added === null ? null : {
      ticket_id: added.ticket_id,
      workspace: added.workspace,
      repos: added.repos.map(({ name }) => name),
    },
    left,
  };
}

/** What is said before a workspace goes that the run made. */
function previewUnmaking(facts: UndoFacts, made: UnmadeFact): Preview<UndoFacts, UndoData> {
  const short = facts.undone.slice(0, 8);
  return {
    facts,
    summary: `Would undo ${facts.action}, and remove ${made.workspace}.`,
    effects: unmakingEffects(made),
    current: `Run ${short} made ${made.workspace}, and nothing of yours is in it`,
    alternatives: [`See what the run did: amof operations ${short}`, "Look at it: amof status"],
  };
}

/** What is said before clones go that the run brought. */
function previewDropping(facts: UndoFacts, added: DroppedFact): Preview<UndoFacts, UndoData> {
  const short = facts.undone.slice(0, 8);
  return {
    facts,
    summary: `Would undo ${facts.action}, and remove ${
      count(added.repos.length, "clone")
    } from ${added.workspace}.`,
    effects: droppingEffects(added),
    current: `Run ${short} brought ${
      count(added.repos.length, "clone")
    } into ${added.workspace}, and nothing of yours is in there`,
    alternatives: [
      `See what the run did: amof operations ${short}`,
      `Look at them: amof status${added.ticket_id === null ? "" : ` --ticket ${added.ticket_id}`}`,
    ],
  };
}

/** What a reader is told of clones that went. */
function renderDropped(
  { action, left }: UndoData,
  { workspace, repos }: NonNullable<UndoData["dropped"]>,
): Rendered {
  return {
    summary: `Undid ${action}: removed ${few(repos, 5)} from ${workspace}.`,
    details: left === null ? "" : `⚠ Delete by hand: ${left}`,
  };
}

/** What is said before a workspace comes back that the run took away. */
function previewRemaking(facts: UndoFacts, gone: RemadeFact): Preview<UndoFacts, UndoData> {
  const short = facts.undone.slice(0, 8);
  return {
    facts,
    summary: `Would undo ${facts.action}, and make ${gone.workspace} again.`,
    effects: remakingEffects(gone),
    current: `Run ${short} took ${gone.workspace} away, and nothing is there now`,
    alternatives: [
      `See what the run did: amof operations ${short}`,
      `Start it anew: amof ticket start ${gone.ticket_id} --workspace`,
    ],
  };
}

/** What a reader is told of a workspace that came back. */
function renderReturned(
  { action, stays }: UndoData,
  { ticket_id: id, workspace, repos }: NonNullable<UndoData["returned"]>,
): Rendered {
  return {
    summary: `Undid ${action}: made ${workspace} again with ${count(repos.length, "clone")}.`,
    details: [
      table(
        ["repo", "branch", "commit"],
        repos.map(({ name, branch, commit }) => [
          name,
          branch ?? "(no branch)",
          commit?.slice(0, 8) ?? "(none)",
        ]),
      ),
      ...stays.map((line) => `Stays: ${cleanLine(line, 200)}`),
      `Go there: cd "$(amof ticket path ${id})"`,
    ],
  };
}

/** What a reader is told of a workspace that went. */
function renderUnmade(
  { action, left }: UndoData,
  { workspace, repos }: NonNullable<UndoData["removed"]>,
): Rendered {
  return {
    summary: `Undid ${action}: removed ${workspace} with ${count(repos.length, "clone")}.`,
    details: left === null ? "" : `⚠ Delete by hand: ${left}`,
  };
}

/** `amof undo`. */
export const undo = mutation({
  name: "amof_undo",
  path: ["undo"],
  toolset: "run",
  extra: true,
  scope: "ecosystem",
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "undo", will: "take back what a run did to repositories here" },
  runs: "undo",
  inline: true,
  exclusive: true,
  locks: "scope",
  inWorkspace: true,
  inTicket: true,
  next: ["get_ecosystem_status"],
  title: "Undo run",
  summary: "Take back what a run did to repositories: files, index, branches, commits, stashes.",
  description:
    "Without RUN the newest one that can be undone; since an undo is a run itself, a second one does it again. Each repository must be as the run left it, else nothing is touched. What was not kept (ignored files, secrets by name, files over 10 MB) and what is on remotes stays as it is.",
  positionals: ["run"],
  flags: SELECTION_FLAGS,
  examples: [
    "undo",
    "undo 4e8c1d72 --dry-run",
    "undo 4e8c1d72 --repo '!web'",
    "undo --only dirty",
  ],
  input: (z) =>
    z.strictObject({
      run: z.string().optional().describe(
        "Id or 4+ characters; else the newest that can be undone",
      ),
      ...selectionInput(z),
    }),
  meets: async (at, { run }) => await meetsWhole(at, run) ? { locks: "ecosystem" } : null,
  async preview(ctx, input) {
    const { facts } = await planUndo(ctx, input);
    const { repos, left_out, tickets, undone, action, made, gone, added } = facts;
    if (made !== null) return previewUnmaking(facts, made);
    if (gone !== null) return previewRemaking(facts, gone);
    if (added !== null) return previewDropping(facts, added);
    const stays = repos.flatMap((fact) => fact.stays);
    const nothing = repos.length === 0 && !tickets;
    return {
      ...(nothing ? { settled: { data: answerOf(facts) } } : {}),
      facts,
      summary: `Would undo ${action} in ${count(repos.length, "repo")}.`,
      effects: [
        ...repos.map(describe),
        ...(action === "exec" && repos.some(({ files }) => files.length > 0) ? [MEANWHILE] : []),
        ...(tickets ? ["Bring the tickets of the workspace back"] : []),
        ...stays.map((line) => `Stays: ${line}`),
      ],
      current: `Run ${undone.slice(0, 8)}, ${action}, left ${
        count(repos.length + left_out.length, "repo")
      } as they are now`,
      alternatives: [
        `See what the run did: amof operations ${undone.slice(0, 8)}`,
        "Undo it again afterwards: amof undo",
      ],
    };
  },
  changes: (facts: UndoFacts) => ({
    repos: facts.repos.map(({ name }) => name),
    what: "everything",
  }),
  undoes: (facts: UndoFacts) => facts.undone,
  lasts: ({ made, gone, added }: UndoFacts) =>
    made !== null
      ? `this; do it again: ${againOf(made)}`
      : gone !== null
      ? `this; do it again: amof ticket end ${gone.ticket_id}`
      : added !== null
      ? `this; do it again: ${broughtBy(added)}`
      : null,
  async execute(ctx, _input, facts): Promise<Result<UndoData>> {
    const record = operationOf(await operationsHere(ctx), facts.undone);
    if (facts.made !== null && isOfMade(record)) {
      const left = await unmake(ctx, record, facts.made);
      const data = answerOf(facts, left);
      return left === null ? { data } : { data, failure: undeletable(left) };
    }
    if (facts.added !== null && isOfAdded(record)) {
      const left = await drop(ctx, record, facts.added);
      const data = answerOf(facts, left);
      return left === null ? { data } : { data, failure: undeletable(left) };
    }
    if (facts.gone !== null && isOfGone(record)) {
      await remake(ctx, record);
      return { data: answerOf(facts) };
    }
    const directories = new Map(record.repos.map(({ name, directory }) => [name, directory]));
    await ctx.perform([
      ...facts.repos.map(({ name }) =>
        bringRepoBack.step({
          run: facts.undone,
          by: ctx.runId ?? "",
          repo: name,
          directory: directories.get(name) ?? "",
        })
      ),
      ...(facts.tickets ? [bringTicketsBack.step({ run: facts.undone })] : []),
    ]);
    return { data: answerOf(facts) };
  },
  render: (data: UndoData, input) =>
    data.removed !== null
      ? renderUnmade(data, data.removed)
      : data.returned !== null
      ? renderReturned(data, data.returned)
      : data.dropped !== null
      ? renderDropped(data, data.dropped)
      : ({
        summary: data.repos.length === 0 && data.left_out.length > 0
          ? "Nothing to undo."
          : `Undid ${data.action} in ${count(data.repos.length, "repo")}.`,
        details: data.repos.length === 0 ? noneStands(input) ?? "" : [
          table(
            ["repo", "branch", "commit", "refs", "files"],
            data.repos.map((row) => [
              row.name,
              row.branch ?? "(no branch)",
              row.head.to?.slice(0, 8) ?? "(none)",
              row.refs,
              row.files,
            ]),
          ),
          ...data.stays.map((line) => `Stays: ${cleanLine(line, 200)}`),
        ],
      }),
});
