/** How what `amof install` would do, and what it did, is read. */

import { dirname } from "@std/path";
import type { ErrorCode } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { type Table, table } from "../../base/text/table.ts";
import { count, few } from "../../base/text/words.ts";
import type { InstallFacts } from "../../workspace/changing.ts";
import { manifestFile } from "../../workspace/manifest/mod.ts";
import { askedLines } from "../../workspace/manifest/changing.ts";
import type { Pinned } from "../../workspace/lock/mod.ts";
import type { AdoptFacts } from "./adopted.ts";
import type { LockFacts } from "./locked.ts";

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
  facts: InstallFacts & { readonly adopt: AdoptFacts; readonly lock: LockFacts | null },
  missing: InstallFacts["repos"],
): Record<"before" | "adopted" | "anew" | "clones" | "after", string[]> {
  const verb = { create: "Create", attach: "Attach", repair: "Complete" }[facts.action];
  return {
    before: [
      `${verb} ${facts.workspace} on branch ${facts.branch}`,
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
      ...(facts.lock === null
        ? []
        : facts.repos.map(({ name }) =>
          `Put ${name} at ${facts.lock?.commits[name]?.slice(0, 7) ?? ""}`
        )),
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

/** A table of the repositories, those that failed first; of many a person is only told those unless they want all. */
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

/** A table of where the clones are, those that are not where they should be first. */
export function lockTable(locked: readonly Pinned[]): Table {
  const isOff = ({ result }: Pinned) => result === "skipped" || result === "failed";
  return table(
    ["repo", "locked at", "result", "detail"],
    [...locked.filter(isOff), ...locked.filter((row) => !isOff(row))].map((row) => [
      `${isOff(row) ? "✗ " : ""}${row.name}`,
      row.commit.slice(0, 7),
      row.result,
      cleanLine(row.detail, 200),
    ]),
  );
}
