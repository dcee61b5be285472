/**
 * The forges of the repositories of one call. All repositories of a host share one way to it, which keeps to
 * the limits of the host. The address that git has of a repository tells where it is at its forge.
 *
 * As long as the program runs, an answer is only fetched again where it is new. So watching costs a forge next
 * to nothing while nothing changes there.
 */

import { Gitea } from "./gitea.ts";
import { GitHub } from "./github.ts";
import { GitLab } from "./gitlab.ts";
import type { Forge, ForgeAnswer, ForgeKind, ForgeRequest, ForgeTransport, Slug } from "./port.ts";
import { forgeProgram, type Tools } from "./programs.ts";
import { Slots } from "../base/async/pool.ts";
import { type Clock, type System, timestamp } from "../base/system/mod.ts";
import { limitOf, Rest } from "./answers.ts";
import { AmofError } from "../base/error.ts";

/** The host of an address, and what leads to the repository there. */
interface Address {
  readonly host: string;
  /** Where pages of the host begin. */
  readonly site: string;
  readonly steps: readonly string[];
}

/** Names of hosts that take SSH where a firewall lets only HTTPS through, without what is in front of the forge's own. */
function ownName(host: string): string {
  return host.replace(/^(?:alt)?ssh\.(?=github\.com$|gitlab\.com$)/, "");
}

/** The steps of a path without its ending; null where one of them leads elsewhere. */
function stepsOf(path: string): readonly string[] | null {
  const steps = path.replace(/^\/+|\/+$/g, "").replace(/\.git$/i, "").split("/");
  return steps.every((step) => /^[A-Za-z0-9_.~-]+$/.test(step) && !/^\.+$/.test(step))
    ? steps
    : null;
}

/** Reads an address in any of git's spellings; null where it leads to no host. */
function addressAt(url: string): Address | null {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    const [, host = "", path = ""] = /^(?:[^/@:]+@)?([A-Za-z0-9.-]{2,}):(?!\/\/)(.+)$/.exec(url) ??
      [];
    const steps = host === "" ? null : stepsOf(path);
    const name = ownName(host.toLowerCase());
    return steps === null ? null : { host: name, site: `https://${name}`, steps };
  }
  const parsed = URL.parse(url.replace(/^[a-z][a-z0-9+.-]*:/i, "https:"));
  const steps = parsed === null ? null : stepsOf(parsed.pathname);
  if (parsed === null || parsed.hostname === "" || steps === null) return null;
  // A port of SSH says nothing of the pages; the standard one of HTTP is not the one of HTTPS.
  if (/^(?:git\+)?ssh$/.test(scheme)) {
    const name = ownName(parsed.hostname);
    return { host: name, site: `https://${name}`, steps };
  }
  if (scheme === "https") return { host: parsed.host, site: `https://${parsed.host}`, steps };
  if (scheme !== "http") return null;
  const plain = URL.parse(url);
  return plain === null ? null : { host: plain.host, site: `http://${plain.host}`, steps };
}

/**
 * The repository of an address at a forge of a kind; null where the address cannot be one.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { slugOf } from "./forges.ts";
 *
 * assertEquals(slugOf("git@github.com:shop/api.git", "github"), {
 *   host: "github.com",
 *   site: "https://github.com",
 *   owner: "shop",
 *   name: "api",
 * });
 * ```
 */
export function slugOf(url: string, kind: ForgeKind): Slug | null {
  const address = addressAt(url);
  if (address === null) return null;
  const { host, site, steps } = address;
  const name = steps.at(-1) ?? "";
  const owners = steps.slice(0, -1);
  if (owners.length === 0 || (kind === "github" && owners.length > 1)) return null;
  if (kind !== "gitea") return { host, site, owner: owners.join("/"), name };
  // What stands in front of the owner is where the forge itself begins.
  const above = owners.slice(0, -1).map((step) => `/${step}`).join("");
  return { host, site: `${site}${above}`, owner: owners.at(-1) ?? "", name };
}

/** So much text of answers is kept at most, in characters. */
const MOST_KEPT = 32 * 1024 * 1024;

/** What a forge may mark an answer with: something that may stand in a header and in an argument. */
const MARK = /^(?:W\/)?"[\x21\x23-\x7e]{1,200}"$/;

interface Kept {
  readonly mark: string;
  readonly body: unknown;
  readonly size: number;
}

/** Answers with their marks, the oldest first to go. */
export class Answers {
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  /** The answer to a question; undefined where there is none. */
  get(question: string): Kept | undefined {
    return this.#kept.get(question);
  }

  /** Keeps the newest answer to a question, and forgets the one before; one without a mark is not kept. */
  set(question: string, { status, headers, body }: ForgeAnswer): void {
    this.#size -= this.#kept.get(question)?.size ?? 0;
    this.#kept.delete(question);
    const mark = headers.get("etag") ?? "";
    if (status !== 200 || !MARK.test(mark)) return;
    const size = JSON.stringify(body).length;
    this.#kept.set(question, { mark, body, size });
    this.#size += size;
    for (const [oldest, { size }] of this.#kept) {
      if (this.#size <= MOST_KEPT) return;
      this.#kept.delete(oldest);
      this.#size -= size;
    }
  }
}

const ANSWERS = new WeakMap<System["env"], Answers>();

/** The answers that this process has had. */
function answersOf(env: System["env"]): Answers {
  const known = ANSWERS.get(env) ?? new Answers();
  ANSWERS.set(env, known);
  return known;
}

/** A way to a forge on which an answer that is at hand is not sent again. */
export class Remembering implements ForgeTransport {
  readonly #way: ForgeTransport;
  readonly #answers: Answers;
  readonly #site: string;

  constructor(way: ForgeTransport, answers: Answers, site: string) {
    this.#way = way;
    this.#answers = answers;
    this.#site = site;
  }

  async call(request: ForgeRequest): Promise<ForgeAnswer> {
    if (request.method !== "GET") return await this.#way.call(request);
    const question = `${this.#site} ${request.path}`;
    const kept = this.#answers.get(question);
    const answer = await this.#way.call(
      kept === undefined ? request : { ...request, known: kept.mark },
    );
    if (answer.status === 304 && kept !== undefined) {
      return { status: 200, headers: answer.headers, body: kept.body };
    }
    this.#answers.set(question, answer);
    return answer;
  }
}

/** Hosts whose kind everybody knows. */
const KNOWN: Readonly<Record<string, ForgeKind>> = {
  "github.com": "github",
  "gitlab.com": "gitlab",
  "codeberg.org": "gitea",
  "gitea.com": "gitea",
};

/**
 * The kind of the forge at an address, by what the manifest says of hosts and else by its name; null where nobody says
 * it, or there is no host.
 */
export function kindAt(
  url: string,
  forges: Readonly<Record<string, ForgeKind>>,
): ForgeKind | null {
  const host = addressAt(url)?.host;
  if (host === undefined) return null;
  const bare = host.replace(/:\d+$/, "");
  for (const name of [host, bare]) {
    if (Object.hasOwn(forges, name)) return forges[name] ?? null;
  }
  return Object.hasOwn(KNOWN, bare) ? KNOWN[bare] ?? null : null;
}

/** How many questions one host gets at once. */
const AT_ONCE = 8;

/** So many changes may follow each other at once; from then on one each second, as forges ask for. */
const BURST = 10;

const PAUSE_MS = 1_000;

/** The error of a host that wants to be left alone for `wait` milliseconds from `now`. */
function limited(host: string, wait: number, now: number): AmofError {
  const span = wait < 120_000 ? `${Math.ceil(wait / 1_000)} s` : `${Math.ceil(wait / 60_000)} min`;
  return new AmofError("forge_limited", `${host} takes no more questions for ${span}`, {
    hint: `Repeat the same command in ${span}`,
    details: { host, resets_at: timestamp(now + wait) },
  });
}

/** Limits are waited for so long at most, in milliseconds. */
const PATIENCE_MS = 60_000;

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
      forgeProgram(this.#tools, kind, slug).then((to) =>
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
