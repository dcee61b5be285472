/**
 * `amof mirror list`, `fetch` and `prune`, from outside.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { basename, dirname, join } from "@std/path";
import { sha } from "../../src/base/ids.ts";
import { openStore } from "../../src/state/store/open.ts";
import { freshMirror } from "../../src/workspace/mirrors/mod.ts";
import { commitUpstream, repoOf, settingOf } from "../support/mirrors.ts";
import { World } from "../support/world.ts";
import { Clones } from "../../src/git/write/mod.ts";

/** The mirrors of `api`, from which a clone of P-1 borrows, and of `web`, from which nobody does. */
async function lent(): Promise<
  { readonly world: World; readonly api: string; readonly web: string; readonly clone: string }
> {
  const world = await World.like("two mirrors, one lent", async (world) => {
    await world.makeControl();
    for (const name of ["api", "web"]) {
      await world.addRemote(name);
      await freshMirror(settingOf(world).ctx, repoOf(world, name), { fresh: 60 });
    }
  });
  const { ctx } = settingOf(world);
  const [api = "", web = ""] = await Promise.all(
    ["api", "web"].map(async (name) =>
      (await freshMirror(ctx, repoOf(world, name), { fresh: Infinity }))?.directory
    ),
  );
  const clone = join(world.control, "worktrees", "demo@P-1", "repos", "api");
  await Deno.mkdir(dirname(clone), { recursive: true });
  await ctx.git.at(world.directory, "api").part(Clones).borrow({
    mirror: api,
    directory: clone,
    url: world.url("api"),
    base: "main",
    branch: "feature/P-1",
    start: sha(await world.git(api, "rev-parse", "main")),
    track: false,
  });
  note(world, api, clone);
  return { world, api, web, clone };
}

/** Writes a borrower down. */
function note(world: World, mirror: string, directory: string, root = world.control): void {
  const store = openStore(settingOf(world).ctx.layout.database);
  store.borrowers.add({ mirror, directory, root, ecosystem: "demo", ticket: "P-1" });
  store.close();
}

interface Listed {
  readonly mirrors: readonly {
    readonly name: string;
    readonly url: string;
    readonly state: string;
    readonly bytes: number;
    readonly fetched_at: string | null;
    readonly borrowers: readonly { readonly directory: string; readonly state: string }[];
  }[];
}

/** What `mirror list` answers, as data. */
async function listed(world: World): Promise<Listed["mirrors"]> {
  const ran = await world.amof(["mirror", "list", "--json"]);
  assertEquals(ran.code, 0, ran.stderr);
  return (ran.json() as unknown as Listed).mirrors;
}

Deno.test("amof mirror list tells who borrows, who is gone, and who cannot be reached", async () => {
  const { world, api, web, clone } = await lent();
  await using _ = world;
  const gone = join(world.control, "worktrees", "demo@P-2", "repos", "api");
  const away = join(world.directory, "elsewhere", "repos", "api");
  note(world, api, gone);
  note(world, api, away, join(world.directory, "elsewhere"));
  const found = await listed(world);
  assertEquals(found.map(({ url, state }) => [url, state]), [
    [world.url("api"), "whole"],
    [world.url("web"), "whole"],
  ]);
  assertEquals(
    Object.fromEntries(found[0]?.borrowers.map(({ directory, state }) => [directory, state]) ?? []),
    { [clone]: "living", [gone]: "gone", [away]: "away" },
  );
  assert((found[0]?.bytes ?? 0) > 0);
  assertMatch(found[0]?.fetched_at ?? "", /^\d{4}-/);
  const shown = await world.amof(["mirror", "list"]);
  assertStringIncludes(shown.stdout, "1 clone of P-1, 1 not reachable, 1 gone");
  assertStringIncludes(shown.stdout, "Found 2 mirrors, ");

  // One that is independent borrows no more; one whose mirror is gone is told of.
  await Deno.remove(join(clone, ".git/objects/info/alternates"));
  assertEquals(
    (await listed(world))[0]?.borrowers.find(({ directory }) => directory === clone)?.state,
    "gone",
  );
  await Deno.remove(web, { recursive: true });
  await Deno.remove(api, { recursive: true });
  assertEquals((await listed(world)).map(({ state }) => state), ["missing"]);
});

Deno.test("amof mirror fetch fetches all or some, goes on after a failure, and says what failed", async () => {
  const { world, api } = await lent();
  await using _ = world;
  const commit = await commitUpstream(world);
  const fresh = await world.amof(["mirror", "fetch", "--fresh", "3600", "--json"]);
  assertEquals(fresh.code, 0, fresh.stderr);
  assertEquals(
    (fresh.json() as unknown as { mirrors: { result: string }[] }).mirrors.map(({ result }) =>
      result
    ),
    ["fresh", "fresh"],
  );
  const one = await world.amof(["mirror", "fetch", "api"]);
  assertEquals(one.code, 0, one.stderr);
  assertStringIncludes(one.stdout, "Fetched 1 mirror.");
  assertEquals(await world.git(api, "rev-parse", "main"), commit);
  await Deno.rename(join(world.remotes, "web.git"), join(world.remotes, "away.git"));
  const some = await world.amof(["mirror", "fetch", "--json"]);
  assertEquals(some.code, 5);
  assertEquals(
    (some.json() as unknown as { mirrors: { result: string }[] }).mirrors.map(({ result }) =>
      result
    ),
    ["fetched", "failed"],
  );
  const wrong = await world.amof(["mirror", "fetch", "apo"]);
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, 'did you mean "api"?');
});

Deno.test("amof mirror prune removes what nobody borrows from, after consent, and nothing else", async () => {
  const { world, api, web, clone } = await lent();
  await using _ = world;
  const left = join(dirname(web), `.${basename(web)}.amof-01234567`);
  const damaged = join(dirname(web), `.${basename(web)}.amof-damaged-01234567`);
  for (const place of [left, damaged]) await Deno.mkdir(place);
  const away = join(world.directory, "elsewhere", "repos", "api");
  note(world, web, away, join(world.directory, "elsewhere"));
  const refused = await world.amof(["mirror", "prune", "--no-input"]);
  assertEquals(refused.code, 4);
  assert(await world.exists(left));
  const first = await world.amof(["mirror", "prune", "--yes"]);
  assertEquals(first.code, 0, first.stderr);
  // A borrower on a disk that may come back keeps its mirror, and what was set aside of it.
  assertEquals(
    await Promise.all([left, web, damaged].map((place) => world.exists(place))),
    [false, true, true],
  );
  const store = openStore(settingOf(world).ctx.layout.database);
  store.borrowers.remove(away);
  store.close();
  const second = await world.amof(["mirror", "prune", "--yes"]);
  assertEquals(second.code, 0, second.stderr);
  assertStringIncludes(second.stdout, "Removed 2 mirrors and packed 0");
  assertEquals(
    await Promise.all([api, web, damaged].map((place) => world.exists(place))),
    [true, false, false],
  );
  await world.git(clone, "fsck", "--full");
  const third = await world.amof(["mirror", "prune"]);
  assertEquals(third.code, 0, third.stderr);
  assertStringIncludes(third.stdout, "There is nothing to prune.");
});

/** Makes the objects of a mirror lie in many packs, of which upstream has dropped some; answers the dropped commits. */
async function scatter(world: World): Promise<string[]> {
  const { ctx } = settingOf(world);
  const dropped: string[] = [];
  const seed = join(world.directory, "seed", "api");
  for (const text of ["one", "two", "three", "four", "five", "six"]) {
    dropped.push(await commitUpstream(world, "main", text));
    await freshMirror(ctx, repoOf(world), { fresh: 0 });
    await world.git(seed, "reset", "--quiet", "--hard", "HEAD~1");
  }
  return dropped;
}

/** A mirror whose fetches leave packs, as those of large repositories do. */
async function packs(mirror: string): Promise<number> {
  const entries = await Array.fromAsync(Deno.readDir(join(mirror, "objects", "pack")));
  return entries.filter(({ name }) => name.endsWith(".pack")).length;
}

Deno.test({
  name: "amof mirror prune packs a mirror and keeps every object, also when it is killed",
  ignore: Deno.build.os === "windows", // a wrapped git
  async fn() {
    const { world, api, clone } = await lent();
    await using _ = world;
    world.env["GIT_CONFIG_GLOBAL"] = join(world.directory, "gitconfig");
    await world.write("gitconfig", "[fetch]\n\tunpackLimit = 1\n");
    const dropped = await scatter(world);
    assert(await packs(api) >= 6, String(await packs(api)));
    const config = await Deno.readTextFile(join(api, "config"));

    const env = await world.wrapGit(
      'case " $* " in *" repack "*) kill -9 $PPID; sleep 0.1; exit 1 ;; esac',
    );
    const killed = await world.amof(["mirror", "prune", "--yes"], { env });
    assert(killed.code !== 0);
    assertEquals(await Deno.readTextFile(join(api, "config")), config);
    const beside = async () =>
      (await Array.fromAsync(Deno.readDir(dirname(api)))).map(({ name }) => name)
        .filter((name) => name.startsWith(`.${basename(api)}`));
    assertEquals((await beside()).length, 1, killed.stderr);

    const ran = await world.amof(["mirror", "prune", "--yes"]);
    assertEquals(ran.code, 0, ran.stderr);
    assertEquals(await beside(), []);
    assertEquals(await packs(api), 1);
    assertEquals(await Deno.readTextFile(join(api, "config")), config);
    for (const commit of dropped) await world.git(api, "cat-file", "-e", `${commit}^{tree}`);
    await world.git(api, "fsck", "--full");
    await world.git(clone, "fsck", "--full");
  },
});

Deno.test({
  name: "a mirror that is pruned while a ticket begins is made again, and one in use stays",
  ignore: Deno.build.os === "windows", // a wrapped git
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    await world.amof(["ticket", "start", "T-1", "--workspace"]);
    await world.amof(["ticket", "end", "T-1", "--yes"]);
    const mirrors = (await listed(world)).length;
    assertEquals(mirrors, 2);
    // The clone of `api` is made first: meanwhile nobody borrows from the mirror of `web` yet.
    const prune = join(world.directory, "prune");
    const log = join(world.directory, "pruned");
    const env = await world.wrapGit(
      `case " $* " in *" clone "*" --shared "*api*) '${prune}' >> '${log}' 2>&1 ;; esac`,
    );
    const directory = (await listed(world)).map(({ url }) => url).find((url) =>
      url?.includes("web")
    );
    assert(directory !== undefined);
    await world.script(
      "prune",
      `find "$AMOF_HOME/share/mirrors" -maxdepth 3 -name 'web-*.git' -exec rm -rf {} + && echo gone`,
    );
    const ran = await world.amof(["ticket", "start", "T-2", "--workspace", "--jobs", "1"], { env });
    assertEquals(ran.code, 0, ran.stderr);
    assertStringIncludes(await Deno.readTextFile(log), "gone");
    const kept = await world.amof(["mirror", "prune", "--yes", "--json"]);
    assertEquals([kept.code, (await listed(world)).length], [0, 2]);
    for (const repo of ["api", "web"]) {
      const clone = join(`${world.workspace()}@T-2`, "repos", repo);
      await world.git(clone, "fsck", "--connectivity-only");
    }
  },
});

Deno.test("a mirror is borrowed from as soon as a clone is in the making, and before its ticket is there", async () => {
  const { world, api, clone } = await lent();
  await using _ = world;
  const ticket = dirname(dirname(clone));
  await Deno.rename(ticket, join(dirname(ticket), `.${basename(ticket)}.amof-new-0123abcd`));
  const pruned = await world.amof(["mirror", "prune", "--yes", "--json"]);
  assertEquals(pruned.code, 0, pruned.stdout);
  assert(await world.exists(api), "the mirror of a clone that is being made is gone");
  const found = (await listed(world)).flatMap(({ borrowers }) => borrowers);
  assertEquals(found.map(({ state }) => state), ["living"]);
});

Deno.test("a mirror knows who borrows from it also when the state of amof is deleted", async () => {
  await using world = await World.make();
  await world.makeControl();
  await world.addEcosystem("demo", { repos: ["api"] });
  const started = await world.amof(["ticket", "start", "P-1", "--workspace", "--yes"]);
  assertEquals(started.code, 0, started.stderr);
  const clone = join(world.control, "worktrees", "demo@P-1", "repos", "api");
  const { layout } = settingOf(world).ctx;
  await Deno.remove(layout.state, { recursive: true });
  const [mirror] = await listed(world);
  assertEquals(mirror?.borrowers.map(({ directory, state }) => [directory, state]), [
    [clone, "living"],
  ]);
  const kept = await world.amof(["mirror", "prune", "--yes"]);
  assertEquals(kept.code, 0, kept.stderr);
  assertStringIncludes(kept.stdout, "There is nothing to prune.");
  await world.git(clone, "fsck", "--full");

  // Made anew, it has them again.
  const place = join(layout.data, "mirrors", `${mirror?.name}.git`);
  await Deno.remove(join(place, "HEAD"));
  const refused = await world.amof(["ticket", "start", "P-2", "--workspace", "--yes"]);
  assert(refused.code !== 0, refused.stdout);
  const repaired = await world.amof(["doctor", "--repair", "--yes"]);
  assertEquals(repaired.code, 0, repaired.stdout + repaired.stderr);
  await Deno.remove(layout.state, { recursive: true });
  const again = await world.amof(["mirror", "prune", "--yes"]);
  assertStringIncludes(again.stdout, "There is nothing to prune.");

  // A clone that is gone needs nothing, and nobody tells of it.
  await Deno.remove(dirname(dirname(clone)), { recursive: true });
  const [idle] = await listed(world);
  assertEquals(idle?.borrowers, []);
  const pruned = await world.amof(["mirror", "prune", "--yes"]);
  assertEquals(pruned.code, 0, pruned.stderr);
  assert(!await world.exists(place));
});
