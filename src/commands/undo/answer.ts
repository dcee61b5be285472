/** What an undo answers, and what people are told of it. */

import type { Rendered } from "../../contract/mod.ts";
import { foldedRepos, type Folding, type Part } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { table } from "../../base/text/table.ts";
import { count, few } from "../../base/text/words.ts";
import { noneStands, type Selecting } from "../selection/mod.ts";
import type { UndoFact } from "./plan.ts";
import type { UndoFacts } from "./facts.ts";
import type { RemadeFact } from "./remake.ts";
import { againOf, type UnmadeFact } from "./unmake.ts";
import { commandWords, type Redo } from "./find.ts";

interface UndoRow {
  readonly name: string;
  readonly result: "restored";
  readonly branch: string | null;
  readonly head: UndoFact["head"];
  /** How many names were moved, made or deleted. */
  readonly refs: number;
  readonly files: number;
}

/** What became of the repositories, or of the workspace, that a run was taken back in. */
export interface UndoData {
  readonly undone: string;
  readonly action: string;
  /** What taking back an undo came to; absent for any other run. */
  readonly deed?: Redo;
  readonly repos: readonly UndoRow[];
  readonly left_out: readonly string[];
  /** What stays as it is, one sentence each. */
  readonly stays: readonly string[];
  /** What of the run is not brought back, such as what it did on remotes, or null. */
  readonly lasts: string | null;
  /** The workspace that went, because the run had made it, or null. */
  readonly removed:
    | Pick<UnmadeFact, "ticket_id" | "workspace" | "repos"> & {
      /** The command that uses its adopted clones again; absent where there was none. */
      readonly again?: string;
    }
    | null;
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

/** What stays as it is of repositories and tickets, one sentence each. */
export function staysOf({ repos, tickets_stay }: UndoFacts): readonly string[] {
  return [...repos.flatMap(({ stays }) => stays), ...tickets_stay];
}

/** The answer to a plan that was carried out, with what could not be deleted. */
export function answerOf(facts: UndoFacts, left: string | null = null): UndoData {
  const { made, gone, added } = facts;
  return {
    undone: facts.undone,
    action: facts.action,
    ...facts.deed === null ? {} : { deed: facts.deed },
    repos: facts.repos.map(({ name, branch, head, refs, files }) => ({
      name,
      result: "restored",
      branch,
      head,
      refs: refs.length,
      files: files.length,
    })),
    left_out: facts.left_out,
    stays: [...staysOf(facts), ...gone?.stays ?? []],
    lasts: facts.lasts,
    removed: made === null ? null : {
      ticket_id: made.ticket_id,
      workspace: made.workspace,
      repos: made.repos,
      ...(Object.keys(made.adopted).length === 0 ? {} : { again: againOf(made) }),
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

/** What undoing a run has not brought back, in a line; none where that is nothing. */
export function lastsLines({ lasts }: Pick<UndoData, "lasts">): string[] {
  return lasts === null ? [] : [`Not brought back: ${cleanLine(lasts, 300)}`];
}

/** What a reader is told of a workspace that went. */
function renderUnmade(
  { action, left }: UndoData,
  { workspace, repos, again }: NonNullable<UndoData["removed"]>,
): Rendered {
  return {
    summary: `Undid ${commandWords(action)}: removed ${workspace} with ${
      count(repos.length, "clone")
    }.`,
    details: [
      ...(left === null ? [] : [`⚠ Delete by hand: ${left}`]),
      ...(again === undefined ? [] : [`Use the adopted clones again: ${again}`]),
    ],
  };
}

/** What a reader is told of a workspace that came back. */
function renderReturned(
  { action, stays, lasts }: UndoData,
  { ticket_id: id, workspace, repos }: NonNullable<UndoData["returned"]>,
): Rendered {
  return {
    summary: `Undid ${commandWords(action)}: made ${workspace} again with ${
      count(repos.length, "clone")
    }.`,
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
      ...lastsLines({ lasts }),
      `Go there: cd "$(amof ticket path ${id})"`,
    ],
  };
}

/** What a reader is told of clones that went. */
function renderDropped(
  { action, left }: UndoData,
  { workspace, repos }: NonNullable<UndoData["dropped"]>,
): Rendered {
  return {
    summary: `Undid ${commandWords(action)}: removed ${few(repos, 5)} from ${workspace}.`,
    details: left === null ? "" : `⚠ Delete by hand: ${left}`,
  };
}

/** What stays, a line each; where the same stays in many repositories, in one, whatever its commits are called. */
export function staysLines(stays: readonly string[], folding: Folding): readonly Part[] {
  const told = stays.map((line) => {
    const [name = "", ...why] = cleanLine(line, 200).split(": ");
    return { name, why: why.join(": ") };
  });
  return foldedRepos(told, ({ name, why }) => `Stays: ${name}: ${why}`, {
    ...folding,
    brief: ({ name, why }) => `Stays: ${name}: ${why.replace(/^commit [0-9a-f]+ /, "a commit ")}`,
  });
}

/** What a reader is told of repositories that stand as they did before the run. */
function renderRestored(data: UndoData, input: Selecting & Folding): Rendered {
  const restored = table(
    ["repo", "branch", "commit", "refs", "files"],
    data.repos.map((row) => [
      row.name,
      row.branch ?? "(no branch)",
      row.head.to?.slice(0, 8) ?? "(none)",
      row.refs,
      row.files,
    ]),
  );
  const { action, deed } = data;
  const did = deed?.again === true
    ? `Did ${deed.what} again`
    : `Undid ${deed?.what ?? commandWords(action)}`;
  const backOn = (at: number) => `back on ${data.repos[at]?.branch ?? "no branch"}`;
  return {
    summary: data.repos.length === 0 && data.left_out.length > 0
      ? "Nothing to undo."
      : data.repos.length === 0
      ? `${did}: the tickets are as they were.`
      : `${did} in ${count(data.repos.length, "repo")}.`,
    details: data.repos.length === 0 ? noneStands(input) ?? "" : [
      input.all ? restored : restored.folding(() => true, backOn),
      ...staysLines(data.stays, input),
      ...lastsLines(data),
    ],
  };
}

/** What a reader is told of an undo, by what it did: a workspace or clones that went, one that came, or repositories. */
export function renderUndone(data: UndoData, input: Selecting & Folding): Rendered {
  if (data.removed !== null) return renderUnmade(data, data.removed);
  if (data.returned !== null) return renderReturned(data, data.returned);
  if (data.dropped !== null) return renderDropped(data, data.dropped);
  return renderRestored(data, input);
}
