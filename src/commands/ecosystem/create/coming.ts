/**
 * Where the repositories of a new ecosystem come from: a directory of clones, a list of another tool, or an
 * organisation. Remotes are asked for what the source does not say.
 */

import { isAbsolute, join, resolve } from "@std/path";
import { isBranchName } from "../../../base/ids.ts";
import { AmofError } from "../../../base/error.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import { shellWord } from "../../../base/text/words.ts";
import { hostOf } from "../../../git/mod.ts";
import { isBelow } from "../../../base/paths.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { type Imported, type ListKind } from "../../../workspace/import/mod.ts";
import { branchIn, type LeftOut, settle, type Settled } from "./settle.ts";
import { inPoolOf, whyOf } from "../../../workspace/mod.ts";
import { findClones } from "./from/directory.ts";
import { readList } from "./from/file.ts";
import { byHand, FORGES, listOrganisation, type OrganisationInput } from "./from/org.ts";
import type { GivenRepo } from "./scaffold.ts";

/** What says where repositories come from. */
export interface ComingInput extends OrganisationInput {
  readonly name?: string | undefined;
  readonly from?: string | undefined;
  readonly kind: ListKind | "auto";
  readonly offline: boolean;
}

/** What comes of it; a type alias, so that it counts as plain JSON. */
export type Coming = {
  /** What was read. */
  readonly source: string;
  /** A kind of list, `directory`, or the program that was asked. */
  readonly kind: string;
  readonly repos: readonly GivenRepo[];
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly leftOut: readonly LeftOut[];
  /** What the source says and the manifest does not, one line each. */
  readonly notes: readonly string[];
};

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** How many reasons are told why nothing can be taken. */
const SHOWN_REASONS = 5;
/** How many remotes are asked at once. */
const QUESTIONS = 8;
/** How many remotes of a host may fail before the others of it are not asked. */
const FAILURES = 3;

/** The absolute path that is meant. Over MCP only what lies in the control repository may be read. */
async function placeOf(ctx: CommandContext, from: string): Promise<string> {
  const { files, env } = ctx.system;
  const base = ctx.door === "cli" ? env.cwd : ctx.root;
  const home = env.home !== null && /^~(?:\/|$)/.test(from) ? env.home : null;
  const path = home === null ? resolve(base, from) : resolve(home, `.${from.slice(1)}`);
  const real = await files.realPath(path);
  const root = await files.realPath(ctx.root) ?? ctx.root;
  if (ctx.door !== "cli" && (isAbsolute(from) || real === null || !isBelow(root, real))) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot read ${cleanLine(from, 120)}: only what lies in the control repository is read here`,
      {
        hint: `A person can name any place in a terminal: amof ecosystem create NAME --from ${
          shellWord(from)
        }`,
        details: { field: "from" },
      },
    );
  }
  if (real !== null) return real;
  throw new AmofError("invalid_arguments", `Cannot read ${cleanLine(from, 120)}: it is not there`, {
    hint: "Name a directory of clones, or a list of repositories such as west.yml",
    details: { field: "from" },
  });
}

/** Everything a source says, before names are settled. */
async function read(
  ctx: CommandContext,
  input: ComingInput,
): Promise<{ source: string; kind: string; list: Imported; leftOut: readonly LeftOut[] }> {
  if (input.from_org !== undefined) {
    const { program, list, leftOut } = await listOrganisation(ctx, input.from_org, input);
    return { source: input.from_org, kind: program, list, leftOut };
  }
  const from = input.from ?? ".";
  const path = await placeOf(ctx, from);
  if ((await ctx.system.files.stat(path))?.kind === "directory") {
    if (input.kind !== "auto") {
      throw new AmofError(
        "invalid_arguments",
        `Cannot read ${cleanLine(from, 120)} as ${input.kind}: it is a directory`,
        {
          hint: "Name the file, or leave --kind out to take the clones in the directory",
          details: { field: "kind" },
        },
      );
    }
    const clones = await findClones(ctx, path);
    const file = join(path, ".gitmodules");
    if (clones.list.repos.length > 0 || await ctx.system.files.stat(file) === null) {
      return { source: path, kind: "directory", ...clones };
    }
    // Where all that lies in it are submodules, their list says more than they do.
    const shown = join(from, ".gitmodules");
    return { source: path, ...await readList(ctx, { file, shown, kind: "gitmodules" }) };
  }
  const kind = input.kind === "auto" ? null : input.kind;
  return { source: path, ...await readList(ctx, { file: path, shown: from, kind }) };
}

/** A repository as the manifest has it, on a branch and locked at a commit. */
function givenOf(repo: Settled, branch: string | null, commit: string | null): GivenRepo {
  // A clone with little history need not hold the commit.
  const clone = commit === null && repo.depth !== null ? `shallow:${repo.depth}` : null;
  return {
    name: repo.name,
    url: repo.url,
    branch,
    readonly: repo.readonly,
    ...(repo.path === null ? {} : { path: repo.path }),
    ...(repo.enabled ? {} : { enabled: false }),
    ...(repo.tags.length === 0 ? {} : { tags: [...repo.tags] }),
    ...(repo.dependsOn.length === 0 ? {} : { depends_on: [...repo.dependsOn] }),
    ...(clone === null ? {} : { clone }),
    ...(repo.submodules ? { submodules: true } : {}),
    ...(commit === null ? {} : { commit }),
  };
}

/** What a source says of a repository's branch and commit, together with what its remote says. */
async function asked(
  ctx: CommandContext,
  repo: Settled,
  notes: string[],
): Promise<GivenRepo> {
  const { version } = repo;
  const commit = version !== null && COMMIT.test(version) ? version : null;
  const name = commit === null && version !== null && isBranchName(version) ? version : null;
  const given = (branch: string | null, at: string | null) => {
    if (at !== null && repo.depth !== null) {
      notes.push(`${repo.name}: it is cloned with all of its history, since a commit is locked`);
    }
    return givenOf(repo, branch, at);
  };
  if (repo.branch !== null && isBranchName(repo.branch)) return given(repo.branch, commit);
  const there = await ctx.git.at(ctx.root, repo.name).remoteRefs.introduce(repo.url, name);
  if (name !== null && there.isBranch) return given(name, null);
  if (name !== null && there.tag !== null) {
    notes.push(`${repo.name}: ${name} is a tag; its commit goes into the lock`);
    return given(there.defaultBranch, there.tag);
  }
  if (name !== null && there.other !== null) {
    notes.push(`${repo.name}: ${name} is no branch; its commit goes into the lock`);
    return given(there.defaultBranch, there.other);
  }
  if (version !== null && commit === null) {
    notes.push(
      there.isEmpty
        ? `${repo.name}: its remote has no commit yet`
        : `${repo.name}: its remote has neither a branch nor a tag ${cleanLine(version, 60)}`,
    );
    if (there.isEmpty) return given(name, null);
  }
  if (there.defaultBranch === null) notes.push(`${repo.name}: its remote names no default branch`);
  return given(there.defaultBranch, commit);
}

/** The same with a line that takes it: only its remote tells whether what the list names is a branch, and no tag. */
async function addable(
  ctx: CommandContext,
  { guessed, ...one }: LeftOut,
  offline: boolean,
): Promise<LeftOut> {
  if (guessed === undefined || offline) return one;
  const { url, branch, without } = guessed;
  try {
    const { isBranch } = await ctx.git.at(ctx.root, one.what).remoteRefs.introduce(url, branch);
    return isBranch ? one : { ...one, add: without };
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    return one;
  }
}

/** Takes a source at its word where its remote cannot be asked. */
function unasked(repo: Settled, notes: string[]): GivenRepo {
  const { version } = repo;
  const commit = version !== null && COMMIT.test(version) ? version : null;
  const said = repo.branch ?? (commit === null ? version : null);
  const branch = branchIn(said);
  if (said !== null && branch === null) {
    notes.push(`${repo.name}: only its remote can tell the commit of ${cleanLine(said, 60)}`);
  }
  return givenOf(repo, branch, commit);
}

/** What helps where nothing can be taken. */
function insteadOf(
  source: string,
  kind: string,
  { leftOut, name }: {
    readonly leftOut: readonly LeftOut[];
    /** What the ecosystem is to be called, where that was said. */
    readonly name: string | undefined;
  },
): string | readonly string[] {
  const fixes = leftOut.flatMap(({ fix = "" }) => fix === "" ? [] : [`Rename its remote: ${fix}`]);
  if (fixes.length > 0) return fixes.slice(0, SHOWN_REASONS);
  const forge = FORGES.find((program) => program === kind);
  if (forge === undefined && kind !== "directory" && leftOut.length === 0) {
    const begin = `amof ecosystem create ${name ?? "NAME"}`;
    return `Begin with no repository: ${begin}\nOr name another list, or a directory of clones`;
  }
  if (forge === undefined) {
    return "Name a directory of clones, or a list of repositories such as west.yml";
  }
  return leftOut.length === 0
    ? `See what it has: ${byHand(forge, source)}`
    : "Take what is left out, too: the same command with --archived --forks";
}

/** Reads a source and asks the remotes. Throws `invalid_arguments` where it names no repository. */
export async function comingFrom(ctx: CommandContext, input: ComingInput): Promise<Coming> {
  const { source, kind, list, leftOut } = await read(ctx, input);
  const settled = settle(list);
  const notes = [...settled.notes];
  const failures = new Map<string, number>();
  const repos = await inPoolOf(
    { ...ctx, jobs: QUESTIONS },
    "asking",
    settled.repos,
    async (repo) => {
      const host = hostOf(repo.url);
      if (input.offline || (failures.get(host) ?? 0) >= FAILURES) return unasked(repo, notes);
      try {
        return await asked(ctx, repo, notes);
      } catch (error) {
        if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
        failures.set(host, (failures.get(host) ?? 0) + 1);
        notes.push(`${repo.name}: its remote could not be asked: ${cleanLine(whyOf(error), 120)}`);
        return unasked(repo, notes);
      }
    },
  );
  for (const repo of repos) {
    if (repo.branch === null) {
      notes.push(`${repo.name}: its branch is not known; correct the manifest`);
    }
  }
  const out = await Promise.all(
    [...leftOut, ...settled.leftOut].map((one) => addable(ctx, one, input.offline)),
  );
  if (repos.length > 0) {
    return { source, kind, repos, groups: settled.groups, leftOut: out, notes: notes.toSorted() };
  }
  const reasons = [
    ...out.map(({ what, reason }, at) =>
      `${at === 0 ? "left out: " : ""}${cleanLine(what, 60)}, ${reason}`
    ),
    ...notes,
  ];
  // Of an organisation a program has told, and of all others what was looked at.
  const nothing = kind === "directory"
    ? "; no clone with a remote lies in it"
    : FORGES.some((program) => program === kind)
    ? ""
    : `; it was read as ${kind}, and names none`;
  const why = reasons.length === 0
    ? nothing
    : `; ${reasons.slice(0, SHOWN_REASONS).join("; ")}${
      reasons.length > SHOWN_REASONS ? `; and ${reasons.length - SHOWN_REASONS} more` : ""
    }`;
  throw new AmofError(
    "invalid_arguments",
    `Cannot take over ${cleanLine(source, 120)}: it has no repository that can be taken${why}`,
    {
      hint: insteadOf(source, kind, { leftOut: out, name: input.name }),
      details: { field: "from", left_out: out, notes },
    },
  );
}
