/**
 * `amof mcp install`: one entry in a host's file comes, changes and goes; the rest of the file is nobody's business.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { pick } from "../support/answers.ts";
import { World } from "../support/world.ts";

const POSIX = Deno.build.os !== "windows";
const OTHERS = `{
  "mcpServers": {
    "github": { "command": "npx", "env": { "GITHUB_TOKEN": "correct horse" } }
  }
}
`;

function home(world: World, ...names: string[]): string {
  return join(world.directory, "home", ...names);
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
}

async function succeed(world: World, ...args: string[]): Promise<Record<string, unknown>> {
  const ran = await world.amof(["mcp", "install", ...args, "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  return ran.json();
}

Deno.test("amof mcp install shows what it would do, asks, keeps a backup, and takes all of it back", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const file = home(world, ".cursor", "mcp.json");
  await write(file, OTHERS);
  if (POSIX) await Deno.chmod(file, 0o640);
  const refused = await world.amof(["mcp", "install", "cursor"]);
  assertEquals(refused.code, 4);
  assertStringIncludes(refused.stderr, `+      "command": `);
  assertStringIncludes(refused.stderr, `"GITHUB_TOKEN": "***"`);
  assert(!refused.stderr.includes("correct horse"));
  assertEquals(await Deno.readTextFile(file), OTHERS);

  const done = await succeed(world, "cursor");
  assertEquals([done["change"], done["file"]], ["installed", file]);
  const backup = String(done["backup"]);
  assertEquals(await Deno.readTextFile(backup), OTHERS);
  if (POSIX) {
    for (const path of [file, backup]) {
      assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o640, path);
    }
  }
  const entry = pick(JSON.parse(await Deno.readTextFile(file)), "mcpServers", "amof");
  const root = await Deno.realPath(world.control);
  assertEquals(pick(entry, "env"), { AMOF_ROOT: root });
  assertStringIncludes(String(pick(entry, "args")), "mcp,serve,--toolsets,daily");
  const config = await world.amof(["mcp", "config", "cursor", "--json"]);
  assertEquals(pick(config.json(), "mcpServers", "amof"), entry);

  assertEquals((await succeed(world, "cursor"))["change"], "none");
  const asked = await world.amof(["mcp", "install", "cursor", "--remove"]);
  assertEquals(asked.code, 4);
  assertStringIncludes(asked.stderr, "Removal will change what an AI host starts");
  assert(!/install(ation)? /.test(asked.stderr.replaceAll("mcp install", "")), asked.stderr);
  assertEquals((await succeed(world, "cursor", "--remove"))["change"], "removed");
  assertEquals(await Deno.readTextFile(file), OTHERS);
  assertEquals(await world.exists(backup), false);
  assertEquals((await succeed(world, "cursor", "--remove"))["change"], "none");
});

Deno.test("what somebody wrote into the entry stays, and so do the flags that hold the server back", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const file = join(world.control, ".vscode", "mcp.json");
  await write(
    file,
    `{
  // mine
  "servers": {
    "amof": {
      "command": "/old/amof", "args": ["mcp", "serve", "--root", "/old", "--read-only"],
      "env": { "AMOF_ROOT": "/old", "API_TOKEN": "hush hush" }, "dev": { "watch": "x" },
    },
  }
}
`,
  );
  const args = ["mcp", "install", "vscode", "--scope", "project"];
  const shown = await world.amof([...args, "--dry-run"], { cwd: world.control });
  assertEquals(shown.code, 0, shown.stderr);
  assertStringIncludes(shown.stdout, `-      "command": "/old/amof"`);
  assertStringIncludes(shown.stdout, "on whose PATH there has to be amof");
  assert(!shown.stdout.includes("hush hush"));
  const done = await world.amof([...args, "--yes"], { cwd: world.control });
  assertEquals(done.code, 0, done.stderr);
  const text = await Deno.readTextFile(file);
  assertStringIncludes(text, "// mine");
  const { servers } = JSON.parse(text.replace("// mine", "").replace(/,(?=\s*\}\s*\}\s*$)/, ""));
  assertEquals(pick(servers, "amof", "env", "API_TOKEN"), "hush hush");
  assertEquals(pick(servers, "amof", "command"), "amof");
  assertEquals(pick(servers, "amof", "env", "AMOF_ROOT"), "${workspaceFolder}");
  assertStringIncludes(done.stdout, "VS Code starts it once you have trusted it there.");
  assertEquals(pick(servers, "amof", "dev"), { watch: "x" });
  const words = pick(servers, "amof", "args") as string[];
  assertEquals(words.slice(-3), ["mcp", "serve", "--read-only"]);

  // Something else by that name is shown for what it is, and replaced as a whole.
  await write(file, `{ "servers": { "amof": { "url": "https://example.com", "x": 1 } } }\n`);
  const other = await world.amof([...args, "--mode", "ask", "--json"], { cwd: world.control });
  assertMatch(
    String(pick(other.json(), "explanation", "current_state")),
    /starts something else now/,
  );
  await world.amof([...args, "--yes"], { cwd: world.control });
  const replaced = JSON.parse(await Deno.readTextFile(file)).servers.amof;
  assertEquals(Object.keys(replaced), ["type", "command", "args", "env"]);
});

Deno.test("a file that something else has written since the preview is not overwritten", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const file = home(world, ".codeium", "windsurf", "mcp_config.json");
  await write(file, OTHERS);
  const asked = await world.amof(["mcp", "install", "windsurf", "--json"]);
  const token = /amof confirm ([0-9a-f-]+)/.exec(asked.stdout)?.[1] ?? "";
  const now = OTHERS.replace("npx", "uvx");
  await Deno.writeTextFile(file, now);
  const confirmed = await world.amof(["confirm", token, "--json"]);
  assertEquals([confirmed.code, pick(confirmed.json(), "error")], [4, "confirmation_stale"]);
  assertEquals(await Deno.readTextFile(file), now);
  // What somebody wrote after the installation stays when it goes.
  await succeed(world, "windsurf");
  const later = (await Deno.readTextFile(file)).replace("uvx", "bunx");
  await Deno.writeTextFile(file, later);
  await succeed(world, "windsurf", "--remove");
  assertEquals(await Deno.readTextFile(file), OTHERS.replace("npx", "bunx"));
});

Deno.test("a file that is not valid is refused with the place, and left as it is", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const broken: readonly (readonly [string, string, string, string])[] = [
    ["cursor", home(world, ".cursor", "mcp.json"), '{\n  "mcpServers": {,}\n}\n', ":2: "],
    ["gemini", home(world, ".gemini", "settings.json"), '{ "mcpServers": [] }', "is no object"],
    ["codex", home(world, ".codex", "config.toml"), "a = \n", "not valid TOML"],
    ["codex", home(world, ".codex", "config.toml"), "mcp_servers = { a = {} }\n", "in one line"],
  ];
  for (const [host, file, text, problem] of broken) {
    await write(file, text);
    const ran = await world.amof(["mcp", "install", host, "--yes", "--json"]);
    assertEquals([ran.code, pick(ran.json(), "error")], [1, "file_failed"], host);
    const message = String(pick(ran.json(), "message"));
    assertStringIncludes(message, file);
    assertStringIncludes(message, problem);
    assertEquals(await Deno.readTextFile(file), text);
  }
  await Deno.writeFile(home(world, ".cursor", "mcp.json"), new Uint8Array([0xff, 0xfe, 0x7b, 0]));
  const utf16 = await world.amof(["mcp", "install", "cursor", "--yes"]);
  assertEquals(utf16.code, 1);
  assertStringIncludes(utf16.stderr, "it is no UTF-8 text");
});

Deno.test({
  name: "a file that is a link stays one, and what it leads to is written",
  ignore: !POSIX,
  async fn() {
    await using world = await World.withEcosystem({ repos: [] });
    const real = join(world.directory, "dotfiles", "claude.json");
    const link = home(world, ".claude.json");
    await write(real, OTHERS);
    await Deno.symlink(real, link);
    await succeed(world, "claude-code");
    assertEquals((await Deno.lstat(link)).isSymlink, true);
    assertStringIncludes(await Deno.readTextFile(real), '"amof"');
    await succeed(world, "claude-code", "--remove");
    assertEquals((await Deno.lstat(link)).isSymlink, true);
    assertEquals(await Deno.readTextFile(real), OTHERS);
    // A file that holds nothing else goes, but not from under a link.
    await Deno.writeTextFile(real, "");
    await succeed(world, "claude-code");
    await succeed(world, "claude-code", "--remove");
    assertEquals((await Deno.lstat(link)).isSymlink, true);
    await Deno.remove(real);
    const nowhere = await world.amof(["mcp", "install", "claude-code", "--yes"]);
    assertEquals(nowhere.code, 1);
    assertStringIncludes(nowhere.stderr, "leads nowhere");
  },
});

Deno.test("npm's amof is started by npx, and a server that is chosen has its toolset and no root", async () => {
  await using world = await World.make();
  const env = { AMOF_DISTRIBUTION: "npm" };
  const args = [
    "mcp",
    "install",
    "claude-desktop",
    "--server",
    "agentpack",
    "--server",
    "stocktrim",
  ];
  const printed = await world.amof([...args, "--print", "--json"], { env });
  assertEquals(printed.code, 0, printed.stdout);
  const servers = pick(JSON.parse(String(pick(printed.json(), "text"))), "mcpServers");
  const words = POSIX ? ["npx"] : ["cmd", "/c", "npx"];
  for (const name of ["agentpack", "stocktrim"]) {
    const given = [pick(servers, name, "command"), ...pick(servers, name, "args") as string[]];
    assertEquals(given.slice(0, words.length + 1), [...words, "-y"]);
    assertMatch(String(given[words.length + 1]), /^amof@\d+\.\d+\.\d+/);
    const consent = name === "agentpack" ? [] : ["--confirm", "human"];
    const flags = ["--toolsets", name, ...consent];
    assertEquals(given.slice(-2 - flags.length), ["mcp", "serve", ...flags]);
    assertEquals(pick(servers, name, "env"), {});
  }
  const config = await world.amof(["mcp", "config", "claude-desktop", "--toolsets", "agentpack"], {
    env,
  });
  assertStringIncludes(config.stdout, POSIX ? '"command": "npx"' : '"/c"');
  assertEquals(
    await world.exists(home(world, ".config", "Claude", "claude_desktop_config.json")),
    false,
  );
});

Deno.test("what cannot be installed is refused before anything is read", async () => {
  await using world = await World.make();
  const refused: readonly (readonly [readonly string[], string, string])[] = [
    [["cursor"], "root_not_found", "amof --root DIR mcp install cursor"],
    [["windsurf", "--server", "agentpack", "--scope", "project"], "invalid_arguments", "windsurf"],
    [["zed", "--server", "agentpack", "--toolsets", "run"], "invalid_arguments", "--toolsets"],
    [["nano"], "invalid_arguments", "mcp install --help"],
  ];
  for (const [args, code, hint] of refused) {
    const ran = await world.amof(["mcp", "install", ...args, "--json"], { cwd: world.directory });
    assertEquals(pick(ran.json(), "error"), code, args.join(" "));
    assertStringIncludes(String(pick(ran.json(), "hint")), hint);
  }
  await world.makeControl();
  const root = ["--root", world.control, "mcp", "install", "zed", "--toolsets"];
  const toolsets = await world.amof([...root, "default,-rnu", "--json"]);
  assertEquals(pick(toolsets.json(), "error"), "invalid_arguments");
  assertStringIncludes(String(pick(toolsets.json(), "message")), 'did you mean "run"?');
});
