/**
 * Runs that a test itself works on, in the database of a world, as any other process would.
 *
 * @module
 */

import { runId } from "../../src/base/ids.ts";
import { layoutOf } from "../../src/state/store/mod.ts";
import { openStore } from "../../src/state/store/open.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";
import type { World } from "./world.ts";

/** A run of a world whose events a test writes. */
export class RunInStore implements Disposable {
  readonly id = runId(crypto.randomUUID());
  readonly #store;

  private constructor(world: World) {
    const { env } = realSystem();
    const { database } = layoutOf({ ...env, get: (name) => world.env[name] });
    this.#store = openStore(database);
  }

  /** Begins a run that this process works on. */
  static async begin(
    world: World,
    { action = "sync", ticket = null }: {
      readonly action?: string;
      readonly ticket?: string | null;
    } = {},
  ): Promise<RunInStore> {
    const run = new RunInStore(world);
    const me = await realSystem().processes.me();
    const { runs } = run.#store;
    const now = Date.now();
    runs.add({
      runId: run.id,
      root: world.control,
      ecosystem: "demo",
      ticket,
      action,
      tool: "amof_sync_ecosystem",
      args: {},
      locks: [],
      createdAt: now,
      sessionId: null,
      origin: "cli",
      requestedBy: "test",
      confirmation: null,
      fingerprint: "",
      preview: {},
      inline: false,
      starter: me,
    });
    runs.setWorker(run.id, me, now);
    runs.move(run.id, "running", now, {});
    return run;
  }

  /** Prints lines. */
  print(lines: readonly string[]): void {
    this.#store.events.append(
      this.id,
      lines.map((message) => ({ at: Date.now(), level: "info", type: "log", message })),
    );
  }

  /** Ends it well. */
  end(): void {
    this.#store.runs.move(this.id, "success", Date.now(), { exitCode: 0 });
  }

  /** Closes its database. */
  [Symbol.dispose](): void {
    this.#store.close();
  }
}
