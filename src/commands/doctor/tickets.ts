/**
 * What `amof doctor` looks for in the workspaces of tickets: records, clones, and what was left of making and removing
 * (LEAVE-3).
 *
 * No git process.
 */

import { basename, join } from "@std/path";
import type { CommandContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, list, shellWord } from "../../base/text/words.ts";
import {
  branchAgain,
  goneTickets,
  type ListedTicketWorkspace,
  remainsText,
  ticketDirectory,
  ticketWorkspaces,
} from "../../workspace/tickets/mod.ts";
import { againCommand } from "../advice/command_lines.ts";
import { ticketsAway } from "../../workspace/tickets/changing.ts";
import { loadState } from "../../workspace/mod.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { ticketRemains } from "../removal/removal.ts";
import { type Check, found } from "./found.ts";

/** Repositories of a ticket whose clones are not there. */
async function missingIn(
  { system: { files } }: CommandContext,
  { directory, record }: ListedTicketWorkspace,
): Promise<string[]> {
  const missing: string[] = [];
  for (const [name, { path }] of Object.entries(record?.repos ?? {})) {
    if (await files.lstat(join(directory, path, ".git")) === null) missing.push(name);
  }
  return missing;
}

/** What to do about a record that cannot be used. */
async function recordFix(
  { root, system: { files } }: CommandContext,
  manifest: Manifest,
  { directory, renamedFrom }: ListedTicketWorkspace,
): Promise<string> {
  const place = shellWord(directory);
  if (renamedFrom !== null) {
    const former = ticketDirectory(root, manifest, renamedFrom);
    if (await files.lstat(former) === null) {
      return `Give it its name back: mv ${place} ${shellWord(former)}`;
    }
  }
  return `Put the record back, or save what is in ${place}, then move that away`;
}

/** What is the matter with one ticket, or null. */
async function checkTicket(
  ctx: CommandContext,
  manifest: Manifest,
  ticket: ListedTicketWorkspace,
): Promise<Check | null> {
  const { id, directory, record, problem } = ticket;
  const name = `ticket ${id}`;
  if (record === null || problem !== null) {
    return found(
      name,
      "problem",
      `its record ${basename(directory)}/.amof/ticket.json cannot be used: ${
        problem ?? "there is none"
      }`,
      await recordFix(ctx, manifest, ticket),
    );
  }
  const missing = await missingIn(ctx, ticket);
  return missing.length === 0 ? null : found(
    name,
    "problem",
    `not cloned: ${list(missing.map((repo) => cleanLine(repo, 60)))}`,
    `amof ticket end ${id}`,
  );
}

/** What commands that were cut off have left; nothing while one of them may still be at work. */
async function checkRemains(ctx: CommandContext, manifest: Manifest): Promise<Check[]> {
  const { rubbish, aside } = await ticketRemains(ctx, manifest);
  const { runs } = await ctx.store();
  const active = runs.list({ statuses: ["queued", "running", "paused"], limit: 200 })
    .some(({ root, ecosystem }) => root === ctx.root && ecosystem === manifest.name);
  if (active || (await ctx.runs.unfinished(manifest.name)).length > 0) return [];
  return [
    ...(rubbish.length === 0 ? [] : [found(
      "removed tickets",
      "problem",
      `not all could be deleted: ${rubbish.join(", ")}`,
      `amof -e ${manifest.name} doctor --repair`,
    )]),
    ...aside.map(({ place, from }) =>
      found(
        `ticket ${basename(from).slice(basename(from).indexOf("@") + 1)}`,
        "problem",
        `its workspace was set aside and never removed: ${place}`,
        `Put it back: mv ${shellWord(place)} ${shellWord(from)}`,
      )
    ),
  ];
}

/** Tickets that an archive has put away: where each lies, and which cannot come back as it is. */
async function checkAway(ctx: CommandContext, manifest: Manifest): Promise<Check[]> {
  const away = await ticketsAway(ctx, manifest);
  const broken = away.filter(({ record }) => record === null);
  const whole = away.filter(({ record }) => record !== null);
  const places = few(whole.map(({ id, name }) => `${id} in ${name}`), 5);
  return [
    ...(whole.length === 0 ? [] : [found(
      "archived tickets",
      "ok",
      `${places}. Bring them back: amof -e ${manifest.name} archive restore --tickets`,
    )]),
    ...broken.map(({ id, place }) =>
      found(
        `ticket ${id}`,
        "problem",
        `its workspace is put away, and the record in it cannot be used: ${place}`,
        `Put the record back, or save what is in ${shellWord(place)}, then move that away`,
      )
    ),
  ];
}

/** Tickets whose workspaces somebody deleted. */
async function checkGone(ctx: CommandContext, manifest: Manifest): Promise<Check[]> {
  return (await goneTickets(ctx, manifest)).map((gone) => {
    const { port_base: base, port_count: ports } = gone.ports;
    return found(
      `ticket ${gone.id}`,
      "problem",
      `its workspace ${gone.workspace} is gone, with what was only there: ${
        cleanLine(remainsText(gone), 300)
      }; it still holds ports ${base} to ${base + ports - 1}`,
      `Put the directory back\nMake it again out of what is pushed: ${
        againCommand(gone)
      }\nLet go of it: amof ticket end ${gone.id}`,
    );
  });
}

/** Tickets of the base workspace whose branch is missing in a clone: nobody can go to them. */
async function checkBranches(ctx: CommandContext, manifest: Manifest): Promise<Check[]> {
  const workspace = join(ctx.root, manifest.workspaceDir);
  const { tickets = {} } = await loadState(ctx.system, workspace) ?? {};
  const checks: Check[] = [];
  for (const { name, path, branch: base } of manifest.repos) {
    const directory = join(workspace, path);
    if (await ctx.system.files.lstat(join(directory, ".git")) === null) continue;
    const repository = ctx.git.at(directory, name);
    for (const [id, { repos }] of Object.entries(tickets)) {
      const branch = repos[name];
      if (branch === undefined) continue;
      const ref = `refs/heads/${branch}`;
      if ((await repository.refs.peek([ref])).has(ref)) continue;
      checks.push(found(
        `ticket ${id}`,
        "warning",
        `${name} has no branch ${cleanLine(branch, 60)} any more`,
        await branchAgain(repository, { directory, branch, base }),
      ));
    }
  }
  return checks;
}

/** Looks at the workspaces of all tickets; what is well is one line, where there is any. */
export async function checkTickets(ctx: CommandContext, manifest: Manifest): Promise<Check[]> {
  const tickets = await ticketWorkspaces(ctx.system, ctx.root, manifest);
  const checks = await Promise.all(tickets.map((ticket) => checkTicket(ctx, manifest, ticket)));
  const wrong = checks.filter((check) => check !== null);
  const well = tickets.length - wrong.length;
  return [
    ...(well === 0 ? [] : [
      found(
        "tickets",
        "ok",
        `${count(well, "ticket")} with a workspace, ${well === 1 ? "its" : "their"} clones there`,
      ),
    ]),
    ...wrong,
    ...await checkBranches(ctx, manifest),
    ...await checkGone(ctx, manifest),
    ...await checkAway(ctx, manifest),
    ...await checkRemains(ctx, manifest),
  ];
}
