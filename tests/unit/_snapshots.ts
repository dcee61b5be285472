/**
 * Repositories as a look at a workspace finds them, for tables of what is decided about them.
 *
 * @module
 */

import { branchName, repoName, sha } from "../../src/base/ids.ts";
import type { ChangedPath, PorcelainStatus } from "../../src/git/mod.ts";
import type { Repo } from "../../src/workspace/manifest/mod.ts";
import type { RepoSnapshot } from "../../src/workspace/clones/mod.ts";

const REPO: Repo = {
  name: repoName("api"),
  url: "https://example.com/api.git",
  branch: branchName("main"),
  branchGiven: true,
  path: "api",
  clone: "full",
  mirrored: false,
  readonly: false,
  enabled: true,
  tags: [],
  dependsOn: [],
  carry: [],
  sparse: [],
  lfs: false,
  submodules: false,
  include: [],
  exclude: [],
};

const CLEAN: PorcelainStatus = {
  head: sha("a".repeat(40)),
  branch: "feature/T-1",
  upstream: null,
  ahead: null,
  behind: null,
  stashes: 0,
  changes: [],
  submodules: [],
};

/** A changed file; two letters as git prints them, `??` for an untracked one, `UU` for a conflict. */
export function change(code: string, path = "file.txt"): ChangedPath {
  return { path, code, conflicted: code === "UU", raw: `1 ${code} N... 0 0 0 0 0 ${path}` };
}

/** A repository named `api` with the base branch `main`, on the clean branch `feature/T-1` as it should be, but for this. */
export function snapshot(
  { repo = {}, git = {}, ...fields }: Partial<Omit<RepoSnapshot, "repo" | "git">> & {
    readonly repo?: Partial<Repo>;
    readonly git?: Partial<PorcelainStatus> | null;
  } = {},
): RepoSnapshot {
  return {
    repo: { ...REPO, ...repo },
    directory: "/control/workspace/demo/api",
    expectedBranch: "feature/T-1",
    expectedFrom: null,
    remoteBase: "origin/main",
    goesAlong: null,
    barred: [],
    ofStash: false,
    pushesTo: null,
    release: null,
    former: [],
    git: git === null ? null : { ...CLEAN, ...git },
    address: null,
    misnamed: null,
    unpushed: 0,
    loose: 0,
    elsewhere: [],
    merged: null,
    landed: null,
    retracted: null,
    behindBase: 0,
    inProgress: null,
    updating: null,
    fetchedMs: null,
    fetchedNothing: false,
    missing: false,
    untrusted: [],
    absent: [],
    unsent: [],
    nested: [],
    baseGone: false,
    baseNow: null,
    parting: null,
    confined: false,
    occupied: null,
    jj: false,
    error: null,
    ...fields,
  };
}
