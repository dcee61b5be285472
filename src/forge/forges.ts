/** The forges of the repositories of one call: each host is asked in one line, however many repositories it has. */

import { slugOf } from "./address.ts";
import { Gitea } from "./gitea.ts";
import { GitHub } from "./github.ts";
import { GitLab } from "./gitlab.ts";
import { kindAt } from "./kinds.ts";
import type { Forge, ForgeAnswer, ForgeKind, ForgeRequest, ForgeTransport } from "./port.ts";
import { type Tools, wayTo } from "./programs.ts";
import { answersOf, Remembering } from "./remembered.ts";
import { Rest } from "./rest.ts";
import { Slots } from "../base/async/pool.ts";
import type { Clock } from "../base/system/mod.ts";
import { limited, limitOf, PATIENCE_MS } from "./errors.ts";

/** How many questions one host gets at once. */
const AT_ONCE = 8;

/** So many changes may follow each other at once; from then on one each second, as forges ask for. */
const BURST = 10;

const PAUSE_MS = 1_000;

/** A way to a host that keeps to its limits; throws `forge_limited` where waiting would take more than a minute. */
class Paced implements ForgeTransport {
  readonly #way: ForgeTransport;
  readonly #clock: Clock;
  readonly #host: string;
  readonly #signal: AbortSignal;
  readonly #reading = new Slots(AT_ONCE);
  readonly #writing = new Slots(1);
  #written = 0;

  constructor(
    way: ForgeTransport,
    { clock, host, signal }: {
      readonly clock: Clock;
      readonly host: string;
      readonly signal: AbortSignal;
    },
  ) {
    this.#way = way;
    this.#clock = clock;
    this.#host = host;
    this.#signal = signal;
  }

  call(request: ForgeRequest): Promise<ForgeAnswer> {
    if (request.method === "GET") return this.#reading.turn(() => this.#patiently(request));
    return this.#writing.turn(async () => {
      if (++this.#written > BURST) await this.#clock.sleep(PAUSE_MS, this.#signal);
      return await this.#patiently(request);
    });
  }

  /** Asks, and once more where the host says how long it wants to be left alone, and that is not long. */
  async #patiently(request: ForgeRequest): Promise<ForgeAnswer> {
    const answer = await this.#way.call(request);
    const wait = limitOf(answer, this.#clock.now());
    if (wait === null) return answer;
    if (wait <= PATIENCE_MS && !this.#signal.aborted) {
      await this.#clock.sleep(wait, this.#signal);
      const again = await this.#way.call(request);
      const still = limitOf(again, this.#clock.now());
      if (still === null) return again;
      throw limited(this.#host, still, this.#clock.now());
    }
    throw limited(this.#host, wait, this.#clock.now());
  }
}

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
        new Paced(new Remembering(to, answersOf(this.#tools.system.env), slug.site), {
          clock,
          host: slug.host,
          signal,
        })
      );
    this.#ways.set(slug.site, way);
    return new MADE[kind](new Rest(slug, await way));
  }
}
