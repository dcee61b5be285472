/**
 * What would be gone with a workspace, told repository by repository (amof.md §2.7).
 *
 * @module
 */

import type { CommitLine } from "../git/mod.ts";
import { cleanLine } from "../text/sanitize.ts";
import { CONTROL, type RepoStock, type Stock } from "./stock.ts";

/** Names shown of each kind of loss. */
const MOST_ITEMS = 20;
/** What would be gone, of one kind in one repository. */
export interface Loss {
  readonly [field: string]: unknown;
  readonly repo: string;
  readonly kind:
    | "uncommitted"
    | "commits"
    | "stash"
    | "tagged"
    | "submodule"
    | "repository"
    | "files"
    | "unreadable"
    | "ignored";
  readonly count: number;
  /** The first twenty. */
  readonly items: readonly string[];
}

function loss(repo: string, kind: Loss["kind"], items: readonly string[]): Loss[] {
  return items.length === 0 ? [] : [{
    repo,
    kind,
    count: items.length,
    items: items.slice(0, MOST_ITEMS).map((item) => cleanLine(item, 120)),
  }];
}

function commitText({ commit, subject }: CommitLine): string {
  return `${commit.slice(0, 7)} ${subject}`;
}

/** What would be gone with one repository. */
export function lossesIn(stock: RepoStock): Loss[] {
  const { name } = stock;
  return [
    ...loss(name, "unreadable", stock.problem === null ? [] : [stock.problem]),
    ...loss(name, "uncommitted", stock.uncommitted),
    ...loss(name, "commits", stock.unpushed.map(commitText)),
    ...loss(name, "stash", stock.stashes.map(({ subject }) => subject)),
    ...(stock.tagOnly > 0
      ? [{ repo: name, kind: "tagged" as const, count: stock.tagOnly, items: [] }]
      : []),
    ...loss(name, "submodule", stock.submodules),
    ...loss(name, "repository", stock.nested),
    ...loss(name, "ignored", stock.ignored.filter((path) => !stock.nested.includes(path))),
  ];
}

/** Everything that would be gone with a workspace, repository by repository. */
export function lossesOf(stock: Stock): Loss[] {
  return [
    ...(stock.control === null ? [] : lossesIn(stock.control)),
    ...loss(CONTROL, "files", stock.stray),
    ...stock.repos.flatMap((repo) => [
      ...(repo.known ? [] : loss(repo.name, "repository", [repo.path])),
      ...lossesIn(repo),
    ]),
  ];
}

const WHAT: Readonly<Record<Loss["kind"], readonly [one: string, many: string]>> = {
  uncommitted: ["uncommitted file", "uncommitted files"],
  commits: ["unpushed commit", "unpushed commits"],
  stash: ["stash", "stashes"],
  tagged: ["commit that only tags hold", "commits that only tags hold"],
  submodule: ["piece of work in submodules", "pieces of work in submodules"],
  repository: [
    "repository that the manifest does not name",
    "repositories unknown to the manifest",
  ],
  files: ["file among the clones", "files among the clones"],
  unreadable: ["place that cannot be read", "places that cannot be read"],
  ignored: ["ignored file or directory", "ignored files or directories"],
};

/** "2 unpushed commits: abc1234 Fix, def5678 Test". */
export function lossText(loss: Loss): string {
  const [one, many] = WHAT[loss.kind];
  const more = loss.count - loss.items.length;
  const items = [...loss.items, ...(more > 0 && loss.items.length > 0 ? [`and ${more} more`] : [])];
  return `${loss.count} ${loss.count === 1 ? one : many}${
    items.length === 0 ? "" : `: ${items.join(", ")}`
  }`;
}
