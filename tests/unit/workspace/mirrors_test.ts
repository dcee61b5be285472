/**
 * Mirrors and what borrows from them: how they are made, kept fresh and protected.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { basename, dirname, fromFileUrl, join } from "@std/path";
import { AmofError } from "../../../src/base/error.ts";
import { sha } from "../../../src/base/ids.ts";
import { openStore } from "../../../src/state/store/open.ts";
import { freshMirror, noMirror } from "../../../src/workspace/mirrors/mod.ts";
import {
  mirrorConfig,
  mirrorDirectory,
  mirrorsDirectory,
} from "../../../src/workspace/mirrors/place.ts";
import { IN_TABLES, World } from "../../support/world.ts";
import {
  commitUpstream,
  repoOf,
  type Setting,
  settingOf,
  worldWithRemote,
} from "../../support/mirrors.ts";
import { Clones } from "../../../src/git/write/mod.ts";

const LAYOUT = { data: "/data" };

const PLACES: readonly (readonly [string, RegExp])[] = [
  ["https://example.com/shop/api.git", /^example\.com\/shop\/api-[0-9a-f]{8}\.git$/],
  ["https://Example.com:8443/shop/api/", /^example\.com\/shop\/api-[0-9a-f]{8}\.git$/],
  ["git@example.com:shop/api.git", /^example\.com\/shop\/api-[0-9a-f]{8}\.git$/],
  ["ssh://git@example.com/shop/api.git", /^example\.com\/shop\/api-[0-9a-f]{8}\.git$/],
  ["file:///srv/git/api.git", /^local\/srv\/git\/api-[0-9a-f]{8}\.git$/],
  ["https://example.com/../../etc/..", /^example\.com\/etc-[0-9a-f]{8}\.git$/],
  ["https://example.com/a b/c%2f..%2fd", /^example\.com\/a-b\/c-2f\.\.-2fd-[0-9a-f]{8}\.git$/],
  ["https://example.com/", /^example\.com\/repository-[0-9a-f]{8}\.git$/],
  // A directory that a mirror is in never has the name of a mirror.
  ["https://example.com/x-12345678.git/y", /^example\.com\/x-12345678-git\/y-[0-9a-f]{8}\.git$/],
  ["https://example.com/1/2/3/4/5/6", /^example\.com\/3\/4\/5\/6-[0-9a-f]{8}\.git$/],
];

for (const [url, expected] of PLACES) {
  Deno.test(`mirrorDirectory() finds a place for ${url}`, () => {
    const place = mirrorDirectory(LAYOUT, url) ?? "";
    assert(place.startsWith("/data/mirrors/"));
    assertMatch(place.slice("/data/mirrors/".length), expected);
  });
}

Deno.test("mirrorDirectory() tells addresses and kinds apart", () => {
  const place = (url: string) => mirrorDirectory(LAYOUT, url);
  assertNotEquals(place("https://example.com/a b"), place("https://example.com/a-b"));
  assertNotEquals(place("https://example.com/1/x/2/3/4"), place("https://example.com/2/x/2/3/4"));
  assertNotEquals(
    place("https://example.com/a"),
    mirrorDirectory(LAYOUT, "https://example.com/a", "blobless"),
  );
});

Deno.test("there is no mirror of an address with credentials, nor of a relative one", () => {
  for (
    const url of [
      "https://me:hunter2@example.com/api.git",
      "https://ghp_0123456789012345678901@example.com/api.git",
      "https://token@example.com/api.git",
      "ssh://git:hunter2@example.com/api.git",
      "https://example.com/api.git?access_token=hunter2",
      "../api.git",
      "api.git",
    ]
  ) assertEquals(mirrorDirectory(LAYOUT, url), null, url);
  assertStringIncludes(
    noMirror({ layout: { data: "/data" } as never }, { clone: "full", url: "https://t@h/x" }) ?? "",
    "credentials",
  );
});

Deno.test("the configuration of a mirror keeps what an address could break it with in quotes", () => {
  const text = mirrorConfig({ url: 'https://h/a"\\b', kind: "full", sha256: false });
  assertStringIncludes(text, 'url = "https://h/a\\"\\\\b"\n');
});

Deno.test("freshMirror() makes a mirror, leaves a fresh one alone, and fetches an old one", async () => {
  await using world = await worldWithRemote();
  let now = 1_000_000;
  const { ctx, calls, lines } = settingOf(world, () => now);
  const repo = repoOf(world);
  const made = await freshMirror(ctx, repo, { fresh: 60 });
  const directory = made?.directory ?? "";
  assertEquals(made, {
    directory: mirrorDirectory(ctx.layout, repo.url) ?? "",
    result: "made",
  });
  assertEquals(calls, ["clone"]);
  assertEquals(
    await Deno.readTextFile(join(directory, "config")),
    mirrorConfig({ url: repo.url, kind: "full", sha256: false }),
  );
  assertEquals(await world.git(directory, "config", "remote.origin.url"), repo.url);
  assertEquals(await world.exists(join(directory, "hooks")), false);
  assertStringIncludes(
    await Deno.readTextFile(join(mirrorsDirectory(ctx.layout), "README.md")),
    "This is no cache",
  );

  const commit = await commitUpstream(world);
  now += 60_000 - 1;
  assertEquals((await freshMirror(ctx, repo, { fresh: 60 }))?.result, "fresh");
  assertEquals((await freshMirror(ctx, repo, { fresh: Infinity }))?.result, "fresh");
  assertEquals(calls, ["clone"]);
  now += 1;
  assertEquals((await freshMirror(ctx, repo, { fresh: 60 }))?.result, "fetched");
  assertEquals(calls, ["clone", "fetch"]);
  assertEquals(await world.git(directory, "rev-parse", "main"), commit);
  assertEquals((await freshMirror(ctx, repo, { fresh: 0 }))?.result, "fetched");
  // A clock that was put back says nothing of when a fetch was.
  now -= 3_600_000;
  assertEquals((await freshMirror(ctx, repo, { fresh: 60 }))?.result, "fetched");
  assertEquals(lines.filter((line) => !line.startsWith("debug")), []);
});

Deno.test("freshMirror() takes from a clone what the remote has given it, and nothing else", async () => {
  await using world = await worldWithRemote();
  const { ctx, calls } = settingOf(world);
  const repo = repoOf(world);
  const base = join(world.directory, "base");
  await world.git(world.directory, "clone", "--quiet", repo.url, base);
  await Deno.writeTextFile(join(base, "secret.txt"), "mine\n");
  await world.git(base, "checkout", "--quiet", "-b", "private");
  await world.git(base, "add", "--all");
  await world.git(base, "commit", "--quiet", "-m", "Mine");
  await world.git(base, "tag", "private-tag");
  const own = await world.git(base, "rev-parse", "HEAD");
  await world.git(join(world.remotes, "api.git"), "tag", "v1", "main");
  const made = await freshMirror(ctx, repo, { fresh: 60, from: base });
  assertEquals(made?.result, "made");
  // Which branch the clone takes for the remote's HEAD is read from a file, or asked where it is in tables.
  assertEquals(calls, ["config", ...IN_TABLES ? ["rev-parse"] : [], "fetch", "fetch"]);
  const directory = made?.directory ?? "";
  assertEquals(
    await world.git(directory, "for-each-ref", "--format=%(refname)"),
    "refs/heads/main\nrefs/tags/v1",
  );
  assertEquals(await world.git(directory, "symbolic-ref", "HEAD"), "refs/heads/main");
  await assertRejects(() => world.git(directory, "cat-file", "-e", own));
  assertEquals(
    await Deno.readTextFile(join(directory, "config")),
    mirrorConfig({ url: repo.url, kind: "full", sha256: false }),
  );
});

Deno.test("freshMirror() makes a mirror of a clone without network only where none is wanted", async () => {
  await using world = await worldWithRemote();
  const { ctx } = settingOf(world);
  const repo = repoOf(world);
  const base = join(world.directory, "base");
  await world.git(world.directory, "clone", "--quiet", repo.url, base);
  await Deno.rename(join(world.remotes, "api.git"), join(world.remotes, "away.git"));
  await assertRejects(() => freshMirror(ctx, repo, { fresh: 60, from: base }), AmofError);
  const place = mirrorDirectory(ctx.layout, repo.url) ?? "";
  assertEquals(await world.exists(place), false);
  const made = await freshMirror(ctx, repo, { fresh: Infinity, from: base });
  assertEquals(made?.result, "made");
  await Deno.rename(join(world.remotes, "away.git"), join(world.remotes, "api.git"));
  assertEquals((await freshMirror(ctx, repo, { fresh: 60 }))?.result, "fetched");
});

for (
  const [what, options, settings] of [
    ["shallow", ["--depth=1"], []],
    ["blobless", ["--filter=blob:none"], []],
    ["of another remote", [], ["remote.origin.url", "file:///elsewhere"]],
    ["damaged", [], null],
  ] as const
) {
  Deno.test(`freshMirror() asks the remote where the clone is ${what}`, async () => {
    await using world = await worldWithRemote();
    await commitUpstream(world);
    await world.git(
      join(world.remotes, "api.git"),
      "config",
      "uploadpack.allowFilter",
      "true",
    );
    const { ctx, calls } = settingOf(world);
    const repo = repoOf(world);
    const base = join(world.directory, "base");
    await world.git(world.directory, "clone", "--quiet", ...options, repo.url, base);
    if (settings === null) await Deno.remove(join(base, ".git", "objects"), { recursive: true });
    else if (settings.length > 0) await world.git(base, "config", ...settings);
    const made = await freshMirror(ctx, repo, { fresh: 60, from: base });
    assertEquals(made?.result, "made");
    assert(calls.includes("clone"), calls.join(" "));
    await world.git(made?.directory ?? "", "fsck", "--full", "--strict");
    assertEquals(await world.git(made?.directory ?? "", "rev-list", "--count", "main"), "2");
  });
}

Deno.test("freshMirror() makes none of a remote whose own history is cut off", async () => {
  await using world = await worldWithRemote();
  await commitUpstream(world);
  const cut = join(world.remotes, "cut.git");
  await world.git(
    world.directory,
    "clone",
    "--quiet",
    "--bare",
    "--depth=1",
    world.url("api"),
    cut,
  );
  const { ctx } = settingOf(world);
  const repo = repoOf(world, "cut");
  assertEquals(await freshMirror(ctx, repo, { fresh: 60 }), null);
  const place = mirrorDirectory(ctx.layout, repo.url) ?? "";
  assertEquals(
    (await Array.fromAsync(Deno.readDir(dirname(place)))).map(({ name }) => name),
    [`${basename(place)}.lock`],
  );
});

Deno.test("freshMirror() gives a mirror its configuration again, and removes what was cut off", async () => {
  await using world = await worldWithRemote();
  const { ctx, lines } = settingOf(world);
  const repo = repoOf(world);
  const place = mirrorDirectory(ctx.layout, repo.url) ?? "";
  const left = join(dirname(place), `.${basename(place)}.amof-01234567`);
  await Deno.mkdir(join(left, "objects"), { recursive: true });
  await freshMirror(ctx, repo, { fresh: 60 });
  assertEquals(await world.exists(left), false);
  const config = join(place, "config");
  const whole = await Deno.readTextFile(config);
  await world.git(place, "config", "extensions.preciousObjects", "false");
  await world.git(place, "config", "core.sshCommand", "touch /tmp/never");
  assertEquals((await freshMirror(ctx, repo, { fresh: 60 }))?.result, "fresh");
  assertEquals(await Deno.readTextFile(config), whole);
  assert(lines.some((line) => line.startsWith("warn api: the configuration of its mirror")));
});

Deno.test("a damaged mirror is made anew, and set aside, where nobody borrows from it", async () => {
  await using world = await worldWithRemote();
  const { ctx, lines } = settingOf(world);
  const repo = repoOf(world);
  const place = (await freshMirror(ctx, repo, { fresh: 60 }))?.directory ?? "";
  await Deno.remove(join(place, "objects"), { recursive: true });
  const store = openStore(ctx.layout.database);
  const borrower = {
    mirror: place,
    directory: "/elsewhere",
    root: world.control,
    ecosystem: "demo",
    ticket: "P-1",
  };
  store.borrowers.add(borrower);
  const error = await assertRejects(() => freshMirror(ctx, repo, { fresh: 60 }), AmofError);
  assertEquals(error.code, "mirror_missing");
  store.borrowers.remove("/elsewhere");
  store.close();
  assertEquals((await freshMirror(ctx, repo, { fresh: 60 }))?.result, "made");
  await world.git(place, "fsck", "--full");
  const [, aside = ""] = /the old one is (\S+)/.exec(lines.join("\n")) ?? [];
  assert(await world.exists(join(dirname(place), aside, "HEAD")));
});

Deno.test("a remote that cannot be reached says nothing against its mirror", async () => {
  await using world = await worldWithRemote();
  const { ctx } = settingOf(world);
  const repo = repoOf(world);
  const place = (await freshMirror(ctx, repo, { fresh: 60 }))?.directory ?? "";
  await Deno.rename(join(world.remotes, "api.git"), join(world.remotes, "away.git"));
  await assertRejects(() => freshMirror(ctx, repo, { fresh: 0 }), AmofError);
  await world.git(place, "fsck", "--full");
});

/** The ways in which processes that all want a mirror find it. */
const TOGETHER: readonly (readonly [string, "made" | "fetched", boolean])[] = [
  ["make one mirror", "made", false],
  ["make one transfer", "fetched", true],
];

for (const [what, result, before] of TOGETHER) {
  Deno.test(`several processes at once ${what}`, async () => {
    await using world = await worldWithRemote();
    const repo = repoOf(world);
    // Made long ago, as far as its clock can tell.
    if (before) await freshMirror(settingOf(world, () => 1_000).ctx, repo, { fresh: 60 });
    const child = fromFileUrl(new URL("_mirror_child.ts", import.meta.url));
    const task = JSON.stringify({ env: world.env, repo, fresh: 60 });
    const ran = await Promise.all(
      [1, 2, 3].map(() =>
        world.command(Deno.execPath(), ["run", "--quiet", "--no-check", "--allow-all", child, task])
      ),
    );
    assertEquals(
      ran.map(({ stdout, stderr }) => `${stdout}${stderr}`).sort(),
      [result, "fresh", "fresh"].sort(),
    );
  });
}

/** Borrows the mirror of a repository. */
async function borrowed(
  world: World,
  { ctx, calls }: Setting,
  { name = "ticket", track = false }: { readonly name?: string; readonly track?: boolean } = {},
): Promise<{ readonly mirror: string; readonly directory: string }> {
  const repo = repoOf(world);
  const mirror = (await freshMirror(ctx, repo, { fresh: 0 }))?.directory ?? "";
  const directory = join(world.directory, name);
  const tip = sha(await world.git(mirror, "rev-parse", "main"));
  calls.length = 0;
  await ctx.git.at(world.directory, repo.name).part(Clones).borrow({
    mirror,
    directory,
    url: repo.url,
    base: "main",
    branch: "feature/P-1",
    start: tip,
    track,
  });
  return { mirror, directory };
}

Deno.test("Git.part(Clones).borrow() makes a clone in three processes that has no objects of its own", async () => {
  await using world = await worldWithRemote();
  const setting = settingOf(world);
  const { mirror, directory } = await borrowed(world, setting);
  assertEquals(setting.calls, ["clone", "remote", "switch"]);
  const git = (...args: string[]) => world.git(directory, ...args);
  assertEquals(await git("count-objects"), "0 objects, 0 kilobytes");
  assertEquals(
    await Deno.readTextFile(join(directory, ".git/objects/info/alternates")),
    `${mirror}/objects\n`,
  );
  assertEquals(await git("remote", "get-url", "origin"), world.url("api"));
  assertEquals(await git("status", "--porcelain", "--branch"), "## feature/P-1");
  assertEquals(await git("rev-parse", "--abbrev-ref", "main@{upstream}"), "origin/main");
  assertEquals(await Deno.readTextFile(join(directory, "README.md")), "# api\n");
});

Deno.test("Git.part(Clones).borrow() follows a branch that the remote has, and one that is the base", async () => {
  await using world = await worldWithRemote();
  const there = await commitUpstream(world, "feature/P-1");
  const setting = settingOf(world);
  const { directory, mirror } = await borrowed(world, setting, { track: true });
  const git = (...args: string[]) => world.git(directory, ...args);
  assertEquals(await git("rev-parse", "HEAD"), there);
  assertEquals(
    await git("status", "--porcelain", "--branch"),
    "## feature/P-1...origin/feature/P-1",
  );
  const context = join(world.directory, "context");
  await setting.ctx.git.at(world.directory, "api").part(Clones).borrow({
    mirror,
    directory: context,
    url: world.url("api"),
    base: "main",
    branch: "main",
    start: null,
    track: true,
  });
  assertEquals(
    await world.git(context, "status", "--porcelain", "--branch"),
    "## main...origin/main",
  );
});

Deno.test("Git.part(Clones).borrow() says that a branch is missing, and makes an empty clone of an empty remote", async () => {
  await using world = await worldWithRemote();
  const { ctx } = settingOf(world);
  const clones = ctx.git.at(world.directory, "api").part(Clones);
  const mirror = (await freshMirror(ctx, repoOf(world), { fresh: 60 }))?.directory ?? "";
  const wanted = { mirror, url: world.url("api"), branch: "topic", start: null, track: false };
  const missing = await assertRejects(
    () => clones.borrow({ ...wanted, directory: join(world.directory, "a"), base: "develop" }),
    AmofError,
  );
  assertEquals(missing.details["kind"], "not_found");
  await world.git(world.remotes, "init", "--quiet", "--bare", "--initial-branch=main", "none.git");
  const none = await freshMirror(ctx, repoOf(world, "none"), { fresh: 60 });
  const directory = join(world.directory, "b");
  await clones.borrow({ ...wanted, mirror: none?.directory ?? "", directory, base: null });
  assertEquals(await world.git(directory, "symbolic-ref", "HEAD"), "refs/heads/topic");
});

Deno.test("mirrors and what borrows from them keep SHA-256", async () => {
  await using world = await World.make();
  const remote = join(world.remotes, "new.git");
  const seed = join(world.directory, "seed");
  await world.git(world.directory, "init", "--quiet", "--object-format=sha256", "-b", "main", seed);
  await world.git(seed, "commit", "--quiet", "--allow-empty", "-m", "Begin");
  await world.git(world.directory, "clone", "--quiet", "--bare", seed, remote);
  await world.git(world.directory, "clone", "--quiet", world.url("new"), "base");
  const { ctx } = settingOf(world);
  const repo = repoOf(world, "new");
  const start = sha(await world.git(seed, "rev-parse", "HEAD"));
  for (const from of [null, join(world.directory, "base")]) {
    const mirror = (await freshMirror(ctx, repo, { fresh: 60, from }))?.directory ?? "";
    const directory = join(world.directory, from === null ? "a" : "b");
    await ctx.git.at(world.directory, "new").part(Clones).borrow({
      mirror,
      directory,
      url: repo.url,
      base: "main",
      branch: "topic",
      start,
      track: false,
    });
    assertEquals(await world.git(directory, "rev-parse", "HEAD"), start);
    await world.git(mirror, "fsck", "--full");
    await Deno.remove(mirror, { recursive: true });
  }
});

Deno.test("nothing that git tidies up in a mirror takes away what somebody borrows", async () => {
  await using world = await worldWithRemote();
  const setting = settingOf(world);
  const dropped = await commitUpstream(world, "main", "dropped");
  const { mirror, directory } = await borrowed(world, setting);
  // Upstream forgets the commit that the ticket began at, and another branch goes altogether.
  const seed = join(world.directory, "seed", "api");
  await world.git(seed, "reset", "--quiet", "--hard", "HEAD~1");
  await commitUpstream(world, "main", "instead");
  await freshMirror(setting.ctx, repoOf(world), { fresh: 0 });
  assertEquals(await world.git(mirror, "branch", "--contains", dropped), "");
  for (
    const args of [
      ["gc"],
      ["gc", "--prune=now"],
      ["gc", "--aggressive", "--prune=now"],
      ["prune", "--expire=now"],
      ["repack", "-a", "-d"],
      ["reflog", "expire", "--expire=now", "--all"],
      ["maintenance", "run", "--task=gc"],
    ]
  ) await world.command("git", args, { cwd: mirror });
  await world.git(directory, "fsck", "--full");
  assertEquals(await world.git(directory, "rev-parse", "HEAD"), dropped);
  await world.git(directory, "checkout", "--quiet", "--force", "HEAD");
  assertEquals(await Deno.readTextFile(join(directory, "dropped.txt")), "dropped\n");
});

Deno.test("a mirror is used where git is told to refuse bare repositories", async () => {
  await using world = await worldWithRemote();
  const config = join(world.directory, "gitconfig");
  await Deno.writeTextFile(config, "[safe]\n\tbareRepository = explicit\n");
  world.env["GIT_CONFIG_GLOBAL"] = config;
  const setting = settingOf(world);
  await freshMirror(setting.ctx, repoOf(world), { fresh: 0 });
  assertEquals((await freshMirror(setting.ctx, repoOf(world), { fresh: 0 }))?.result, "fetched");
});
