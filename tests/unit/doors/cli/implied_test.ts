// Covers implied.ts: what a command line has to say where it is pasted, and what was typed once more.

import { assertEquals } from "@std/assert";
import { saidIn, typedAgain } from "../../../../src/doors/cli/implied.ts";

Deno.test("a line names the ecosystem where there are several, and the control repository that was named", () => {
  const hint = "Look: amof -e demo status\nElsewhere: amof -e other sync";
  const cases = [
    [{ only: "demo", root: null }, false, "Look: amof status\nElsewhere: amof -e other sync"],
    [{ only: null, root: null }, true, hint],
    [
      { only: "demo", root: "/my control" },
      true,
      "Look: amof --root '/my control' status\nElsewhere: amof --root '/my control' -e other sync",
    ],
    [{ only: null, root: "/control" }, false, hint],
  ] as const;
  for (const [around, advice, said] of cases) assertEquals(saidIn(around, hint, advice), said);
  const others = [
    ["Agree: amof mcp install zed --root /c --yes", null],
    ["See: amof status", "See: amof --root /c status"],
    ["Again: amof exec -- x --root y", "Again: amof --root /c exec -- x --root y"],
  ] as const;
  for (const [line, said] of others) {
    assertEquals(saidIn({ only: null, root: "/c" }, line, true), said ?? line);
  }
});

Deno.test("what was typed is repeated with its selection and flags, but for those of a rehearsal", () => {
  const again = (line: string, how?: "with" | "without", flag?: string) => {
    const [path = "", ...rest] = line.split(" ");
    return typedAgain({ entry: { path: [path] }, rest }, how, flag);
  };
  assertEquals(
    [
      again("push --repo api --json -m Fix(it)", "with", "--yes"),
      again("push --yes", "with", "--yes"),
      again("sync --dry-run --repo api"),
      again("push --mode plan --commit"),
      again("push --mode=plan --jq .x"),
      again("push --mode execute", "with", "--yes"),
      again("exec --repo api -- make --json", "with", "--yes"),
      again("exec --repo api -- true", "with", "--repo '!web'"),
      again("audit --limit 2 --before 7", "with", "--before 3"),
      again("grep --mode execute --dry-run word", "without", "--mode plan"),
      again("grep --check word", "without", "--check"),
      again("start T-1 --workspace", "with", "--in-place"),
      again("start T-1 --carry --repo api", "with", "--stash"),
      again("start T-1 --carry --stash", "without", "--stash"),
      again("start T-1 --carry --repo api", "with", "--workspace"),
      again("start T-1 --base api=x --base web=y", "with", "--base web=BRANCH"),
      again("start T-1 --base=api=x --base=web=y", "with", "--base api=BRANCH"),
    ],
    [
      "amof push --repo api -m 'Fix(it)' --yes",
      "amof push --yes",
      "amof sync --repo api",
      "amof push --commit",
      "amof push",
      "amof push --mode execute --yes",
      "amof exec --repo api --yes -- make --json",
      "amof exec --repo api --repo '!web' -- true",
      "amof audit --limit 2 --before 3",
      "amof grep word",
      "amof grep word",
      "amof start T-1 --in-place",
      "amof start T-1 --repo api --stash",
      "amof start T-1 --carry",
      "amof start T-1 --repo api --workspace",
      "amof start T-1 --base api=x --base web=BRANCH",
      "amof start T-1 --base=web=y --base api=BRANCH",
    ],
  );
  assertEquals(again("push -m two\nlines"), null);
  assertEquals(again(`push -m ${"x".repeat(400)}`), null);
});
