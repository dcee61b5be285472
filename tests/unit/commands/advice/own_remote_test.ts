import { assertEquals } from "@std/assert";
import { ownNews } from "../../../../src/commands/advice/own_remote.ts";
import { sha } from "../../../../src/base/ids.ts";

const BRANCH = { directory: "/w/api", branch: "feature/x", head: "a".repeat(40) };
const WAS = { was: sha("b".repeat(40)), isBase: false };

const CASES: readonly [
  name: string,
  given: Partial<Parameters<typeof ownNews>[0]>,
  reason: ReturnType<typeof ownNews>["reason"],
  commits: number,
  fix: RegExp | null,
][] = [
  ["it is only behind", {}, null, 2, null],
  ["files are changed", { files: 1 }, "dirty", 0, /pull --ff-only --autostash origin feature\/x$/],
  [
    "a new file is in the way",
    { files: 1, barred: ["a b"] },
    "dirty",
    0,
    /^git .*stash push .*\ngit .*pull/,
  ],
  ["it may not move", { isFree: false }, "elsewhere", 0, /pull --ff-only/],
  ["it may not move, and files are changed", { isFree: false, files: 1 }, "dirty", 0, /--ff-only/],
  ["both have commits", { ahead: 1 }, "diverged", 0, /pull --rebase=merges --autostash/],
  [
    "it was rewritten here",
    { ahead: 1, rewritten: WAS },
    "rewritten",
    0,
    /push --force-with-lease/,
  ],
];

for (const [name, given, reason, commits, fix] of CASES) {
  Deno.test(`ownNews() where ${name}: ${reason ?? "forward"}`, () => {
    const found = ownNews({ ...BRANCH, ahead: 0, behind: 2, files: 0, ...given });
    assertEquals([found.reason, found.commits], [reason, commits]);
    assertEquals(
      fix === null ? found.fix === null : fix.test(found.fix ?? ""),
      true,
      found.fix ?? "",
    );
  });
}
