/**
 * What somebody writes into the configuration of a clone does not run, whatever is asked of amof, until a person has
 * looked at it (SEAL-1).
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { MAKER, picture } from "../support/box.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

/** An attack: what is written into the clone so that git would run a script that leaves a marker. */
interface Attack {
  readonly name: string;
  /** Settings, with `$SCRIPT` for the script. */
  readonly settings?: readonly (readonly [key: string, value: string])[];
  /** Files below the clone. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Each a way to have something run, and one file of attributes for those that need it. */
const ATTACKS: readonly Attack[] = [
  {
    name: "filter",
    settings: [["filter.evil.clean", "$SCRIPT"], ["filter.evil.smudge", "$SCRIPT"]],
    files: { ".git/info/attributes": "* filter=evil\n" },
  },
  {
    name: "filter process",
    settings: [["filter.evil.process", "$SCRIPT"]],
    files: { ".gitattributes": "* filter=evil\n" },
  },
  { name: "ssh", settings: [["core.sshCommand", "$SCRIPT"], ["remote.origin.url", "x:y"]] },
  {
    name: "instead of",
    settings: [["url.ext::$SCRIPT .insteadOf", "file:"], ["protocol.ext.allow", "always"]],
  },
  { name: "external diff", settings: [["diff.external", "$SCRIPT"]] },
  {
    name: "textconv",
    settings: [["diff.evil.textconv", "$SCRIPT"], ["diff.evil.command", "$SCRIPT"]],
    files: { ".git/info/attributes": "* diff=evil\n" },
  },
  {
    name: "merge driver",
    settings: [["merge.evil.driver", "$SCRIPT"], ["merge.default", "evil"]],
    files: { ".git/info/attributes": "* merge=evil\n" },
  },
  { name: "monitor", settings: [["core.fsmonitor", "$SCRIPT"]] },
  { name: "hooks elsewhere", settings: [["core.hooksPath", "$HOOKS"]] },
  { name: "refs of alternates", settings: [["core.alternateRefsCommand", "$SCRIPT"]] },
  {
    name: "credentials",
    settings: [["credential.helper", "!$SCRIPT"], ["core.askPass", "$SCRIPT"]],
  },
  {
    name: "signatures",
    settings: [
      ["commit.gpgSign", "true"],
      ["gpg.program", "$SCRIPT"],
      ["log.showSignature", "true"],
    ],
  },
  { name: "pager", settings: [["core.pager", "$SCRIPT"], ["core.editor", "$SCRIPT"]] },
  {
    name: "other side",
    settings: [["remote.origin.uploadpack", "$SCRIPT"], ["remote.origin.receivepack", "$SCRIPT"]],
  },
  { name: "helper of a remote", settings: [["remote.origin.vcs", "ext"]] },
  { name: "proxy", settings: [["core.gitProxy", "$SCRIPT"]] },
  { name: "included", settings: [["include.path", "$EVIL"]] },
  { name: "included here", settings: [["includeIf.gitdir:**.path", "$EVIL"]] },
  {
    name: "worktree's own",
    settings: [["extensions.worktreeConfig", "true"]],
    files: { ".git/config.worktree": '[diff]\n\texternal = "$SCRIPT"\n' },
  },
  {
    name: "configuration elsewhere",
    files: { ".git/commondir": "$COMMON\n" },
  },
];

const NAMES = ATTACKS.map((_, index) => `r${index}`);

/** A clone for each attack, with work in it that every command has something to do with. */
async function attacked(): Promise<World> {
  const world = await World.like(
    "a clone for each attack",
    (world) => world.makeInstalled({ repos: NAMES }),
  );
  await attack(world, (repo) => world.clone(repo));
  return world;
}

/** Works in each clone, and attacks whoever does so next. */
async function attack(world: World, cloneOf: (repo: string) => string): Promise<void> {
  for (const [index, { settings = [], files = {} }] of ATTACKS.entries()) {
    const clone = cloneOf(`r${index}`);
    await Deno.writeTextFile(join(clone, "work.txt"), "committed\n");
    await world.git(clone, "add", ".");
    await world.git(clone, "commit", "--quiet", "-m", "Work");
    await Deno.writeTextFile(join(clone, "README.md"), "changed\n");
    const mark = `echo "${ATTACKS[index]?.name}" 2>/dev/null >> '${world.directory}/marks' || :`;
    const script = await world.script(`evil/${index}`, mark);
    const hooks = join(world.directory, "evil", `hooks${index}`);
    for (const hook of ["pre-push", "pre-commit", "post-checkout", "reference-transaction"]) {
      await world.script(join("evil", `hooks${index}`, hook), mark);
    }
    const evil = join(world.directory, "evil", `config${index}`);
    await Deno.writeTextFile(evil, `[diff]\n\texternal = ${script}\n[core]\n\tsshCommand = x\n`);
    const common = join(world.directory, "evil", `common${index}`);
    const filled = (text: string) =>
      text.replaceAll("$SCRIPT", script).replaceAll("$HOOKS", hooks).replaceAll("$EVIL", evil)
        .replaceAll("$COMMON", common);
    for (const [key, value] of settings) await world.git(clone, "config", key, filled(value));
    for (const [file, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(join(clone, file)), { recursive: true });
      await Deno.writeTextFile(join(clone, file), filled(text));
    }
    if (Object.values(files).some((text) => text.includes("$COMMON"))) {
      await world.command("cp", ["-R", join(clone, ".git"), common]);
      await Deno.remove(join(common, "commondir"));
      await world.git(
        world.directory,
        "config",
        "--file",
        join(common, "config"),
        "diff.external",
        script,
      );
    }
  }
}

/** The attacks that ran since the last look. */
async function marks(world: World): Promise<string[]> {
  const file = join(world.directory, "marks");
  const text = await Deno.readTextFile(file).catch(() => "");
  await Deno.remove(file).catch(() => {});
  return [...new Set(text.split("\n"))].filter((line) => line !== "").sort();
}

/** What may ask git about a clone or change something there. */
const CALLS: readonly string[] = [
  "status --long",
  "status --fetch",
  "diff",
  "diff --base",
  "log",
  "grep Begin",
  "branches",
  "doctor --remotes",
  "sync",
  "ticket start T-9",
  "commit -m Work --yes",
  "push --yes",
  "push --commit -m Work --yes",
];

Deno.test({
  name:
    "nothing that was written into the configuration of a clone runs, whatever is asked of amof",
  ignore: Deno.build.os === "windows", // scripts
  async fn() {
    await using world = await attacked();
    await marks(world);
    const ran: Record<string, string[]> = {};
    for (const call of CALLS) {
      await world.amof(call.split(" "));
      const found = await marks(world);
      if (found.length > 0) ran[call] = found;
    }
    assertEquals(ran, {});
  },
});

/** What `status` says that somebody has to look at, by repository. */
async function untrusted(world: World): Promise<Record<string, unknown>> {
  const ran = await world.amof(["status", "--json"]);
  assertEquals(ran.code, 0, ran.stderr);
  return Object.fromEntries(
    rows(ran.json(), "repos").filter((row) => "untrusted" in row)
      .map((row) => [String(row["name"]), row["untrusted"]]),
  );
}

Deno.test("a clone that changed is told, read and left out, and the others go on, until a person has looked", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  for (const repo of ["api", "web"]) await world.commitOnFeature(repo);
  const secret = "hunter2hunter2";
  const before = await world.git(world.clone("api"), "config", "--list", "--local");
  await world.git(world.clone("api"), "config", "core.sshCommand", `ssh -o Password=${secret}`);
  await world.write("control/worktrees/demo/repos/api/.git/hooks/pre-push", "#!/bin/sh\nexit 0\n");

  const names = ["core.sshcommand in .git/config", ".git/hooks/pre-push"];
  assertEquals(await untrusted(world), { api: names });
  const shown = await world.amof(["status"]);
  assertStringIncludes(shown.stdout, "amof repo trust api");
  // Its remote is none the worse for it.
  const asked = await world.amof(["status", "--fetch"]);
  assertStringIncludes(asked.stdout, "amof repo trust api");
  assert(!asked.stdout.includes("unreachable"), asked.stdout);
  assertEquals((await world.amof(["status", "--check"])).code, 3);
  const doctor = await world.amof(["doctor"]);
  assertEquals(doctor.code, 3);
  assertStringIncludes(doctor.stdout, "core.sshcommand in .git/config");

  const pushed = await world.amof(["push", "--yes", "--json"]);
  assertEquals(pushed.code, 5);
  assertEquals(
    rows(pushed.json(), "result", "repos").map(({ name, result, code }) => [name, result, code]),
    [
      ["api", "skipped", "clone_untrusted"],
      ["web", "pushed", null],
    ],
  );
  const synced = await world.amof(["sync", "--json"]);
  assertEquals(pick(synced.json(), "result", "repos", 0, "code"), "clone_untrusted");
  const switched = await world.amof(["ticket", "start", "T-1"]);
  assertEquals(switched.code, 4);
  assertStringIncludes(switched.stderr, "nothing was changed");
  for (const { stdout, stderr } of [shown, doctor, pushed, synced, switched]) {
    assert(!(stdout + stderr).includes(secret));
  }

  // Nobody has seen it, so a yes is not enough.
  assertEquals((await world.amof(["repo", "trust", "api", "--yes"])).code, 4);
  const preview = await world.amof(["repo", "trust", "--dry-run", "--json"]);
  const hash = String(pick(preview.json(), "preview", "hash"));
  const other = await world.amof(["repo", "trust", "api", "--hash", "0".repeat(64), "--yes"]);
  assertEquals(other.code, 4);
  assertEquals((await world.amof(["repo", "trust", "api", "--hash", hash, "--yes"])).code, 0);
  assertEquals(await untrusted(world), {});
  await world.write("control/worktrees/demo/repos/api/.git/hooks/pre-push", "#!/bin/sh\nexit 1\n");
  assertEquals(await untrusted(world), { api: [".git/hooks/pre-push"] });

  // Whoever puts back what was there needs no trust.
  await Deno.remove(join(world.clone("api"), ".git/hooks/pre-push"));
  await world.git(world.clone("api"), "config", "--unset", "core.sshCommand");
  assertEquals(await world.git(world.clone("api"), "config", "--list", "--local"), before);
  assertEquals(await untrusted(world), {});
});

/** What programs of a working day write into a clone, which nobody has to look at. */
const DAILY: Readonly<Record<string, (world: World, clone: string) => Promise<unknown>>> = {
  "git config": (world, clone) => world.git(clone, "config", "user.email", "me@example.com"),
  "git maintenance register": async (world, clone) => {
    await world.git(clone, "config", "maintenance.auto", "false");
    await world.git(clone, "config", "maintenance.strategy", "incremental");
  },
  "git sparse-checkout": (world, clone) => world.git(clone, "sparse-checkout", "set", "src"),
  "git switch": async (world, clone) => {
    await world.git(clone, "switch", "--quiet", "-c", "feature/x");
    await world.git(clone, "branch", "--set-upstream-to=origin/main");
    await world.git(clone, "branch", "--quiet", "--move", "feature/y");
  },
  "git remote add": async (world, clone) => {
    await world.git(clone, "remote", "add", "upstream", "https://example.com/them/api.git");
    await world.git(clone, "config", "remote.upstream.gh-resolved", "base");
  },
  "gh pr checkout": async (world, clone) => {
    await world.git(clone, "config", "branch.pr.remote", "https://github.com/fork/api.git");
    await world.git(clone, "config", "branch.pr.pushRemote", "https://github.com/fork/api.git");
    await world.git(clone, "config", "branch.pr.merge", "refs/heads/fix");
    await world.git(clone, "config", "branch.main.gh-merge-base", "develop");
  },
  "editors": async (world, clone) => {
    await world.git(clone, "config", "branch.main.vscode-merge-base", "origin/main");
    await world.git(clone, "config", "branch.main.github-pr-owner-number", "a#b#1");
  },
  "git submodule init": async (world, clone) => {
    await world.git(clone, "config", "submodule.lib.active", "true");
    await world.git(clone, "config", "submodule.lib.url", "https://example.com/lib.git");
  },
  "git lfs install --local": async (world, clone) => {
    await world.git(clone, "config", "filter.lfs.clean", "git-lfs clean -- %f");
    await world.git(clone, "config", "filter.lfs.smudge", "git-lfs smudge -- %f");
    await world.git(clone, "config", "filter.lfs.process", "git-lfs filter-process");
    await world.git(clone, "config", "filter.lfs.required", "true");
    await world.git(clone, "config", "lfs.repositoryformatversion", "0");
    await world.git(clone, "config", "lfs.https://example.com/api.git/info/lfs.access", "basic");
    await world.script(
      "control/worktrees/demo/repos/api/.git/hooks/pre-push",
      `command -v git-lfs >/dev/null 2>&1 || { printf >&2 "\\n%s\\n\\n" "This repository is configured for Git LFS but 'git-lfs' was not found on your path. If you no longer wish to use Git LFS, remove this hook by deleting the 'pre-push' file in the hooks directory (set by 'core.hookspath'; usually '.git/hooks')."; exit 2; }\ngit lfs pre-push "$@"`,
    );
  },
  "git gc": (world, clone) => world.git(clone, "gc", "--quiet"),
};

Deno.test("what tools of a working day write into a clone asks nobody, and each is sealed anew by itself", async () => {
  await using world = await World.installed({ repos: ["api"] });
  for (const [tool, write] of Object.entries(DAILY)) {
    await write(world, world.clone("api"));
    assertEquals(await untrusted(world), {}, tool);
  }
});

Deno.test("what was in clones before there were seals counts, and a clone that nobody made or saw does not", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  // As an older program has left it.
  await world.forgetSeals();
  await world.git(world.clone("api"), "config", "filter.up.clean", "tr a-z A-Z");
  await world.git(world.clone("web"), "config", "credential.helper", "store");
  assertEquals(await untrusted(world), {});
  // A clone that somebody has put there is judged like a change, and one as git makes it is none.
  await world.git(world.clone("api"), "config", "user.name", "Me");
  await Deno.rename(world.clone("web"), join(world.directory, "gone"));
  await world.git(world.directory, "clone", "--quiet", world.url("web"), world.clone("web"));
  assertEquals(await untrusted(world), {});
  await world.git(world.clone("web"), "config", "core.fsmonitor", "/bin/false");
  assertEquals(await untrusted(world), { web: ["core.fsmonitor in .git/config"] });
});

Deno.test({
  name: "submodules ask nobody as git makes them, and what is written into one does not run",
  ignore: Deno.build.os === "windows", // scripts
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const clone = world.clone("api");
    const allow = ["-c", "protocol.file.allow=always"];
    await world.git(clone, ...allow, "submodule", "--quiet", "add", world.url("web"), "lib");
    await world.git(clone, "commit", "--quiet", "-m", "Add a submodule");
    assertEquals(await untrusted(world), {});

    const script = await world.script("evil", `echo ran >> '${world.directory}/marks'`);
    const plant = async (directory: string) => {
      await world.git(directory, "config", "filter.evil.clean", script);
      await Deno.writeTextFile(join(directory, ".gitattributes"), "* filter=evil\n");
      await Deno.writeTextFile(join(directory, "README.md"), "changed\n");
    };
    await plant(join(clone, "lib"));
    const own = { api: ["filter.evil.clean in .git/modules/lib/config"] };
    assertEquals(await untrusted(world), own);
    await world.amof(["archive", "--dry-run"]);
    await world.amof(["discard", "--dry-run"]);
    assertEquals(await marks(world), []);

    // A repository that the index calls a submodule counts by itself.
    await world.git(join(clone, "lib"), "config", "--unset", "filter.evil.clean");
    await world.git(clone, "clone", "--quiet", world.url("web"), "inside");
    await world.git(clone, ...allow, "-c", "advice.addEmbeddedRepo=false", "add", "inside");
    await plant(join(clone, "inside"));
    assertEquals(await untrusted(world), { api: ["filter.evil.clean in inside/.git/config"] });
    await world.amof(["diff"]);
    assertEquals(await marks(world), []);
  },
});

Deno.test({
  name:
    "in a ticket that was boxed nothing runs of what was written there, and what amof does stays right",
  ignore: Deno.build.os === "windows", // scripts
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    const directory = await makeTicket(world, "T-1", { repos: ["api", "web"] });
    const clone = join(directory, "repos", "api");
    const amof = (...args: string[]) => world.amof(["-t", "T-1", ...args]);
    const seen = async () => {
      const ran = await amof("status", "--json", "--fetch");
      return rows(ran.json(), "repos").map((
        { name, status, dirty, ahead, untrusted, remote },
      ) => [name, status, dirty, ahead, untrusted ?? null, remote ?? null]);
    };
    await Deno.writeTextFile(join(clone, "work.txt"), "mine\n");
    await world.git(clone, "add", ".");
    await world.git(clone, "stash", "push", "--quiet");
    await Deno.writeTextFile(join(clone, "work.txt"), "mine\n");
    const before = await seen();
    await world.markBoxed(directory);
    assertEquals(await seen(), before);

    // One run reads what it has written itself.
    const pushed = await amof("push", "--commit", "-m", "Work", "--yes", "--json");
    assertEquals(pushed.code, 0, pushed.stdout);
    const head = await world.git(clone, "rev-parse", "HEAD");
    const arrived = await world.git(join(world.remotes, "api.git"), "rev-parse", "feature/T-1");
    assertEquals(arrived, head);

    const script = await world.script("evil", `echo ran >> '${world.directory}/marks'`);
    await world.git(clone, "config", "filter.evil.clean", script);
    await world.git(clone, "config", "remote.origin.uploadpack", script);
    await world.git(clone, "config", "remote.origin.url", `ext::${script}`);
    await Deno.writeTextFile(join(clone, ".gitattributes"), "* filter=evil\n");
    await Deno.writeTextFile(join(clone, "work.txt"), "changed\n");
    const [api] = await seen();
    assertEquals(api?.slice(0, 3), ["api", "DIRTY", true]);
    // It asks the remote that was there when it was sealed.
    assertEquals(api?.[5], "current");
    // Where there is a box that works on, and sends to where it was sealed.
    const more = await amof("push", "--commit", "-m", "More", "--yes");
    assertEquals(more.code, MAKER === null ? 4 : 0, more.stderr);
    const subject = await world.git(
      join(world.remotes, "api.git"),
      "log",
      "-1",
      "--format=%s",
      "feature/T-1",
    );
    assertEquals(subject, MAKER === null ? "Work" : "More");
    assertEquals(await marks(world), []);
  },
});

/** What is written where it decides which objects there are, or where they lie: a person has to look. */
const DECISIVE = ["configuration elsewhere"];
/** In the box there is no key to sign with. */
const UNSIGNED = ["signatures"];

Deno.test({
  name:
    "what was changed in a box is committed there and sent from outside, and nothing of it runs outside",
  ignore: MAKER === null,
  async fn() {
    await using world = await World.like("a boxed clone for each attack", async (made) => {
      await made.makeInstalled({ repos: NAMES });
      await makeTicket(made, "T-1", { repos: NAMES });
    });
    const directory = join(world.control, "worktrees", "demo@T-1");
    const amof = (...args: string[]) => world.amof(["-t", "T-1", ...args]);
    assertEquals((await amof("status")).code, 0);
    const cloneOf = (repo: string) => join(directory, "repos", repo);
    await world.markBoxed(directory);
    await attack(world, cloneOf);
    await marks(world);
    const outside = () =>
      picture(
        world.directory,
        directory,
        world.remotes,
        world.env["AMOF_HOME"] ?? "",
        // Where amof prepares files.
        join(world.control, ".git", "amof"),
      );
    const before = await outside();

    const pushed = await amof("push", "--commit", "-m", "Work", "--yes", "--json");
    const sent = Object.fromEntries(
      rows(pushed.json(), "result", "repos").map(({ name, result, code, detail }) => [
        name,
        [result, code, detail],
      ]),
    );
    for (const [index, { name }] of ATTACKS.entries()) {
      const repo = `r${index}`;
      const [result, code, detail] = sent[repo] ?? [];
      if (DECISIVE.includes(name)) {
        assertEquals([result, code], ["skipped", "clone_untrusted"], name);
        continue;
      }
      if (UNSIGNED.includes(name)) {
        assertEquals(result, "failed", name);
        continue;
      }
      assertEquals(result, "pushed", `${name}: ${detail}`);
      const there = await world.git(
        join(world.remotes, `${repo}.git`),
        "log",
        "-1",
        "--format=%s %at",
        "feature/T-1",
      );
      // Who commits says when, in the box as outside.
      const at = Date.parse(world.env["GIT_AUTHOR_DATE"] ?? "") / 1000;
      assertEquals(there, `Work ${at}`, name);
    }
    for (const call of ["status --fetch", "sync"]) await amof(...call.split(" "));
    // What ran at all ran in the box, where nobody else's files can be written.
    assertEquals(await marks(world), []);
    const after = await outside();
    assertEquals(after.filter((line) => !before.includes(line)), []);
    assertEquals(before.filter((line) => !after.includes(line)), []);
  },
});

Deno.test({
  name:
    "what leads out of a git directory that was boxed, or brings objects of others in, is refused",
  ignore: MAKER === null,
  async fn() {
    await using world = await World.installed({ repos: ["api", "web", "lib"] });
    const directory = await makeTicket(world, "T-1", { repos: ["api", "web", "lib"] });
    const amof = (...args: string[]) => world.amof(["-t", "T-1", ...args]);
    const cloneOf = (repo: string) => join(directory, "repos", repo);
    assertEquals((await amof("status")).code, 0);
    await world.markBoxed(directory);
    for (const repo of ["api", "web", "lib"]) {
      await Deno.writeTextFile(join(cloneOf(repo), "work.txt"), "mine\n");
      await world.git(cloneOf(repo), "add", ".");
      await world.git(cloneOf(repo), "commit", "--quiet", "-m", "Work");
    }
    // What a push notes would be written there, although the configuration is whole.
    const elsewhere = join(world.directory, "elsewhere");
    await Deno.rename(join(cloneOf("api"), ".git", "refs", "remotes"), elsewhere);
    await Deno.symlink(elsewhere, join(cloneOf("api"), ".git", "refs", "remotes"));
    // The bytes of somebody else's repository would be sent.
    const objects = join(world.control, ".git", "objects");
    await Deno.writeTextFile(
      join(cloneOf("web"), ".git", "objects", "info", "alternates"),
      `${objects}\n`,
    );
    const ran = await amof("push", "--yes", "--json");
    assertEquals(
      rows(ran.json(), "result", "repos").map(({ name, result, code }) => [name, result, code]),
      [
        ["api", "failed", "clone_untrusted"],
        ["web", "skipped", "clone_untrusted"],
        ["lib", "pushed", null],
      ],
    );
    assertStringIncludes(ran.stdout, ".git/refs/remotes");
    assertEquals(await Array.fromAsync(Deno.readDir(elsewhere), ({ name }) => name), ["origin"]);
  },
});
