// What a person at a terminal reads: tables as wide as the terminal, what needs attention first, the summary last.

import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { join } from "@std/path";
import { textWidth } from "../../src/text/width.ts";
import { Screen } from "../support/screen.ts";
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
        assertMatch(lines.join("\n"), /^svc-3 +feature\S*…\S*(?:login|gin) +/m);
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
