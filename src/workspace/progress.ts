/** Tells whoever watches how far work on several repositories is. */

import { inPool } from "../base/async/pool.ts";
import type { RepoProgress, Reporter } from "../contract/mod.ts";

/** Counts repositories while something is done to them, such as "cloning". */
export class RepoCounter {
  readonly #report: Reporter;
  readonly #what: string;
  readonly #total: number;
  #done = 0;

  constructor(report: Reporter, what: string, total: number) {
    this.#report = report;
    this.#what = what;
    this.#total = total;
  }

  /** The work on a repository begins; `doing` is for those to which something else is done. */
  begin(repo: string, doing: string = this.#what): void {
    const payload: RepoProgress = {
      what: this.#what,
      repo,
      ...(doing === this.#what ? {} : { doing }),
      done: this.#done,
      total: this.#total,
    };
    this.#report.log("debug", `${repo}: ${doing}`, { type: "progress", payload });
  }

  /** The work on a repository has ended, however. */
  end(repo: string): void {
    this.#report.progress(++this.#done, this.#total, repo, {
      what: this.#what,
      repo,
      ended: true,
    });
  }
}

/** What stands for a repository in a list of work: its name, or something that has it. */
type OfRepo = string | { readonly name: string } | { readonly repo: { readonly name: string } };

function nameOf(of: OfRepo): string {
  return typeof of === "string" ? of : "name" in of ? of.name : of.repo.name;
}

/** {@linkcode inPool} over repositories, of whose beginnings and ends whoever watches is told. */
export function inPoolOf<T extends OfRepo, R>(
  { report, jobs }: { readonly report: Reporter; readonly jobs: number },
  what: string,
  repos: readonly T[],
  work: (repo: T) => Promise<R>,
): Promise<R[]> {
  const tally = new RepoCounter(report, what, repos.length);
  return inPool(jobs, repos, (repo) => {
    const name = nameOf(repo);
    tally.begin(name);
    return work(repo).finally(() => tally.end(name));
  });
}
