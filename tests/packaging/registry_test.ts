// Covers the npm packages as a registry hands them out: published to one on this machine, then installed without scripts,
// locked, started by npx, and installed for all of a user's directories.

import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { makePlatformPackage, makeWrapper } from "../../.github/packaging/npm.ts";
import { PROJECT } from "../../.github/packaging/project.ts";
import { TARGETS } from "../../.github/packaging/targets.ts";
import { emptied, run } from "../../.github/packaging/tools.ts";
import { isInstalled } from "./_programs.ts";
import { Registry } from "./_registry.ts";
import { smallRelease } from "./_release.ts";

const QUIET = ["--ignore-scripts", "--no-audit", "--no-fund"];

/** What npm is to know, and nothing of the user's own. */
async function environment(directory: string, url: string): Promise<Record<string, string>> {
  const file = join(directory, "npmrc");
  const host = url.replace(/^http:/, "");
  await Deno.writeTextFile(file, `registry=${url}\n${host}:_authToken=anybody\n`);
  return {
    npm_config_userconfig: file,
    npm_config_cache: join(directory, "cache"),
    npm_config_update_notifier: "false",
  };
}

/** Publishes the packages of all systems, then the one that asks for them, as a release does it. */
async function publish(directory: string, env: Record<string, string>): Promise<void> {
  const release = await smallRelease(directory);
  for (const target of TARGETS) {
    const file = await makePlatformPackage({ ...release, target });
    await run("npm", ["publish", "--access", "public", join(release.output, file)], {
      env,
      cwd: directory,
    });
  }
  const wrapper = await makeWrapper(release);
  await run("npm", ["publish", join(release.output, wrapper)], { env, cwd: directory });
}

Deno.test({
  name: "what was published to a registry is installed without scripts, locked, and started by npx",
  // Getting the registry takes the network, and half a minute.
  ignore: Deno.env.get("AMOF_PACKAGES") === undefined || !isInstalled("npm") ||
    Deno.build.os === "windows",
  async fn(t) {
    const directory = await Deno.realPath(await Deno.makeTempDir());
    try {
      const started = await Registry.start(directory);
      if (typeof started === "string") {
        await t.step({ name: `skipped, no registry: ${started}`, ignore: true, fn() {} });
        return;
      }
      await using registry = started;
      const env = await environment(directory, registry.url);
      await publish(directory, env);
      const version = `amof ${PROJECT.version}\n`;
      const project = await emptied(join(directory, "project"));
      await Deno.writeTextFile(join(project, "package.json"), "{}");
      const here = { cwd: project, env };
      const program = join(project, "node_modules/.bin/amof");
      await run("npm", ["install", ...QUIET, "amof"], here);
      assertEquals(await run(program, ["--version"]), version);
      await run("npm", ["ci", ...QUIET], here);
      assertEquals(await run(program, ["--version"]), version);
      // npm may link the program itself and not what starts it, where both have the name.
      assertMatch(await run("npx", ["amof", "a", "b c"], here), /^(?:npm|none): a b c\n$/);
      const elsewhere = { cwd: await emptied(join(directory, "elsewhere")), env };
      assertEquals(await run("npx", ["--yes", "amof", "--version"], elsewhere), version);
      const ended = await new Deno.Command("npx", {
        args: ["--yes", "amof", "exit", "5"],
        ...elsewhere,
      })
        .output();
      assertEquals(ended.code, 5);
      const prefix = join(directory, "global");
      await run("npm", ["install", ...QUIET, "--global", "--prefix", prefix, "amof"], elsewhere);
      assertMatch(await run(join(prefix, "bin/agentpack"), ["x"]), /^(?:npm|none): x\n$/);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  },
});
