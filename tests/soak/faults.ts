/**
 * What goes wrong from outside: processes are killed, remotes go away and come back, the disk is full.
 *
 * @module
 */

import { join } from "@std/path";
import type { Random } from "../chaos/random.ts";
import type { Report } from "../chaos/report.ts";
import type { Disk } from "./disk.ts";
import { kill, processesOf, type Role } from "./processes.ts";
import { type Site, WORKED } from "./site.ts";

/** How long a disk stays full and a remote away, in milliseconds: at least, and by chance on top of that. */
const STAYS_MS = [300, 2_500] as const;
/** How long it is at most from one kill to the next, in milliseconds. */
const MOST_MS_BETWEEN = 1_000;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function stay(random: Random): Promise<void> {
  const [least, more] = STAYS_MS;
  return pause(least + random.below(more));
}

/** What is killed, and how often by how often it stands here. */
const VICTIMS: readonly Role[] = ["git", "git", "git", "worker", "worker", "command"];
const SERVERS: readonly Role[] = ["mcp", "server"];

/** Makes things go wrong at some places, one after the other. */
export class Faults {
  readonly #sites: readonly Site[];
  readonly #disk: Disk;
  readonly #report: Report;
  readonly #random: Random;

  constructor(
    { sites, disk, report, random }: {
      readonly sites: readonly Site[];
      readonly disk: Disk;
      readonly report: Report;
      readonly random: Random;
    },
  ) {
    this.#sites = sites;
    this.#disk = disk;
    this.#report = report;
    this.#random = random;
  }

  /** A remote goes, or all room on the disk; when this resolves, both are as they were. */
  async surroundings(): Promise<void> {
    await pause(this.#random.below(3_000));
    if (this.#disk.isSmall && this.#random.below(4) === 0) await this.#fill();
    else await this.#loseRemote(this.#random.one(this.#sites));
  }

  /** Kills something that runs, if anything does; of servers only those that are meant to bear it. */
  async kill(): Promise<void> {
    await pause(this.#random.below(MOST_MS_BETWEEN));
    const site = this.#random.one(this.#sites);
    const roles = site.fragile ? [...VICTIMS, ...SERVERS] : VICTIMS;
    const there = (await processesOf(site.world)).filter(({ role }) => roles.includes(role));
    const role = this.#random.one(roles);
    const wanted = there.filter((process) => process.role === role);
    // Servers are always there, so they are killed only where they are what was chosen.
    const others = there.filter((process) => !SERVERS.includes(process.role));
    const found = wanted.length > 0 ? wanted : others;
    if (found.length === 0) return;
    const victim = this.#random.one(found);
    if (kill(victim.pid)) this.#report.count(`killed: ${victim.role}`);
  }

  async #loseRemote(site: Site): Promise<void> {
    const repo = this.#random.one(Object.values(WORKED).flat());
    const remote = join(site.world.remotes, `${repo}.git`);
    this.#report.count("fault: a remote is away");
    await Deno.rename(remote, `${remote}.away`);
    await stay(this.#random);
    await Deno.rename(`${remote}.away`, remote);
  }

  async #fill(): Promise<void> {
    this.#report.count("fault: the disk is full");
    await this.#disk.fill();
    await stay(this.#random);
    await this.#disk.clear();
  }
}
