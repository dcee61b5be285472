/**
 * `amof release …` from outside: what is written where, what is refused, and what happens when the push fails.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows, until } from "../support/answers.ts";
import { giveRemote, releaseWorld } from "../support/release_world.ts";
import { type Ran, World } from "../support/world.ts";

/** Hooks are shell scripts. */
const POSIX = Deno.build.os !== "windows";

const BUMP = ["release", "patch", "--alpha", "--yes", "--json"];

function read(world: World, file: string): Promise<string> {
  return Deno.readTextFile(join(world.control, file));
}

async function record(world: World, tag: string): Promise<Record<string, unknown>> {
  return JSON.parse(await read(world, `releases/${tag}.json`)) as Record<string, unknown>;
}

/** The gates of a list in an answer. */
function gates(ran: Ran, ...steps: string[]): unknown[] {
  return rows(ran.json(), ...steps).map((finding) => finding["gate"]);
}

function refs(world: World): Promise<string> {
  return world.git(join(world.remotes, "control.git"), "for-each-ref", "--format=%(refname)");
}

Deno.test("amof release goes from a status over a bump to a stable version, and tells of it", async (t) => {
  await using world = await releaseWorld();

  await t.step("status tells the version, what is new and what can follow", async () => {
    const ran = await world.amof(["release", "status", "--json"]);
    assertEquals(ran.code, 0, ran.stdout);
    const status = ran.json();
    assertEquals(
      ["version", "tag", "stage", "dirty", "version_drift", "commits_since_tag", "branch"].map(
        (name) => status[name],
      ),
      ["0.1.0", "v0.1.0", "stable", false, false, 1, "main"],
    );
    assertEquals(rows(status, "next")[0], {
      version: "v0.1.1-alpha.1",
      command: "amof release patch --alpha",
    });
    assertEquals(rows(status, "files"), [
      { path: "package.json", version: "0.1.0", matches: true, problem: null },
    ]);
    assertEquals(pick(status, "_context", "release_tag"), "v0.1.0");
  });

  await t.step("a dry run shows everything and writes nothing", async () => {
    const before = await world.fingerprint();
    const ran = await world.amof([...BUMP, "--dry-run"]);
    assertEquals(ran.code, 0, ran.stdout);
    const preview = ran.json()["preview"];
    assertEquals(pick(preview, "current"), "v0.1.0");
    assertEquals(pick(preview, "next"), "v0.1.1-alpha.1");
    assertEquals(pick(preview, "branch"), "main");
    assertEquals(pick(preview, "commit_subjects"), ["Add a changelog"]);
    assertEquals(rows(preview, "files").map((file) => file["path"]), [
      "package.json",
      "CHANGELOG.md",
      "README.md",
    ]);
    assertStringIncludes(
      String(pick(preview, "files", 0, "diff")),
      '+   "version": "0.1.1-alpha.1"',
    );
    assertEquals(pick(preview, "validation", "ok"), true);
    assertEquals(await world.changesSince(before), []);
  });

  await t.step("a bump writes, commits, tags, pushes and records exactly its own", async () => {
    await Deno.writeTextFile(join(world.control, "mine.txt"), "mine\n");
    await world.git(world.control, "add", "mine.txt");
    const head = await world.git(world.control, "rev-parse", "HEAD");
    const ran = await world.amof([...BUMP, "-m", "For the testers"]);
    assertEquals(ran.code, 0, ran.stdout);
    assertEquals(pick(ran.json(), "result", "pushed"), true);
    assertStringIncludes(await read(world, "package.json"), '"version": "0.1.1-alpha.1"');
    assertMatch(
      await read(world, "CHANGELOG.md"),
      /^# Changelog\n\n## \[Unreleased\]\n\n## \[0\.1\.1-alpha\.1\] - \d{4}-\d\d-\d\d\n\n- Something new\n$/,
    );
    assertStringIncludes(await read(world, "README.md"), "**Current status:** v0.1.1-alpha.1, in");
    // What the user had staged is staged still, and in no commit.
    assertEquals(await world.git(world.control, "status", "--porcelain"), "A  mine.txt");
    await world.git(world.control, "rm", "--quiet", "--force", "mine.txt");
    const released = await world.git(world.control, "rev-parse", "v0.1.1-alpha.1^{commit}");
    assertEquals(
      (await world.git(world.control, "log", "-1", "--format=%s|%P|%b", released)).trim(),
      `chore(release): v0.1.1-alpha.1|${head}|For the testers`,
    );
    assertEquals(
      await world.git(world.control, "diff", "--name-only", head, released),
      "CHANGELOG.md\nREADME.md\npackage.json",
    );
    const tag = await world.git(world.control, "cat-file", "tag", "v0.1.1-alpha.1") + "\n";
    for (
      const line of [
        "Release v0.1.1-alpha.1",
        "For the testers",
        "Previous: v0.1.0",
        "Branch: main",
        "Commits: 1",
        "- Add a changelog",
      ]
    ) assertStringIncludes(tag, `\n${line}\n`);
    const written = await record(world, "v0.1.1-alpha.1");
    assertEquals({ ...written, timestamp: "" }, {
      schema_version: 1,
      version: "0.1.1-alpha.1",
      tag: "v0.1.1-alpha.1",
      previous_tag: "v0.1.0",
      timestamp: "",
      action: "bump",
      bump_part: "patch",
      stage: "alpha",
      stage_num: 1,
      branch: "main",
      commit: head,
      author: "Tester",
      commits_since_previous: 1,
      commit_subjects: ["Add a changelog"],
      files_updated: ["package.json", "CHANGELOG.md", "README.md"],
      origin: "cli",
      dry_run: false,
      release_commit: released,
      pushed: true,
      push_error: null,
    });
    assertEquals(
      await refs(world),
      "refs/heads/main\nrefs/tags/v0.1.0\nrefs/tags/v0.1.1-alpha.1",
    );
    assertEquals(
      await world.git(join(world.remotes, "control.git"), "rev-parse", "main"),
      await world.git(world.control, "rev-parse", "main"),
    );
  });

  await t.step("the commit of the record counts as nothing to release", async () => {
    const ran = await world.amof(["release", "status", "--json"]);
    assertEquals(ran.json()["commits_since_tag"], 0);
  });

  await t.step("only this tag is pushed, others stay", async () => {
    await world.git(world.control, "tag", "mine");
    const ran = await world.amof(["release", "promote", "--rc", "--yes", "--json"]);
    assertEquals(ran.code, 0, ran.stdout);
    assertStringIncludes(await refs(world), "refs/tags/v0.1.1-rc.1");
    assert(!(await refs(world)).includes("refs/tags/mine"));
  });

  await t.step("back is refused by the ladder", async () => {
    const ran = await world.amof(["release", "patch", "--beta", "--yes", "--json"]);
    assertEquals([ran.code, ran.json()["error"]], [1, "invalid_transition"]);
  });

  await t.step("a promotion makes it stable, and the log has all of it", async () => {
    const ran = await world.amof(["release", "promote", "--yes", "--json"]);
    assertEquals(ran.code, 0, ran.stdout);
    const log = await world.amof(["release", "log", "--json"]);
    assertEquals(
      rows(log.json(), "releases").map((row) => [row["tag"], row["action"], row["pushed"]]),
      [
        ["v0.1.1", "promote", true],
        ["v0.1.1-rc.1", "promote", true],
        ["v0.1.1-alpha.1", "bump", true],
        ["v0.1.0", null, null],
      ],
    );
    const limited = await world.amof(["release", "log", "--limit", "1"]);
    assertStringIncludes(limited.stdout, "Found 4 releases, showing 1.");
    assertStringIncludes(limited.stdout, "promote → stable");
  });
});

Deno.test("amof release shows all problems at once, in validate and in a dry run", async () => {
  await using world = await releaseWorld();
  await Deno.writeTextFile(join(world.control, "CHANGELOG.md"), "# Changelog\n\n## [0.1.0]\n");
  await world.git(world.control, "commit", "--quiet", "-am", "Forget the news");
  await world.git(world.control, "switch", "--quiet", "-c", "topic");
  await world.git(world.control, "tag", "v0.1.1");
  await world.git(world.control, "tag", "--delete", "v0.1.1");
  await Deno.writeTextFile(join(world.control, "package.json"), '{ "version": "0.0.9" }\n');
  await world.git(world.control, "remote", "set-url", "origin", join(world.remotes, "gone.git"));
  const wanted = ["clean", "release_files", "changelog_entry", "remote"];

  const validated = await world.amof(["release", "validate", "--json"]);
  assertEquals(validated.code, 3, validated.stdout);
  assertEquals(gates(validated, "errors"), wanted);
  assertEquals(gates(validated, "warnings"), ["branch", "version_drift"]);
  assertEquals(validated.json()["ok"], false);

  const strict = await world.amof(["release", "validate", "--strict", "--no-push", "--json"]);
  assertEquals(gates(strict, "errors"), [
    "clean",
    "release_files",
    "branch",
    "version_drift",
    "changelog_entry",
  ]);

  const before = await world.fingerprint();
  const dry = await world.amof(["release", "patch", "--dry-run", "--json"]);
  assertEquals(dry.code, 0);
  assertEquals(gates(dry, "preview", "validation", "errors"), wanted);
  const real = await world.amof(["release", "patch", "--yes", "--json"]);
  assertEquals([real.code, real.json()["error"]], [1, "release_blocked"]);
  assertEquals(gates(real, "details", "errors"), wanted);
  assertEquals(await world.changesSince(before), []);
});

/** What stands in the way of a bump, and the gate that says so. */
const BLOCKED: readonly (readonly [
  what: string,
  gate: string,
  spoil: (world: World) => Promise<unknown>,
])[] = [
  ["a merge in progress", "in_progress", async (world) => {
    await Deno.writeTextFile(join(world.control, ".git", "MERGE_HEAD"), `${"0".repeat(40)}\n`);
  }],
  ["no branch", "branch", (world) => world.git(world.control, "switch", "--detach", "--quiet")],
  ["commits on the remote that are not here", "behind", async (world) => {
    await world.git(world.control, "commit", "--quiet", "--allow-empty", "-m", "Theirs");
    await world.git(world.control, "push", "--quiet");
    await world.git(world.control, "reset", "--quiet", "--hard", "HEAD~1");
    // The remote-tracking branch does not have these commits yet.
    await world.git(world.control, "update-ref", "refs/remotes/origin/main", "HEAD");
  }],
  ["a tag of the next version on the remote", "remote_tag", async (world) => {
    await world.git(world.control, "push", "--quiet", "origin", "HEAD:refs/tags/v0.1.1-alpha.1");
  }],
  ["a higher version on the remote", "remote_tag", async (world) => {
    await world.git(world.control, "push", "--quiet", "origin", "HEAD:refs/tags/v3.0.0");
  }],
  ["no remote", "remote", (world) => world.git(world.control, "remote", "remove", "origin")],
  ["changes in a file of the release", "release_files", async (world) => {
    await Deno.writeTextFile(join(world.control, "CHANGELOG.md"), "# Mine\n");
  }],
  ["a version file that is a link", "version_files", async (world) => {
    await Deno.remove(join(world.control, "package.json"));
    await Deno.symlink(
      join(world.directory, "elsewhere.json"),
      join(world.control, "package.json"),
    );
    await world.write("elsewhere.json", '{ "version": "0.1.0" }\n');
    await world.write("control/amof.yaml", "release:\n  version_files: [package.json]\n");
    await commitAll(world);
  }],
  ["a version file outside the repository", "config", async (world) => {
    await world.write("control/amof.yaml", "release:\n  version_files: [../package.json]\n");
    await commitAll(world);
  }],
  ["a version file behind a link", "version_files", async (world) => {
    await world.write("elsewhere/VERSION", "0.1.0\n");
    await Deno.symlink(join(world.directory, "elsewhere"), join(world.control, "lib"));
    await world.write("control/amof.yaml", "release:\n  version_files: [lib/VERSION]\n");
    await commitAll(world);
  }],
  ["a pattern that matches twice", "version_files", async (world) => {
    await world.write("control/lib.py", 'a = "1"\nb = "1"\n');
    await world.write(
      "control/amof.yaml",
      `release:\n  version_files:\n    - path: lib.py\n      pattern: '"(\\d)"'\n`,
    );
    await commitAll(world);
  }],
  ["records behind a link", "records", async (world) => {
    await Deno.mkdir(join(world.directory, "elsewhere"), { recursive: true });
    await Deno.symlink(join(world.directory, "elsewhere"), join(world.control, "releases"));
    await commitAll(world);
  }],
  ["settings behind a link", "config", async (world) => {
    await world.write("elsewhere.yaml", "password: secret\n");
    await Deno.symlink(join(world.directory, "elsewhere.yaml"), join(world.control, "amof.yaml"));
    await commitAll(world);
  }],
  ["a version file in a git directory", "config", async (world) => {
    await world.write("control/amof.yaml", "release:\n  version_files: [sub/.GIT/VERSION]\n");
    await commitAll(world);
  }],
  ["settings that are no settings", "config", async (world) => {
    await world.write("control/amof.yaml", "release: 5\n");
    await commitAll(world);
  }],
];

async function commitAll(world: World): Promise<void> {
  await world.git(world.control, "add", ".");
  await world.git(world.control, "commit", "--quiet", "-m", "Spoil");
  if (await world.git(world.control, "remote") !== "") {
    await world.git(world.control, "push", "--quiet");
  }
}

Deno.test({
  name: "amof release refuses, and changes nothing, where something stands in the way",
  ignore: !POSIX, // symbolic links
  async fn(t) {
    await using world = await releaseWorld();
    const bare = join(world.remotes, "control.git");
    const home = await world.git(world.control, "rev-parse", "HEAD");
    for (const [what, gate, spoil] of BLOCKED) {
      await t.step(`${what}: ${gate}`, async () => {
        await spoil(world);
        const before = await world.fingerprint();
        const ran = await world.amof(BUMP);
        assertEquals(ran.json()["error"], "release_blocked", ran.stdout);
        assert(gates(ran, "details", "errors").includes(gate), ran.stdout);
        assertEquals(await world.changesSince(before), []);
      });
      // Back to the beginning, for the next one.
      await Deno.remove(join(world.control, ".git", "MERGE_HEAD")).catch(() => {});
      await world.git(world.control, "checkout", "--quiet", "--force", "-B", "main", home);
      await world.git(world.control, "clean", "--quiet", "-d", "--force");
      if (await world.git(world.control, "remote") === "") {
        await world.git(world.control, "remote", "add", "origin", bare);
      }
      await world.git(bare, "update-ref", "refs/heads/main", home);
      for (const tag of ["v0.1.1-alpha.1", "v3.0.0"]) {
        await world.git(bare, "update-ref", "-d", `refs/tags/${tag}`);
      }
      await world.git(world.control, "fetch", "--quiet", "origin");
      await world.git(world.control, "branch", "--quiet", "--set-upstream-to=origin/main");
    }
  },
});

Deno.test({
  name: "amof release puts every file back when the commit or the tag fails",
  ignore: !POSIX, // hooks
  async fn(t) {
    await using world = await releaseWorld();
    const hook = join(world.control, ".git", "hooks", "pre-commit");
    for (const what of ["commit", "tag"]) {
      await t.step(`the ${what}`, async () => {
        const before = await world.fingerprint();
        let env: Record<string, string> = {};
        if (what === "commit") {
          await world.hook(
            join(world.control, ".git"),
            "pre-commit",
            "echo 'error: not today' >&2; exit 1",
          );
        } else {
          await Deno.remove(hook);
          env = await world.wrapGit('for a in "$@"; do [ "$a" = tag ] && exit 1; done');
        }
        const ran = await world.amof(BUMP, { env });
        assertEquals([ran.code, ran.json()["error"]], [1, "git_failed"], ran.stdout);
        const left = (await world.changesSince(before)).filter((line) =>
          // Objects, logs and the index of git itself tell nothing of what is where.
          !/\.git\/(?:objects|logs|index|hooks|COMMIT_EDITMSG|ORIG_HEAD)/.test(line)
        );
        assertEquals(left, []);
        assertEquals(await world.git(world.control, "status", "--porcelain"), "");
        assertEquals(await world.git(world.control, "tag"), "v0.1.0");
      });
    }
  },
});

Deno.test({
  name: "amof release says plainly that the push failed, and release push finishes it",
  ignore: !POSIX, // hooks
  async fn() {
    await using world = await releaseWorld();
    const bare = join(world.remotes, "control.git");
    await world.hook(bare, "pre-receive", "echo 'no releases on Fridays' >&2; exit 1");
    const ran = await world.amof(BUMP);
    assertEquals([ran.code, ran.json()["error"]], [5, "partial_failure"], ran.stdout);
    assertMatch(
      String(ran.json()["message"]),
      /^Released v0\.1\.1-alpha\.1 here, but it was not pushed: /,
    );
    assertStringIncludes(String(ran.json()["hint"]), "amof release push");
    assertEquals((await record(world, "v0.1.1-alpha.1"))["pushed"], false);
    assertMatch(String((await record(world, "v0.1.1-alpha.1"))["push_error"]), /hook declined/);
    assertEquals(await world.git(world.control, "tag"), "v0.1.0\nv0.1.1-alpha.1");
    assertEquals(await refs(world), "refs/heads/main\nrefs/tags/v0.1.0");
    assertEquals(await world.git(world.control, "status", "--porcelain"), "");

    const again = await world.amof(["release", "push", "--yes", "--json"]);
    assertEquals([again.code, again.json()["error"]], [1, "push_refused"], again.stdout);
    await Deno.remove(join(bare, "hooks", "pre-receive"));
    const pushed = await world.amof(["release", "push", "--yes", "--json"]);
    assertEquals(pushed.code, 0, pushed.stdout);
    assertEquals((await record(world, "v0.1.1-alpha.1"))["pushed"], true);
    assertStringIncludes(await refs(world), "refs/tags/v0.1.1-alpha.1");
    assertEquals(
      await world.git(bare, "rev-parse", "main"),
      await world.git(world.control, "rev-parse", "main"),
    );
    const nothing = await world.amof(["release", "push", "--yes"]);
    assertEquals(nothing.code, 0);
    assertStringIncludes(nothing.stdout, "Found v0.1.1-alpha.1 on the remote already.");
  },
});

Deno.test("amof release writes the files that amof.yaml names, in their own formats", async () => {
  await using world = await releaseWorld();
  const files: Record<string, string> = {
    "deno.json": '{\n  // kept\n  "version": "0.1.0",\n  "imports": { "version": "0.1.0" },\n}\n',
    "py/pyproject.toml":
      '[build-system]\nversion = "9"\n\n[project]\nname = "x"\nversion = "0.1.0" # kept\n',
    "rs/Cargo.toml":
      '[package]\r\nname = "x"\r\nversion = "0.1.0"\r\n\r\n[dependencies]\r\ny = { version = "0.1.0" }\r\n',
    "VERSION": "0.1.0",
    "lib.py": '\u{feff}"""Doc."""\n__version__ = "0.1.0"\n',
  };
  for (const [path, text] of Object.entries(files)) await world.write(`control/${path}`, text);
  await world.write(
    "control/amof.yaml",
    `release:
  version_files:
    - deno.json
    - py/pyproject.toml
    - path: rs/Cargo.toml
    - VERSION
    - path: lib.py
      pattern: '^__version__ = "([^"]+)"$'
  branches: [trunk]
`,
  );
  await world.git(world.control, "switch", "--quiet", "-c", "trunk");
  await world.git(world.control, "add", ".");
  await world.git(world.control, "commit", "--quiet", "-m", "Many files");
  const ran = await world.amof(["release", "minor", "--yes", "--no-push", "--strict", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  for (const [path, text] of Object.entries(files)) {
    const wanted = path === "deno.json"
      ? text.replace('"0.1.0"', '"0.2.0"')
      : path === "rs/Cargo.toml"
      ? text.replace('"0.1.0"', '"0.2.0"')
      : text.replace("0.1.0", "0.2.0");
    const bytes = await Deno.readFile(join(world.control, path));
    assertEquals(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), wanted, path);
  }
  // A preset that nobody named takes no part.
  assertStringIncludes(await read(world, "package.json"), '"version": "0.1.0"');
  assertEquals((await record(world, "v0.2.0"))["pushed"], false);
});

Deno.test("amof release init makes the first version of a repository that has none", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await giveRemote(world, world.control, "control");
  for (const command of [["status"], ["validate"], ["patch", "--yes"], ["promote", "--yes"]]) {
    const ran = await world.amof(["release", ...command, "--json"]);
    assertEquals([ran.code, ran.json()["error"]], [2, "release_not_found"], ran.stdout);
    assertStringIncludes(String(ran.json()["hint"]), "amof release init");
  }
  const bad = await world.amof(["release", "init", "one", "--yes", "--json"]);
  assertEquals([bad.code, bad.json()["error"]], [2, "invalid_arguments"]);
  const ran = await world.amof(["release", "init", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(await refs(world), "refs/heads/main\nrefs/tags/v0.1.0");
  assertEquals((await record(world, "v0.1.0"))["action"], "init");
  const twice = await world.amof(["release", "init", "--yes", "--json"]);
  assertEquals([twice.code, twice.json()["error"]], [1, "invalid_transition"]);
  const log = await world.amof(["release", "log"]);
  assertMatch(log.stdout, /v0\.1\.0 +\d{4}-\d\d-\d\d +init /);
});

Deno.test("amof release asks first, and does nothing once things have changed", async () => {
  await using world = await releaseWorld();
  const asked = await world.amof(["release", "patch", "--alpha", "--json"]);
  assertEquals([asked.code, asked.json()["error"]], [4, "confirmation_required"]);
  assertEquals(pick(asked.json(), "confirmation", "preview", "next"), "v0.1.1-alpha.1");
  const token = String(pick(asked.json(), "confirmation", "token"));
  await world.git(world.control, "commit", "--quiet", "--allow-empty", "-m", "Meanwhile");
  const stale = await world.amof(["confirm", token, "--json"]);
  assertEquals([stale.code, stale.json()["error"]], [4, "confirmation_stale"]);
  assertEquals(await world.git(world.control, "tag"), "v0.1.0");
});

Deno.test("amof release takes one stage, and shows its shortcuts", async () => {
  await using world = await releaseWorld();
  const both = await world.amof(["release", "patch", "--alpha", "--beta", "--dry-run"]);
  assertEquals(both.code, 2);
  const same = await world.amof([
    "release",
    "bump",
    "patch",
    "--pre-release",
    "alpha",
    "--dry-run",
  ]);
  assertStringIncludes(same.stdout, "[plan] Would release v0.1.1-alpha.1");
  const help = await world.amof(["release", "minor", "--help"]);
  assertStringIncludes(help.stdout, "--no-push");
  assertStringIncludes(help.stdout, "--alpha");
});

Deno.test("amof release show tells one release, recorded or not, and nothing else", async () => {
  await using world = await releaseWorld();
  const plain = await world.amof(["release", "show", "--json"]);
  assertEquals(plain.code, 0, plain.stdout);
  const tagged = await world.git(world.control, "rev-parse", "v0.1.0^{commit}");
  assertEquals(
    ["tag", "version", "recorded", "record", "tag_commit"].map((name) => plain.json()[name]),
    ["v0.1.0", "0.1.0", false, null, tagged],
  );
  const bumped = await world.amof(BUMP);
  assertEquals(bumped.code, 0, bumped.stdout);
  const shown = await world.amof(["release", "show", "0.1.1-alpha.1"]);
  assertEquals(shown.code, 0, shown.stderr);
  for (const word of ["v0.1.1-alpha.1", "package.json", "Add a changelog", "Pushed"]) {
    assertStringIncludes(shown.stdout, word);
  }
  // A name that spells no version leads to no file.
  await world.write("control/releases/other.json", '{"tag":"other","version":"1.0.0"}');
  for (const tag of ["v9.9.9", "other", "../package", "-v"]) {
    const ran = await world.amof(["release", "show", "--json", "--", tag]);
    assertEquals([ran.code, ran.json()["error"]], [2, "release_not_found"], tag);
  }
});

for (const [hook, released] of [["pre-commit", false], ["pre-push", true]] as const) {
  Deno.test({
    name: `amof release that is cancelled in its ${hook} hook ${
      released ? "stays here, unpushed, and can be pushed later" : "leaves nothing behind"
    }`,
    ignore: !POSIX, // hooks
    async fn() {
      await using world = await releaseWorld();
      const git = join(world.control, ".git");
      const held = join(world.directory, "held");
      await world.hook(git, hook, `touch '${held}'; sleep 30`);
      const started = await world.amof([...BUMP, "--background"]);
      const id = String(started.json()["run_id"]);
      await until("the hook runs", () => world.exists(held));
      const cancelled = await world.amof(["runs", "cancel", id, "--yes", "--json"]);
      assertEquals(cancelled.code, 0, cancelled.stdout);
      await Deno.remove(join(git, "hooks", hook));
      assertEquals(await world.git(world.control, "status", "--porcelain"), "");
      assertEquals(await refs(world), "refs/heads/main\nrefs/tags/v0.1.0");
      if (!released) {
        assertEquals(await world.git(world.control, "tag"), "v0.1.0");
        assertStringIncludes(await read(world, "package.json"), '"version": "0.1.0"');
        assertEquals((await world.amof(BUMP)).code, 0);
        return;
      }
      assertEquals(
        (await record(world, "v0.1.1-alpha.1"))["push_error"],
        "ended during the push",
      );
      const pushed = await world.amof(["release", "push", "--yes", "--json"]);
      assertEquals(pushed.code, 0, pushed.stdout);
      assertStringIncludes(await refs(world), "refs/tags/v0.1.1-alpha.1");
    },
  });
}

Deno.test("amof release shows commits and files without what could deceive who reads them", async () => {
  await using world = await releaseWorld();
  await Deno.writeTextFile(
    join(world.control, "CHANGELOG.md"),
    "# Changelog\n\n## [Unreleased]\n\n- \u202etxet\u001b[31m\n\n## [0.1.0]\n\u001b[2J\n",
  );
  await world.git(world.control, "commit", "--quiet", "-am", "feat: \u001b[31mred\u202e");
  for (const json of [[], ["--json"]]) {
    const ran = await world.amof(["release", "patch", "--alpha", "--dry-run", ...json]);
    assertEquals(ran.code, 0, ran.stdout);
    assertStringIncludes(ran.stdout, "feat: red");
    // deno-lint-ignore no-control-regex -- control characters are what must not be there
    assertEquals(/[\u001b\u202e]|\\u001b|\\u202e/.exec(ran.stdout), null);
  }
});
