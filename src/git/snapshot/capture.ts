/**
 * Takes a snapshot of the uncommitted work of a repository, byte for byte, without touching anything: no filter, no
 * hook and no code of the repository runs, and nothing but objects is made.
 *
 * Two git processes; one more where a path is not merged or was only announced to the index.
 */

import { type Sha, sha } from "../../base/ids.ts";
import { AmofError } from "../../base/error.ts";
import { isOddName } from "../odd_names.ts";
import type { Runner } from "../call/runner.ts";
import { planPaths, readPlan, readStatus, type StatusView } from "../work_tree/status.ts";
import { byPath, type ChangedPath, type View } from "../work_tree/view.ts";
import { type Content, snapshotStream, type Title } from "./stream.ts";

/** A snapshot that was taken. */
export interface Taken {
  /** The commit on top. Nothing names it yet, so that git would forget it in time. */
  readonly commit: Sha;
  readonly view: View;
}

function refuse(repo: string, path: string, why: string): AmofError {
  return new AmofError(
    "would_lose_work",
    `Cannot put the changes of "${repo}" away: ${path} ${why}`,
    {
      hint: "Move it out of the repository, or commit it",
      details: { repo, path },
    },
  );
}

/** Takes a snapshot, of some paths alone where they are named; null when there is nothing to keep. */
export async function takeSnapshot(
  git: Runner,
  title: Title,
  paths?: ReadonlySet<string>,
): Promise<Taken | null> {
  const status = await readStatus(git);
  const records = status.records.filter(({ path }) => paths?.has(path) !== false);
  return await takeSnapshotOf(git, { ...status, records }, title);
}

/** Takes a snapshot of what a status told; null when there is nothing to keep. `keeping` is where its objects go. */
export async function takeSnapshotOf(
  git: Runner,
  status: StatusView,
  title: Title,
  keeping: Runner = git,
): Promise<Taken | null> {
  const { head } = status;
  if (head === null) {
    throw new AmofError(
      "git_failed",
      `Cannot put the changes of "${git.name}" away: it has no commit`,
      {
        hint: "Commit something there",
        details: { repo: git.name },
      },
    );
  }
  const odd = status.records.find(({ path, repository }) => !repository && isOddName(path));
  if (odd !== undefined) throw refuse(git.name, odd.path, "has a name that is not UTF-8");
  const plans = await planPaths(git, status, head);
  if (plans.length === 0) return null;
  const paths: ChangedPath[] = [];
  async function* contents(): AsyncGenerator<Content> {
    for (const plan of plans) {
      const { found, file, changed } = await readPlan(git, plan, status.head ?? "");
      if (found === "other") throw refuse(git.name, changed.path, "is neither a file nor a link");
      paths.push(changed);
      if (file !== null) yield { path: changed.path, bytes: file.bytes };
    }
  }
  const output = await keeping.must(
    ["fast-import", "--quiet", "--done"],
    {
      access: "internal",
      patient: true,
      stdin: snapshotStream(title, head, contents(), () => paths),
    },
    `keep the changes of "${git.name}"`,
  );
  return { commit: sha(output.trim()), view: { head, exact: true, paths: byPath(paths) } };
}
