/**
 * Confines git in a clone in which something has run in a box, and whose configuration nobody has looked at since. Git
 * then runs in the box of the ticket, where it can do no more than whoever wrote that (SEAL-9).
 */

import { dirname, join } from "@std/path";
import type { Maker } from "../../machine/box/mod.ts";
import type { Bypass, Seal, Suspects } from "../../git/mod.ts";
import { isBelow } from "../../base/paths.ts";
import type { System } from "../../base/system/mod.ts";
import type { BoxTools } from "../tickets/box.ts";

/** What of the caller git goes by, besides the usual variables of a box: who commits, when, and where settings are. */
const PASSED = [
  "GIT_AUTHOR_DATE",
  "GIT_AUTHOR_EMAIL",
  "GIT_AUTHOR_NAME",
  "GIT_COMMITTER_DATE",
  "GIT_COMMITTER_EMAIL",
  "GIT_COMMITTER_NAME",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_CONFIG_SYSTEM",
  "XDG_CONFIG_HOME",
];

/** Where links are looked for no further. */
const DEEPEST = 12;

/** Boxes around clones of tickets, for one call of a command. */
export class Confinement {
  readonly #tools: BoxTools;
  #maker: Promise<Maker> | null = null;
  /** By directory of a ticket. */
  readonly #boxable = new Map<string, Promise<boolean>>();

  constructor(tools: BoxTools) {
    this.#tools = tools;
  }

  /**
   * What has another place behind it in the git directory of a clone, as a link, by its name in the clone; null where
   * nothing has. What git writes there would be written elsewhere, and what it reads and sends would be somebody else's.
   */
  async link(clone: string): Promise<string | null> {
    const { system } = this.#tools;
    const directory = join(clone, ".git");
    if ((await system.files.lstat(directory))?.kind === "symlink") return ".git";
    const found = await linkBelow(system, directory, 0);
    return found?.slice(clone.length + 1) ?? null;
  }

  /** How git can work in a clone although this has changed there; null where it cannot. */
  async bypass(clone: string, suspects: Suspects, seal: Seal): Promise<Bypass | null> {
    const { system } = this.#tools;
    const decisive = seal.parts.some(({ name, kind }) =>
      (kind === "place" || kind === "alternates") && suspects.files.includes(name)
    );
    // Without its hook a push would leave out what git-lfs keeps apart.
    const large = join(clone, ".git", "lfs", "objects");
    if (decisive || await system.files.lstat(large) !== null) return null;
    const ticket = await this.#ticketOf(clone);
    // Boxes are loaded for the few clones whose configuration has changed.
    const { findMaker, withBox } = await import("../../machine/box/mod.ts");
    const { planTicketBox } = await import("../tickets/box.ts");
    this.#maker ??= findMaker(system, "none");
    const maker = await this.#maker;
    if (ticket === null || maker.kind === "none" || !await this.#canBox(ticket)) return null;
    return {
      confine: async (world, work) => {
        const plan = await planTicketBox(this.#tools, ticket, "none");
        const { layout } = this.#tools;
        return await withBox(
          world,
          { plan, maker, layout },
          ({ inside }) => work(withVariables(inside)),
        );
      },
    };
  }

  #canBox(ticket: string): Promise<boolean> {
    const look = async () => {
      const { unboxable } = await import("../tickets/box.ts");
      return await unboxable(this.#tools, ticket) === null;
    };
    const known = this.#boxable.get(ticket) ?? look();
    this.#boxable.set(ticket, known);
    return known;
  }

  /** The directory of the ticket that a clone belongs to: the outermost with a record, as others can be put inside. */
  async #ticketOf(clone: string): Promise<string | null> {
    const { files } = this.#tools.system;
    const top = await files.realPath(this.#tools.root) ?? this.#tools.root;
    let found: string | null = null;
    let place = dirname(await files.realPath(clone) ?? clone);
    for (; place !== top && isBelow(top, place); place = dirname(place)) {
      if (await files.lstat(join(place, ".amof", "ticket.json")) !== null) found = place;
    }
    return found;
  }
}

/** The first link below a git directory, but for hooks, which are read by whatever leads to them. */
async function linkBelow(system: System, directory: string, depth: number): Promise<string | null> {
  if (depth > DEEPEST) return directory;
  for (const { name, kind } of await system.files.list(directory)) {
    const path = join(directory, name);
    if (depth === 0 && name === "hooks") continue;
    if (kind === "symlink") return path;
    const below = kind === "directory" ? await linkBelow(system, path, depth + 1) : null;
    if (below !== null) return below;
  }
  return null;
}

/** The same world, whose programs are told what git goes by. */
function withVariables(system: System): System {
  const { env, processes } = system;
  const passed = Object.fromEntries(
    PASSED.flatMap((name) => {
      const value = env.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return {
    ...system,
    processes: {
      ...processes,
      run: (request) => processes.run({ ...request, env: { ...passed, ...request.env } }),
    },
  };
}
