/** The rules of a manifest that its shape cannot say: names, addresses and paths that fit together. */

import { isBranchName } from "../../base/ids.ts";
import { isUnsafeUrl } from "../../git/mod.ts";
import { addressKey, hasCredentials } from "../clones/address.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { isInside, normalPath } from "./document.ts";
import { globProblem } from "./guard.ts";
import { checkRelations, type Draft } from "./schema.ts";
import { checkTasks } from "./tasks.ts";
import { type Mistake, mistake } from "./shape.ts";

const DEVICE = /^(?:con|prn|aux|nul|com[1-9¹²³]|lpt[1-9¹²³])(?:\.|$)/i;

/** Whether some file system takes a name for `.git`: in any case, with dots or blanks behind, or by its short form. */
export function isGitName(name: string): boolean {
  // Some file systems pass over characters that are not seen.
  const seen = name.replace(/\p{Cf}/gu, "").replace(/[. ]+$/, "").toLowerCase();
  return seen === ".git" || seen === "git~1" || seen.startsWith(".git:");
}

/** What is the matter with one name in a path, or null. */
function nameProblem(name: string): string | null {
  if (name.startsWith("-")) return "begins with a dash, which programs take for an option";
  if (isGitName(name)) return "belongs to git";
  if (/\p{Cf}/u.test(name)) return "holds characters that are not seen";
  if (/[<>:"|?*]/.test(name)) return 'holds one of < > : " | ? *, which Windows does not take';
  if (/[. ]$/.test(name)) return "ends with a dot or a blank, which Windows drops";
  return DEVICE.test(name) ? "is a device to Windows" : null;
}

/** Why a path cannot be a place below a directory, as the end of a sentence about it; null when it can. */
export function placeProblem(path: string): string | null {
  if (/[^\P{Cc}]/u.test(path)) return "it holds a control character";
  if (path.includes("\\")) return "it holds a backslash; write / between directories";
  if (!isInside(path)) return "it leads out of there, or is that directory itself";
  for (const name of normalPath(path).split("/")) {
    const problem = nameProblem(name);
    if (problem !== null) {
      return name === normalPath(path) ? `it ${problem}` : `"${name}" ${problem}`;
    }
  }
  return null;
}

/** A path as a file system sees it that tells neither case nor ways to write an accent. */
export function placeKey(path: string): string {
  return normalPath(path).normalize("NFC").toLowerCase().normalize("NFC");
}

const URL_PREFIX = /^(?:git@|https:\/\/|http:\/\/|ssh:\/\/|file:\/\/|local)/;

/** The first directory of a path, in lower case, whichever way the path is spelt. */
function firstStep(path: string): string {
  return normalPath(path).split("/")[0]?.toLowerCase() ?? "";
}

/** Everything that makes a manifest unusable besides its shape. */
export function manifestErrors(draft: Draft, name: string): Mistake[] {
  return [
    ...checkNames(draft, name),
    ...checkRepos(draft),
    ...checkPlaces(draft),
    ...checkGlobs(draft),
    ...checkRelations(draft),
    ...checkTasks(draft.tasks),
  ];
}

/** A guard that cannot be understood must not count as one that guards nothing. */
function checkGlobs(draft: Draft): Mistake[] {
  return (draft.guardrails?.no_touch_paths ?? []).flatMap((glob, index) => {
    const problem = globProblem(glob);
    const at = ["guardrails", "no_touch_paths", index];
    const fix = "Write globs such as secrets/** or *.pem, relative to each repository";
    return problem === null ? [] : [mistake(at, problem, fix)];
  });
}

function checkNames(draft: Draft, name: string): Mistake[] {
  const given = draft.name ?? draft.ecosystem;
  if (given === undefined) {
    return [mistake(["name"], "The name is missing", `Add "name: ${name}"`)];
  }
  if (given !== name) {
    return [
      mistake(
        ["name"],
        `The name "${given}" differs from the directory "${name}"`,
        `Write "name: ${name}", or rename the directory`,
      ),
    ];
  }
  // The workspace branch ends with the name.
  return isBranchName(`workspace/${name}`) ? [] : [
    mistake(
      ["name"],
      `"${name}" cannot end the name of a branch`,
      'Rename the directory: no "..", and no "." or ".lock" at the end',
    ),
  ];
}

/** How a repository is called in messages about another one. */
function called(draft: Draft, index: number): string {
  const name = draft.repos?.[index]?.name;
  return name === undefined ? `repos[${index}]` : `"${name}"`;
}

/** A repository as a draft of a manifest has it. */
type DraftRepo = NonNullable<Draft["repos"]>[number];

/** What is wrong with a repository by itself. */
function checkRepo(repo: DraftRepo, index: number): Mistake[] {
  const errors: Mistake[] = [];
  if (repo.branch !== undefined && !isBranchName(repo.branch)) {
    errors.push(mistake(
      ["repos", index, "branch"],
      `"${cleanLine(repo.branch, 60)}" cannot be the name of a branch`,
      "Use a name that git accepts, such as main",
    ));
  }
  if (repo.url !== undefined && isUnsafeUrl(repo.url)) {
    errors.push(mistake(
      ["repos", index, "url"],
      `"${cleanLine(maskSecrets(repo.url), 60)}" is not an address that may be cloned`,
      "Use https://, ssh://, git@host:path or file://",
    ));
  }
  return errors;
}

/** Why a path cannot be a place in the workspace, or nothing. */
function checkPath(repo: DraftRepo, index: number, path: string): Mistake[] {
  const problem = placeProblem(path) ??
    ([".amof", "ecosystems"].includes(firstStep(path)) ? "other files lie there" : null);
  if (problem === null) return [];
  const usable = repo.name !== undefined && placeProblem(repo.name) === null;
  return [mistake(
    ["repos", index, "path"],
    `"${cleanLine(path, 60)}" cannot be a place in the workspace: ${cleanLine(problem, 120)}`,
    `Use a relative path such as repos/${usable ? repo.name : "NAME"}`,
  )];
}

/** Places of repositories, by the position of the last repository that has each. */
class Places {
  readonly #positions = new Map<string, number>();
  /** The places below a directory, by that directory. */
  readonly #below = new Map<string, Set<string>>();

  add(place: string, position: number): void {
    this.#positions.set(place, position);
    for (const above of this.#above(place)) {
      const below = this.#below.get(above) ?? new Set();
      this.#below.set(above, below.add(place));
    }
  }

  /** The positions of what is at a place, above it or below it, in the order in which the places were first added. */
  around(place: string): number[] {
    const near = new Set([place, ...this.#above(place), ...this.#below.get(place) ?? []]);
    const taken = [...near].filter((other) => this.#positions.has(other));
    if (taken.length === 0) return [];
    return [...this.#positions].flatMap(([other, position]) => near.has(other) ? [position] : []);
  }

  #above(place: string): string[] {
    const steps = place.split("/");
    return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join("/"));
  }
}

function checkRepos(draft: Draft): Mistake[] {
  const errors: Mistake[] = [];
  const names = new Map<string, number>();
  const places = new Places();
  (draft.repos ?? []).forEach((repo, index) => {
    const twin = names.get(repo.name?.toLowerCase() ?? "");
    if (repo.name !== undefined) {
      if (twin !== undefined) {
        errors.push(mistake(
          ["repos", index, "name"],
          `The name "${repo.name}" is already used by repos[${twin}]`,
          "Give each repository its own name",
        ));
      }
      names.set(repo.name.toLowerCase(), index);
    }
    errors.push(...checkRepo(repo, index));
    // Of two with one name the usual places are the same; that is no mistake of its own.
    const usual = repo.name === undefined || twin !== undefined ? null : `repos/${repo.name}`;
    const path = repo.path ?? usual;
    if (path === null) return;
    const misplaced = checkPath(repo, index, path);
    errors.push(...misplaced);
    if (misplaced.length > 0) return;
    const place = placeKey(path);
    for (const position of places.around(place)) {
      errors.push(mistake(
        ["repos", index, "path"],
        `"${cleanLine(path, 60)}" collides with the path of ${called(draft, position)}`,
        "Give each repository its own directory",
      ));
    }
    places.add(place, index);
  });
  return errors;
}

function checkPlaces(draft: Draft): Mistake[] {
  const errors: Mistake[] = [];
  if (draft.workspace_dir !== undefined) {
    const first = firstStep(draft.workspace_dir);
    const taken = [".amof", "ecosystems", "provisioners", "releases"].includes(first);
    const problem = placeProblem(draft.workspace_dir) ?? (taken ? "other files lie there" : null);
    if (problem !== null) {
      errors.push(
        mistake(
          ["workspace_dir"],
          `"${cleanLine(draft.workspace_dir, 60)}" cannot hold a workspace: ${
            cleanLine(problem, 120)
          }`,
          "Use a relative path such as worktrees/<name>",
        ),
      );
    }
  }
  for (const key of ["branch_prefix", "repo_branch_prefix"] as const) {
    const prefix = draft.workspace?.[key]?.replace(/\/+$/, "");
    if (prefix !== undefined && prefix !== "" && !isBranchName(`${prefix}/x`)) {
      errors.push(
        mistake(
          ["workspace", key],
          `"${cleanLine(prefix, 60)}" cannot begin the name of a branch`,
          "Use a simple word such as feature",
        ),
      );
    }
  }
  return errors;
}

/** Addresses of repositories that look like none. */
function doubtfulUrls(draft: Draft): Mistake[] {
  return (draft.repos ?? []).flatMap(({ url }, index) =>
    url === undefined || isUnsafeUrl(url) || URL_PREFIX.test(url) ? [] : [mistake(
      ["repos", index, "url"],
      `"${cleanLine(maskSecrets(url), 60)}" has no known scheme`,
      "Use https://, ssh://, git@host:path or file://",
    )]
  );
}

/** Addresses that let in whoever reads the manifest. The secret itself is named nowhere. */
function secretUrls(draft: Draft): Mistake[] {
  return (draft.repos ?? []).flatMap(({ url }, index) =>
    url === undefined || !hasCredentials(url) ? [] : [mistake(
      ["repos", index, "url"],
      "The address holds a password or token, which everybody who has the manifest can read",
      "Take it out of the address, let a credential helper of git give it, and have it replaced",
    )]
  );
}

/** Repositories that have their address in common: what is pushed from one is a surprise to the other. */
function sharedUrls(draft: Draft): Mistake[] {
  const seen = new Map<string, number>();
  return (draft.repos ?? []).flatMap(({ url, enabled, readonly }, index) => {
    // What is never pushed is in nobody's way.
    if (url === undefined || enabled === false || readonly === true) return [];
    const key = addressKey(url);
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, index);
      return [];
    }
    return [mistake(
      ["repos", index, "url"],
      `It has the same address as ${called(draft, first)}: a ticket in both has one branch there`,
      "Make one of them readonly, or leave one out when a ticket starts",
    )];
  });
}

/** Globs that say where they begin, which goes without saying. */
function doubtfulGlobs(draft: Draft): Mistake[] {
  return (draft.guardrails?.no_touch_paths ?? []).flatMap((glob, index) =>
    !glob.startsWith("/") || globProblem(glob) !== null ? [] : [mistake(
      ["guardrails", "no_touch_paths", index],
      "Paths begin at the repository; the / in front is left out",
      "Write it relative to the repository",
    )]
  );
}

function doubtfulLimit(
  draft: Draft,
  key: "max_files" | "summary_tokens",
  most: number,
): Mistake[] {
  const value = draft.context?.[key];
  return value === undefined || value <= most
    ? []
    : [mistake(["context", key], `${value} is unusually high`, `Keep it at or below ${most}`)];
}

/** What is doubtful in a manifest and stops nothing. */
export function manifestDoubts(draft: Draft, name: string): Mistake[] {
  const isAlias = draft.name === undefined && draft.ecosystem !== undefined;
  return [
    ...(isAlias
      ? [mistake(["ecosystem"], 'The key "ecosystem" is an older alias', `Write "name: ${name}"`)]
      : []),
    ...doubtfulUrls(draft),
    ...secretUrls(draft),
    ...sharedUrls(draft),
    ...doubtfulGlobs(draft),
    ...doubtfulLimit(draft, "max_files", 50_000),
    ...doubtfulLimit(draft, "summary_tokens", 200_000),
  ];
}
