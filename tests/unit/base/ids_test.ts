// Covers the names that have types of their own: what they accept, and that none passes for another.

import { assertEquals, assertThrows } from "@std/assert";
import { Git } from "../../../src/git/mod.ts";
import { absPath, branchName, repoName, runId, sha } from "../../../src/base/ids.ts";
import type { Store } from "../../../src/state/store/mod.ts";
import type { Repo } from "../../../src/workspace/manifest/mod.ts";

const COMMIT = sha("0123456789abcdef0123456789abcdef01234567");
const BRANCH = branchName("main");
const REPO = repoName("api");
const RUN = runId("4e8c1d72");

for (
  const [what, make, wrong] of [
    ["sha", sha, [
      "",
      "HEAD",
      "0123456",
      "0123456789ABCDEF0123456789ABCDEF01234567",
      `${COMMIT}\n`,
    ]],
    ["branchName", branchName, ["", "HEAD", "-f", "a..b", "refs/heads/"]],
    ["repoName", repoName, ["", "..", "a/b", ".git", "x".repeat(65)]],
    ["runId", runId, ["", "a/b", "a b", "x".repeat(65)]],
    ["absPath", absPath, ["", "repos/api", "./x"]],
  ] as const
) {
  for (const text of wrong) {
    Deno.test(`${what}() refuses ${JSON.stringify(text)}`, () => {
      assertThrows(() => make(text), TypeError, JSON.stringify(text));
    });
  }
}

Deno.test("each is the text it was made of", () => {
  const made: readonly string[] = [COMMIT, BRANCH, REPO, RUN, absPath("/work")];
  assertEquals(
    JSON.stringify(made),
    JSON.stringify([`${COMMIT}`, "main", "api", "4e8c1d72", "/work"]),
  );
});

// Never called: what is told to be an error here has to be one for the compiler.
const MIXED_UP: Readonly<Record<string, (git: Git, { events }: Store) => unknown>> = {
  "directory and name of a repository": (git) => {
    git.at(absPath("/work"), REPO);
    git.at("/work", "control repository");
    // @ts-expect-error -- the name stands where the directory belongs
    git.at(REPO, "/work");
    // @ts-expect-error -- the directory stands where the name belongs
    git.at("/work", absPath("/work"));
  },
  "commit and branch of a push": (git) => {
    const { remotes } = git.at("/work", REPO);
    remotes.push({ commit: COMMIT, branch: BRANCH });
    // @ts-expect-error -- each stands in the place of the other
    remotes.push({ commit: BRANCH, branch: COMMIT });
    // @ts-expect-error -- a commit that nobody has checked: without one the push would delete the branch
    remotes.push({ commit: "", branch: BRANCH });
    // @ts-expect-error -- each stands in the place of the other
    remotes.deleteBranch({ commit: BRANCH, branch: COMMIT });
  },
  "branch and repository": (git) => {
    const { branches, worktrees } = git.at("/work");
    branches.switchTo(BRANCH);
    // @ts-expect-error -- the name of a repository
    branches.switchTo(REPO);
    // @ts-expect-error -- a branch stands where the path belongs
    worktrees.add({ path: BRANCH, branch: "main", from: null });
  },
  "the ref and what it points to": (git) => {
    const { refs } = git.at("/work");
    refs.move("refs/heads/main", { to: COMMIT, expected: COMMIT });
    // @ts-expect-error -- a ref instead of its commit
    refs.move("refs/heads/main", { to: COMMIT, expected: "refs/heads/main" });
  },
  "runs and everything else": (_git, { events }) => {
    events.append(RUN, []);
    // @ts-expect-error -- a text that nobody has checked
    events.append("4e8c1d72", []);
    // @ts-expect-error -- the name of a repository
    events.append(REPO, []);
  },
  "name and base branch in a manifest": () => {
    const good: Pick<Repo, "name" | "branch"> = { name: REPO, branch: BRANCH };
    // @ts-expect-error -- each stands in the place of the other
    const swapped: Pick<Repo, "name" | "branch"> = { name: BRANCH, branch: REPO };
    return [good, swapped];
  },
};

Deno.test("what does not belong together does not type-check", () => {
  // The compiler has looked at them: an expected error that does not come is one.
  for (const mixed of Object.values(MIXED_UP)) assertEquals(typeof mixed, "function");
});
