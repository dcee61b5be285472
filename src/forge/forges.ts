/**
 * The forges of the repositories of one call: each host is asked in one line, however many repositories it has.
 *
 * @module
 */

import { slugOf } from "./address.ts";
import { Gitea } from "./gitea.ts";
import { GitHub } from "./github.ts";
import { GitLab } from "./gitlab.ts";
import { kindAt } from "./kinds.ts";
import { Paced } from "./pace.ts";
import type { Forge, ForgeKind, ForgeTransport } from "./port.ts";
import { type Tools, wayTo } from "./programs.ts";
import { Rest } from "./rest.ts";

const MADE: Readonly<Record<ForgeKind, new (rest: Rest) => Forge>> = {
  github: GitHub,
  gitlab: GitLab,
  gitea: Gitea,
};

/** Forges by addresses of repositories. */
export class Forges {
  readonly #tools: Tools;
  readonly #hosts: Readonly<Record<string, ForgeKind>>;
  readonly #ways = new Map<string, Promise<ForgeTransport>>();

  /** `hosts` says of hosts which kind they are. */
  constructor(tools: Tools, hosts: Readonly<Record<string, ForgeKind>>) {
    this.#tools = tools;
    this.#hosts = hosts;
  }

  /** The forge of a repository by the address that git has of it; null for a remote that only takes pushes. No process. */
  async at(url: string): Promise<Forge | null> {
    const kind = kindAt(url, this.#hosts);
    const slug = kind === null ? null : slugOf(url, kind);
    if (kind === null || slug === null) return null;
    const { clock } = this.#tools.system;
    const { signal } = this.#tools;
    // What git knows of a host may be of one repository alone, which is no matter for the others.
    const way = this.#ways.get(slug.site) ??
      wayTo(this.#tools, kind, slug).then((to) =>
        new Paced(to, { clock, host: slug.host, signal })
      );
    this.#ways.set(slug.site, way);
    return new MADE[kind](new Rest(slug, await way));
  }
}
