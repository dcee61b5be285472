/**
 * What is written down of an agent that works on an engine, so that whoever comes after a crash brings home what it made
 * (BOX-12).
 */

import { join } from "@std/path";
import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import { isObject } from "../../base/object.ts";
import type { FileLock, Files } from "../../base/system/mod.ts";

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
