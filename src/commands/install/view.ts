/** How what `amof install` would do, and what it did, is read. */

import { dirname, join, resolve } from "@std/path";
import { AmofError, type ErrorCode } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { type Table, table } from "../../base/text/table.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import type { InstallFacts } from "../../workspace/changing.ts";
import { lockFile, type Manifest, manifestFile } from "../../workspace/manifest/mod.ts";
import { askedLines } from "../../workspace/manifest/changing.ts";
import { readLock } from "../../workspace/lock/mod.ts";
import { lockAnew, type LockMove, moveTo } from "../lock/move.ts";
import type { Pin, Pinned } from "../lock/pin.ts";
import { findWorkspace, inPoolOf } from "../../workspace/mod.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { addressKey } from "../../workspace/clones/mod.ts";
import {
  adoptedAnywhere,
  type Adoption,
  liesInWorkspace,
} from "../../workspace/clones/changing.ts";
import { kindOfList, type Listed } from "../../workspace/import/mod.ts";
import { findClones } from "../ecosystem/create/from/directory.ts";
import { shortSha } from "../../base/ids.ts";

// What `install --locked` adds: the commits of a lock, and the clones that are put there (LOCK-2).

/** What says that a lock counts, and which. */
interface LockedInput {
  readonly locked: boolean;
  readonly lock_file?: string | undefined;
}

/** The lock that counts; a type alias, so that it counts as plain JSON. */
export type LockFacts = {
  readonly file: string;
  /** The same where it is another one than the usual; else null. */
  readonly other: string | null;
  /** Commits by the name of the repository. */
  readonly commits: Readonly<Record<string, string>>;
};

/** Whether a lock counts. */
export function isLocked({ locked, lock_file }: LockedInput): boolean {
  return locked || lock_file !== undefined;
}

/** Reads the lock. Throws where it does not name every enabled repository of the manifest: nothing could be said of those. */
export async function lockFor(
  ctx: CommandContext,
  { repos }: Manifest,
  { input, found }: { readonly input: LockedInput; readonly found: InstallFacts },
): Promise<LockFacts | null> {
  if (!isLocked(input)) return null;
  const shown = input.lock_file ?? lockFile(ctx.ecosystem);
  const path = input.lock_file === undefined
    ? join(ctx.root, shown)
    : resolve(ctx.system.env.cwd, shown);
  const other = input.lock_file ?? null;
  const isThere = found.action === "repair";
  const text = await ctx.system.files.readText(path);
  const lock = text === null ? "it is not there" : readLock(text);
  if (typeof lock === "string") {
    throw new AmofError(
      "invalid_arguments",
      `Cannot install what is locked in ${cleanLine(shown, 120)}: ${lock}`,
      {
        hint: isThere
          ? lockAnew(path, {
            other,
            isInTheWay: text !== null && kindOfList("", text) !== "amof",
          })
          : "Install without: amof install",
        details: { file: shown },
      },
    );
  }
  const known = new Set(lock.repos.map(({ name }) => name));
  const absent = repos.filter((repo) => repo.enabled && !known.has(repo.name));
  const uncloned = found.repos.flatMap(({ name, present }) => present ? [] : [name]);
  if (absent.length > 0) {
    throw new AmofError(
      "check_failed",
      `Cannot install what is locked: ${cleanLine(shown, 120)} lacks ${
        few(absent.map(({ name }) => `"${name}"`), 5)
      }`,
      {
        hint: isThere
          ? [
            ...(uncloned.length === 0
              ? []
              : [`Clone what is missing first: amof sync --repo ${uncloned.join(",")}`]),
            ...lockAnew(path, { other, isInTheWay: false }),
          ]
          : "Install without: amof install",
        details: { file: shown, repos: absent.map(({ name }) => name) },
      },
    );
  }
  const commits = lock.repos.flatMap(({ name, commit }) =>
    commit === undefined ? [] : [[name, commit] as const]
  );
  return { file: shown, other, commits: Object.fromEntries(commits) };
}

/** The flag that says which lock counts. */
export function lockedFlag({ other }: LockFacts): string {
  return other === null ? "--locked" : `--lock-file ${shellWord(other)}`;
}

/** The clones of an install with the commits they are to be at. */
export function pinsOf(manifest: Manifest, facts: InstallFacts, { commits }: LockFacts): Pin[] {
  return facts.repos.flatMap(({ name, present, problem }) => {
    const repo = manifest.repos.find((entry) => entry.name === name);
    const commit = commits[name];
    if (repo === undefined || commit === undefined || problem !== null) return [];
    return [{ repo, commit, fresh: !present }];
  });
}

/** How a clone would come to its commit; a type alias, so that it counts as plain JSON. */
type PinFact = {
  readonly name: string;
  readonly commit: string;
  /** `clone` is one that is made first. */
  readonly way: LockMove | { readonly to: "clone" };
};

/** Looks how clones would come to their commits, as the run will. */
export async function pinsAhead(
  ctx: CommandContext,
  manifest: Manifest,
  facts: InstallFacts,
  lock: LockFacts,
): Promise<PinFact[]> {
  const { directory } = await findWorkspace(ctx, ctx.root, manifest);
  const pins = pinsOf(manifest, facts, lock).map((pin) => ({ ...pin, name: pin.repo.name }));
  return await inPoolOf(ctx, "looking", pins, async (pin) => ({
    name: pin.name,
    commit: pin.commit,
    way: pin.fresh ? { to: "clone" as const } : await moveTo(ctx, directory, pin),
  }));
}

/** What became of a clone that nothing would be done to; none where something would. */
export function pinnedAlready({ name, commit, way }: PinFact): Pinned[] {
  if (way.to === "there") {
    return [{ name, commit, result: "there", detail: "", code: null, fix: null }];
  }
  if (way.to !== "stay") return [];
  return [{ name, commit, result: "skipped", detail: way.detail, code: way.code, fix: way.fix }];
}

function pinLines({ name, commit, way }: PinFact): string[] {
  const at = shortSha(commit);
  switch (way.to) {
    case "there":
      return [];
    case "stay":
      return [`Leave ${name} where it is: ${way.detail}`];
    case "fetch":
      return [`Fetch ${at} for ${name}, and put it there if no commit is only here`];
    case "put":
      return [`Put ${name} at ${at}, from ${shortSha(way.head)}`];
    case "clone":
    case "forward":
      return [`Put ${name} at ${at}`];
  }
}

// What `install --adopt` adds: clones that exist already take the places of those that would be made (ADOPT-1).

/** What would be adopted, and what not; a type alias, so that it counts as plain JSON. */
type AdoptFacts = {
  readonly clones: readonly Adoption[];
  /** Repositories that are cloned anew, with the reason. */
  readonly anew: readonly { readonly name: string; readonly reason: string }[];
};

/** Why a clone cannot be adopted; null where it can. */
async function reasonAgainst(
  ctx: CommandContext,
  source: string,
  taken: ReadonlySet<string>,
): Promise<string | null> {
  if (taken.has(source)) return "a workspace has adopted it already";
  if (await liesInWorkspace(ctx, source)) return "it lies in a workspace";
  return null;
}

/** The clone that is meant among those with one address: the only one, or the one that is called so. */
function meant(name: string, clones: readonly Listed[]): Listed | string {
  const [first] = clones;
  if (first === undefined) return "no clone of its address is there";
  if (clones.length === 1) return first;
  const named = clones.filter((clone) => clone.name === name);
  return named.length === 1 && named[0] !== undefined
    ? named[0]
    : `${clones.length} clones of its address are there`;
}

/** Finds the clones in a directory, or the one that it is, that take the places of missing ones. Nothing there is changed. */
export async function adoptionFor(
  ctx: CommandContext,
  manifest: Manifest,
  facts: InstallFacts,
  from: string | undefined,
): Promise<AdoptFacts> {
  if (from === undefined) return { clones: [], anew: [] };
  const { files, env } = ctx.system;
  const home = env.home !== null && /^~(?:\/|$)/.test(from) ? env.home : null;
  const given = home === null ? resolve(env.cwd, from) : join(home, from.slice(1));
  const directory = await files.realPath(given);
  if (directory === null || (await files.stat(directory))?.kind !== "directory") {
    throw new AmofError(
      "invalid_arguments",
      `Cannot adopt clones from ${cleanLine(from, 120)}: it is not a directory`,
      { hint: "Name the directory that holds them", details: { field: "adopt" } },
    );
  }
  const { list } = await findClones(ctx, directory, true);
  const taken = new Set(await adoptedAnywhere(ctx));
  const clones: Adoption[] = [];
  const anew: { name: string; reason: string }[] = [];
  for (const { name, present } of facts.repos) {
    const repo = manifest.repos.find((entry) => entry.name === name);
    if (present || repo === undefined) continue;
    const same = list.repos.filter(({ url }) =>
      url !== null && addressKey(url) === addressKey(repo.url)
    );
    const found = meant(name, same);
    const source = typeof found === "string" ? null : await files.realPath(found.clone ?? "");
    const reason = typeof found === "string"
      ? found
      : source === null
      ? "it is gone"
      : await reasonAgainst(ctx, source, taken);
    if (reason !== null || source === null) anew.push({ name, reason: reason ?? "it is gone" });
    else {
      taken.add(source);
      clones.push({ name, path: repo.path, source });
    }
  }
  return { clones, anew };
}

/** What became of one repository. */
export interface InstalledRepo {
  readonly name: string;
  /** `empty` is a clone of a remote that has no commit yet, `adopted` one that stays where it was. */
  readonly result: "cloned" | "empty" | "present" | "adopted" | "failed";
  /** Why it failed; absent otherwise. */
  readonly detail?: string;
  readonly code?: ErrorCode;
}

/** What an install would do, line by line: what comes before the clones, each that is adopted or made, and what comes behind them. */
export function effectsOf(
  ecosystem: string,
  facts: InstallFacts & {
    readonly adopt: AdoptFacts;
    readonly pins: readonly PinFact[];
    /** Whether the workspace is as it should be, so that only clones move. */
    readonly done: boolean;
  },
  missing: InstallFacts["repos"],
): Record<"before" | "adopted" | "anew" | "clones" | "after", string[]> {
  const verb = { create: "Create", attach: "Attach", repair: "Complete" }[facts.action];
  return {
    before: [
      ...(facts.done ? [] : [`${verb} ${facts.workspace} on branch ${facts.branch}`]),
      ...(facts.moved === null
        ? []
        : [`Mend the link of ${facts.workspace}, which leads to ${cleanLine(facts.moved, 200)}`]),
      ...askedLines(facts.asked, manifestFile(ecosystem)),
    ],
    adopted: facts.adopt.clones.map(({ name, path, source }) =>
      `Adopt ${name}: it stays in ${source}, and ${path} becomes a link to it`
    ),
    anew: facts.adopt.anew.map(({ name, reason }) => `Adopt no clone for ${name}: ${reason}`),
    clones: missing.map((repo) =>
      `Clone ${repo.name} (${repo.mode}) ${repo.branch} from ${repo.url}`
    ),
    after: [
      ...facts.repos.flatMap(({ name, problem }) =>
        problem === null ? [] : [`Leave ${name} as it is: ${cleanLine(problem.detail, 200)}`]
      ),
      ...(facts.state === "rebuild"
        ? ["Rebuild the workspace state, keeping the old file aside"]
        : []),
      ...facts.pins.flatMap(pinLines),
      ...(facts.push ? [`Push ${facts.branch} to origin`] : []),
    ],
  };
}

/** Many clones in one line: how many, of what, and from where. */
export function clonesInOne(
  missing: readonly Pick<InstallFacts["repos"][number], "name" | "url">[],
): string {
  const origins = new Set(missing.map(({ url }) => url.replace(/[/:][^/:]*\/?$/, "")));
  return `Clone ${count(missing.length, "repository", "repositories")} from ${
    few([...origins], 3)
  }: ${few(missing.map(({ name }) => name), 3)}`;
}

/** Many adopted clones in one line: how many, and where they are. */
export function adoptedInOne(clones: AdoptFacts["clones"]): string {
  const homes = new Set(clones.map(({ source }) => dirname(source)));
  return `Adopt ${count(clones.length, "clone")}, which stay in ${
    few([...homes], 3)
  } and get a link in the workspace: ${few(clones.map(({ name }) => name), 3)}`;
}

/** A table of the repositories, those that failed first. Of many it has only those, unless a person wants all. */
export function repoTable(repos: readonly InstalledRepo[], all: boolean): Table {
  const failed = repos.filter((repo) => repo.result === "failed");
  const ordered = [...failed, ...repos.filter((repo) => repo.result !== "failed")];
  const rows = ordered.map((repo) => [
    `${repo.result === "failed" ? "✗ " : ""}${repo.name}`,
    repo.result,
    ...(failed.length === 0 ? [] : [cleanLine(repo.detail ?? "", 200)]),
  ]);
  const shown = table(["repo", "result", ...(failed.length === 0 ? [] : ["detail"])], rows);
  const isFine = (index: number) =>
    ["cloned", "present", "adopted"].includes(ordered[index]?.result ?? "");
  return all ? shown : shown.folding(isFine, (index) => ordered[index]?.result ?? "");
}
