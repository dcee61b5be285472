/**
 * The user file: `amof config`, what counts before what, aliases, and a file that is broken.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { Typist } from "../support/terminal.ts";
import { World } from "../support/world.ts";

const ignore = Deno.build.os === "windows";

/** Where the file of a world is. */
function fileOf(world: World): string {
  return join(world.env["AMOF_HOME"] ?? "", "config", "config.yaml");
}

async function write(world: World, text: string): Promise<void> {
  await Deno.mkdir(join(fileOf(world), ".."), { recursive: true });
  await Deno.writeTextFile(fileOf(world), text);
}

Deno.test("amof config set and unset change one place of the file, show it, and check the value first", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const set = (...args: string[]) => world.amof(["config", "set", ...args]);
  const path = await world.amof(["config", "path"]);
  assertEquals(path.stdout, `${fileOf(world)}\n`);
  assertEquals((await set("jobs", "8", "--dry-run")).stdout.split("\n")[0], "Would set jobs.");
  assertEquals(await world.exists(fileOf(world)), false);
  assertEquals((await set("jobs", "8")).code, 0);
  const schema = join(fileOf(world), "..", "settings.schema.json");
  const published = JSON.parse(await Deno.readTextFile("schemas/settings.schema.json"));
  assertEquals(JSON.parse(await Deno.readTextFile(schema)), published);

  // A link of somebody who keeps such files elsewhere stays one.
  const elsewhere = join(world.directory, "dotfiles.yaml");
  await Deno.writeTextFile(elsewhere, "# mine\njobs: 8 # cores\ncolor: never\n", { mode: 0o600 });
  await Deno.remove(fileOf(world));
  await Deno.symlink(elsewhere, fileOf(world));
  const relative = await set("root", ".");
  assertStringIncludes(relative.stdout, `+root: ${world.control}`);
  const unset = await world.amof(["config", "unset", "color", "--json"]);
  assertEquals([pick(unset.json(), "changed"), pick(unset.json(), "written")], [true, true]);
  assert((await Deno.lstat(fileOf(world))).isSymlink);
  assertEquals(
    await Deno.readTextFile(elsewhere),
    `# mine\njobs: 8 # cores\nroot: ${world.control}\n`,
  );
  if (!ignore) assertEquals(((await Deno.stat(elsewhere)).mode ?? 0) & 0o777, 0o600);

  for (
    const [args, message] of [
      [["jobs", "0"], "Cannot set jobs: it must be a whole number from 1 to 999, not 0"],
      [["color", "alway"], 'not "alway"; did you mean "always"?'],
      [["colour", "never"], 'Cannot find the setting "colour"; did you mean "color"?'],
      [["aliases", "x"], 'Cannot use "aliases" as a whole'],
      [["aliases.status", "sync"], "would stand for a command that amof has: status"],
      [["aliases.st", "statsu"], 'did you mean "status"?'],
      [["aliases.st", "amof status"], 'begins with amof: write "status"'],
    ] as const
  ) {
    const refused = await set(...args);
    assertEquals(refused.code, 2, args.join(" "));
    assertStringIncludes(refused.stderr, message);
  }
});

Deno.test("a flag counts before a variable, that before the file, and amof config list says who did", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await write(world, `root: ${world.control}\njobs: 7\nstall_timeout: 30\ncolor: always\n`);
  const outside = { cwd: world.directory };
  const listed = await world.amof(["config", "list", "--json"], { env: { AMOF_JOBS: "3" } });
  const rows = listed.json()["settings"] as { name: string; value: unknown; source: string }[];
  assertEquals(
    rows.filter(({ source }) => source !== "default").map(({ name, value, source }) =>
      `${name} ${value} ${source}`
    ),
    [
      `root ${world.control} file`,
      "jobs 3 environment",
      "color always file",
      "stall_timeout 30 file",
    ],
  );
  const get = await world.amof(["config", "get", "jobs"], { env: { AMOF_JOBS: "3" } });
  assertEquals(get.stdout, "3\n");
  assertEquals((await world.amof(["config", "get", "pager"])).stdout, "");
  // The root of the file is the last resort, and the colour of the file counts in a pipe.
  const found = await world.amof(["ecosystem", "list"], outside);
  assertEquals([found.code, found.stdout.includes("\u001b[")], [0, true]);
  const flag = await world.amof(["ecosystem", "list", "--color", "never"], outside);
  assertEquals([flag.code, flag.stdout.includes("\u001b[")], [0, false]);
  const variable = await world.amof(["ecosystem", "list"], {
    ...outside,
    env: { AMOF_ROOT: world.directory },
  });
  assertStringIncludes(variable.stderr, "(from AMOF_ROOT): it has no ecosystems/ directory");
  const wrong = await world.amof(["ecosystem", "list"], { env: { AMOF_JOBS: "many" } });
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, "Cannot use AMOF_JOBS: it must be a whole number");
});

Deno.test("an alias stands for the beginning of a line, is completed, and never for a command of amof", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await write(
    world,
    [
      "aliases:",
      "  ls: ecosystem list",
      "  status: ecosystem list",
      '  note: journal add "two words"',
      "  twice: ls",
    ].join("\n"),
  );
  const plain = await world.amof(["ecosystem", "list"]);
  assertEquals((await world.amof(["-q", "ls"])).stdout, plain.stdout);
  assertEquals((await world.amof(["--root", world.control, "ls", "-q"])).stdout, plain.stdout);
  assertEquals((await world.amof(["note", "--json"])).code, 0);
  const page = await world.amof(["help", "ls"]);
  assertStringIncludes(page.stdout, "Usage: amof ecosystem list");
  assertStringIncludes((await world.amof(["help"])).stdout, "Your aliases:\n  ls     stands for");
  const refused = await world.amof(["twice"]);
  assertEquals(refused.code, 2);
  assertStringIncludes(refused.stderr, 'Cannot use the alias "twice": "ls" is no command of amof');
  const listed = await world.amof(["config", "list"]);
  assertStringIncludes(
    listed.stdout,
    "Passed over: aliases.status: a command has that name already\n" +
      'Passed over: aliases.twice: There is no command "ls"',
  );
  const builtin = await world.amof(["status", "--json"]);
  assertEquals(pick(builtin.json(), "ecosystems"), undefined);
  const completed = await world.amof(["complete", "--", "ls"]);
  assertEquals(completed.stdout, "ls\tstands for: ecosystem list\n");
  const flags = await world.amof(["complete", "--", "ls", "--include"]);
  assertMatch(flags.stdout, /^--include-retired\t/);
  assertStringIncludes((await world.amof(["lss"])).stderr, 'did you mean "ls"?');
});

Deno.test("a broken file stops commands with its lines, and neither help nor what mends it", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await write(world, "jobs: 3\ncolr: never\ncolor: alway\n");
  const stopped = await world.amof(["ecosystem", "list", "--json"]);
  assertEquals([stopped.code, stopped.json()["error"]], [2, "settings_invalid"]);
  assertEquals(pick(stopped.json(), "details", "problems", 0, "line"), 3);
  for (const args of [["--version"], ["--help"], ["status", "--help"], ["help", "modes"]]) {
    assertEquals((await world.amof(args)).code, 0, args.join(" "));
  }
  for (const args of [["config", "path"], ["config", "get", "jobs"], ["schema", "settings"]]) {
    assertEquals((await world.amof(args)).code, 0, args.join(" "));
  }
  const listed = await world.amof(["config", "list"]);
  assertEquals(listed.code, 2);
  assertStringIncludes(listed.stdout, "jobs           3 ");
  assertStringIncludes(listed.stdout, 'Passed over: line 2: colr; did you mean "color"?');
  // Setting the value that is wrong mends the file.
  const mended = await world.amof(["config", "set", "color", "auto"]);
  assertStringIncludes(mended.stdout, "Passed over: line 2: colr");
  assertEquals((await world.amof(["ecosystem", "list"])).code, 0);
  await write(world, "color: [auto\n");
  assertEquals((await world.amof(["complete", "--", "statu"])).stdout.split("\t")[0], "status");
  assertStringIncludes((await world.amof(["config", "set", "jobs", "2"])).stderr, "not valid YAML");
  await Deno.remove(fileOf(world));
  await Deno.mkdir(fileOf(world));
  const directory = await world.amof(["ecosystem", "list"]);
  assertEquals(directory.code, 2);
  assertStringIncludes(directory.stderr, "it is a directory");
});

Deno.test({
  name: "amof config edit checks what was written, and offers to go on",
  ignore,
  async fn() {
    await using world = await World.withEcosystem({ repos: [] });
    assertEquals((await world.amof(["config", "edit"])).code, 2);
    // The first time something wrong is written, the second time it is mended.
    const EDITOR = await world.script(
      "editor",
      `if grep -q '^jobs: x' "$1"; then sed -i.old 's/^jobs: x/jobs: 5/' "$1"; else echo 'jobs: x' >> "$1"; fi`,
    );
    const typist = await Typist.start(world, ["config", "edit"], { env: { EDITOR } });
    await typist.sees("Go on editing? [y/N]");
    await typist.types("y\n");
    const end = await typist.ends();
    assertEquals(end.code, 0, end.screen);
    assertMatch(end.screen, /line \d+: jobs must be a whole number from 1 to 999, not "x"/);
    assertStringIncludes(end.stdout, "Saved the settings.");
    const text = await Deno.readTextFile(fileOf(world));
    assertMatch(text, /^# yaml-language-server: \$schema=settings\.schema\.json\n/);
    assertMatch(text, /\njobs: 5\n$/);
    const again = await Typist.start(world, ["config", "edit"], { env: { EDITOR } });
    await again.sees("Go on editing? [y/N]");
    await again.types("n\n");
    assertEquals((await again.ends()).code, 2);
  },
});

Deno.test("amof config set at the same moment loses nothing", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const words = ["one", "two", "three", "four", "five"];
  const ran = await Promise.all(
    words.map((word) => world.amof(["config", "set", `aliases.${word}`, "status"])),
  );
  assertEquals(ran.map(({ code }) => code), words.map(() => 0));
  // What changed is shown without an empty line behind it but the one before the summary.
  assertEquals(ran[0]?.stdout.includes("\n\n\n"), false);
  const text = await Deno.readTextFile(fileOf(world));
  for (const word of words) assertStringIncludes(text, `  ${word}: status\n`);
});
