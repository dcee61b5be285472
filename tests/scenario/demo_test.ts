/**
 * `amof demo`: how it fits its readers, in a pipe and at terminals, how it is left, and what can be done afterwards.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { textWidth } from "../../src/base/text/table.ts";
import { exists } from "../support/answers.ts";
import { third } from "../support/sample.ts";
import { Screen } from "../support/screen.ts";
import { World } from "../support/world.ts";

/** What everybody is shown, as far as it says whether the job was done; a space stands for any. */
const SHOWN = [
  "Created shop with 3 repos",
  "Installed worktrees/shop with 3 repos",
  "BEHIND",
  "Started HI-1 in 2 repos",
  "Proceed with commit? [y/N] y",
  "Committed in 2 repos",
  "Proceed with push? [y/N] y",
  "Pushed 2 repos successfully",
  "2 merged",
  "Ended HI-1",
  "Undid ticket end in 2 repos",
  "amof_push_ecosystem",
  "Push shop?",
  "has succeeded",
];

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A page is short, as narrow as its terminal, without JSON, and tells of everything. */
function assertReadable(page: string, columns: number): void {
  const lines = page.trimEnd().split("\n");
  assert(lines.length <= 90, `${lines.length} lines\n${page}`);
  assertEquals(lines.filter((line) => textWidth(line) > columns), []);
  assertEquals(lines.filter((line) => /[{}]/.test(line)), []);
  const words = page.replaceAll(/\s+/g, " ");
  for (const said of SHOWN) assertStringIncludes(words, said);
}

/** Pastes the last lines of a demo into a shell: those that go on, and then the one that removes the sandbox. */
async function assertGoesOn(
  world: World,
  page: string,
  { sandbox, answer }: { readonly sandbox: string; readonly answer: RegExp },
): Promise<void> {
  const [, last = ""] = page.trimEnd().split(/by\s+hand:\n/);
  const [on = "", remove = ""] = last.split("Or remove it:\n");
  const ran = await world.command("sh", ["-ec", on]);
  assertEquals(ran.code, 0, `${on}\n${ran.stderr}`);
  assertMatch(ran.stdout, answer);
  assertEquals((await world.command("sh", ["-ec", remove])).code, 0, remove);
  assertEquals(await world.exists(sandbox), false);
}

/** What the remotes of the sandbox have got. */
async function assertPushed(world: World, sandbox: string): Promise<void> {
  const subjects = async (repo: string, branch: string) =>
    (await world.git(join(sandbox, "remotes", `${repo}.git`), "log", "--format=%s", branch))
      .trim().split("\n");
  assertEquals(await subjects("api", "main"), ["HI-1 Say hello (#1)", "Begin"]);
  // What was merged is not sent once more.
  assertEquals(await subjects("api", "feature/HI-1"), [
    "HI-1 Say goodbye",
    "HI-1 Say hello (#1)",
    "Begin",
  ]);
}

Deno.test("amof demo runs through in a pipe, and what it leaves can be gone on with", async () => {
  await using world = await World.make();
  const sandbox = join(world.directory, "it's a sandbox with a name that is longer than a line");
  const shown = await world.amof(["demo", sandbox], { env: { COLUMNS: "40" }, apart: true });
  assertEquals([shown.code, shown.stderr], [0, ""]);
  assertReadable(shown.stdout, 40);
  await assertPushed(world, sandbox);
  await assertGoesOn(world, shown.stdout, { sandbox, answer: /^Checked 3 repos/m });
});

Deno.test("amof demo only says where it would be with --dry-run, and takes no --json", async () => {
  await using world = await World.make();
  const place = join(world.directory, "sandbox");
  const planned = await world.amof(["demo", place, "--dry-run"]);
  assertEquals(planned.code, 0, planned.stderr);
  assertStringIncludes(planned.stdout, `Would build a sandbox in ${place}`);
  const told = await world.amof(["demo", place, "--dry-run", "--json"]);
  assertEquals(told.json()["directory"], place);
  const refused = await world.amof(["demo", place, "--json"]);
  assertEquals([refused.code, refused.json()["error"]], [2, "invalid_arguments"]);
  assertEquals(await exists(place), false);
  // Nor does another program act that has nothing to show before.
  const file = join(world.directory, "audit.jsonl");
  const exported = await world.amof(["audit", "export", "--output", file, "--dry-run"]);
  assertEquals(exported.code, 2);
  assertStringIncludes(exported.stderr, "Cannot use --dry-run: amof audit export has no preview");
  assertEquals(await exists(file), false);
});

for (const columns of third([160, 80, 40], 1)) {
  Deno.test({
    name: `amof demo goes on with Enter at a terminal of ${columns} columns`,
    ignore: Deno.build.os === "windows", // a pseudo-terminal
    async fn() {
      await using world = await World.make();
      const sandbox = join(world.directory, "sandbox");
      const screen = Screen.start(world, ["demo", sandbox], { columns, rows: 24 });
      const pauses = () => screen.written.split("Enter: ").length - 1;
      let done = false;
      const ended = screen.ends(300_000).finally(() => done = true);
      for (let pressed = 0; !done; await delay(20)) {
        if (pauses() > pressed) {
          pressed++;
          await screen.types("\r");
        }
      }
      assertEquals(await ended, 0);
      // Six scenes follow another, and five questions are asked.
      assertEquals(pauses(), 11);
      assertReadable(screen.all(), columns);
      assert(await screen.isRestored());
      await assertPushed(world, sandbox);
      await assertGoesOn(world, screen.all(), { sandbox, answer: /^Checked 3 repos/m });
    },
  });
}

for (
  const [key, how, code] of [["q", "q", 0], ["\u0003", "Ctrl-C", 130]] as const
) {
  Deno.test({
    name: `amof demo is left with ${how}, also while a command goes on`,
    ignore: Deno.build.os === "windows", // a pseudo-terminal
    async fn() {
      await using world = await World.make();
      const sandbox = join(world.directory, "sandbox");
      const screen = Screen.start(world, ["demo", sandbox], { columns: 80, rows: 40 });
      await screen.shows(/q: leave$/, 60_000);
      await screen.types("\r");
      await screen.shows(/\$ amof status/);
      await screen.types(key);
      assertEquals(await screen.ends(), code);
      assert(await screen.isRestored());
      assertStringIncludes(screen.all(), "You left.");
      assertEquals(screen.all().includes("3 · "), false);
      await assertGoesOn(world, screen.all(), { sandbox, answer: /^Checked 3 repos/m });
    },
  });
}

Deno.test({
  name: "amof demo is left before it has made anything",
  ignore: Deno.build.os === "windows", // a pseudo-terminal
  async fn() {
    await using world = await World.make();
    const sandbox = join(world.directory, "sandbox");
    const screen = Screen.start(world, ["demo", sandbox], { columns: 80, rows: 40 });
    await screen.shows(/sandbox of its own/, 60_000);
    await screen.types("q");
    assertEquals(await screen.ends(), 0);
    await assertGoesOn(world, screen.all(), { sandbox, answer: /amof/ });
  },
});
