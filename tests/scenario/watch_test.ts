// amof status --watch at a real terminal: it follows what changes, obeys its keys, and gives the terminal back.

import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { Screen } from "../support/screen.ts";
import { World } from "../support/world.ts";

const POSIX = Deno.build.os !== "windows";
const SIZE = { columns: 80, rows: 14 };

Deno.test({
  name: "amof status --watch shows what changes, filters, opens and leaves the terminal as it was",
  ignore: !POSIX, // a pseudo-terminal
  async fn() {
    await using world = await World.installed({ repos: ["api", "web", "docs"] });
    const editor = await world.script(
      "editor",
      `echo "$1" > '${world.directory}/opened'; echo editing; read -r line`,
    );
    const env = { AMOF_EDITOR: editor };
    const screen = Screen.start(world, ["status", "--watch"], SIZE, { env });
    const first = await screen.shows(/docs +main +[0-9a-f]{7} +RW +OK[^]*q quit/);
    assert(screen.alternate);
    assertEquals(first.length, SIZE.rows);
    assertEquals(first[0], "Checked 3 repos: all OK.");
    assertMatch(
      first.at(-1) ?? "",
      /^q quit {2}\/ filter {2}a problems {2}o open {2}r refresh {2}\d\d:/,
    );

    // A file of a working copy, of which git notes nothing; and a commit, of which it does.
    await Deno.writeTextFile(join(world.clone("web"), "new.txt"), "new\n");
    await screen.shows(/web +main +[0-9a-f]{7} +RW +DIRTY/);
    await world.commitOnFeature("api");
    await screen.shows(/api +feature\/T-1 +[0-9a-f]{7} +RW +UNPUSHED/);

    await screen.types("a");
    assertNotMatch((await screen.shows(/a all/)).join("\n"), /docs/);
    await screen.types("a");
    await screen.shows(/docs[^]*a problems/);
    await screen.types("/we");
    assertNotMatch((await screen.shows(/^\/we_$/m)).join("\n"), /api|docs/);
    await screen.types("\r");
    await screen.shows(/filter: we/);
    await screen.types("jo");
    // Both have the terminal in turn: what is typed before the screen is back would be the editor's.
    await screen.shows(/editing/);
    await screen.types("\r");
    await screen.shows(/q quit/);
    await screen.types("r");
    await screen.resize({ columns: 40, rows: 10 });
    const small = await screen.shows(/^q quit .*…$/m);
    assert(small.length <= 10 && small.every((line) => line.length <= 40), small.join("\n"));
    // Some terminals take the last character of a full row with what is cleared behind it.
    assert(!screen.written.includes("\u001b[K"));
    await screen.types("\u001b");
    await screen.shows(/api/);
    await screen.types("q");
    assertEquals(await screen.ends(), 0);
    assert(await screen.isRestored());
    assertEquals(screen.all().trim(), "editing");
    assertEquals(
      (await Deno.readTextFile(join(world.directory, "opened"))).trim(),
      world.clone("web"),
    );

    const slow = await world.wrapGit(
      `case " $* " in *" status "*) turns=0; while [ $turns -lt 300 ]; do sleep 0.1; turns=$((turns + 1)); done;; esac`,
    );
    const waiting = Screen.start(world, ["status", "--watch"], SIZE, { env: slow });
    await waiting.shows(/^checking 0\/3 /);
    // What is typed before there is something to see is not shown; it waits.
    assert(await waiting.hasKeys());
    await waiting.types("/xyzzy");
    await waiting.types("\u0003");
    assertEquals(await waiting.ends(), 130);
    assert(await waiting.isRestored() && !waiting.all().includes("checking"), waiting.all());
    assert(!waiting.written.includes("xyzzy"), waiting.written);

    const gate = join(world.directory, "gate");
    const held = await world.wrapGit(
      `case " $* " in *" status "*) turns=0; while [ ! -e '${gate}' ] && [ $turns -lt 300 ]; do sleep 0.1; turns=$((turns + 1)); done;; esac`,
    );
    const early = Screen.start(world, ["status", "--watch"], SIZE, { env: held });
    await early.shows(/^checking 0\/3 /);
    await early.types("/doc\r");
    await Deno.writeTextFile(gate, "");
    assertNotMatch((await early.shows(/filter: doc/)).join("\n"), /web/);
    await early.types("q");
    assertEquals(await early.ends(), 0);

    for (const signal of ["\u0003", "SIGTERM", "SIGHUP"] as const) {
      const other = Screen.start(world, ["status", "--watch"], SIZE);
      await other.shows(/q quit/);
      if (signal === "\u0003") await other.types(signal);
      else Deno.kill(await other.pid(), signal);
      assertEquals(await other.ends(), 0);
      assert(await other.isRestored(), signal);
    }
  },
});

Deno.test("amof status --watch is refused where nobody looks, and watches nothing that fails", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const piped = await world.amof(["status", "--watch"]);
  assertEquals([piped.code, piped.stdout], [2, ""]);
  assertEquals(
    piped.stderr,
    "error: Cannot watch: this is no terminal\nhint: Look once: amof status\n",
  );
  const json = await world.amof(["status", "--watch", "--json"]);
  assertEquals([json.code, pick(json.json(), "error")], [2, "invalid_arguments"]);
  if (!POSIX) return;
  const screen = Screen.start(world, ["status", "--watch"], SIZE);
  assertEquals(await screen.ends(), 1);
  assertMatch(screen.all(), /error: /);
  assert(!screen.written.includes("\u001b[?1049h"));
});
