/** The single looks of `amof doctor`: at the machine, the control repository, an ecosystem, its clones, its remotes. */

import { basename, dirname, join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import { inPool } from "../../base/async/pool.ts";
import { halfIdentityText, isRecentGit, OLDEST_GIT, TransferLimits } from "../../git/mod.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { checkMirrors } from "./mirrors.ts";
import { checkTickets } from "./tickets.ts";
import { type Check, found } from "./found.ts";
import { mendAndSync, syncOf } from "../advice/head.ts";
import { baseNeeds } from "../advice/news.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, list, shellWord } from "../../base/text/words.ts";
import {
  checkManifest,
  firstCommit,
  type Manifest,
  NO_COMMIT,
  type Repo,
} from "../../workspace/manifest/mod.ts";
import { rebaseCommand } from "../advice/command_lines.ts";
import {
  findWorkspace,
  loadState,
  MOVED,
  NO_STATE,
  repoDirectory,
  restoreSteps,
  whyOf,
  type WorkspaceState,
} from "../../workspace/mod.ts";
import { drifts } from "../look/drift.ts";
import {
  inspectRepos,
  isOnWrongBranch,
  otherAddressWords,
  type RepoSnapshot,
} from "../../workspace/clones/mod.ts";
import { UNKNOWN } from "../outgoing/files.ts";
import { UNASKED } from "../advice/inside.ts";
import { suspectsText } from "../../workspace/seals/mod.ts";
import { temporaries } from "../../workspace/removal/mod.ts";
import { undeleted } from "../removal/removal.ts";

// What `amof doctor` tells of remembered answers of git (WORKSPACE-34).

/**
 * The clones of an ecosystem that git is always asked about because a memory was wrong, and with `compares` how many
 * answers were compared. Follows the look at the clones, whose answers those are. No git process.
 */
async function checkVerdicts(
  { git, root, system }: CommandContext,
  { workspaceDir, repos }: Manifest,
  compares: boolean,
): Promise<Check[]> {
  const { verdicts } = git;
  if (verdicts === null) return compares ? [found("verdicts", "ok", "switched off")] : [];
  const off: string[] = [];
  for (const repo of repos) {
    const clone = await repoDirectory(system, join(root, workspaceDir), repo).catch(() => null);
    if (clone !== null && await verdicts.isOff(clone)) off.push(repo.name);
  }
  const name = "verdicts";
  if (off.length > 0) {
    const words = `git said something else of ${
      few(off, 3)
    } than was remembered, so it is always asked there`;
    return [found(name, "warning", words, "Tell the project, it is a defect of amof")];
  }
  const { compared } = verdicts.counts;
  return compares
    ? [found(name, "ok", `${count(compared, "answer")} compared, all as remembered`)]
    : [];
}

/** Turns a failure of a look into a failed check. */
async function attempt(
  name: string,
  fix: string,
  look: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return [found(name, "problem", error.message, error.hint || fix)];
  }
}

/** Whether git knows who commits. One git process, or up to three. */
async function checkIdentity({ git, root, system }: CommandContext): Promise<Check[]> {
  const name = "who commits";
  const half = halfIdentityText(system.env);
  if (half !== null) return [found(name, "warning", half, "Set both, or none of them")];
  const unknown = await git.at(root === "" ? system.env.cwd : root).commits.unknown();
  return unknown === null ? [] : [found(name, "warning", ...UNKNOWN[unknown])];
}

/** Looks at git, who commits, and the state database. Two git processes, or up to four. */
export async function checkMachine(ctx: CommandContext): Promise<Check[]> {
  const git = await attempt("git", "Install git", async () => {
    const version = await ctx.git.version(ctx.root === "" ? ctx.system.env.cwd : ctx.root);
    const level = isRecentGit(version) ? "ok" : "problem";
    return [found("git", level, version, `Update git to ${OLDEST_GIT} or later`)];
  });
  const fix = "Check the permissions of the state directory";
  const store = await attempt("state database", fix, async () => {
    const { runs } = await ctx.store();
    const { database } = ctx.layout;
    const [refused] = await refusedOf(ctx, [dirname(database), database]);
    if (refused !== undefined) {
      const words = `${refused} may not be written, so nothing that changes anything can begin`;
      const ways = [fix, "Or keep the state in another directory: export AMOF_HOME=DIR"];
      return [found("state database", "problem", words, ways.join("\n"))];
    }
    const active = runs.list({ statuses: ["queued", "running", "paused"], limit: 200 });
    return [found("state database", "ok", count(active.length, "active run"))];
  });
  const identity = git.some(({ ok }) => !ok) ? [] : await checkIdentity(ctx);
  return [...git, ...identity, ...store];
}

/** Those places that are there and that this user may not write. */
async function refusedOf(
  { system: { files } }: CommandContext,
  places: readonly string[],
): Promise<string[]> {
  const refused: string[] = [];
  for (const place of places) {
    if (await files.lstat(place) !== null && !await files.isWritable(place)) refused.push(place);
  }
  return refused;
}

/** Places of a repository that this user may not write, below its directory; none where there is no repository. */
async function unwritable(ctx: CommandContext, directory: string): Promise<string[]> {
  const common = await ctx.git.at(directory).commonDirectory();
  if (common === null) return [];
  const within = ["objects", "refs", "index"].map((it) => join(common, it));
  return await refusedOf(ctx, [directory, common, ...within]);
}

/** Looks at the control repository itself. */
export async function checkControl(ctx: CommandContext): Promise<readonly Check[]> {
  const name = "control repository";
  if (ctx.root === "") {
    return [
      found(
        name,
        "ok",
        `none at or above ${ctx.system.env.cwd}; so only git and the state database were checked`,
      ),
    ];
  }
  const repository = ctx.git.at(ctx.root);
  return await attempt(name, "See what git says there: git status", async () => {
    if (await repository.commonDirectory() === null) {
      const fix = `git init ${shellWord(ctx.root)}`;
      return [found(name, "problem", `${ctx.root} is not a git repository`, fix)];
    }
    // Whom git does not trust it does not serve, whoever may write there.
    await repository.refs.resolve("HEAD");
    const [first] = await unwritable(ctx, ctx.root);
    return [
      first === undefined ? found(name, "ok", ctx.root) : found(
        name,
        "problem",
        `${first} cannot be written`,
        `chmod -R u+rwX ${shellWord(first)}`,
      ),
    ];
  });
}

/** Looks at the clones of a workspace. The git processes of `inspect.ts`. */
export async function checkClones(
  ctx: CommandContext,
  manifest: Manifest,
  workspace: string,
  state: WorkspaceState | null,
): Promise<Check[]> {
  const repos = manifest.repos.filter((repo) => repo.enabled);
  const snapshots = await inspectRepos(ctx, { workspace, repos, state });
  const missing = snapshots.filter((snapshot) => snapshot.missing).map(({ repo }) => repo.name);
  const broken = snapshots.flatMap(({ repo, error }: RepoSnapshot) =>
    error === null ? [] : [
      found(
        `clone ${repo.name}`,
        "problem",
        whyOf(error),
        error.hint || `See: amof -e ${manifest.name} status`,
      ),
    ]
  );
  const readable = snapshots.filter(({ git }) => git !== null);
  const closed = (await inPool(ctx.jobs, readable, async ({ repo, directory }) => {
    const [first] = await unwritable(ctx, directory);
    return first === undefined ? null : found(
      `clone ${repo.name}`,
      "problem",
      `${first} cannot be written`,
      `chmod -R u+rwX ${shellWord(directory)}`,
    );
  })).filter((check) => check !== null);
  const locked = (await inPool(ctx.jobs, readable, async ({ repo, directory }) => {
    const lock = await ctx.git.at(directory, repo.name).leftLock();
    return lock === null ? null : found(
      `clone ${repo.name}`,
      "warning",
      "a git holds its index for more than a minute, or has died and left its lock",
      `Where none is at work there, not even one that waits for an editor: rm ${shellWord(lock)}`,
    );
  })).filter((check) => check !== null);
  const moved = snapshots.flatMap(({ repo, directory, address, misnamed }) => {
    if (address === null) return [];
    const [said, fix] = otherAddressWords(repo, directory, address, misnamed);
    const mend = mendAndSync(fix, address, syncOf([repo.name], state));
    return [found(`clone ${repo.name}`, "warning", said, mend)];
  });
  const renamed = snapshots.flatMap((snapshot) =>
    baseNeeds(snapshot, state).map(({ problem, fix }) =>
      found(`clone ${snapshot.repo.name}`, "warning", problem, fix)
    )
  );
  const astray = snapshots.filter((snapshot) =>
    snapshot.inProgress === null && isOnWrongBranch(snapshot, manifest, state)
  ).map(({ repo, git, expectedBranch }) =>
    found(
      `clone ${repo.name}`,
      "warning",
      `on ${cleanLine(git?.branch ?? "no branch", 60)} instead of ${expectedBranch}`,
      `See the way there: amof -e ${manifest.name} status --repo ${repo.name}`,
    )
  );
  const bare = snapshots.filter(({ absent }) => absent.length > 0).map(
    ({ repo, absent, directory }) =>
      found(
        `clone ${repo.name}`,
        "warning",
        `${absent.length === 1 ? "a submodule is" : "submodules are"} not checked out${
          repo.submodules ? "" : UNASKED
        }: ${few(absent.map((path) => cleanLine(path, 80)), 3)}`,
        `git -C ${shellWord(directory)} submodule update --init --recursive -- ${
          absent.map(shellWord).join(" ")
        }`,
      ),
  );
  const untrusted = snapshots.filter((snapshot) => snapshot.untrusted.length > 0).map((snapshot) =>
    found(
      `clone ${snapshot.repo.name}`,
      "problem",
      suspectsText(snapshot.untrusted),
      `amof -e ${manifest.name} repo trust ${snapshot.repo.name}`,
    )
  );
  return [
    ...(missing.length === 0 ? [] : [found(
      "clones",
      "warning",
      `not cloned: ${list(missing)}`,
      `amof -e ${manifest.name} sync`,
    )]),
    ...broken,
    ...closed,
    ...locked,
    ...moved,
    ...renamed,
    ...astray,
    ...bare,
    ...untrusted,
    ...([missing, broken, closed, locked, moved, renamed, astray, bare, untrusted].some((
        { length },
      ) => length > 0
      )
      ? []
      : [found("clones", "ok", `${count(repos.length, "clone")}, readable and writable`)]),
  ];
}

/** Looks at the workspace, if there is one, and what is in it. */
async function checkWorkspace(ctx: CommandContext, manifest: Manifest): Promise<Check[]> {
  const repair = `amof -e ${manifest.name} install --repair`;
  const place = await findWorkspace(ctx, ctx.root, manifest);
  if (place.worktree === null) {
    const isUnborn = await ctx.git.at(ctx.root).refs.resolve("HEAD") === null;
    return [
      isUnborn
        ? found("workspace", "problem", NO_COMMIT, firstCommit(manifest.name).join("\n"))
        : found("workspace", "ok", "not installed"),
    ];
  }
  if (place.worktree.prunable) {
    if (place.moved) return [found("workspace", "problem", MOVED, repair)];
    const { hint, details } = await restoreSteps(ctx.system, ctx.root, {
      name: manifest.name,
      directory: place.worktree.path,
    });
    return [
      found("workspace", "problem", "its directory is gone", details.adopted ? hint : repair),
    ];
  }
  const state = await loadState(ctx.system, place.directory);
  return [
    state === null
      ? found("workspace", "warning", NO_STATE, repair)
      : found("workspace", "ok", manifest.workspaceDir),
    ...await checkClones(ctx, manifest, place.directory, state),
  ];
}

/** What killed or hindered commands left of their files. */
async function checkRubbish(ctx: CommandContext, manifest: Manifest): Promise<Check[]> {
  const repair = `amof -e ${manifest.name} doctor --repair`;
  const rubbish = await undeleted(ctx, manifest);
  const temporary = await temporaries(ctx);
  const [first = ""] = temporary;
  return [
    ...(temporary.length === 0 ? [] : [found(
      "temporary files",
      "problem",
      `${count(temporary.length, "file")} that killed commands were writing, such as ${
        basename(dirname(first))
      }/${basename(first)}`,
      repair,
    )]),
    ...(rubbish.length === 0 ? [] : [found(
      "removed workspaces",
      "problem",
      `not all could be deleted: ${rubbish.join(", ")}`,
      repair,
    )]),
  ];
}

/** Asks the remote of one repository. One git process, network. */
async function askRemote(ctx: CommandContext, repo: Repo): Promise<Check> {
  const name = `remote of ${repo.name}`;
  try {
    const { remoteRefs } = ctx.git.at(ctx.root, repo.name);
    const there = await remoteRefs.introduce(repo.url, repo.branch);
    if (there.isBranch) return found(name, "ok", `has ${repo.branch}`);
    if (there.isEmpty) {
      return found(name, "warning", "has no commit yet", "Push the first commit there");
    }
    const { defaultBranch } = there;
    return found(
      name,
      "problem",
      `has no branch ${repo.branch}`,
      rebaseCommand(repo.name, defaultBranch),
    );
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    return found(name, "problem", whyOf(error), error.hint || null);
  }
}

/** Asks the remotes of all repositories; those that answer well are one line. */
async function checkRemotes(ctx: CommandContext, manifest: Manifest): Promise<Check[]> {
  const repos = manifest.repos.filter((repo) => repo.enabled);
  const limits = new TransferLimits(ctx.transfers);
  const checks = await inPool(
    64,
    repos,
    (repo) => limits.turn(repo.url, () => askRemote(ctx, repo)),
  );
  const well = checks.filter((check) => check.level === "ok").length;
  return [
    ...(well === 0 ? [] : [found("remotes", "ok", `${well} of ${repos.length} answer`)]),
    ...checks.filter((check) => check.level !== "ok"),
  ];
}

/** Whether the workspace and its manifest belong together. */
async function checkDrift(ctx: CommandContext, manifest: Manifest): Promise<Check[]> {
  const { worktree, directory } = await findWorkspace(ctx, ctx.root, manifest);
  if (worktree === null || worktree.prunable) return [];
  const name = "drift";
  const apart = await drifts(ctx, manifest, directory);
  return apart.length === 0
    ? [found(name, "ok", "they agree")]
    : apart.map(({ detail, fix }) => found(name, "warning", detail, fix));
}

/** Looks at one ecosystem: `ctx.ecosystem`. With `remotes` it asks those, too. */
export async function checkEcosystem(
  ctx: CommandContext,
  { remotes, verdicts }: { readonly remotes: boolean; readonly verdicts: boolean },
): Promise<Check[]> {
  const validate = `amof -e ${ctx.ecosystem} manifest validate`;
  const { errors, warnings, manifest } = await checkManifest(
    ctx.system,
    ctx.root,
    ctx.ecosystem,
    true,
  );
  const told = [...errors, ...warnings]
    .map(({ path, message }) => `${path || "file"}: ${cleanLine(message, 120)}`);
  const detail = told.length === 0
    ? "no errors, no warnings"
    : `${count(errors.length, "error")}, ${count(warnings.length, "warning")}: ${
      told.slice(0, 5).join("; ")
    }${told.length > 5 ? `; and ${told.length - 5} more` : ""}`;
  const level = errors.length > 0 ? "problem" : warnings.length > 0 ? "warning" : "ok";
  const first = found("manifest", level, detail, validate);
  if (manifest === null) return [first];
  const repair = `amof -e ${ctx.ecosystem} install --repair`;
  return [
    first,
    ...await attempt("workspace", repair, () => checkWorkspace(ctx, manifest)),
    ...await attempt("drift", validate, () => checkDrift(ctx, manifest)),
    ...await attempt("tickets", repair, () => checkTickets(ctx, manifest)),
    ...await attempt("mirrors", repair, () => checkMirrors(ctx, manifest)),
    ...await attempt("files left behind", repair, () => checkRubbish(ctx, manifest)),
    ...(remotes ? await checkRemotes(ctx, manifest) : []),
    ...await checkVerdicts(ctx, manifest, verdicts),
  ];
}
