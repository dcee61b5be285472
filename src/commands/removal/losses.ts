/** What would be gone with a workspace, told repository by repository. */

import { isBelow } from "../../base/paths.ts";
import type { CommitLine, Ref, RefCommit } from "../../git/mod.ts";
import { foldedLines, foldedRepos, type Folding, type Part } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, few, shellWord } from "../../base/text/words.ts";
import { CONTROL, type RepoStock, type Stock } from "../../workspace/removal/mod.ts";
import { shortSha } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { loadManifest } from "../../workspace/manifest/mod.ts";
import { findWorkspace, notInstalled, type WorkspacePlace } from "../../workspace/mod.ts";

/** Names shown of each kind of loss. */
const MOST_ITEMS = 20;
/** What would be gone, of one kind in one repository. */
export interface Loss {
  readonly repo: string;
  readonly kind:
    | "uncommitted"
    | "commits"
    | "left"
    | "stash"
    | "tagged"
    | "tags"
    | "annotated"
    | "lfs"
    | "refs"
    | "jj"
    | "hidden"
    | "in_progress"
    | "submodule"
    | "repository"
    | "files"
    | "unreadable"
    | "ignored"
    | "reflog";
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
  return `${shortSha(commit)} ${subject}`;
}

/** What would be gone with one repository. */
function lossesIn(stock: RepoStock): Loss[] {
  const { name } = stock;
  return [
    ...loss(name, "unreadable", [
      ...(stock.problem === null ? [] : [stock.problem]),
      ...stock.unseen,
    ]),
    ...loss(name, "uncommitted", stock.uncommitted),
    ...loss(name, "commits", stock.unpushed.map(commitText)),
    ...loss(name, "left", stock.left.map(commitText)),
    ...loss(name, "stash", stock.stashes.map(({ subject }) => subject)),
    ...refLosses(name, stock.refOnly, stock.refs),
    ...loss(name, "jj", stock.jjOnly.map(commitText)),
    ...tagLosses(name, "annotated", stock.refOnly, stock.refs),
    ...loss(name, "hidden", stock.hidden),
    ...loss(name, "in_progress", stock.inProgress === null ? [] : [stock.inProgress]),
    ...loss(name, "submodule", stock.submodules),
    ...loss(name, "repository", stock.nested),
    ...loss(name, "ignored", stock.ignored.filter((path) => !stock.nested.includes(path))),
    ...(stock.lfsObjects > 0
      ? [{ repo: name, kind: "lfs" as const, count: stock.lfsObjects, items: [] }]
      : []),
    ...(stock.reflogOnly > 0
      ? [{ repo: name, kind: "reflog" as const, count: stock.reflogOnly, items: [] }]
      : []),
  ];
}

/** What only tags and other refs hold; what is no commit counts, too. */
export function refLosses(
  name: string,
  commits: readonly RefCommit[],
  refs: readonly Ref[],
): Loss[] {
  const isTag = (ref: string) => ref.startsWith("refs/tags/");
  const text = (entry: RefCommit) =>
    `${commitText(entry)} (${entry.ref.replace(/^refs\/tags\//, "")})`;
  const things = refs.filter(({ leadsTo, name: ref }) => leadsTo !== "commit" && !isTag(ref))
    .map(({ leadsTo, name: ref }) => `${ref} (a ${leadsTo})`);
  return [
    ...loss(name, "tagged", commits.filter(({ ref }) => isTag(ref)).map(text)),
    ...loss(name, "refs", [...commits.filter(({ ref }) => !isTag(ref)).map(text), ...things]),
  ];
}

/**
 * Annotated tags, whose messages nothing else has, without those whose commits are reported already. `tags` are
 * those that the remote does not have, `annotated` those of which nobody knows.
 */
export function tagLosses(
  name: string,
  kind: "tags" | "annotated",
  told: readonly RefCommit[],
  refs: readonly Ref[],
): Loss[] {
  const held = new Set(told.map(({ ref }) => ref));
  return loss(
    name,
    kind,
    refs.filter((ref) => ref.annotated && !held.has(ref.name))
      .map((ref) => ref.name.replace(/^refs\/tags\//, "")),
  );
}

const MINOR: ReadonlySet<Loss["kind"]> = new Set(["ignored", "reflog", "annotated", "lfs"]);

/** Whether a loss is only reported and does not keep a workspace from being removed. */
export function isMinor(loss: Loss): boolean {
  return MINOR.has(loss.kind);
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
  left: ["commit that was left on no branch", "commits that were left on no branch"],
  stash: ["stash", "stashes"],
  tagged: ["commit that only tags hold", "commits that only tags hold"],
  tags: [
    "annotated tag that the remote does not have",
    "annotated tags that the remote does not have",
  ],
  annotated: [
    "annotated tag that its remote may not have",
    "annotated tags that its remote may not have",
  ],
  lfs: [
    "object of git-lfs that its remote may not have",
    "objects of git-lfs that its remote may not have",
  ],
  refs: ["piece of work that only other refs hold", "pieces of work that only other refs hold"],
  jj: ["commit that only jj has", "commits that only jj has"],
  hidden: [
    "changed file that git was told to overlook",
    "changed files that git was told to overlook",
  ],
  in_progress: ["operation in progress", "operations in progress"],
  submodule: ["piece of work in submodules", "pieces of work in submodules"],
  repository: [
    "repository that the manifest does not name",
    "repositories unknown to the manifest",
  ],
  files: ["file among the clones", "files among the clones"],
  unreadable: ["place that cannot be read", "places that cannot be read"],
  ignored: ["ignored file or directory", "ignored files or directories"],
  reflog: [
    "commit that was amended, rebased or reset away",
    "commits that were amended, rebased or reset away",
  ],
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

/** "api: 2 unpushed commits: …" for each loss. */
export function lossLines(losses: readonly Loss[]): string[] {
  return losses.map((loss) => `${loss.repo}: ${lossText(loss)}`);
}

/** The same for a screen: what is lost alike in many repositories is told once. */
export function lossParts(
  losses: readonly Loss[],
  verb: "Lose" | "Lost",
  folding: Folding,
): readonly Part[] {
  const say = ({ name, ...loss }: Loss & { readonly name: string }) =>
    `${verb} ${name}: ${lossText(loss)}`;
  return foldedRepos(losses.map((loss) => ({ ...loss, name: loss.repo })), say, {
    ...folding,
    // The hashes of commits are others in every repository.
    brief: (loss) =>
      say({ ...loss, items: loss.items.map((item) => item.replace(/^[0-9a-f]{7,40} /, "")) }),
  });
}

/** What is said of ignored files that go with the only copy of a workspace; null where none do. */
export function ignoredWarning(losses: readonly Loss[]): string | null {
  const [first, ...more] = lossLines(losses.filter(({ kind }) => kind === "ignored"));
  return first === undefined
    ? null
    : `Ignored files cannot be brought back: ${first}${
      more.length === 0 ? "" : `, and ${more.length} more`
    }`;
}

/** What becomes of adopted clones, by repository with where they lie, where their workspace goes. */
export function adoptedLines(adopted: Readonly<Record<string, string>>): string[] {
  return Object.entries(adopted).map(([repo, place]) =>
    `Leave ${repo} as it is in ${place}: only the link to it goes`
  );
}

/** Those lines, of which a person with many is told in one. */
export function adoptedParts(adopted: Readonly<Record<string, string>>): readonly Part[] {
  const names = Object.keys(adopted);
  const many = `Leave ${count(names.length, "adopted clone")} as they are, only the links go: `;
  return foldedLines(adoptedLines(adopted), `${many}${few(names, 3)}`, { onlyAsked: true });
}

// What every command that takes a workspace away asks and tells: discard and archive.

/**
 * Throws `workspace_in_use` when the working directory of this process lies in a directory that is about to go,
 * whichever links led there. `what` is the words of the command, `action` what it does. No process.
 *
 * Whoever stands in a directory that is gone can start no program from there that asks where it is, this one
 * included. Over MCP the directory is that of the server, which is usually that of the program that started it.
 */
export async function refuseInside(
  ctx: CommandContext,
  what: string,
  directory: string,
  action = `${what} "${ctx.ecosystem}"`,
): Promise<void> {
  const { env, files } = ctx.system;
  const [here, gone] = await Promise.all([files.realPath(env.cwd), files.realPath(directory)]);
  if (here === null || gone === null || !isBelow(gone, here)) return;
  const root = shellWord(ctx.root);
  throw new AmofError(
    "workspace_in_use",
    ctx.door === "cli"
      ? `Cannot ${action}: you are in the workspace that would go`
      : `Cannot ${action}: the working directory of this program lies in the workspace that would go`,
    {
      hint: ctx.door === "cli"
        ? `Leave it first: cd ${root}\nThen repeat the same command there`
        : `A person does it in a terminal: cd ${root}\nThen, in a terminal: amof -e ${ctx.ecosystem} ${what}\nStart the server elsewhere, in a terminal: amof mcp serve --root ${root}`,
      details: { ecosystem: ctx.ecosystem, directory: here, root: ctx.root },
    },
  );
}

/**
 * The place of a workspace that can be removed; throws `workspace_not_installed`, and `workspace_in_use` where the
 * caller stands in it. One git process.
 */
export async function removablePlace(
  ctx: CommandContext,
  what: string,
): Promise<{ place: WorkspacePlace; manifest: Awaited<ReturnType<typeof loadManifest>> }> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const place = await findWorkspace(ctx, ctx.root, manifest);
  if (place.worktree !== null) {
    // Nobody can tell what is only there before git can work in it.
    if (place.moved) throw notInstalled(manifest.name, place);
    await refuseInside(ctx, what, place.directory);
    return { place, manifest };
  }
  throw new AmofError(
    "workspace_not_installed",
    `Cannot ${what} "${manifest.name}": it has no workspace`,
    { hint: "See what there is: amof ecosystem list", details: { ecosystem: manifest.name } },
  );
}

/** Whether an environment stands, or nobody knows that none does. */
export async function environmentStands(
  ctx: Pick<CommandContext, "store" | "root" | "ecosystem" | "ticket">,
): Promise<boolean> {
  const record = (await ctx.store()).environments.get(ctx);
  return record !== null && (record.deployed !== null || record.outcome !== "done");
}

/** A line about an environment that outlives the workspace; none where no environment stands. */
export async function environmentLines(ctx: CommandContext): Promise<string[]> {
  return await environmentStands(ctx)
    ? ["Leave the environment as it is. Remove it: amof spin destroy"]
    : [];
}

/** The failure of a removal that left files behind. */
export function undeletable(place: string): AmofError {
  return new AmofError(
    "partial_failure",
    `Removed the workspace, but could not delete all of its files: ${place}`,
    { hint: `Delete them by hand: ${place}`, details: { left: place } },
  );
}
