/**
 * Turns what a list says into what a manifest can say: names that are slugs and differ, places that fit, addresses
 * that may be cloned. What cannot be carried over is told.
 */

import { isBranchName, SLUG } from "../../../base/ids.ts";
import { isUnsafeUrl } from "../../../git/mod.ts";
import { addressKey, withoutCredentials } from "../../../workspace/clones/mod.ts";
import { maskSecrets } from "../../../base/text/mask.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { few } from "../../../base/text/words.ts";
import { addCommand } from "../../advice/command_lines.ts";
import { normalPath, placeKey, placeProblem } from "../../../workspace/manifest/mod.ts";
import type { Imported, Listed } from "../../../workspace/import/mod.ts";

/** A repository with the name and place that it gets. */
export interface Settled extends Omit<Listed, "url" | "clone" | "path"> {
  readonly url: string;
  /** Null for the usual place. */
  readonly path: string | null;
}

/** What was left out, and why. */
export interface LeftOut {
  readonly what: string;
  readonly reason: string;
  /** A command line after which it is taken. */
  readonly fix?: string;
  /** The one that names it in the manifest that was made meanwhile, after that. */
  readonly add?: string;
  /** What that names as its branch although the list does not say that it is one, and the line without. */
  readonly guessed?: { readonly url: string; readonly branch: string; readonly without: string };
}

/** What a manifest can say of a list. */
interface SettledList {
  readonly repos: readonly Settled[];
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly leftOut: readonly LeftOut[];
  readonly notes: readonly string[];
}

/** A text as a slug; `repo` where nothing of it can stay. */
export function slugOf(text: string): string {
  const slug = text.normalize("NFKD").replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "").slice(0, 64).replace(/[-.]+$/, "");
  return SLUG.test(slug) && placeProblem(slug) === null ? slug : "repo";
}

/** The slug, with the first number behind it that makes it differ from all that are taken, whatever the case. */
function free(slug: string, taken: ReadonlySet<string>): string {
  for (let number = 1;; number++) {
    const end = number === 1 ? "" : `-${number}`;
    const name = `${slug.slice(0, 64 - end.length)}${end}`;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

/** What can be no branch: a commit, a ref of another kind, or that of a pull request. */
const NO_BRANCH =
  /^(?:refs|tags)\/|^(?:pull|merge-requests|changes)\/\d+\/|^(?:[0-9a-f]{24})?[0-9a-f]{40}$/;

/** The version where it can be the name of a branch; else null. */
export function branchIn(version: string | null): string | null {
  return version !== null && isBranchName(version) && !NO_BRANCH.test(version) ? version : null;
}

/** Why a place in the workspace cannot be had, or null. */
function placeTaken(path: string, taken: readonly string[]): string | null {
  const problem = placeProblem(path);
  if (problem !== null) return problem;
  const first = normalPath(path).split("/")[0]?.toLowerCase() ?? "";
  if ([".amof", "ecosystems"].includes(first)) return "other files lie there";
  const key = placeKey(path);
  return taken.some((one) => one === key || one.startsWith(`${key}/`) || key.startsWith(`${one}/`))
    ? "it collides with another repository"
    : null;
}

/** A repository with what its list calls it. */
type AsListed = Settled & { readonly listedAs: string };

/** Repositories and groups that name others by what these are called now; `notes` gets the names that are absent. */
function referring(
  settled: readonly AsListed[],
  groups: Imported["groups"],
  notes: string[],
): Pick<SettledList, "repos" | "groups"> {
  // A list calls a repository by what it names it first.
  const called = new Map(settled.map((repo) => [repo.listedAs, repo.name]));
  const resolved = (members: readonly string[], of: string) =>
    members.flatMap((member) => {
      const name = called.get(member);
      if (name === undefined) {
        notes.push(`${of}: it names ${cleanLine(member, 60)}, which is absent`);
      }
      return name ?? [];
    });
  return {
    repos: settled.map(({ listedAs: _, ...repo }) => ({
      ...repo,
      dependsOn: resolved(repo.dependsOn, repo.name),
    })),
    groups: Object.fromEntries(
      Object.entries(groups).map(([group, members]) =>
        [slugOf(group), resolved(members, `group ${cleanLine(group, 40)}`)] as const
      ).filter(([, members]) => members.length > 0),
    ),
  };
}

/** Settles names, places and addresses, in the order of the list. */
export function settle(
  { repos, groups, notes: dropped }: Imported,
): SettledList {
  const settled: AsListed[] = [];
  const leftOut: LeftOut[] = [];
  const notes = [...dropped];
  const names = new Set<string>();
  const places: string[] = [];
  const addresses = new Map<string, string>();
  const leave = (what: string, reason: string, more: Pick<LeftOut, "add" | "guessed"> = {}) => {
    leftOut.push({ what: cleanLine(what, 80), reason, ...more });
  };
  for (const one of repos) {
    const what = cleanLine(one.what, 80);
    if (one.url === null) {
      leave(what, "it has no address");
      continue;
    }
    if (isUnsafeUrl(one.url)) {
      leave(what, `"${cleanLine(maskSecrets(one.url), 60)}" is not an address that may be cloned`);
      continue;
    }
    const url = withoutCredentials(one.url);
    // As git and these tools read it.
    const version = one.version?.replace(/^(?:refs\/)?heads\//, "") ?? null;
    if (url !== one.url) notes.push(`${what}: the credentials in its address were left out`);
    const slug = slugOf(one.name);
    const twin = addresses.get(addressKey(url));
    if (twin !== undefined) {
      // A ticket would have one branch in both, so one of them is only read.
      const readonly = settled.every((repo) => repo.name !== twin || !repo.readonly);
      const [name, branch] = [free(slug, names), branchIn(one.branch ?? version)];
      const addOn = (on: string | null) =>
        addCommand({ ...one, name, url, readonly, branch: on, tags: [], dependsOn: [] });
      const isGuessed = branch !== null && one.branch === null;
      leave(what, `it has the same address as ${twin}`, {
        add: addOn(branch),
        ...(isGuessed ? { guessed: { url, branch, without: addOn(null) } } : {}),
      });
      names.add(name.toLowerCase());
      continue;
    }
    const name = free(slug, names);
    if (name !== one.name) notes.push(`${what}: it is called ${name}`);
    names.add(name.toLowerCase());
    addresses.set(addressKey(url), name);
    const usual = `repos/${name}`;
    const wished = one.path === null || normalPath(one.path) === usual
      ? null
      : normalPath(one.path);
    const problem = wished === null ? null : placeTaken(wished, places);
    if (problem !== null) {
      notes.push(`${what}: it lies in ${usual} and not in its own place, because ${problem}`);
    }
    const path = problem === null ? wished : null;
    places.push(placeKey(path ?? usual));
    const tags = [...new Set(one.tags.map(slugOf))];
    settled.push({ ...one, listedAs: one.what, url, name, path, version, tags });
  }
  const off = settled.filter(({ enabled }) => !enabled).map(({ name }) => name);
  if (off.length > 0) {
    notes.push(`${few(off, 5)}: switched off, as in the list ("enabled: false" in the manifest)`);
  }
  return { ...referring(settled, groups, notes), leftOut, notes };
}
