/**
 * Which doors stand open to what runs now, and opens those again that do not.
 *
 * @module
 */

import type { Door } from "./doors.ts";

/** The doors of a place. */
export class Opened {
  /** The process of the server to which each was opened. */
  readonly #servers = new Map<Door, number>();

  constructor(doors: readonly Door[], server: number) {
    for (const door of doors) this.#servers.set(door, server);
  }

  /**
   * Opens again what stands open to a server that is gone, or whose own process is; throws when one could not be opened,
   * which keeps no other from it, and is tried again the next time.
   */
  async again(
    server: number,
    isAlive: (pid: number) => Promise<boolean>,
    done: (door: Door) => void,
  ): Promise<void> {
    const failures: unknown[] = [];
    for (const [door, before] of this.#servers) {
      if (door.pid === null ? before === server : await isAlive(door.pid)) continue;
      try {
        await door.reopen();
        this.#servers.set(door, server);
        done(door);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
