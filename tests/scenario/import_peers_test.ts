/**
 * Lists of other tools, read here and by the tools themselves: both say the same. Each test is left out where its tool
 * is not on PATH (`vcs` of vcstool or vcs2l, `west`, `gita`).
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

/** Whether a program is there and works. */
function has(program: string, ...args: string[]): boolean {
  try {
    return new Deno.Command(program, { args, stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

/** What a program prints in a directory of the world. */
async function said(
  world: World,
  cwd: string,
  program: string,
  ...args: string[]
): Promise<string> {
  const env = { ...world.env, PATH: Deno.env.get("PATH") ?? "" };
  const { success, stdout, stderr } = await new Deno.Command(program, { args, cwd, env }).output();
  const text = new TextDecoder().decode(stdout);
  assert(success, `${program} ${args.join(" ")}: ${text}${new TextDecoder().decode(stderr)}`);
  return text;
}

/** The repositories that come of a list, by these members. */
async function taken(world: World, list: string, members: readonly string[]): Promise<unknown[][]> {
  const args = ["ecosystem", "create", "shop", "--from", list, "--json"];
  const ran = await world.amof(args);
  assertEquals(ran.code, 0, ran.stdout);
  return rows(ran.json(), "repos").map((repo) => members.map((member) => repo[member]));
}

/** A world of remotes with a second branch each, and a control repository. */
async function remotes(): Promise<World> {
  const world = await World.make();
  await world.makeControl();
  for (const name of ["api", "web"]) {
    await world.addRemote(name);
    await world.git(join(world.remotes, `${name}.git`), "branch", "stable", "main");
  }
  return world;
}

Deno.test({
  name: "west.yml: the same projects, addresses and revisions as west list",
  ignore: !has("west", "--version"),
  async fn() {
    await using world = await World.make();
    const top = join(world.directory, "top");
    await world.write(
      "top/list/west.yml",
      `manifest:
  remotes: [{name: o, url-base: "https://h.test/o"}]
  defaults: {remote: o, revision: main}
  group-filter: [-opt]
  projects:
    - {name: a, repo-path: x/a.git, path: mods/a}
    - {name: b, groups: [opt]}
    - {name: c, url: "https://i.test/c", revision: pull/7/head, submodules: true}
    - {name: d, path: there, groups: [opt, other]}
    - {name: e, groups: [opt]}
  self: {import: [first.yml, more]}
`,
    );
    await world.write(
      "top/list/first.yml",
      `manifest: {projects: [{name: b, url: "https://h.test/first"}], group-filter: [+opt]}\n`,
    );
    for (const name of ["2.yml", "1.yaml"]) {
      await world.write(
        `top/list/more/${name}`,
        `manifest: {projects: [{name: "m${name}", url: "https://h.test/m"}]}\n`,
      );
    }
    await world.git(world.directory, "init", "--quiet", join(top, "list"));
    await said(world, top, "west", "init", "-l", "list");
    const format = "{name}|{url}|{revision}|{path}|{groups}|{active}";
    const theirs = (await said(world, top, "west", "list", "--all", "-f", format)).trim().split(
      "\n",
    )
      .slice(1);
    const { IMPORTERS } = await import("../../src/workspace/import/kinds.ts");
    const directory = join(top, "list");
    const list = await IMPORTERS.west({
      text: await Deno.readTextFile(join(directory, "west.yml")),
      shown: "west.yml",
      include: (path) => Deno.readTextFile(join(directory, path)),
      within: async (path) => {
        const names = await Array.fromAsync(Deno.readDir(join(directory, path)));
        return names.map(({ name }) => `${path}/${name}`).sort();
      },
      home: null,
      platform: null,
    });
    assertEquals(
      list.repos.map(({ name, url, version, path, tags, enabled }) =>
        [name, url, version, path, tags.join(","), enabled ? "active" : "inactive"].join("|")
      ),
      theirs,
    );
  },
});

Deno.test({
  name: ".repos: the same addresses and branches as vcs import makes",
  ignore: !has("vcs", "--version"),
  async fn() {
    await using world = await remotes();
    const list = join(world.directory, "list.repos");
    await Deno.writeTextFile(
      list,
      `repositories:
  core/api: {type: git, url: "${world.url("api")}", version: stable}
  web: {type: git, url: "${world.url("web")}"}
`,
    );
    const place = join(world.directory, "made");
    await Deno.mkdir(place);
    await said(world, place, "vcs", "import", "--input", list, ".");
    const made = [];
    for (const path of ["core/api", "web"]) {
      const clone = join(place, path);
      made.push([
        await world.git(clone, "remote", "get-url", "origin"),
        await world.git(clone, "branch", "--show-current"),
      ]);
    }
    assertEquals(await taken(world, list, ["url", "branch"]), made);
  },
});

Deno.test({
  name: "gita freeze: the same addresses and branches as the clones have",
  ignore: !has("gita", "--version"),
  async fn() {
    await using world = await remotes();
    const clones = [];
    for (const [name, branch] of [["api", "main"], ["web", "stable"]] as const) {
      const clone = join(world.directory, name);
      await world.git(
        world.directory,
        "clone",
        "--quiet",
        "--branch",
        branch,
        world.url(name),
        clone,
      );
      clones.push(clone);
    }
    await said(world, world.directory, "gita", "add", ...clones);
    const frozen = await said(world, world.directory, "gita", "freeze");
    const list = join(world.directory, "frozen.csv");
    await Deno.writeTextFile(list, frozen);
    // Before 0.16.8 gita says nothing of branches.
    const branch = frozen.includes("stable") ? "stable" : "main";
    assertEquals((await taken(world, list, ["name", "url", "branch"])).toSorted(), [
      ["api", world.url("api"), "main"],
      ["web", world.url("web"), branch],
    ]);
  },
});
