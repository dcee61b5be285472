/** What the commands have in common that look into all repositories: their declaration, and what callers give them. */

import { AmofError } from "../../base/error.ts";
import { parseMoment } from "../../base/text/moment.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { didYouMean, meantText } from "../../base/text/words.ts";
import { endedTickets } from "../../workspace/tickets/mod.ts";
import type { WorkspaceState } from "../../workspace/mod.ts";

/** The branches of a ticket by repository, also of one that has ended and left some; throws `ticket_not_found`. */
export function ticketBranches(
  state: WorkspaceState | null,
  id: string,
): Readonly<Record<string, string>> {
  const ended = state === null ? new Map() : endedTickets(state);
  const open = state?.tickets ?? {};
  const found = Object.hasOwn(open, id) ? open[id] : ended.get(id);
  if (found !== undefined) return found.repos;
  const shown = cleanLine(id, 60);
  const known = [...Object.keys(open), ...ended.keys()];
  throw new AmofError(
    "ticket_not_found",
    `Cannot find ticket "${shown}"${meantText(didYouMean(id, known))}`,
    {
      hint:
        "See them: amof ticket list\nSee those that have left branches: amof ticket list --ended",
      details: { ticket_id: shown, available: known },
    },
  );
}

/** Throws `invalid_arguments` for a commit that none of the repositories has. */
export function refuseUnknown(
  name: string | null,
  read: number,
  without: readonly string[],
): void {
  if (name === null || read === 0 || without.length < read) return;
  throw new AmofError(
    "invalid_arguments",
    `Cannot find "${cleanLine(name, 60)}" in any of the repositories`,
    {
      hint: "See their branches: amof branches --all",
      details: { issues: [{ path: "ref", problem: "is no commit of these repositories" }] },
    },
  );
}

/** The name as it is; throws `invalid_arguments` for one that git would take for a flag, or for more than a name. */
export function plainRef<T extends string | undefined>(name: T): T {
  if (name === undefined || /^[^-\s:][^\s:]*$/.test(name)) return name;
  throw new AmofError(
    "invalid_arguments",
    `Cannot look at "${cleanLine(name, 60)}": that is no name of a commit`,
    {
      hint: "Name a branch, a tag or a commit, such as v1.0.0 or HEAD~3",
      details: { issues: [{ path: "ref", problem: "is no name of a commit" }] },
    },
  );
}

/** The paths as they are; throws `invalid_arguments` for one that leads out of a repository. */
export function insidePaths(paths: readonly string[] = []): readonly string[] {
  const outside = paths.find((path) =>
    /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path) || path.split(/[\\/]/).includes("..")
  );
  if (outside === undefined) return paths;
  throw new AmofError(
    "invalid_arguments",
    `Cannot look at "${cleanLine(outside, 60)}": it is not inside a repository`,
    {
      hint: "Write paths as they are in each repository, such as src or '*.ts'",
      details: { issues: [{ path: "paths", problem: "leads out of the repositories" }] },
    },
  );
}

/** A moment in milliseconds since the epoch, of the value of a flag; throws `invalid_arguments`. */
export function momentOf(flag: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const at = parseMoment(text, now);
  if (at !== null) return at;
  throw new AmofError(
    "invalid_arguments",
    `Cannot use --${flag} "${cleanLine(text, 60)}": that is no moment`,
    {
      hint: "Write how long ago, such as 90m, 24h, 7d or 2w, or a date, such as 2026-03-02",
      details: { issues: [{ path: flag, problem: "is no moment" }] },
    },
  );
}

/** They are about the workspace they are called for, and show text that others wrote. */
export const LOOKING = {
  toolset: "ecosystem",
  scope: "ecosystem",
  mcp: "asked for",
  openWorld: "text",
  needs: "a workspace",
  inTicket: "its workspace",
  next: [],
} as const;
