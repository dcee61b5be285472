// What a person at a terminal sees while a command works: one area at the bottom, right at every width, gone at the
// end, and nothing of it where no person looks.

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { Screen } from "../support/screen.ts";
import { World } from "../support/world.ts";

const POSIX = Deno.build.os !== "windows";
const REPOS = ["api", "background-worker", "mobile"];

/** Holds what git does to two of the repositories until the file `go` is there; one of them says how far it is. */
function held(world: World, verb: string): Promise<Record<string, string>> {
  const wait = (saying: string) =>
    [
      "turns=0",
      `while [ ! -e '${world.directory}/go' ] && [ $turns -lt 300 ]; do ${saying} sleep 0.1; turns=$((turns + 1)); done`,
    ].join("\n");
  const progress = "printf 'Receiving objects:  38%% (38/100)\\r' >&2;";
  return world.wrapGit([
    `case " $* $PWD " in`,
    `*" ${verb} "*background-worker*) ${wait(progress)};;`,
    `*" ${verb} "*mobile*) ${wait("")};;`,
    "esac",
  ].join("\n"));
}

/** What a screen shows at three widths while two repositories are held, with the times masked. */
async function atThreeWidths(
  screen: Screen,
  what: string,
  state: string,
): Promise<Record<string, string[]>> {
  const seen: Record<string, string[]> = {};
  const inOneLine = new RegExp(`^${what} 1/3 ▸ .*worker ${state} · mobile \\d+ s$`);
  const inLines = new RegExp(`^${what} 1/3 · .*\n.*worker +${state}\n.*mobile +\\d+ s$`);
  for (const columns of [80, 40, 160]) {
    if (columns !== 80) await screen.resize({ columns, rows: 12 });
    const lines = await screen.shows(columns === 40 ? inLines : inOneLine);
    seen[columns] = lines.map((line) => line.replaceAll(/\d+ s\b/g, "N s"));
  }
  return seen;
}

Deno.test({
  name: "amof install and sync show live what they do, at every width, and leave a clean screen",
  ignore: !POSIX, // git is wrapped in a shell script
  async fn() {
    await using world = await World.withEcosystem({ repos: REPOS });
    const env = await held(world, "clone");
    const size = { columns: 80, rows: 12 };
    const screen = Screen.start(world, ["install", "--yes"], size, { env });
    const wide = "cloning 1/3 ▸ background-worker 38 % · mobile N s";
    assertEquals(
      await atThreeWidths(screen, "cloning", "38 %"),
      {
        80: [wide],
        40: ["cloning 1/3 · N s", "  background-worker  38 %", "  mobile             N s"],
        160: [wide],
      },
    );
    await Deno.writeTextFile(join(world.directory, "go"), "");
    assertEquals(await screen.ends(), 0);
    assertStringIncludes(screen.all(), "Installed worktrees/demo with 3 repos, 3 cloned.");
    assertNotMatch(screen.all(), /cloning|38 %|INFO/);

    await Deno.remove(join(world.directory, "go"));
    const again = await held(world, "fetch");
    const sync = Screen.start(world, ["sync"], size, { env: again });
    const line = "syncing 1/3 ▸ background-worker 38 % · mobile N s";
    assertEquals(
      await atThreeWidths(sync, "syncing", "38 %"),
      {
        80: [line],
        40: ["syncing 1/3 · N s", "  background-worker  38 %", "  mobile             N s"],
        160: [line],
      },
    );
    await Deno.writeTextFile(join(world.directory, "go"), "");
    assertEquals(await sync.ends(), 0);
    assertStringIncludes(sync.all(), "Synced 3 repos successfully.");
    assertNotMatch(sync.all(), /syncing|38 %|INFO/);
    // Nothing is hidden that would have to come back: the cursor, the keyboard.
    assert(!sync.written.includes("\u001b[?25l"));
  },
});

Deno.test({
  name: "amof status shows live which repositories it waits for, once that takes half a second",
  ignore: !POSIX, // git is wrapped in a shell script
  async fn() {
    await using world = await World.installed({ repos: REPOS });
    const size = { columns: 80, rows: 12 };
    const env = await held(world, "status");
    const screen = Screen.start(world, ["status"], size, { env });
    assertEquals(
      await atThreeWidths(screen, "checking", "\\d+ s"),
      {
        80: ["checking 1/3 ▸ background-worker N s · mobile N s"],
        40: ["checking 1/3 · N s", "  background-worker  N s", "  mobile             N s"],
        160: ["checking 1/3 ▸ background-worker N s · mobile N s"],
      },
    );
    await Deno.writeTextFile(join(world.directory, "go"), "");
    assertEquals(await screen.ends(), 0);
    assertStringIncludes(screen.all(), "Checked 3 repos: all OK.");
    assertNotMatch(screen.all(), /checking/);

    // In a pipe, and where the terminal cannot move its cursor, there is only the answer.
    for (const args of [["sync"], ["sync", "--verbose"], ["status", "--verbose"]]) {
      const ran = await world.amof(args);
      // deno-lint-ignore no-control-regex -- control characters are what must not be there
      assertNotMatch(ran.stdout + ran.stderr, /[\u001b\r]/);
      assertEquals(/INFO +api: up to date/.test(ran.stderr), args.join() === "sync,--verbose");
    }
    const dumb = Screen.start(world, ["sync"], size, { env: { TERM: "dumb" } });
    assertEquals(await dumb.ends(), 0);
    // deno-lint-ignore no-control-regex -- control characters are what must not be there
    assertNotMatch(dumb.written, /\u001b|INFO/);
  },
});

Deno.test({
  name: "a question has the terminal for itself, and Ctrl-C behind it leaves a clean screen",
  ignore: !POSIX, // git is wrapped in a shell script
  async fn() {
    await using world = await World.withEcosystem({ repos: REPOS });
    const env = await held(world, "clone");
    // The remote of one is gone, so that the person is asked while the others are still at work.
    await Deno.rename(join(world.remotes, "api.git"), join(world.remotes, "gone.git"));
    const screen = Screen.start(world, ["install"], { columns: 80, rows: 30 }, { env });
    await screen.shows(/Proceed with install\? \[y\/N\]$/m);
    await screen.types("y\n");
    const asked = await screen.shows(/with amof\s+sync\?\s+\[y\/N\]$/m);
    assertNotMatch(asked.join("\n"), /^cloning/m);
    await screen.types("y\n");
    await screen.shows(/^cloning 1\/3 [^]*mobile \d+ s$/m);
    await screen.types("\u0003");
    assertEquals(await screen.ends(), 130);
    assertNotMatch(screen.all(), /^cloning|38 %/m);
    assertMatch(screen.all(), /^error: /m);
  },
});
