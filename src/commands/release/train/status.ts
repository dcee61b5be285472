/** `amof release train status`: the version of every repository of an ecosystem, and what a train would take along. */

import {
  type Guard,
  loadManifest,
  makeGuard,
  type Manifest,
  type Repo,
} from "../../../workspace/manifest/mod.ts";
import { requireAbsent } from "../../../workspace/clones/mod.ts";
import { inPoolOf, repoDirectory, requireWorkspace } from "../../../workspace/mod.ts";
import { select, SELECTION_FLAGS, selectionInput } from "../../selection/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { type CommandContext, query } from "../../../contract/mod.ts";
import { blocks } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import type { TrainRecord } from "./record.ts";
import { table } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";

interface StatusRow {
  readonly name: string;
  readonly readonly: boolean;
  readonly tag: string | null;
  readonly stage: string | null;
  readonly commits_since_tag: number;
  /** Whether there are more of them than the history here goes back; absent where not. */
  readonly history_cut?: true;
  /** Whether a bump would take it along. */
  readonly changed: boolean;
  readonly branch: string | null;
  /** What stands in the way, as far as can be told without asking the remote. */
  readonly problems: readonly string[];
}

interface StatusData {
  readonly repos: readonly StatusRow[];
  /** The newest train of the ecosystem, or null. */
  readonly last_train: {
    readonly train: string;
    readonly timestamp: string;
    readonly repos: Readonly<Record<string, { readonly tag: string; readonly pushed: boolean }>>;
    /** The command that pushes what was not pushed then; null where all was, or none is known. */
    readonly push: string | null;
  } | null;
}

/** The train that pushes what another one could not, of repositories that the manifest knows. */
function pushAgain(last: TrainRecord, { repos }: Manifest): string | null {
  const late = repos.flatMap(({ name }) => last.repos[name]?.pushed === false ? [name] : []);
  return late.length === 0 ? null : `amof release train promote --repo ${late.join(",")}`;
}

async function row(
  ctx: CommandContext,
  workspace: string,
  repo: Repo,
  guard: Guard,
): Promise<StatusRow> {
  const { releaseStateOf } = await import("../state.ts");
  const { judge } = await import("../judge.ts");
  const base = {
    name: repo.name,
    readonly: repo.readonly,
    tag: null,
    stage: null,
    commits_since_tag: 0,
    changed: false,
    branch: null,
  };
  try {
    const directory = await repoDirectory(ctx.system, workspace, repo);
    if (await ctx.git.at(directory).activity() === null) {
      await requireAbsent(ctx.system, workspace, { repo, directory });
      return { ...base, problems: ["not cloned"] };
    }
    const standing = await releaseStateOf(ctx, directory, repo.name, {
      askRemote: false,
      guard,
      branch: repo.branch,
    });
    const { current, commits, branch, cut } = standing;
    const { errors } = judge({
      standing,
      next: null,
      stage: "alpha",
      push: false,
      strict: false,
      mayBeEmpty: true,
      baseline: false,
      expectedBranch: repo.branch,
    });
    return {
      ...base,
      tag: current?.tag ?? null,
      stage: current?.version.stage ?? null,
      commits_since_tag: commits,
      ...(cut ? { history_cut: true } : {}),
      changed: !repo.readonly && (current === null || commits > 0),
      branch,
      // The status plans no version, so the gate of the ladder does not apply.
      problems: repo.readonly
        ? []
        : errors.filter(({ gate }) => gate !== "ladder").map(({ message }) => message),
    };
  } catch (error) {
    if (!(error instanceof AmofError) || error.code === "cancelled") throw error;
    return { ...base, problems: [error.message] };
  }
}

/** `amof release train status`. */
export const trainStatus = query({
  name: "amof_release_train_status",
  path: ["release", "train", "status"],
  toolset: "train",
  mcp: "asked for",
  scope: "ecosystem",
  title: "Train status",
  summary: "The version of every repository, its unreleased commits, and the last train.",
  examples: ["release train status", "release train status --repo api,web"],
  flags: SELECTION_FLAGS,
  input: (z) => ({
    ...selectionInput(z),
  }),
  async run(ctx, input) {
    const { newestTrain } = await import("./record.ts");
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const workspace = await requireWorkspace(ctx, ctx.root, manifest);
    const guard = await makeGuard(manifest.noTouchPaths);
    const repos = await inPoolOf(
      ctx,
      "checking",
      await select(
        ctx,
        { manifest, workspace: workspace.directory, state: workspace.state },
        input,
      ),
      (repo) => row(ctx, workspace.directory, repo, guard),
    );
    const last = await newestTrain(ctx.system, ctx.root, ctx.ecosystem);
    const data: StatusData = {
      repos,
      last_train: last === null ? null : {
        train: last.train,
        timestamp: last.timestamp,
        repos: Object.fromEntries(
          Object.entries(last.repos).map(([name, { tag, pushed }]) => [name, { tag, pushed }]),
        ),
        push: pushAgain(last, manifest),
      },
    };
    return { data };
  },
  render(data: StatusData) {
    const changed = data.repos.filter((entry) => entry.changed).length;
    const late = Object.entries(data.last_train?.repos ?? {}).filter(([, { pushed }]) => !pushed);
    return {
      summary: `Found ${count(changed, "changed repo")} of ${data.repos.length}.`,
      details: blocks(
        table(
          ["repo", "version", "commits", "branch", "state"],
          data.repos.map((entry) => [
            entry.name,
            entry.tag ?? "",
            entry.tag === null
              ? ""
              : entry.history_cut === true
              ? `${entry.commits_since_tag}+`
              : entry.commits_since_tag,
            cleanLine(entry.branch ?? ""),
            entry.readonly
              ? "read-only"
              : entry.problems.length > 0
              ? `✗ ${cleanLine(entry.problems[0] ?? "", 60)}${
                entry.problems.length > 1 ? ` (and ${entry.problems.length - 1} more)` : ""
              }`
              : entry.changed
              ? "changed"
              : "unchanged",
          ]),
        ),
        ...(data.last_train === null ? [] : [
          `Last train: ${data.last_train.train}${
            late.length === 0
              ? ""
              : `, not pushed then: ${late.map(([name, { tag }]) => `${name} ${tag}`).join(", ")}`
          }`,
          ...(data.last_train.push === null ? [] : [`Push what is left: ${data.last_train.push}`]),
        ]),
      ),
    };
  },
});
