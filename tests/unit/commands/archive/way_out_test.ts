// Covers wayOut(): what takes the work of a clone to its remote, or what comes before.

import { assertEquals } from "@std/assert";
import { wayOut } from "../../../../src/commands/archive/way_out.ts";

const REPO = {
  name: "api",
  readonly: false,
  branch: "feature/T-1",
  inProgress: null,
  uncommitted: [],
} as const;

Deno.test("work that an archive would lose is saved by a push that takes it, or by what comes before one", () => {
  const way = (repo: object, isOvertaken = false) =>
    wayOut({ repo: { ...REPO, ...repo }, directory: "/repos/api", base: "main", isOvertaken });
  assertEquals(
    [
      way({}),
      way({ uncommitted: ["a"] }),
      way({ branch: "main" }),
      way({ branch: "main", uncommitted: ["a"] }),
      way({ branch: null }),
      way({ readonly: true, uncommitted: ["a"] }),
      way({ inProgress: "merge", uncommitted: ["a"] }),
      way({ branch: "main", uncommitted: ["a"] }, true),
    ],
    [
      "push them: amof push --repo api",
      "commit and push them: amof push --repo api --commit",
      "push them: amof push --repo api --allow-base",
      "commit and push them: amof push --repo api --commit --allow-base",
      "give them a branch: git -C /repos/api switch --create saved",
      "see what was changed, and put it elsewhere: git -C /repos/api status",
      "see how it is finished or aborted: git -C /repos/api status",
      "integrate the remote's commits first: git -C /repos/api pull --rebase --autostash origin main",
    ],
  );
});
