/**
 * The same work under the git settings that people have: what is promised does not depend on them.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { THOROUGHLY } from "../support/sample.ts";
import { World } from "../support/world.ts";
import { CHANGELOG, giveRemote } from "../support/release_world.ts";

/** Hooks and signing programs are shell scripts. */
const POSIX = Deno.build.os !== "windows";

/** Runs git as somebody who has no settings; answers its output without the last newline. */
async function plainGit(world: World, cwd: string, ...args: string[]): Promise<string> {
  const ran = await world.command("git", args, { cwd, env: { GIT_CONFIG_GLOBAL: "/dev/null" } });
  assertEquals(ran.code, 0, ran.stderr);
  return ran.stdout.replace(/\n$/, "");
}

/** Every ref with what it follows, its subject and, unless times and places are in it, its tree. */
async function refsOf(world: World, directory: string, trees = true): Promise<string[]> {
  const format = `%(refname) %(upstream) ${trees ? "%(tree)%(*tree) " : ""}%(contents:subject)`;
  const said = await plainGit(world, directory, "for-each-ref", `--format=${format}`);
  // What is kept for undo is called by the run.
  return said.split("\n").filter((line) => !line.startsWith("refs/amof/keep/"));
}

/** A clone of somebody else, who has no settings at all. */
async function elsewhere(
  world: World,
  repo: string,
  branch: string,
  file: string,
): Promise<void> {
  const git = (cwd: string, ...args: string[]) => plainGit(world, cwd, ...args);
  const other = join(world.directory, `other-${repo}-${file}`);
  await git(world.directory, "clone", "--quiet", world.url(repo), other);
  await git(other, "switch", "--quiet", "-C", branch);
  await Deno.writeTextFile(join(other, file), "theirs\n");
  await git(other, "add", "--all");
  await git(other, "commit", "--quiet", "-m", `Grüße zu ${file}`);
  await git(other, "push", "--quiet", "origin", branch);
}

interface Trace {
  readonly steps: string[];
  readonly refs: Record<string, string[]>;
}

/** A world with two repositories and a control repository that can be released. */
function prepare(): Promise<World> {
  return World.like("prepared", makePrepared);
}

async function makePrepared(world: World): Promise<void> {
  await world.makeControl();
  await world.addEcosystem("demo", { repos: ["api", "web"] });
  await world.write("control/VERSION", "0.1.0\n");
  await world.write("control/CHANGELOG.md", CHANGELOG);
  await world.git(world.control, "add", ".");
  await world.git(world.control, "commit", "--quiet", "-m", "Prepare");
  await giveRemote(world, world.control, "control");
  await elsewhere(world, "web", "release-tools", "tools.txt");
}

/** Goes through the main scenarios and writes down what came of them. */
async function story(world: World): Promise<Trace> {
  const steps: string[] = [];
  const amof = async (...args: string[]): Promise<Record<string, unknown>> => {
    const ran = await world.amof([...args, "--json"]);
    const json = ran.json();
    const problem = ran.code === 0 ? "" : `: ${pick(json, "error")} ${pick(json, "message")}`;
    steps.push(`${args.join(" ")} → ${ran.code}${problem}`);
    return json;
  };
  const states = async (): Promise<void> => {
    const answer = await amof("status");
    const repos = rows(answer, "repos").map(({ last_push: _, fetched_at: _when, ...rest }) => rest);
    steps.push(JSON.stringify(repos));
  };
  await amof("release", "init", "0.1.0", "--yes");
  await amof("install", "--yes");
  const api = world.clone("api");
  const git = (...args: string[]) => plainGit(world, api, ...args);
  await git("tag", "mine");
  await git("branch", "local-work");
  await elsewhere(world, "api", "main", "news.txt");
  await amof("sync");
  await states();
  await amof("ticket", "start", "T-1");
  await Deno.writeTextFile(join(api, "neu ä.txt"), "new\n");
  await Deno.writeTextFile(join(api, "README.md"), "# changed\n");
  await states();
  await amof("push", "--commit", "-m", "Änderungen für alle", "--yes");
  await Deno.writeTextFile(join(api, "more.txt"), "more\n");
  await amof("ticket", "switch", "main", "--stash");
  await amof("ticket", "switch", "T-1");
  steps.push(await Deno.readTextFile(join(api, "more.txt")));
  await git("add", "more.txt");
  await git("commit", "--quiet", "-m", "More");
  await amof("push", "--yes");
  await amof("ticket", "end", "T-1");
  await amof("release", "minor", "--alpha", "--yes");
  const seen: Record<string, string[]> = { api: await refsOf(world, api) };
  await amof("archive", "-m", "Later", "--yes");
  await amof("archive", "restore", "--yes");
  await states();
  for (const repo of ["api", "web"]) {
    seen[`${repo} restored`] = await refsOf(world, world.clone(repo));
    seen[`${repo} there`] = await refsOf(world, join(world.remotes, `${repo}.git`));
  }
  seen["control"] = await refsOf(world, world.control, false);
  seen["control there"] = await refsOf(world, join(world.remotes, "control.git"), false);
  seen["released"] = (await plainGit(world, world.control, "ls-tree", "-r", "--name-only", "HEAD"))
    .split("\n");
  return { steps, refs: seen };
}

/** Runs the story with settings of git. */
async function under(settings: string): Promise<Trace> {
  await using world = await prepare();
  if (settings !== "") await configure(world, settings);
  return await story(world);
}

/** Gives the world a global configuration; `DIR` stands for its directory. */
async function configure(world: World, settings: string): Promise<void> {
  await world.write("home/.gitconfig", settings.replaceAll("DIR", world.directory));
  world.env["GIT_CONFIG_GLOBAL"] = join(world.directory, "home/.gitconfig");
}

const SETTINGS: Readonly<Record<string, string>> = {
  "pruning everything": "[fetch]\nprune = true\npruneTags = true\n",
  "pruning everything of origin":
    '[remote "origin"]\nprune = true\npruneTags = true\nfetch = +refs/tags/*:refs/tags/*\n',
  "pull and rebase": "[pull]\nrebase = true\n[rebase]\nautoStash = true\nautoSquash = true\n" +
    "updateRefs = true\n[merge]\nautoStash = true\n[branch]\nautoSetupRebase = always\n",
  "merge only forward": "[merge]\nff = only\n[pull]\nff = only\n",
  "never forward": "[merge]\nff = false\nlog = true\nstat = true\n[pull]\nff = false\n",
  "push nothing": "[push]\ndefault = nothing\n[remote]\npushDefault = nowhere\n",
  "push all": "[push]\ndefault = matching\nfollowTags = true\nautoSetupRemote = true\n" +
    "useForceIfIncludes = true\nrecurseSubmodules = on-demand\n",
  "line endings": "[core]\nautocrlf = input\nsafecrlf = warn\n",
  "a status that hides": "[status]\nshowUntrackedFiles = no\nrelativePaths = true\n" +
    "aheadBehind = false\nsubmoduleSummary = true\nrenames = copies\nshort = true\n" +
    "[diff]\nignoreSubmodules = all\n[core]\nignoreStat = true\n",
  "colours": "[color]\nui = always\nadvice = always\npush = always\nremote = always\n" +
    "transport = always\nstatus = always\nbranch = always\ndiff = always\n[column]\nui = always\n",
  "another first branch": "[init]\ndefaultBranch = trunk\n[clone]\ndefaultRemoteName = upstream\n" +
    "[checkout]\ndefaultRemote = upstream\nguess = false\n[worktree]\nguessRemote = true\n",
  "diff by others": "[diff]\nexternal = false\nnoprefix = true\nrenames = copies\n" +
    "mnemonicPrefix = true\nalgorithm = patience\n[pager]\nlog = false\nstatus = false\n" +
    "[core]\npager = false\neditor = false\n",
  "submodules everywhere": "[submodule]\nrecurse = true\npropagateBranches = true\n" +
    "[fetch]\nrecurseSubmodules = true\n",
  "addresses": '[url "file://DIR/remotes/"]\ninsteadOf = short:\n' +
    '[url "file://DIR/remotes/"]\npushInsteadOf = file://DIR/remotes/\n',
  "aliases": '[alias]\nstatus = "!false"\nfetch = "!false"\npush = push --force --all\n' +
    "switch = checkout -f\nci = commit\nclone = clone --depth 1\n",
  "logs": "[log]\nshowSignature = true\ndate = relative\ndecorate = full\nfollow = true\n" +
    "mailmap = false\nabbrevCommit = true\n[format]\npretty = oneline\nnotes = true\n" +
    "[core]\nabbrev = 4\nquotePath = true\n[notes]\ndisplayRef = *\n[grep]\npatternType = fixed\n",
  "encodings": "[i18n]\ncommitEncoding = ISO-8859-1\nlogOutputEncoding = ISO-8859-1\n",
  // Since 2.40 manyFiles leaves out the hash by which a split index finds its other part: git itself reads it as empty.
  "speed": "[feature]\nmanyFiles = true\n[index]\nskipHash = false\nversion = 4\nthreads = true\n" +
    "[core]\nuntrackedCache = true\nfsmonitor = true\npreloadIndex = true\nsplitIndex = true\n" +
    "commitGraph = true\n[fetch]\nwriteCommitGraph = true\nparallel = 0\n[gc]\nauto = 1\n",
  "caution": "[safe]\nbareRepository = explicit\n[transfer]\nfsckObjects = true\n" +
    "[fetch]\nfsckObjects = true\n[receive]\nfsckObjects = true\ndenyDeletes = true\n" +
    "[protocol]\nversion = 0\n[commit]\nverbose = true\nstatus = false\n" +
    "[core]\nlogAllRefUpdates = false\n",
  "a mirror": '[remote "origin"]\nmirror = true\n',
  "branches follow always": "[branch]\nautoSetupMerge = always\nsort = -committerdate\n" +
    "[tag]\nsort = -version:refname\n",
  "branches follow their namesakes": "[branch]\nautoSetupMerge = simple\n" +
    "[credential]\nhelper = !false\n[help]\nautoCorrect = immediate\n",
  "no advice": "[advice]\ndetachedHead = false\nstatusHints = false\npushUpdateRejected = false\n" +
    "addIgnoredFile = false\n[commit]\ncleanup = strip\ntemplate = DIR/nothing\n" +
    "[core]\ncommentChar = auto\n",
  "files of the user": "[core]\nexcludesFile = DIR/ignore\nattributesFile = DIR/attributes\n" +
    "[init]\ntemplateDir = DIR/template\n",
};

/** Settings do not mask each other, so that a few worlds show what each would. */
const WORLDS = THOROUGHLY ? 8 : 2;

/** The settings of each world, by name. */
function worlds(): Map<string, string> {
  const all = Object.entries(SETTINGS);
  const shared = new Map<number, [string, string][]>();
  all.forEach((entry, index) => {
    const place = index % Math.min(WORLDS, all.length);
    shared.set(place, [...shared.get(place) ?? [], entry]);
  });
  return new Map(
    [...shared.values()].map((entries) => [
      entries.map(([name]) => name).join(", "),
      entries.map(([, settings]) => settings).join(""),
    ]),
  );
}

let plain: Promise<Trace> | null = null;

for (const [name, settings] of worlds()) {
  Deno.test(`amof does the same with git settings: ${name}`, async () => {
    plain ??= under("");
    const expected = await plain;
    for (const step of expected.steps) assert(!step.includes("→ 1"), step);
    assertEquals(await under(settings), expected);
  });
}

Deno.test({
  name: "amof signs and runs hooks for commit, tag and push as git is set to",
  ignore: !POSIX,
  async fn() {
    await using world = await prepare();
    const log = join(world.directory, "ran");
    await world.script(
      "bin/sign",
      `echo signed >> '${log}'\ncat > /dev/null\nprintf '\\n[GNUPG:] SIG_CREATED \\n' >&2\n` +
        "printf -- '-----BEGIN PGP SIGNATURE-----\\nabc\\n-----END PGP SIGNATURE-----\\n'",
    );
    for (const hook of ["pre-commit", "commit-msg", "pre-push", "post-checkout", "post-merge"]) {
      await world.script(`hooks/${hook}`, `echo ${hook} >> '${log}'`);
    }
    await world.install();
    await world.amof(["ticket", "start", "T-1"]);
    await configure(
      world,
      "[core]\nhooksPath = DIR/hooks\n[commit]\ngpgSign = true\n[tag]\ngpgSign = true\n" +
        "[gpg]\nprogram = DIR/bin/sign\n[user]\nsigningKey = ABC\n",
    );
    await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "new\n");
    const pushed = await world.amof(["push", "--commit", "-m", "New", "--yes", "--json"]);
    assertEquals(pushed.code, 0, pushed.stdout);
    const there = join(world.remotes, "api.git");
    assertStringIncludes(
      await world.git(there, "cat-file", "commit", "feature/T-1"),
      "BEGIN PGP SIGNATURE",
    );
    assertEquals((await Deno.readTextFile(log)).trim().split("\n"), [
      "pre-commit",
      "commit-msg",
      "signed",
      "pre-push",
    ]);
    await Deno.remove(log);
    for (const args of [["ticket", "switch", "main"], ["sync"], ["ticket", "switch", "T-1"]]) {
      assertEquals((await world.amof(args)).code, 0);
    }
    assertEquals(await world.exists("ran"), false);
    const released = await world.amof(["release", "init", "0.1.0", "--yes", "--json"]);
    assertEquals(released.code, 0, released.stdout);
    assertStringIncludes(
      await world.git(world.control, "cat-file", "tag", "v0.1.0"),
      "BEGIN PGP SIGNATURE",
    );
  },
});
