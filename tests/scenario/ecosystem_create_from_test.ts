/**
 * `amof ecosystem create` with repositories that come from somewhere: clones, lists of other tools, organisations.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { join, relative } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";

const CREATE = ["ecosystem", "create", "shop", "--json"];

/** A control repository and three remotes: `api` and `web` on main, `old` on trunk with a tag. */
function remotes(): Promise<World> {
  return World.like("remotes of several kinds", async (world) => {
    await world.makeControl();
    await world.addRemote("api");
    await world.addRemote("web");
    const old = join(world.remotes, "old.git");
    await world.git(world.directory, "clone", "--quiet", "--bare", world.url("api"), old);
    await world.git(old, "branch", "-m", "main", "trunk");
    await world.git(old, "tag", "-a", "-m", "One", "v1.0", "trunk");
  });
}

const manifest = (world: World) =>
  Deno.readTextFile(join(world.control, "ecosystems/shop/ecosystem.yaml"));

/** The repositories of the answer as rows. */
const repos = (answer: Record<string, unknown>) =>
  rows(answer, "repos").map(({ name, branch }) => [name, branch]);

Deno.test("create --from a list asks each remote for its branch, and keeps commits and tags in a lock", async () => {
  await using world = await remotes();
  const tip = await world.git(join(world.remotes, "old.git"), "rev-parse", "trunk");
  await world.write(
    "lists/robot.repos",
    `repositories:
  core/api: {type: git, url: "${world.url("api")}", version: main}
  core/old: {type: git, url: "${world.url("old")}", version: v1.0}
  web: {type: git, url: "${world.url("web")}"}
  pinned: {type: git, url: "${world.url("old")}/", version: ${tip}}
  gone: {type: git, url: "${world.url("gone")}", version: stable}
  sim: {type: hg, url: "https://h.test/sim"}
`,
  );
  const from = [...CREATE, "--from", "../lists/robot.repos"];
  const planned = await world.amof([...from, "--dry-run"]);
  assertEquals(planned.code, 0, planned.stdout);
  const told = planned.stdout;
  for (
    const line of [`"Take web: ${world.url("web")}, main"`, '"- sim: its type is hg, not git"']
  ) {
    assertStringIncludes(told, line);
  }
  assertEquals(told.split("Not carried over, or to be looked at:").length, 2);
  assertEquals(await world.exists("control/ecosystems/shop"), false);
  const created = await world.amof(from);
  assertEquals(created.code, 0, created.stdout);
  const answer = created.json();
  assertEquals(repos(answer), [["api", "main"], ["old", "trunk"], ["web", "main"], [
    "gone",
    "stable",
  ]]);
  assertEquals(pick(answer, "kind"), "repos");
  assertEquals(rows(answer, "left_out").map(({ what }) => what), ["pinned"]);
  const notes = (pick(answer, "notes") as string[]).join("\n");
  for (const note of ["old: v1.0 is a tag", "sim: its type is hg", "gone: its remote could not"]) {
    assertStringIncludes(notes, note);
  }
  assertStringIncludes(await manifest(world), "path: core/api");
  const lock = JSON.parse(
    await Deno.readTextFile(join(world.control, "ecosystems/shop/lock.json")),
  );
  assertEquals(rows(lock, "repos").map(({ name, branch, commit }) => [name, branch, commit]), [
    ["api", "main", undefined],
    ["old", "trunk", tip],
    ["web", "main", undefined],
    ["gone", "stable", undefined],
  ]);
  const validated = await world.amof(["-e", "shop", "manifest", "validate", "--json"]);
  assertEquals(pick(validated.json(), "errors"), []);
});

Deno.test("a list of branches, tags and commits is installed as it says: each at its commit, or on its branch", async () => {
  await using world = await remotes();
  const first = async (bare: string, branch: string) => {
    const pinned = await world.git(bare, "rev-parse", branch);
    const later = ["commit-tree", `${branch}^{tree}`, "-p", branch, "-m", "Later"];
    await world.git(bare, "update-ref", `refs/heads/${branch}`, await world.git(bare, ...later));
    return pinned;
  };
  const [api, old, web] = [
    await world.git(join(world.remotes, "api.git"), "rev-parse", "main"),
    await first(join(world.remotes, "old.git"), "trunk"),
    await first(join(world.remotes, "web.git"), "main"),
  ];
  await world.write(
    "lists/robot.repos",
    `repositories:
  repos/api: {type: git, url: "${world.url("api")}", version: heads/main}
  repos/old: {type: git, url: "${world.url("old")}", version: tags/v1.0}
  repos/web: {type: git, url: "${world.url("web")}", version: ${web}}
`,
  );
  const from = ["--from", "../lists/robot.repos"];
  const offline = await world.amof([...CREATE.with(2, "away"), ...from, "--offline"]);
  assertEquals(offline.code, 0, offline.stdout);
  const lock = await Deno.readTextFile(join(world.control, "ecosystems/away/lock.json"));
  assertEquals(
    rows(JSON.parse(lock), "repos").map(({ name, branch, commit }) => [name, branch, commit]),
    [
      ["api", "main", undefined],
      ["old", undefined, undefined],
      ["web", undefined, web],
    ],
  );
  const created = await world.amof(["ecosystem", "create", "shop", "--commit", ...from]);
  assertEquals(created.code, 0, created.stdout);
  assertStringIncludes(created.stdout, "at its pins: amof -e shop install --locked");
  for (let time = 0; time < 2; time++) {
    const installed = await world.amof(["-e", "shop", "install", "--locked", "--yes", "--json"]);
    assertEquals(installed.code, 0, installed.stdout);
    const heads = ["api", "old", "web"].map((repo) =>
      world.git(join(world.control, "worktrees/shop/repos", repo), "rev-parse", "HEAD")
    );
    assertEquals(await Promise.all(heads), [api, old, web]);
  }
  const checked = await world.amof(["-e", "shop", "lock", "--check", "--json"]);
  assertEquals([checked.code, rows(checked.json(), "repos").length], [0, 2], checked.stdout);
});

Deno.test("a second clone of one address is offered with its branch, and at a tag with none, as install refuses that", async () => {
  await using world = await remotes();
  const url = world.url("old");
  await world.write(
    "lists/robot.repos",
    `repositories:
  repos/old: {type: git, url: "${url}", version: trunk}
  repos/tagged: {type: git, url: "${url}", version: v1.0}
  repos/again: {type: git, url: "${url}", version: trunk}
`,
  );
  const lines = async (name: string, ...more: string[]) => {
    const create = [...CREATE.with(2, name), "--from", "../lists/robot.repos", ...more];
    return rows((await world.amof(create)).json(), "left_out").map(({ add }) => add);
  };
  const add = (name: string) => `amof repo add ${name} ${url}`;
  assertEquals(await lines("shop"), [
    `${add("tagged")} --readonly`,
    `${add("again")} --branch trunk --readonly`,
  ]);
  assertEquals((await lines("away", "--offline"))[0], `${add("tagged")} --branch v1.0 --readonly`);
});

Deno.test("create --from a list keeps how much history clones get, but for what is locked at a commit", async () => {
  await using world = await remotes();
  const tip = await world.git(join(world.remotes, "old.git"), "rev-parse", "trunk");
  await world.write(
    "control/west.yml",
    `manifest:
  projects:
    - {name: api, url: "${world.url("api")}", revision: main, clone-depth: 1}
    - {name: web, url: "${world.url("web")}", revision: main, clone-depth: none}
    - {name: old, url: "${world.url("old")}", revision: ${tip}, clone-depth: 5}
`,
  );
  const created = await world.amof([...CREATE, "--from", "west.yml"]);
  assertEquals(created.code, 0, created.stdout);
  assertEquals((await manifest(world)).match(/clone: .*/g), ["clone: 'shallow:1'"]);
  assertEquals(pick(created.json(), "notes"), [
    "old: it is cloned with all of its history, since a commit is locked",
  ]);
  const validated = await world.amof(["-e", "shop", "manifest", "validate", "--json"]);
  assertEquals(pick(validated.json(), "errors"), []);
});

Deno.test("create --from a list reads what it names only below its own directory, and --offline asks nobody", async () => {
  await using world = await remotes();
  await world.write("secret.yaml", "projects:\n  own: {url: https://h.test/own.git}\n");
  await world.write("lists/mani.yaml", "import: [../secret.yaml]\nprojects: {}\n");
  await Deno.symlink(
    join(world.directory, "secret.yaml"),
    join(world.directory, "lists/link.yaml"),
  );
  const outside = await world.amof([...CREATE, "--from", "../lists/mani.yaml"]);
  assertEquals([outside.code, pick(outside.json(), "error")], [2, "invalid_arguments"]);
  assertStringIncludes(String(pick(outside.json(), "message")), "below the directory of the list");
  await world.write("lists/mani.yaml", "import: [link.yaml]\nprojects: {}\n");
  const linked = await world.amof([...CREATE, "--from", "../lists/mani.yaml"]);
  assertEquals(linked.code, 2);
  const list = "projects:\n  far: {url: https://h.test/far.git, branch: dev}\n";
  await world.write("lists/mani.yaml", list);
  const env = await world.wrapGit('case "$*" in *ls-remote*) exit 66 ;; esac');
  const offline = await world.amof([...CREATE, "--from", "../lists/mani.yaml", "--offline"], {
    env,
  });
  assertEquals([offline.code, repos(offline.json())], [0, [["far", "dev"]]]);
});

Deno.test("create --from takes addresses from the clones that an editor's workspace names", async () => {
  await using world = await remotes();
  await world.git(world.directory, "clone", "--quiet", world.url("old"), "code/old");
  await world.write(
    "code/all.code-workspace",
    '{"folders": [{"path": "old"}, {"path": "none"}], "settings": {}}',
  );
  const created = await world.amof([...CREATE, "--from", "../code/all.code-workspace"]);
  assertEquals([created.code, repos(created.json())], [0, [["old", "trunk"]]], created.stdout);
  assertEquals((pick(created.json(), "notes") as string[]).length, 2);
});

Deno.test("create --from a directory takes clones whose remote is a path from there", async () => {
  await using world = await remotes();
  const clones = join(world.directory, "clones");
  await world.git(world.directory, "clone", "--quiet", world.url("api"), join(clones, "api"));
  const beside = relative(join(clones, "api"), join(world.remotes, "api.git"));
  await world.git(join(clones, "api"), "remote", "set-url", "origin", beside);
  const created = await world.amof([...CREATE, "--from", clones]);
  assertEquals(created.code, 0, created.stdout);
  assertEquals(repos(created.json()), [["api", "main"]]);
  assertStringIncludes(await manifest(world), join(world.remotes, "api.git"));
  const adopted = await world.amof(["-e", "shop", "install", "--adopt", clones, "--yes", "--json"]);
  assertEquals(adopted.code, 0, adopted.stdout);
  assertEquals(await world.git(join(clones, "api"), "remote", "get-url", "origin"), beside);
  const looked = await world.amof(["-e", "shop", "status", "--fetch", "--check", "--json"]);
  assertEquals(looked.code, 0, looked.stdout);
});

Deno.test("create --from a directory takes its clones, changes nothing there, and says why others are left out", async () => {
  await using world = await remotes();
  const code = join(world.directory, "code");
  await Deno.mkdir(code);
  await world.git(code, "clone", "--quiet", world.url("old"), "old");
  await world.git(code, "clone", "--quiet", world.url("api"), "team/api");
  await world.git(code, "clone", "--quiet", world.url("api"), "again");
  await world.git(code, "clone", "--quiet", "--bare", world.url("web"), "bare.git");
  await world.git(code, "clone", "--quiet", world.url("web"), "other");
  await world.git(join(code, "other"), "remote", "rename", "origin", "upstream");
  await world.git(code, "init", "--quiet", "lonely");
  await world.git(join(code, "old"), "worktree", "add", "--quiet", "-b", "side", "../side");
  await world.git(join(code, "old"), "clone", "--quiet", world.url("web"), "inner");
  await world.git(join(code, "team/api"), "remote", "set-head", "origin", "--delete");
  await world.write("code/old/wip.txt", "mine\n");
  await world.write("code/node_modules/x/.git/HEAD", "ref: refs/heads/main\n");
  const before = await world.contents(code);
  const created = await world.amof([...CREATE, "--from", "../code"]);
  assertEquals(created.code, 0, created.stdout);
  const answer = created.json();
  assertEquals(repos(answer), [["again", "main"], ["old", "trunk"]]);
  assertEquals(
    rows(answer, "left_out").map(({ what, reason }) => `${String(what)}: ${String(reason)}`)
      .toSorted(),
    [
      "bare.git: it is a bare repository",
      "lonely: it has no remote",
      "old/inner: it lies inside of old",
      "other: it has no remote origin, only upstream",
      "side: it is a linked worktree of another clone",
      "team/api: it has the same address as again",
    ],
  );
  assertEquals(await world.contents(code), before);
  // What was left out can be taken into what was made.
  const add = rows(answer, "left_out").find(({ what }) => what === "team/api")?.["add"];
  assertEquals(add, `amof repo add api ${world.url("api")} --readonly`);
  const added = await world.amof(String(add).split(" ").slice(1));
  assertEquals(added.code, 0, added.stderr);
  await Deno.mkdir(join(world.directory, "alone"));
  await Deno.rename(join(code, "other"), join(world.directory, "alone/other"));
  const alone = [...CREATE.with(2, "alone"), "--from", "../alone"];
  const refused = (await world.amof(alone)).json();
  const fix = `git -C ${join(world.directory, "alone/other")} remote rename upstream origin`;
  assertEquals(refused["hint"], `Rename its remote: ${fix}`);
  assertEquals(pick(refused, "details", "left_out", 0, "fix"), fix);
  await world.command("sh", ["-c", fix]);
  assertEquals((await world.amof(alone)).code, 0);
  const empty = await world.amof([...CREATE.with(2, "none"), "--from", "../code/lonely"]);
  assertEquals([empty.code, pick(empty.json(), "error")], [2, "invalid_arguments"]);
});

Deno.test("create --from a directory takes clones however their .git and their names look, and tells of the others", async () => {
  await using world = await remotes();
  const code = join(world.directory, "code");
  const store = join(world.directory, "store/worktrees");
  await Deno.mkdir(code);
  await Deno.mkdir(store, { recursive: true });
  const clone = (...args: string[]) => world.git(code, "clone", "--quiet", ...args);
  await clone(world.url("api"), "linked");
  await Deno.rename(join(code, "linked/.git"), join(store, "linked"));
  await Deno.symlink(join(store, "linked"), join(code, "linked/.git"));
  await clone(world.url("web"), ".github");
  await clone("--separate-git-dir", join(store, "old.git"), world.url("old"), "old");
  await clone("--bare", world.url("web"), "rooted/.bare");
  await world.write("code/rooted/.git", "gitdir: ./.bare\n");
  await world.git(join(code, "rooted"), "worktree", "add", "--quiet", "main", "main");
  await clone("--bare", world.url("web"), "inner/.git");
  await clone("--bare", world.url("web"), ".dotfiles");
  await Deno.mkdir(join(code, "lost"));
  await Deno.symlink(join(store, "nothing"), join(code, "lost/.git"));
  await Deno.mkdir(join(code, "circle"));
  await Deno.symlink(".git", join(code, "circle/.git"));
  await world.addRemote("nvim");
  await clone(world.url("nvim"), ".config/nvim");
  await world.write("code/broken/.git", "gitdir: ../nothing\n");
  // Only there can a name be any bytes.
  const isBytes = Deno.build.os === "linux";
  if (isBytes) await world.command("sh", ["-c", `mkdir "$(printf '${code}/caf\\351')"`]);
  // What programs hide, and what is just being made or removed, is nobody's clone to take.
  await world.write("code/.cache/x/.git/HEAD", "ref: refs/heads/main\n");
  await world.write("code/.api.amof-01234567/.git/HEAD", "ref: refs/heads/main\n");
  const created = await world.amof([...CREATE, "--from", "../code"]);
  assertEquals(created.code, 0, created.stdout);
  const answer = created.json();
  assertEquals(repos(answer), [
    ["nvim", "main"],
    ["github", "main"],
    ["linked", "main"],
    ["old", "trunk"],
  ]);
  assertEquals(
    rows(answer, "left_out").map(({ what, reason }) => `${String(what)}: ${String(reason)}`)
      .toSorted(),
    [
      ".dotfiles: it is a bare repository",
      "broken: git finds no repository in it",
      ...(isBytes ? ["caf\uFFFD: its name is no UTF-8, so nothing in it can be read"] : []),
      "circle: its .git is a link that leads nowhere",
      "inner: it is bare, and its working copies are linked worktrees",
      "lost: its .git is a link that leads nowhere",
      "rooted/main: it is a linked worktree of another clone",
      "rooted: it is bare, and its working copies are linked worktrees",
    ],
  );
  const adopted = await world.amof(["-e", "shop", "install", "--adopt", "../code", "--yes"]);
  assertEquals(adopted.code, 0, adopted.stderr);
  assertStringIncludes(adopted.stdout, "4 adopted");
  await world.git(join(code, "linked"), "switch", "--quiet", "-c", "feature/own");
  await world.write("code/linked/new.txt", "new\n");
  const committed = await world.amof(["-e", "shop", "commit", "-m", "Work", "--yes"]);
  assertEquals(committed.code, 0, committed.stderr);
});

Deno.test("a list made from clones with submodules says so, and every clone made by it has them", async () => {
  await using world = await remotes();
  await world.write("home/.gitconfig", '[protocol "file"]\n\tallow = always\n');
  world.env["GIT_CONFIG_GLOBAL"] = join(world.directory, "home/.gitconfig");
  const seed = join(world.directory, "sown");
  await world.git(world.directory, "clone", "--quiet", world.url("api"), seed);
  await world.git(seed, "submodule", "--quiet", "add", world.url("web"), "lib");
  await world.git(seed, "commit", "--quiet", "-m", "Has a submodule");
  await world.git(seed, "push", "--quiet", "origin", "main");
  const code = join(world.directory, "code");
  await world.git(world.directory, "clone", "--quiet", world.url("api"), join(code, "api"));
  const created = await world.amof([...CREATE, "--from", "../code", "--commit"]);
  assertEquals(created.code, 0, created.stdout);
  assertStringIncludes(await manifest(world), "submodules: true");
  const installed = await world.amof(["-e", "shop", "install", "--yes"]);
  assertEquals(installed.code, 0, installed.stderr);
  const inside = "worktrees/shop/repos/api/lib/README.md";
  assert(await world.exists(join(world.control, inside)));
  await Deno.remove(join(world.control, "worktrees/shop/repos/api"), { recursive: true });
  const synced = await world.amof(["-e", "shop", "sync"]);
  assertEquals(synced.code, 0, synced.stderr);
  assert(await world.exists(join(world.control, inside)));
  // A clone of somebody's own is adopted as it is, and what it lacks is told with the command for it.
  await world.amof(["-e", "shop", "discard", "--confirm-name", "shop"]);
  const adopted = await world.amof(["-e", "shop", "install", "--adopt", code, "--yes"]);
  assertEquals(adopted.code, 0, adopted.stderr);
  const row = async () =>
    rows((await world.amof(["-e", "shop", "status", "--json"])).json(), "repos")[0] ?? {};
  const lacking = await row();
  assertEquals(lacking["status"], "SUBMODULE");
  const [need] = rows(lacking, "needs");
  assertEquals((await world.command("sh", ["-c", String(need?.["fix"])])).code, 0);
  const whole = await row();
  assertEquals([whole["status"], whole["needs"]], ["OK", undefined]);
});

Deno.test({
  name:
    "create --from-org asks gh or glab, leaves out archives and forks, and says what to do when it cannot",
  ignore: Deno.build.os === "windows", // the programs are shell scripts
  async fn() {
    await using world = await remotes();
    const bin = join(world.directory, "bin");
    const path = `${bin}:${world.env["PATH"] ?? ""}`;
    const env = { PATH: path };
    const org = [...CREATE, "--from-org", "acme"];
    const git = await world.command("sh", ["-c", "command -v git"]);
    await Deno.mkdir(bin);
    await Deno.symlink(git.stdout.trim(), join(bin, "git"));
    const bare = { PATH: bin };
    const self = join(bin, "deno");
    await Deno.symlink(Deno.execPath(), self);
    const missing = await world.amof([...org, "--forge", "gh"], { env: bare });
    assertEquals(pick(missing.json(), "error"), "invalid_arguments");
    assertStringIncludes(String(pick(missing.json(), "message")), "gh is not installed");
    const row = (name: string, more: string) =>
      `{"name":"${name}","url":"${world.url(name)}","sshUrl":"git@h.test:${name}.git",` +
      `"defaultBranchRef":{"name":"main"},"isArchived":false,"isFork":false${more}}`;
    const listed = [
      row("web", ""),
      row("api", ""),
      row("ice", ',"isArchived":true'),
      row("copy", ',"isFork":true'),
    ].join(",");
    await world.script(
      "bin/gh",
      `echo "$*" >> '${world.directory}/asked'
case "$*" in
  "config get git_protocol") echo https ;;
  "repo list acme --json "*) printf '%s' '[${listed}]' ;;
  "repo list old --json "*) printf 'Unknown JSON field: "isFork"\\nAvailable fields:\\n  name\\n  url\\n' >&2; exit 1 ;;
  "repo list none --json "*) echo 'the owner handle "none" was not recognized' >&2; exit 1 ;;
  "repo list empty --json "*) echo '[]' ;;
  "repo list ice --json "*) printf '%s' '[${row("ice", ',"isArchived":true')}]' ;;
  *) echo "To get started with GitHub CLI, please run:  gh auth login" >&2; exit 4 ;;
esac`,
    );
    const signedOut = await world.amof([...org.slice(0, -1), "other"], { env });
    assertEquals(pick(signedOut.json(), "error"), "auth_failed");
    assertEquals(pick(signedOut.json(), "hint"), "Sign in: gh auth login");
    for (
      const [name, message, hint] of [
        ["old", /gh says: Unknown JSON field: "isFork"/, "Update gh: https://cli.github.com"],
        ["none", /was not recognized/, "Try it by hand: gh repo list none"],
        ["empty", /no repository that can be taken$/, "See what it has: gh repo list empty"],
        [
          "ice",
          /left out: ice, it is archived/,
          `Take what is left out, too: amof ${
            [...org.slice(0, -1), "ice"].filter((word) => word !== "--json").join(" ")
          } --archived --forks`,
        ],
      ] as const
    ) {
      const failed = await world.amof([...org.slice(0, -1), name], { env });
      assertMatch(String(pick(failed.json(), "message")), message);
      assertEquals(pick(failed.json(), "hint"), hint);
    }
    assertEquals(await world.exists("control/ecosystems/shop"), false);
    const created = await world.amof(org, { env });
    assertEquals(created.code, 0, created.stdout);
    assertEquals(repos(created.json()), [["api", "main"], ["web", "main"]]);
    assertEquals(rows(created.json(), "left_out").map(({ what }) => what), ["ice", "copy"]);
    await world.script(
      "bin/glab",
      `case "$*" in
  "config get git_protocol") echo https ;;
  "config get git_protocol --host h.test") echo ssh ;;
  "api groups/acme%2Fsub/projects?"*) printf '%s' '[{"path":"api","ssh_url_to_repo":"git@h.test:api.git","http_url_to_repo":"https://h.test/api.git","default_branch":"dev","archived":false}]' ;;
esac`,
    );
    const gitlab = [...CREATE.with(2, "lab"), "--from-org", "acme/sub", "--forge", "glab"];
    const lab = await world.amof(gitlab, { env });
    assertEquals([lab.code, repos(lab.json())], [0, [["api", "dev"]]], lab.stdout);
    assertEquals(rows(lab.json(), "repos")[0]?.["url"], "git@h.test:api.git");
  },
});

Deno.test("over MCP create reads only what lies in the control repository", async () => {
  await using world = await remotes();
  await world.write("lists/a.repos", `repositories:\n  x: {type: git, url: "https://h.test/x"}\n`);
  await world.write(
    "control/a.repos",
    `repositories:\n  api: {type: git, url: "${world.url("api")}"}\n`,
  );
  await using client = new McpClient(world, ["--mode", "execute"]);
  await client.initialize();
  const create = (from: Record<string, string>) =>
    client.call("amof_create_ecosystem", { name: "shop", ...from });
  const refused = await create({ from: "../lists/a.repos" });
  assertEquals([refused.isError, refused.data["error"]], [true, "invalid_arguments"]);
  assertNotMatch(refused.text, /h\.test/);
  assertEquals((await create({ from_org: "acme" })).data["error"], "tool_not_available");
  const created = await create({ from: "a.repos" });
  assert(!created.isError, created.text);
  assertEquals(repos(created.data), [["api", "main"]]);
});

Deno.test("create takes repositories from one place only", async () => {
  await using world = await remotes();
  const both = await world.amof([...CREATE, "--from", ".", "--repo", "a=https://h.test/a.git"]);
  assertEquals([both.code, pick(both.json(), "error")], [2, "invalid_arguments"]);
  assertStringIncludes(String(pick(both.json(), "message")), "--repo and --from together");
});

Deno.test("a revision of any kind is looked up, and its commit is locked; offline it is told and no branch", async () => {
  await using world = await remotes();
  const bare = join(world.remotes, "api.git");
  const commit = await world.git(bare, "rev-parse", "main");
  for (const ref of ["refs/changes/12/3412/5", "refs/pull/7/head"]) {
    await world.git(bare, "update-ref", ref, commit);
  }
  await world.git(bare, "tag", "-a", "-m", "one", "v9", commit);
  const fetch = world.url("api").replace(/\/[^/]*$/, "");
  const name = world.url("api").slice(fetch.length + 1);
  const xml = (revision: string) =>
    `<manifest><remote name="o" fetch="${fetch}"/><project name="${name}" path="api" remote="o" revision="${revision}"/></manifest>`;
  const west = `manifest:\n  projects:\n    - {name: api, url: "${
    world.url("api")
  }", revision: pull/7/head}\n`;
  const lists = [
    ["tag.xml", xml("refs/tags/v9")],
    ["change.xml", xml("refs/changes/12/3412/5")],
    ["west.yml", west],
  ] as const;
  for (const [file, text] of lists) {
    await world.write(`lists/${file}`, text);
    const from = ["--from", join(world.directory, "lists", file)];
    const named = CREATE.with(2, file.replace(/\W/g, "-"));
    const found = await world.amof([...named, ...from, "--dry-run"]);
    assertEquals(found.code, 0, found.stdout);
    assertStringIncludes(found.stdout, `"commit":"${commit}"`, file);
    const offline = await world.amof([...named, ...from, "--offline", "--dry-run"]);
    assertStringIncludes(offline.stdout, "only its remote can tell the commit of ", file);
    assertEquals(offline.stdout.includes('"branch":"refs'), false, file);
  }
});

Deno.test("where nothing can be taken the answer says why, in text too", async () => {
  await using world = await remotes();
  await world.write("lists/d.xml", '<manifest><project name="a" remote="gone"/></manifest>');
  const from = ["--from", join(world.directory, "lists", "d.xml")];
  const ran = await world.amof([...CREATE.filter((word) => word !== "--json"), ...from]);
  assertStringIncludes(ran.stderr, "a: it has no known remote");
});

Deno.test("a list that is no YAML says so, and where, whoever wrote it", async () => {
  await using world = await remotes();
  await world.write("lists/mine.yaml", "mine:\n  a: [1, 2\n  b: x\n");
  const ran = await world.amof([...CREATE, "--from", "../lists/mine.yaml"]);
  assertMatch(String(ran.json()["message"]), /mine\.yaml: Not valid YAML: .*line 3/);
});

Deno.test("a list that names nothing is told from what cannot be read, and leads on without it", async () => {
  await using world = await remotes();
  await world.write("lists/west.yml", "manifest: {projects: []}\n");
  const empty = join(world.directory, "empty");
  await Deno.mkdir(empty);
  for (
    const [from, why, hint] of [
      [join(world.directory, "lists", "west.yml"), "it was read as west, and names none", "Begin"],
      [empty, "no clone with a remote lies in it", "Name a directory"],
    ]
  ) {
    const ran = await world.amof([...CREATE, "--from", from ?? ""]);
    assertEquals(ran.code, 2, ran.stdout);
    assertStringIncludes(String(pick(ran.json(), "message")), `that can be taken; ${why}`);
    assertStringIncludes(String(pick(ran.json(), "hint")), `${hint} `);
  }
});

Deno.test(".repo/manifest.xml is read as repo reads it: with the lists it includes, and the local ones", async () => {
  await using world = await remotes();
  const checkout = join(world.directory, "aosp", ".repo");
  await Deno.mkdir(join(checkout, "manifests"), { recursive: true });
  await world.git(join(checkout, "manifests"), "init", "--quiet");
  await world.git(
    join(checkout, "manifests"),
    ...["remote", "add", "origin", "https://h.test/platform/manifest"],
  );
  const manifest = (inner: string) => `<manifest>${inner}</manifest>`;
  await world.write("aosp/.repo/manifest.xml", manifest('<include name="default.xml"/>'));
  await world.write(
    "aosp/.repo/manifests/default.xml",
    manifest(
      '<remote name="o" fetch=".."/><default remote="o" revision="main"/><project name="art"/><project name="gone"/>',
    ),
  );
  await world.write(
    "aosp/.repo/local_manifests/mine.xml",
    manifest('<remove-project name="gone"/><extend-project name="art" revision="mine"/>'),
  );
  const from = ["--from", join(checkout, "manifest.xml"), "--offline"];
  const ran = await world.amof([...CREATE, ...from]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(
    rows(ran.json(), "repos").map(({ url, branch }) => [url, branch]),
    [["https://h.test/art", "mine"]],
  );
});

Deno.test("create --from a repository with submodules takes what git says they are, at its commits", async () => {
  await using world = await remotes();
  await world.addRemote("all");
  const all = join(world.directory, "all");
  await world.git(world.directory, "clone", "--quiet", world.url("all"), "all");
  const submodule = (...args: string[]) =>
    world.git(all, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", ...args);
  await submodule("../api.git", "libs/api");
  await submodule("--branch", "main", "--name", "a.b", world.url("web"), "web");
  await submodule("../old.git", "old");
  const set = (key: string, value: string) =>
    world.git(all, "config", "--file", ".gitmodules", `submodule.${key}`, value);
  await set("old.update", "none");
  await set("a.b.ignore", "dirty");
  await world.git(all, "config", "--file", ".gitmodules", "submodule.left.path", "left");
  await world.git(all, "config", "--file", ".gitmodules", "submodule.left.url", "../left.git");
  await world.git(all, "commit", "--quiet", "--all", "--message", "Parts");
  // What is checked out besides does not count: the commit that the repository has does.
  const status = await world.git(all, "submodule", "status");
  await world.git(join(all, "web"), "commit", "--quiet", "--allow-empty", "--message", "Later");
  const pins = Object.fromEntries(
    status.split("\n").map((line) => line.trim().split(" ")).map(([pin, path]) => [path, pin]),
  );
  const lines = async (ecosystem: string, from: string) => {
    const ran = await world.amof(["ecosystem", "create", ecosystem, "--from", from, "--json"]);
    assertEquals(ran.code, 0, ran.stdout);
    const text = await Deno.readTextFile(
      join(world.control, `ecosystems/${ecosystem}/lock.json`),
    );
    return { answer: ran.json(), locked: rows(JSON.parse(text), "repos") };
  };
  const { answer, locked } = await lines("shop", "../all");
  assertEquals(
    locked.map(({ path, url, branch, commit }) => [path, url, branch, commit]),
    [
      ["libs/api", world.url("api"), "main", pins["libs/api"]],
      ["web", world.url("web"), "main", pins["web"]],
    ],
  );
  assertEquals(repos(answer), [["api", "main"], ["web", "main"], ["old", "trunk"]]);
  const told = JSON.stringify([answer["left_out"], answer["notes"]]);
  for (
    const said of [
      "these are its submodules; the lock pins them from now on, not its commits",
      `repo add all ${world.url("all")}`,
      "left: the repository has no commit of it, so it is no submodule any more",
      "web: ignore",
      "old: switched off",
    ]
  ) assertStringIncludes(told, said);
  // The file itself says the same.
  assertEquals((await lines("again", "../all/.gitmodules")).locked, locked);
});
