/**
 * Agents at work in the workspace of a ticket (BOX-12). Nobody removes the workspace while they work. What one
 * made on an engine is brought home by whoever comes after a crash.
 */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import { isObject } from "../../base/object.ts";
import type { FileLock, Files } from "../../base/system/mod.ts";
import { shellWord } from "../../base/text/words.ts";
import type { CommandContext } from "../../contract/mod.ts";
import type { RunRecord } from "../../state/store/mod.ts";

/** What of a ticket is on an engine, or on its way home. */
interface Pending<Facts> {
  readonly v: 1;
  readonly run: string;
  readonly ticket: string;
  /** What was confirmed. */
  readonly facts: Facts;
}

/** Where that is written down: at most one at a time of each ticket. */
export class PendingAgent<Facts> {
  readonly #files: Files;
  readonly #ticket: string;
  /** Absolute. */
  readonly directory: string;

  constructor(
    { system, layout, root, ecosystem }: Pick<
      CommandContext,
      "system" | "layout" | "root" | "ecosystem"
    >,
    ticket: string,
  ) {
    this.#files = system.files;
    this.#ticket = ticket;
    const id = sha256([root, ecosystem, ticket.normalize("NFC")].join("\0")).slice(0, 32);
    this.directory = join(layout.state, "agents", id);
  }

  get #file(): string {
    return join(this.directory, "pending.json");
  }

  /** What was submitted and has not come home; null where there is nothing. Throws `state_corrupt` where that cannot be read. */
  async get(): Promise<Pending<Facts> | null> {
    const text = await this.#files.readText(this.#file);
    if (text === null) return null;
    try {
      const pending: unknown = JSON.parse(text);
      if (isObject(pending) && pending["v"] === 1) return pending as unknown as Pending<Facts>;
    } catch {
      // Said below.
    }
    throw new AmofError("state_corrupt", `Cannot read what was noted of an agent: ${this.#file}`, {
      hint: "Put the file aside: what shards have told lies below engine, beside it",
      details: { path: this.#file },
    });
  }

  /** Writes down what was submitted, before its engine hears of it. */
  async put(run: string, facts: Facts): Promise<void> {
    const pending: Pending<Facts> = { v: 1, run, ticket: this.#ticket, facts };
    await this.#files.makeDirectory(this.directory, { mode: 0o700 });
    await this.#files.write(this.#file, `${JSON.stringify(pending, null, 2)}\n`, { mode: 0o600 });
  }

  /** Everything is home. */
  async clear(): Promise<void> {
    await this.#files.remove(this.#file);
  }

  /** Keeps others from bringing the same home at once. Throws `state_busy` where another process does. */
  async hold(): Promise<FileLock> {
    await this.#files.makeDirectory(this.directory, { mode: 0o700 });
    const lock = await this.#files.lock(join(this.directory, "agent.lock"));
    if (lock !== null) return lock;
    throw new AmofError(
      "state_busy",
      `Cannot bring home what an agent made of ticket ${this.#ticket}: another process does`,
      { hint: "See what runs: amof runs active", details: { ticket: this.#ticket } },
    );
  }
}

/** How runs of `amof agent run` are called. */
const AGENT = "agent";

/** The run of a program that `amof agent run` started in a ticket and that goes on; null where none does. */
export async function runAtWork(
  ctx: Pick<CommandContext, "store" | "root" | "ecosystem">,
  id: string,
): Promise<RunRecord | null> {
  const { runs } = await ctx.store();
  const [run] = runs.list({
    root: ctx.root,
    ecosystem: ctx.ecosystem,
    ticket: id,
    action: AGENT,
    statuses: ["queued", "running", "paused"],
    limit: 1,
  });
  return run ?? null;
}

/**
 * Throws `ecosystem_busy` while a program that `amof agent run` started works in a ticket. Such a run holds no lock, for
 * what it starts calls amof there (BOX-9).
 */
export async function refuseAtWork(ctx: CommandContext, id: string, what: string): Promise<void> {
  const run = await runAtWork(ctx, id);
  if (run === null) return await refuseAway(ctx, id, what);
  const short = run.runId.slice(0, 8);
  throw new AmofError("ecosystem_busy", `Cannot ${what}: a program works there as run ${short}`, {
    hint: `Wait for it\nEnd it: amof runs cancel ${short}`,
    details: { run_id: run.runId, action: run.action, status: run.status, ticket: id },
  });
}

/** The same while what such a program made on an engine has not come home (BOX-12). */
async function refuseAway(ctx: CommandContext, id: string, what: string): Promise<void> {
  const pending = await new PendingAgent<unknown>(ctx, id).get();
  if (pending === null) return;
  const short = pending.run.slice(0, 8);
  throw new AmofError(
    "ecosystem_busy",
    `Cannot ${what}: what run ${short} made on an engine has not come home yet`,
    {
      hint: `Bring it home: amof agent run --ticket ${shellWord(id)} --resume ${short}`,
      details: { run_id: pending.run, ticket: id },
    },
  );
}
