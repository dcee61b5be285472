/**
 * The workspace of a ticket, as `ticket start --workspace` makes it, for tests of what happens in it.
 *
 * @module
 */

import { join } from "@std/path";
import type { World } from "./world.ts";

/** What a ticket is made with. */
export interface TicketMade {
  readonly repos?: readonly string[];
  /** Repositories that are only there to be read. */
  readonly context?: readonly string[];
  readonly ecosystem?: string;
}

/** Makes the workspace of a ticket beside that of the ecosystem: a clone of each repository, and the record. */
export async function makeTicket(
  world: World,
  id: string,
  { repos = ["api"], context = [], ecosystem = "demo" }: TicketMade = {},
): Promise<string> {
  const directory = join(world.control, "worktrees", `${ecosystem}@${id}`);
  const entries = [];
  for (const name of [...repos, ...context]) {
    const path = `repos/${name}`;
    const clone = join(directory, path);
    const role = context.includes(name) ? "context" : "work";
    const branch = role === "context" ? "main" : `feature/${id}`;
    await world.git(world.directory, "clone", "--quiet", "--template=", world.url(name), clone);
    if (role === "work") await world.git(clone, "switch", "--quiet", "--create", branch);
    const start = (await world.git(clone, "rev-parse", "HEAD")).trim();
    entries.push([name, { path, role, branch, base: "main", start, mirror: null }]);
  }
  await writeRecord(directory, {
    version: 1,
    ticket_id: id,
    ecosystem,
    created_at: "2026-01-02T03:04:05.000Z",
    phase: "started",
    repos: Object.fromEntries(entries),
    env: { port_base: 20000, port_count: 20 },
  });
  return directory;
}

/** Writes the record of a ticket. */
export async function writeRecord(directory: string, record: unknown): Promise<void> {
  await Deno.mkdir(join(directory, ".amof"), { recursive: true });
  await Deno.writeTextFile(join(directory, ".amof", "ticket.json"), JSON.stringify(record));
}

/** The record of a ticket. */
export async function recordOf(directory: string): Promise<Record<string, unknown>> {
  return JSON.parse(await Deno.readTextFile(join(directory, ".amof", "ticket.json")));
}
