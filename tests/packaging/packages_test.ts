// Covers the packages: what is in them, that the same files give the same bytes, and that what they install runs. A
// small program takes the place of the real one.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { makeArchive } from "../../.github/packaging/archive.ts";
import { makeDebian } from "../../.github/packaging/debian.ts";
import { bundleManifest, makeBundle } from "../../.github/packaging/mcpb.ts";
import { makePlatformPackage, makeWrapper } from "../../.github/packaging/npm.ts";
import { PROJECT } from "../../.github/packaging/project.ts";
import { thirdPartyNotices } from "../../.github/packaging/notices.ts";
import { TARGETS } from "../../.github/packaging/targets.ts";
import { emptied, run, sha256File } from "../../.github/packaging/tools.ts";
import { COMMANDS } from "../../src/pipeline/registry.ts";
import { isInstalled } from "./_programs.ts";
import { smallRelease } from "./_release.ts";

const UNIX = Deno.build.os !== "windows";
const { version } = PROJECT;

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  try {
    await work(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test({
  name:
    "an archive holds the program, licences, manual pages and completions, to the byte the same again",
  ignore: Deno.build.os !== "linux", // GNU tar
  fn: () =>
    inDirectory(async (directory) => {
      const release = await smallRelease(directory);
      const file = join(release.output, await makeArchive(release));
      const listed = (await run("tar", ["-tvzf", file])).trim().split("\n");
      const folder = `amof-${version}-${release.target.name}`;
      assertEquals(
        listed.map((line) => line.split(/\s+/).at(-1)?.replace(`${folder}/`, "")).filter((path) =>
          path !== ""
        ),
        [
          "LICENSE",
          "THIRD_PARTY_NOTICES",
          "amof",
          "completions/",
          "completions/_amof",
          "completions/amof.bash",
          "completions/amof.fish",
          "completions/amof.ps1",
          "man/",
          "man/amof.1",
        ],
      );
      assert(listed.some((line) => /^-rwxr-xr-x 0\/0 .*\/amof$/.test(line)), listed.join("\n"));
      const before = await sha256File(file);
      await makeArchive(release);
      assertEquals(await sha256File(file), before);
    }),
});

Deno.test({
  name: "a Debian package is made, installed, used and purged without a trace",
  ignore: !isInstalled("dpkg-deb") || Deno.build.os !== "linux" || Deno.uid() !== 0,
  fn: () =>
    inDirectory(async (directory) => {
      const release = await smallRelease(directory);
      const file = join(release.output, await makeDebian(release) ?? "");
      const before = await sha256File(file);
      await makeDebian(release);
      assertEquals(await sha256File(file), before);
      const root = join(directory, "root");
      await run("mkdir", [
        "-p",
        ...["info", "updates", "triggers"].map((name) => `${root}/var/lib/dpkg/${name}`),
      ]);
      await Promise.all(
        ["status", "available"].map((name) =>
          Deno.writeTextFile(`${root}/var/lib/dpkg/${name}`, "")
        ),
      );
      // It starts programs that not every user has on the PATH.
      const path = `${Deno.env.get("PATH")}:/usr/local/sbin:/usr/sbin:/sbin`;
      const dpkg = (...args: string[]) =>
        run("env", [`PATH=${path}`, "dpkg", `--root=${root}`, "--force-depends", ...args]);
      await dpkg("--install", file);
      // Again, as an upgrade does it.
      await dpkg("--install", file);
      assertEquals(await run(`${root}/usr/bin/amof`, ["--version"]), `amof ${version}\n`);
      assertEquals(await Deno.readLink(`${root}/usr/bin/agentpack`), "amof");
      await dpkg("--purge", "amof");
      assertEquals((await run("find", [root, "-name", "*amof*"])).trim(), "");
    }),
});

Deno.test({
  name: "the npm packages start the program under both names, with its exit codes and signals",
  ignore: !isInstalled("npm") || !UNIX,
  fn: () =>
    inDirectory(async (directory) => {
      const release = await smallRelease(directory);
      const files = [await makePlatformPackage(release), await makeWrapper(release)];
      const project = await emptied(join(directory, "project"));
      await Deno.writeTextFile(join(project, "package.json"), "{}");
      await run(
        "npm",
        [
          "install",
          "--offline",
          "--ignore-scripts",
          "--no-audit",
          "--no-fund",
          ...files.map((file) => join(release.output, file)),
        ],
        { cwd: project, env: { npm_config_cache: join(directory, "cache") } },
      );
      const launcher = join(project, "node_modules/amof/bin/amof.js");
      assertEquals(await run("node", [launcher, "--version"]), `amof ${version}\n`);
      assertEquals(await run("node", [launcher, "a", "b c"]), "npm: a b c\n");
      assertEquals(
        await run("node", [join(project, "node_modules/amof/bin/agentpack.js"), "x"]),
        "npm: x\n",
      );
      assertEquals(
        await run(join(project, "node_modules/.bin/amof"), ["--version"]),
        `amof ${version}\n`,
      );
      const ended = await new Deno.Command("node", { args: [launcher, "exit", "5"] }).output();
      assertEquals(ended.code, 5);
      const child = new Deno.Command("node", { args: [launcher, "wait"], stdout: "piped" }).spawn();
      const reader = child.stdout.getReader();
      await reader.read();
      child.kill("SIGTERM");
      // What was started ends with it, and so ends what it wrote to.
      assertEquals((await reader.read()).done, true);
      assertEquals((await child.status).signal, "SIGTERM");
      await Deno.remove(join(project, "node_modules/@amof"), { recursive: true });
      const gone = await new Deno.Command("node", { args: [launcher, "--version"] }).output();
      assertEquals(gone.code, 1);
      const [error, hint] = new TextDecoder().decode(gone.stderr).split("\n");
      assertEquals(error, `error: @amof/${release.target.name} is not installed`);
      assert(hint?.startsWith("hint: Install amof without --omit=optional"), hint);
    }),
});

Deno.test({
  name: "a bundle for desktop hosts holds what its manifest starts, to the byte the same again",
  ignore: !isInstalled("zip") || !isInstalled("unzip"),
  fn: () =>
    inDirectory(async (directory) => {
      const release = await smallRelease(directory);
      const file = join(release.output, await makeBundle(release));
      const before = await sha256File(file);
      await makeBundle(release);
      assertEquals(await sha256File(file), before);
      const place = join(directory, "unpacked");
      await run("unzip", ["-q", file, "-d", place]);
      const manifest = JSON.parse(await Deno.readTextFile(join(place, "manifest.json")));
      const { command, args } = manifest.server.mcp_config;
      assertEquals(await run(command.replace("${__dirname}", place), args), "none: mcp serve\n");
      await Deno.stat(join(place, manifest.icon));
    }),
});

Deno.test("a bundle names the tools that a server offers, and says of every question what it is without an answer", () => {
  for (const target of TARGETS) {
    const manifest = JSON.parse(JSON.stringify(bundleManifest(target)));
    assertEquals(
      manifest.tools.map((tool: { name: string }) => tool.name),
      COMMANDS.filter((command) => command.mcp !== "never" && command.mcp !== "asked for").map((
        { name },
      ) => name),
    );
    assertEquals(manifest.compatibility.platforms, [target.os]);
    for (const asked of Object.values<Record<string, unknown>>(manifest.user_config)) {
      assert(asked["required"] === true || asked["default"] !== undefined);
    }
  }
});

Deno.test("the notices name what the program imports, each with the words of its licence", async () => {
  const notices = await thirdPartyNotices();
  for (
    const name of [
      "the Deno runtime",
      "V8",
      "zod ",
      "@modelcontextprotocol/sdk ",
      "yaml ",
      "deno-std ",
      "hono ",
    ]
  ) {
    assert(notices.includes(`\n${name}`), name);
  }
  assert(!notices.includes("\nfast-check "), "what only tests import is not in the program");
});
