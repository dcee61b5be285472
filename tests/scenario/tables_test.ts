// What a person at a terminal reads: tables as wide as the terminal, what needs attention first, the summary last.

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { textWidth } from "../../src/base/text/table.ts";
import { Screen } from "../support/screen.ts";
import { Typist } from "../support/terminal.ts";
import { World } from "../support/world.ts";

const POSIX = Deno.build.os !== "windows";

const LONG = "payment-gateway-service-with-a-long-name";
const BRANCH = "feature/PROJ-1234-a-long-name-for-a-small-change-of-the-login";
/** Colours are wanted. */
const COLOURED = { NO_COLOR: "" };

/** Fourteen repositories of one remote, of which one is dirty and one has a commit of its own. */
async function many(): Promise<World> {
  return await World.like("many", async (world) => {
    await world.makeControl();
    await world.addRemote("only");
    await world.addEcosystem("demo", { repos: ["only"] });
    const names = [LONG, ...Array.from({ length: 13 }, (_, index) => `svc-${index}`)];
    const lines = names.map((name) =>
      `  - {name: ${name}, url: "${world.url("only")}", branch: main}`
    );
    await world.write(
      "control/ecosystems/demo/ecosystem.yaml",
      `name: demo\nrepos:\n${lines.join("\n")}\n`,
    );
    await world.install();
    await world.commitOnFeature("svc-3", BRANCH);
    await Deno.writeTextFile(join(world.clone(LONG), "new.txt"), "new\n");
  });
}

/** What a command leaves on a terminal. */
async function shown(
  world: World,
  args: readonly string[],
  columns: number,
): Promise<{ lines: string[]; written: string }> {
  const screen = Screen.start(world, args, { columns, rows: 60 }, { env: COLOURED });
  assertEquals(await screen.ends(), 0);
  return { lines: screen.all().split("\n").map((line) => line.trimEnd()), written: screen.written };
}

Deno.test({
  name: "amof status shows what needs attention at every width of a terminal, and its summary last",
  ignore: !POSIX, // a terminal is made by script
  async fn() {
    await using world = await many();
    // The variable of a shell says less than the terminal itself.
    assertEquals(world.env["COLUMNS"], "100");
    const headers: Record<number, string> = {};
    for (const columns of [40, 80, 160]) {
      const { lines, written } = await shown(world, ["status"], columns);
      for (const line of lines) assert(textWidth(line) <= columns, line);
      const begin = lines.findIndex((line) => line.startsWith("REPO"));
      headers[columns] = (lines[begin] ?? "").replaceAll(/ +/g, " ");
      assertEquals(lines.filter((line) => /^(?:svc|payment)/.test(line)).length, 2);
      const end = lines.indexOf("12 OK · --all");
      assertMatch(lines[end + 2] ?? "", /^Checked 14 repos: 1 dirty, 1 unpushed\.$/);
      assertEquals(lines.slice(end + 3, end + 5), ["", "Next:"]);
      assertEquals(lines.slice(end + 5).filter((line) => line.startsWith("  amof ")).length, 2);
      assert(written.includes("\u001b[33mDIRTY\u001b[39m"));
      if (columns < 160) {
        // A name is never broken: it has a line of its own.
        assert(lines.includes(LONG));
        const at = lines.findIndex((line) => line.startsWith("svc-3"));
        const rest = lines.slice(at + 1).findIndex((line) => !/^ +\S+$/.test(line));
        const parts = [
          lines[at]?.split(/ +/)[1],
          ...lines.slice(at + 1, at + 1 + rest).map((line) => line.trim()),
        ];
        assertEquals(parts.join(""), BRANCH);
      }
    }
    assertEquals(headers, {
      40: "REPO BRANCH STATUS SYNC",
      80: "REPO BRANCH COMMIT MODE STATUS SYNC",
      160: "REPO BRANCH COMMIT MODE STATUS SYNC",
    });
    const all = await shown(world, ["status", "--all"], 80);
    assertEquals(all.lines.filter((line) => /^(?:svc|payment)/.test(line)).length, 14);

    // A program is told everything, in the order of the manifest, and the summary first.
    const piped = await world.amof(["status"], { env: COLOURED });
    assertMatch(piped.stdout, /^Checked 14 repos: .*\n\nWorkspace /);
    assertMatch(piped.stdout, new RegExp(`^svc-3 +${BRANCH} .*UNPUSHED +↑1$`, "m"));
    assertEquals(piped.stdout.match(/^(?:svc|payment)/gm)?.length, 14);
    const said = piped.stdout + piped.stderr;
    assertNotMatch(said, /…|--all|Next:/);
    assert(!said.includes("\u001b"));
  },
});

Deno.test({
  name: "amof push folds what it rightly leaves out, in its preview and in its answer",
  ignore: !POSIX, // a terminal is made by script
  async fn() {
    await using world = await many();
    const preview = await shown(world, ["push", "--dry-run"], 80);
    assert(preview.lines.includes("12 with nothing to push · --all"));
    assert(preview.lines.some((line) => line.startsWith(`${LONG}  skipped: `)));
    await Deno.remove(join(world.clone(LONG), "new.txt"));
    const pushed = await shown(world, ["push", "--yes"], 80);
    assert(pushed.lines.includes("13 with nothing to push · --all"));
    assertMatch(pushed.lines.join("\n"), /^✓ svc-3 +pushed +1 /m);
    assertEquals(pushed.lines.at(-1), "Pushed 1 repo successfully.");
  },
});

Deno.test({
  name: "amof sync shows what it brought where that is little, and counts it where it is much",
  ignore: !POSIX, // a terminal is made by script
  async fn() {
    await using world = await many();
    await Deno.remove(join(world.clone(LONG), "new.txt"));
    const seed = join(world.directory, "seed", "only");
    await world.git(seed, "commit", "--quiet", "--allow-empty", "-m", "News");
    await world.git(seed, "push", "--quiet", join(world.remotes, "only.git"), "main");
    const most = await shown(world, ["sync", "--repo", "!svc-5"], 80);
    assert(most.lines.includes("13 updated · --all"), most.lines.join("\n"));
    const one = await shown(world, ["sync"], 80);
    assertMatch(one.lines.join("\n"), /^svc-5 +updated +1 commit pulled$/m);
    assert(one.lines.includes("13 up to date · --all"), one.lines.join("\n"));
  },
});

Deno.test({
  name:
    "the commands of a ticket fold what is as usual, and tell what was put away and brought back",
  ignore: !POSIX, // a terminal is made by script
  async fn() {
    await using world = await many();
    const start = ["ticket", "start", "PROJ-9", "--stash", "--offline"];
    const begun = await shown(world, start, 160);
    assert(begun.lines.includes("13 with a new branch · --all"), begun.lines.join("\n"));
    assertMatch(
      begun.lines.join("\n"),
      /^payment-\S+ +feature\/PROJ-9 +new branch, changes stashed$/m,
    );
    const current = await shown(world, ["ticket", "update", "--offline"], 80);
    assertEquals(current.lines[0], "14 up to date · --all");
    assertEquals(current.lines.at(-1), "Kept PROJ-9 as it is: it is up to date.");
    const left = await shown(world, ["ticket", "switch", "main"], 160);
    assert(left.lines.includes("13 moved without changes · --all"), left.lines.join("\n"));
    assertMatch(left.lines.join("\n"), /^payment-\S+ +main +restored$/m);
    const ended = await shown(world, ["ticket", "end", "PROJ-9"], 160);
    assert(ended.lines.includes("14 kept · --all"), ended.lines.join("\n"));
    // Tickets that have ended are not active, and no column says so.
    const list = await shown(world, ["ticket", "list", "--ended"], 80);
    assertMatch(list.lines[0] ?? "", /^TICKET +PHASE +REPOS$/);
  },
});

Deno.test({
  name: "amof install tells many clones in one line before it asks, and each with --all",
  ignore: !POSIX, // a terminal is made by script
  async fn() {
    await using world = await World.withEcosystem({ repos: ["only"] });
    const lines = Array.from(
      { length: 13 },
      (_, index) => `  - {name: svc-${index}, url: "${world.url("only")}", branch: main}`,
    );
    await world.write(
      "control/ecosystems/demo/ecosystem.yaml",
      `name: demo\nrepos:\n${lines.join("\n")}\n`,
    );
    const origin = world.url("only").replace(/\/[^/]*$/, "");
    const preview = await shown(world, ["install", "--dry-run"], 300);
    const line = `Clone 13 repositories from ${origin}: svc-0, svc-1, svc-2 and 10 more · --all`;
    assert(preview.lines.includes(line), preview.lines.join("\n"));
    const all = await shown(world, ["install", "--dry-run", "--all"], 300);
    assertEquals(all.lines.filter((line) => line.startsWith("Clone svc-")).length, 13);
  },
});

Deno.test({
  name: "amof install tells many adopted clones in one line, before and after, and each with --all",
  ignore: !POSIX, // a terminal is made by script
  async fn() {
    await using world = await World.make();
    await world.makeControl();
    const repos = Array.from({ length: 13 }, (_, index) => `svc-${index}`);
    await world.addEcosystem("demo", { repos });
    const code = join(world.directory, "code");
    await Deno.mkdir(code);
    for (const repo of repos) await world.git(code, "clone", "--quiet", world.url(repo));
    const install = ["install", "--adopt", "../code"];
    const line =
      `Adopt 13 clones, which stay in ${code} and get a link in the workspace: svc-0, svc-1, svc-2 and 10 more`;
    const preview = await shown(world, [...install, "--dry-run"], 300);
    assert(preview.lines.includes(`${line} · --all`), preview.lines.join("\n"));
    const all = await shown(world, [...install, "--dry-run", "--all"], 300);
    assertEquals(all.lines.filter((line) => line.startsWith("Adopt svc-")).length, 13);
    const done = await shown(world, [...install, "--yes"], 80);
    assert(done.lines.includes("13 adopted · --all"), done.lines.join("\n"));
  },
});

Deno.test({
  name:
    "previews tell in one line what is the same in many repositories, and each with --all; changes and losses keep a line of their own",
  ignore: !POSIX, // a terminal is made by script
  async fn() {
    await using world = await many();
    const seen = async (...args: readonly string[]) => {
      const { lines } = await shown(world, [...args, "--dry-run"], 300);
      return { lines, listed: lines.filter((line) => line.endsWith(" · --all")) };
    };
    const each = async (...args: readonly string[]) =>
      (await shown(world, [...args, "--dry-run", "--all"], 300)).lines;
    const named = `${LONG}, svc-0, svc-1 and 11 more · --all`;
    const others = "svc-0, svc-1, svc-2 and 10 more · --all";

    const sync = await seen("sync");
    assertEquals(sync.listed, [
      `Fetch 14 repositories, and fast-forward main where that is possible: ${named}`,
    ]);
    const piped = (await world.amof(["sync", "--dry-run"])).stdout.split("\n");
    for (const lines of [await each("sync"), piped]) {
      assertEquals(lines.filter((line) => line.startsWith("Fetch ")).length, 14);
    }
    const start = ["ticket", "start", "PROJ-9", "--stash", "--offline"];
    const begun = await seen(...start);
    assertEquals(begun.listed, [
      `Create feature/PROJ-9 in 13 repositories from main: ${others}`,
    ]);
    const saved = `Create feature/PROJ-9 in ${LONG} from main, stashing its changes as `;
    assertEquals(begun.lines.filter((line) => line.startsWith(saved)).length, 1);
    const creations = (await each(...start)).filter((line) => line.startsWith("Create "));
    assertEquals(creations.length, 14);

    const apart = await seen("ticket", "start", "PROJ-8", "--workspace");
    assertEquals(apart.listed, [
      `Clone 14 repositories on feature/PROJ-8: the remote's where it has one, else a new one from main: ${named}`,
    ]);

    assertEquals((await world.amof(start)).code, 0);
    await world.git(world.clone("svc-7"), "commit", "--quiet", "--allow-empty", "-m", "New");
    const updated = await seen("ticket", "update");
    assertEquals(updated.listed, [
      `14 repositories  merge origin/main into feature/PROJ-9 (0 commits as last fetched): ${named}`,
    ]);
    const moved = await seen("ticket", "switch", "main");
    assertEquals(moved.listed, [`Switch 13 repositories from feature/PROJ-9 to main: ${others}`]);
    const end = ["ticket", "end", "PROJ-9", "--cleanup", "--force"];
    const ended = await seen(...end);
    assertEquals(ended.listed, [
      `Switch 13 repositories from feature/PROJ-9 to main: ${others}`,
      `Delete feature/PROJ-9 of 13 repositories, merged into main: ${named.replace("11", "10")}`,
    ]);
    const lost = "Delete feature/PROJ-9 of svc-7, with 1 commit that is nowhere else";
    assert(ended.lines.includes(lost), ended.lines.join("\n"));
    const deletions = (await each(...end)).filter((line) => line.startsWith("Delete "));
    assertEquals(deletions.length, 14);
    const gone = await shown(world, [...end, "--yes", "--confirm-name", "PROJ-9"], 80);
    assert(gone.lines.includes("13 deleted (merged into main) · --all"), gone.lines.join("\n"));
    const row = /^svc-7 +feature\/PROJ-9 +no +1 commit was nowhere else$/m;
    assertMatch(gone.lines.join("\n"), row);
  },
});

Deno.test({
  name:
    "what push would send of many repositories is one line where the commits say the same, and each with its hash for --all and programs",
  ignore: !POSIX, // a terminal is made by script
  async fn() {
    await using world = await many();
    assertEquals((await world.amof(["ticket", "start", "PROJ-9", "--offline", "--stash"])).code, 0);
    for (const name of [LONG, ...Array.from({ length: 13 }, (_, index) => `svc-${index}`)]) {
      const subject = name === LONG ? "Something else" : "Say it";
      await world.git(world.clone(name), "commit", "--quiet", "--allow-empty", "-m", subject);
    }
    const person = await Typist.start(world, ["push"], { env: { COLUMNS: "300" } });
    await person.sees("[y/N/?]");
    await person.types("?\n");
    await person.sees("[y/N] ");
    await person.types("n\n");
    const [screen = "", whole = ""] = (await person.ends()).screen.split("[y/N/?]");
    assertEquals(screen.match(/Say it/g)?.length, 1, screen);
    assertEquals(whole.match(/^ +[0-9a-f]{7} Say it\r?$/gm)?.length, 13, whole);
    assertMatch(
      screen,
      /13 repositories {2}feature\/PROJ-9 → origin {2}\(1 commit ahead, new branch\): svc-0, svc-1, svc-2 and 10 more\r?\n +Say it\r?\n/,
    );
    assertMatch(screen, /\) *\r?\n +[0-9a-f]{7} Something else[^]*Say it/);
    const short = await shown(world, ["push", "--dry-run"], 100);
    assertMatch(short.lines.join("\n"), /\n +Say it\n--all shows all\n/);
    const each = await shown(world, ["push", "--dry-run", "--all"], 100);
    assertEquals(each.lines.filter((line) => /^ +[0-9a-f]{7} Say it$/.test(line)).length, 13);
    const piped = await world.amof(["push", "--dry-run"]);
    assertEquals(piped.stdout.match(/^ +[0-9a-f]{7} Say it$/gm)?.length, 13);
  },
});

Deno.test({
  name:
    "what was typed before a question was shown does not answer it, a line that was begun neither",
  ignore: !POSIX, // a terminal is made by script
  async fn() {
    await using world = await many();
    assertEquals((await world.amof(["ticket", "start", "PROJ-9", "--offline", "--stash"])).code, 0);
    for (const name of Array.from({ length: 13 }, (_, index) => `svc-${index}`)) {
      await Deno.writeTextFile(join(world.clone(name), "same.txt"), `${name}\n`);
    }
    for (const [ahead, then] of [["?\ny\n", "n\n"], ["?\ny", "\n"]] as const) {
      const person = await Typist.start(world, ["commit", "-m", "Say it"]);
      await person.sees("[y/N/?]");
      await person.types(ahead);
      await person.sees("[y/N] ");
      await person.types(then);
      const { code, screen } = await person.ends();
      assertEquals(code, 4, screen);
    }
  },
});

Deno.test({
  name:
    "what asks before it commits, undoes or deletes much tells what is the same in one line, and all of it to ?",
  ignore: !POSIX, // a terminal is made by script
  async fn() {
    await using world = await many();
    await Deno.remove(join(world.clone(LONG), "new.txt"));
    assertEquals((await world.amof(["ticket", "start", "PROJ-9", "--offline"])).code, 0);
    const added = Array.from(
      { length: 13 },
      (_, index) => join(world.clone(`svc-${index}`), "same.txt"),
    );
    for (const path of added) await Deno.writeTextFile(path, `${path}\n`);
    await Deno.writeTextFile(join(world.clone(LONG), "other.txt"), "other\n");
    const commit = await Typist.start(world, ["commit", "-m", "Say it"]);
    await commit.sees("[y/N/?]");
    await commit.types("?\n");
    await commit.sees("[y/N] ");
    await commit.types("n\n");
    const { screen: asked } = await commit.ends();
    const [short = "", long = ""] = asked.split("[y/N/?]");
    assertEquals(short.match(/same\.txt/g)?.length, 1, short);
    assertMatch(short, /13 repositories {2}feature\/PROJ-9 {2}\(1 file to commit\): svc-0, svc-1/);
    assertMatch(short, /other\.txt[^]*same\.txt\r?\n {2}\? shows all/);
    assertEquals(long.match(/same\.txt/g)?.length, 13, long);
    for (const path of [...added, join(world.clone(LONG), "other.txt")]) await Deno.remove(path);
    for (
      const [command, brief, whole] of [
        [
          "ticket move PROJ-9 --workspace",
          "Move feature/PROJ-9 of 14 repositories there: ",
          "Delete feature/PROJ-9 in svc-12 of the base workspace",
        ],
        ["undo", "13 repositories: on main, 1 branch or tag: ", "svc-12: on main, 1 branch or tag"],
        ["discard", "Delete 14 clones there: ", "Delete worktrees/demo/repos/svc-12\n"],
      ] as const
    ) {
      const person = await Typist.start(world, command.split(" "), { env: { COLUMNS: "300" } });
      await person.sees("? shows all");
      await person.types("?\n");
      await person.sees(whole.trim());
      await person.types("\n");
      const { code, screen } = await person.ends();
      assertEquals(code, 4, screen);
      const [first = "", second = ""] = screen.split("?\n");
      assert(first.includes(brief) && !first.includes(whole), screen);
      assert(second.includes(whole), screen);
    }
    const piped = await world.amof(["undo", "--dry-run"]);
    assertEquals(piped.stdout.match(/: on main, 1 branch or tag$/gm)?.length, 13);
    const { lines } = await shown(world, ["undo", "--dry-run"], 80);
    assertStringIncludes(lines.join(" "), "13 repositories: on main, 1 branch or tag: ");
    const { lines: all } = await shown(world, ["undo", "--dry-run", "--all"], 80);
    assertEquals(all.filter((line) => line.endsWith("on main, 1 branch or tag")).length, 13);
  },
});

Deno.test({
  name:
    "amof exec sets its answer apart from what programs print, and their repositories' names off",
  ignore: !POSIX, // a terminal is made by script
  async fn() {
    await using world = await many();
    const command = ["exec", "--repo", "svc-1,svc-2", "--jobs", "1", "--", "echo", "hi"];
    const { lines } = await shown(world, command, 80);
    assertEquals(lines, ["svc-1  hi", "svc-2  hi", "", "Ran echo hi in 2 repos."]);
    const longer = [...command.slice(0, -2), "printf", "a\\nb\\n"];
    const blocks = await shown(world, longer, 80);
    assertEquals(blocks.lines.slice(0, 6), ["── svc-1", "a", "b", "── svc-2", "a", "b"]);
    assert(blocks.written.includes("\u001b[1m── svc-1\u001b[22m\r\na"));
  },
});

Deno.test({
  name: "the line that sums up an answer which stands alone is broken between words",
  ignore: !POSIX,
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}\n`);
    await Deno.writeTextFile(join(world.clone("api"), "README.md"), lines.join(""));
    const { lines: seen } = await shown(world, ["diff", "--stat", "--no-pager"], 39);
    const at = seen.indexOf("Found 1 changed file in 1 of 1 repo:");
    assertEquals(seen[at + 1], "+60 −1.", seen.join("\n"));
  },
});

Deno.test({
  name: "amof audit keeps its columns in one line at every width of a terminal",
  ignore: !POSIX, // a terminal is made by script
  async fn() {
    await using world = await World.withEcosystem({ repos: ["api"] });
    await world.install();
    for (const columns of [40, 80, 160]) {
      const { lines } = await shown(world, ["audit"], columns);
      for (const line of lines) assert(textWidth(line) <= columns, line);
      assertMatch(lines.find((line) => line.startsWith("TIME")) ?? "", /^TIME +(?:CLIENT +)?TOOL/);
      assertEquals(lines.filter((line) => /\bOUTCOME\b/.test(line) && !/^TIME/.test(line)), []);
    }
  },
});
