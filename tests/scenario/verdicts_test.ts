// Covers remembered answers of git (WORKSPACE-34): what they spare, what they notice, and what becomes of a wrong one.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { IN_TABLES, World } from "../support/world.ts";

/** Elsewhere nothing is remembered; nor where git is a script, as that which makes clones with tables. */
const ignore = Deno.build.os !== "linux" || IN_TABLES;

/** Longer than the clock of a file lags behind. */
function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 60));
}

/** Writes another file in place of one, which the worlds of this file may share. */
async function replace(path: string, text: string): Promise<void> {
  await Deno.remove(path);
  await Deno.writeTextFile(path, text);
}

/** The repositories that git was asked for a status of, by git's own trace. */
function asked(world: World, ...args: readonly string[]): Promise<string[]> {
  return askedWith(world, {}, ...args);
}

/** The same with variables. */
async function askedWith(
  world: World,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<string[]> {
  const traces = await Deno.makeTempDir({ dir: world.directory });
  const ran = await world.amof([...args], { env: { ...env, GIT_TRACE2_EVENT: traces } });
  assertEquals(ran.code, 0, ran.stderr);
  const found: string[] = [];
  for await (const { name } of Deno.readDir(traces)) {
    const text = await Deno.readTextFile(join(traces, name));
    const worktree = /"event":"def_repo".*"worktree":"[^"]*\/([^"/]+)"/.exec(text)?.[1] ?? "";
    if (/"argv":\[[^\]]*"status"/.test(text)) found.push(worktree);
  }
  return found.sort();
}

/** A workspace whose clones git was asked about twice when nothing had changed for a moment. */
async function remembered(): Promise<World> {
  const world = await World.installed();
  assertEquals((await world.amof(["config", "set", "verdicts", "on"])).code, 0);
  await rest();
  for (const _ of ["noted", "remembered"]) await world.amof(["status"]);
  return world;
}

Deno.test({
  name:
    "git is not asked again about clones in which nothing has changed, and about those that have",
  ignore,
  async fn() {
    await using world = await remembered();
    // One of them has its turn now and then.
    const first = await asked(world, "status");
    assert(first.length <= 1, first.join());
    await Deno.writeTextFile(join(world.clone("web"), "README.md"), "changed\n");
    const next = await asked(world, "status", "--json");
    assert(next.includes("web") && next.length <= 2, next.join());
    assertStringIncludes((await world.amof(["status"])).stdout, "DIRTY");
  },
});

Deno.test({
  name:
    "a fetch that brings nothing, of an editor or of a sync, leaves standing what is remembered",
  ignore,
  async fn() {
    await using world = await remembered();
    await world.git(world.clone("web"), "fetch", "--quiet");
    await world.git(world.clone("docs"), "fetch", "--quiet");
    const fetched = await asked(world, "status");
    assert(fetched.length <= 1, fetched.join());
    const synced = await asked(world, "sync");
    assert(synced.length <= 1, synced.join());
  },
});

Deno.test({
  name: "another PATH that leads to the same git, as a host's or a script's, leaves it standing",
  ignore,
  async fn() {
    await using world = await remembered();
    const PATH = `${world.directory}:${Deno.env.get("PATH")}:/nowhere`;
    const first = await askedWith(world, { PATH }, "status");
    assert(first.length <= 1, first.join());
    // Another git is asked about everything.
    const other = join(world.directory, "other");
    await Deno.mkdir(other);
    const git = (await new Deno.Command("sh", { args: ["-c", "command -v git"] }).output()).stdout;
    await Deno.copyFile(new TextDecoder().decode(git).trim(), join(other, "git"));
    const next = await askedWith(world, { PATH: `${other}:${PATH}` }, "status");
    assertEquals(next, ["api", "docs", "web"]);
  },
});

Deno.test({
  name: "AMOF_VERDICTS=off and the setting ask git each time, and the answers are the same",
  ignore,
  async fn() {
    await using world = await remembered();
    await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "new\n");
    await rest();
    for (const _ of ["noted", "remembered"]) await world.amof(["status"]);
    const on = await world.amof(["status", "--json"]);
    const off = await world.amof(["status", "--json"], { env: { AMOF_VERDICTS: "off" } });
    assertEquals(JSON.parse(on.stdout).data, JSON.parse(off.stdout).data);
    await world.amof(["config", "set", "verdicts", "off"]);
    assertEquals(await asked(world, "status"), ["api", "docs", "web"]);
  },
});

Deno.test({
  name: "doctor --verdicts asks git about all, and what was damaged is nothing remembered",
  ignore,
  async fn() {
    await using world = await remembered();
    const ran = await world.amof(["doctor", "--verdicts"]);
    assertStringIncludes(ran.stdout, "✓ verdicts: 3 answers compared, all as remembered");
    const books = join(world.directory, "state", "state", "verdicts");
    for await (const { name } of Deno.readDir(books)) {
      if (name.endsWith(".json")) await replace(join(books, name), `{"format"`);
    }
    assertEquals(await asked(world, "status"), ["api", "docs", "web"]);
  },
});

Deno.test({
  name:
    "a memory that says something else than git is told, ended for that clone, and told by doctor",
  ignore,
  async fn() {
    await using world = await remembered();
    const books = join(world.directory, "state", "state", "verdicts");
    for await (const { name } of Deno.readDir(books)) {
      if (!name.endsWith(".json")) continue;
      const text = await Deno.readTextFile(join(books, name));
      const book = JSON.parse(text);
      for (const answer of Object.values<{ text: string }>(book.clones.api.answers)) {
        answer.text = answer.text.replace("# branch.head main", "# branch.head wrong");
      }
      await replace(join(books, name), JSON.stringify(book));
    }
    const wrong = await world.amof(["doctor", "--verdicts"]);
    assertStringIncludes(wrong.stderr, "api: git says something else than was remembered");
    assertStringIncludes(wrong.stdout, "⚠ verdicts: git said something else of api");
    assert(!(await world.amof(["status"])).stdout.includes("wrong"));
    assert((await asked(world, "status")).includes("api"));
    assertStringIncludes((await world.amof(["doctor"])).stdout, "⚠ verdicts");
  },
});
