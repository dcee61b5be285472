/**
 * The program with a wing left out: what remains goes on as before.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { DOOR_WINGS } from "../../src/doors/wings.ts";
import { WINGS } from "../../src/pipeline/wings.ts";
import { defined } from "../../src/base/object.ts";
import { bundle } from "../support/bundle.ts";
import { newDirectory } from "../support/place.ts";
import { third } from "../support/sample.ts";
import { retell } from "../support/story.ts";
import { type Ran, World } from "../support/world.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const STORIES = join(ROOT, "tests/stories");
const LIST = /(export const \w*WINGS: readonly \w*Wing\[\] = \[)([^\]]*)(\];)/;

/** Where the lists of wings stand, each with how many there are in those before it. */
const LISTS = { "src/pipeline/wings.ts": 0, "src/doors/wings.ts": WINGS.length };

/** The names of the wings, as the lists have them. */
const NAMES = Object.keys(LISTS).flatMap((place) =>
  (LIST.exec(Deno.readTextFileSync(join(ROOT, place)))?.[2] ?? "").split(",")
    .map((name) => name.trim()).filter((name) => name !== "")
);

/** A walk through each of the core's capabilities, in which no wing has a word. */
const CORE = [
  "daily_work",
  "ticket_across_repositories",
  "squash_merge",
  "archive_and_restore",
  "release_alpha_to_stable",
  "doctor_repair",
];

let built: Promise<string> | undefined;

/** Builds a program that leaves out the wing whose place in the lists a file beside it names; answers its directory. */
async function build(): Promise<string> {
  const directory = newDirectory();
  const parts = ["src", "main.ts", "deno.json", "deno.lock"].map((name) => join(ROOT, name));
  const { success } = await new Deno.Command("cp", { args: ["-r", ...parts, directory] }).output();
  assert(success);
  const out = 'Number(Deno.readTextFileSync(new URL("out", import.meta.url)))';
  for (const [place, before] of Object.entries(LISTS)) {
    const list = join(directory, place);
    const text = await Deno.readTextFile(list);
    const left = text.replace(LIST, `$1$2].filter((_, at) => at + ${before} !== ${out});`);
    assert(left !== text);
    await Deno.writeTextFile(list, left);
  }
  const program = join(directory, "program");
  await bundle(join(directory, "main.ts"), program);
  return program;
}

/** The argument vector that starts the program without a wing, until the next one is left out. */
async function programWithout(at: number): Promise<string[]> {
  const directory = await (built ??= build());
  await Deno.writeTextFile(join(directory, "out"), String(at));
  const flags = ["--quiet", "--allow-all", "--no-config", "--no-lock", "--unstable-worker-options"];
  return [Deno.execPath(), "run", ...flags, join(directory, "main.js")];
}

/** The command lines whose answers list what there is, of a program. */
const LISTINGS = [
  ["--help"],
  ["help", "flags"],
  ["schema", "--help"],
  ["mcp", "serve", "--help"],
  ["mcp", "config", "--help"],
  ["mcp", "tools", "--json"],
  ["completions", "--help"],
  ...["bash", "zsh", "fish", "powershell"].map((shell) => ["completions", shell]),
  ["complete", "--", ""],
  ["complete", "--", "schema", ""],
  ["complete", "--", "mcp", "serve", "--toolsets", ""],
];

/** A session over standard input: what a server says of itself, its tools and its skills. */
const SESSION = [
  {
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: { extensions: { "io.modelcontextprotocol/skills": {} } },
      clientInfo: { name: "t", version: "1" },
    },
  },
  { method: "tools/list" },
  { method: "skills/list" },
  { method: "resources/read", params: { uri: "skill://amof/SKILL.md" } },
].map((request, id) => `${JSON.stringify({ jsonrpc: "2.0", id, ...request })}\n`).join("");

/** What belongs to a wing of the doors is gone, without a word of it where it could be asked for. */
async function assertGone(world: World, program: readonly string[], at: number): Promise<void> {
  const { programs = {}, tools, schemas = {} } = DOOR_WINGS[at] ?? {};
  const words = [...Object.keys(programs), tools?.toolset ?? ""].filter((word) => word !== "");
  const [command = "", ...before] = program;
  const run = (line: readonly string[], stdin?: string) =>
    world.command(command, [...before, ...line], { cwd: world.control, ...defined({ stdin }) });
  for (const line of LISTINGS) {
    const { code, stdout, stderr } = await run(line);
    assertEquals(code, 0, stderr);
    for (const word of words) assertNotMatch(stdout, new RegExp(word), line.join(" "));
  }
  const refused = [
    ...Object.keys(schemas).map((name) => ["schema", name]),
    ...tools === undefined ? [] : [["mcp", "serve", "--toolsets", tools.toolset]],
  ];
  for (const line of refused) {
    const { code, stderr } = await run(line);
    assertEquals(code, 2, line.join(" "));
    const hint = /^hint: .*$/m.exec(stderr)?.[0] ?? "";
    for (const word of words) assertNotMatch(hint, new RegExp(word), line.join(" "));
  }
  const whole = await world.amof(["mcp", "serve"], { stdin: SESSION });
  const served = await run(["mcp", "serve"], SESSION);
  // Requests are answered as each is done.
  const answers = ({ stdout }: Ran) => stdout.split("\n").toSorted();
  assertEquals(answers(served), answers(whole));
  assert(served.stdout.includes("# Working with amof"));
}

for (const [at, wing] of NAMES.entries()) {
  Deno.test({
    name: `without the wing ${wing} the core works as before`,
    ignore: Deno.env.get("AMOF_BIN") !== undefined || Deno.build.os === "windows",
    async fn() {
      const program = await programWithout(at);
      for (const name of third(CORE, at)) {
        const whole = await Deno.readTextFile(join(STORIES, `${name}.txtar`));
        // Without undo nothing is promised of it.
        const story = wing === "UNDO" ? whole.replaceAll(/^ {2}(?:2> *)?Undo .*\n/gm, "") : whole;
        assertEquals(await retell(story, program), story, `${name} goes otherwise`);
      }
      await using world = await World.installed();
      const wings = [...WINGS, ...DOOR_WINGS];
      const { commands = {}, programs = {} } = { commands: {}, programs: {}, ...wings[at] };
      const [load] = [...Object.values(commands), ...Object.values(programs)];
      const [command = "", ...before] = program;
      const words = [...before, ...(await load?.())?.path ?? [], "--json"];
      const gone = await world.command(command, words, { cwd: world.control });
      assertEquals(gone.code, 2);
      assertMatch(String(gone.json()["summary"]), /^Failed to find the command /);
      if (at >= WINGS.length) await assertGone(world, program, at - WINGS.length);
    },
  });
}
