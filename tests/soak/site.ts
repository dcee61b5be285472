/**
 * A place of work: a control repository with two ecosystems that are worked on and one that nobody may change, and
 * remotes that write down who pushes.
 *
 * @module
 */

import { join } from "@std/path";
import { Ledger } from "../chaos/ledger.ts";
import type { Report } from "../chaos/report.ts";
import { ServerOf } from "../support/server.ts";
import { World } from "../support/world.ts";
import { Strikes } from "./strikes.ts";
import { writeProgram } from "../support/program.ts";

/** The ecosystems that are worked on, with their repositories. */
export const WORKED: Readonly<Record<string, readonly string[]>> = {
  demo: ["api", "web"],
  shop: ["core", "desk"],
};
/** The ecosystem that is only looked at, and whose changes nobody consents to, with its repositories. */
export const STILL = { name: "still", repos: ["calm", "quiet"] } as const;

/** Where a remote writes down what was pushed: time in ms, ref, new commit. */
const PUSHES = "pushed-refs";
const NOTE_PUSH = `#!/bin/sh
while read -r old new ref; do echo "$(date +%s%3N) $ref $new"; done >> ${PUSHES}
`;

/** A push as its remote saw it. */
export interface Pushed {
  readonly repo: string;
  readonly at: number;
  readonly ref: string;
  readonly commit: string;
}

/** A place of work. */
export class Site implements AsyncDisposable {
  readonly name: string;
  /** Whether its servers are killed. */
  readonly fragile: boolean;
  readonly world: World;
  readonly ledger: Ledger;
  /** What kills commands inside their calls of git. */
  readonly strikes: Strikes;
  /** The server of its control repository. */
  server: ServerOf;

  private constructor(
    { name, fragile, world }: Pick<Site, "name" | "fragile" | "world">,
    server: ServerOf,
    strikes: Strikes,
  ) {
    this.name = name;
    this.fragile = fragile;
    this.world = world;
    this.server = server;
    this.strikes = strikes;
    this.ledger = new Ledger(world, WORKED);
  }

  /** Makes one, installed, with its server running. */
  static async make(name: string, fragile: boolean, report: Report): Promise<Site> {
    const world = await World.make();
    await world.makeControl();
    // What an undo has deleted, with consent, is looked for in what is kept for the undo of it, of which nothing may be
    // forgotten between two looks.
    for (const [name, most] of [["undo_runs", "9999"], ["undo_mb", "999999"]] as const) {
      const { code, stderr } = await world.amof(["config", "set", name, most]);
      if (code !== 0) throw new Error(`config set ${name}: ${stderr}`);
    }
    const all = [...Object.entries(WORKED), [STILL.name, STILL.repos] as const];
    for (const [ecosystem, repos] of all) {
      await world.addEcosystem(ecosystem, { repos });
      for (const repo of repos) {
        const hook = join(world.remotes, `${repo}.git`, "hooks", "post-receive");
        await writeProgram(hook, NOTE_PUSH);
      }
      await world.install(ecosystem);
    }
    const strikes = await Strikes.make(world, report);
    return new Site({ name, fragile, world }, await Site.#serve(world), strikes);
  }

  static async #serve(world: World): Promise<ServerOf> {
    return await ServerOf.start(world, 0, { AMOF_MODE: "execute" });
  }

  /** Starts the server anew after it was killed. */
  async serveAgain(): Promise<void> {
    this.server = await Site.#serve(this.world);
  }

  /** Every push that reached a remote. */
  async pushes(): Promise<readonly Pushed[]> {
    const found: Pushed[] = [];
    for (const repo of [...Object.values(WORKED).flat(), ...STILL.repos]) {
      const file = join(this.world.remotes, `${repo}.git`, PUSHES);
      const text = await Deno.readTextFile(file).catch(() => "");
      for (const [, at, ref = "", commit = ""] of text.matchAll(/^(\d+) (\S+) ([0-9a-f]{40})$/gm)) {
        found.push({ repo, at: Number(at), ref, commit });
      }
    }
    return found;
  }

  /** The database that all processes share. */
  get database(): string {
    return join(this.world.env["AMOF_HOME"] ?? "", "state", "amof.db");
  }

  /** Ends the server and leaves everything where it is, to be looked at. */
  async leave(): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  /** Ends the server and removes everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
    await this.world[Symbol.asyncDispose]();
    await this.strikes[Symbol.asyncDispose]();
  }
}
