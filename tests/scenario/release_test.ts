/**
 * `amof release …` from outside: what is written where, and what is told of it.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { giveRemote, releaseWorld } from "../support/release_world.ts";
import { World } from "../support/world.ts";
import { BUMP, read, record, refs } from "./_release.ts";

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

Deno.test("what is advised for a first release works where there is no remote", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const ran = await world.amof(["release", "status", "--json"]);
  const words = String(ran.json()["hint"]).replace(/^.*?: amof /, "").split(" ");
  const first = await world.amof([...words, "--yes", "--json"]);
  assertEquals(first.code, 0, `${words}: ${first.stdout}`);
  assertEquals((await record(world, "v0.1.0"))["pushed"], false);
});

Deno.test("releases that were made without a remote all arrive, and what follows is advised once it can be made", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const amof = async (...words: string[]) => {
    const ran = await world.amof(["release", ...words, "--json"]);
    assertEquals(ran.code, 0, `${words}: ${ran.stdout}`);
    return ran.json();
  };
  await world.write("control/package.json", '{"version": "0.1.0"}\n');
  await world.git(world.control, "add", ".");
  await world.git(world.control, "commit", "--quiet", "-m", "Begin");
  // A first version that is another than that of the files is written into them.
  await amof("init", "0.2.0-alpha.1", "--no-push", "--yes");
  assertStringIncludes(await read(world, "package.json"), '"version": "0.2.0-alpha.1"');
  await amof("promote", "beta", "--no-push", "--yes");
  await amof("promote", "rc", "--no-push", "--yes");
  const tags = ["v0.2.0-rc.1", "v0.2.0-beta.1", "v0.2.0-alpha.1"];
  await world.git(world.control, "tag", "not-a-release");
  assertEquals((await amof("status"))["unpushed"], []);
  await giveRemote(world, world.control, "control");
  await world.git(join(world.remotes, "control.git"), "tag", "--delete", ...tags, "not-a-release");
  const status = await amof("status");
  assertEquals([status["unpushed"], status["version_drift"]], [tags, false]);
  const plan = await world.amof(["release", "push", "--dry-run"]);
  for (const tag of tags) assertStringIncludes(plan.stdout, tag);
  const sent = await amof("push", "--yes");
  assertEquals(pick(sent, "result", "tags"), tags);
  // There is no changelog, so that the promotion would be refused.
  assertEquals(pick(sent, "suggested_actions", 0, "id"), "release_validate");
  assertEquals(
    (await refs(world)).split("\n").filter((ref) => ref.startsWith("refs/tags/")).toSorted(),
    tags.map((tag) => `refs/tags/${tag}`).toSorted(),
  );
  for (const tag of tags) assertEquals((await record(world, tag))["pushed"], true, tag);
  assertEquals(await world.git(world.control, "status", "--porcelain"), "");
  // What the checks say is one round.
  const refused = await world.amof(["release", "validate", "--json"]);
  const lines = String(refused.json()["hint"]).split("\n");
  const script = lines.map((line) => line.replace(/^[A-Z][a-z ]*: /, "")).join("\n");
  const pasted = await world.command("sh", ["-ec", script], { cwd: world.directory });
  assertEquals(pasted.code, 0, pasted.stderr);
  const sentAgain = await amof("push", "--yes");
  assertEquals(sentAgain["unchanged"], true);
  assertEquals(pick(sentAgain, "suggested_actions", 0, "id"), "release_promote_stable");
  await amof("promote", "--yes");
  assertStringIncludes(await refs(world), "refs/tags/v0.2.0");
});

Deno.test("amof release push leaves tags here that the remote has otherwise, or whose commits do not go", async () => {
  await using world = await releaseWorld();
  const { control } = world;
  for (const stage of ["--alpha", "--beta"]) {
    assertEquals((await world.amof(["release", "patch", stage, "--no-push", "--yes"])).code, 0);
  }
  await world.git(control, "push", "--quiet", "origin", "HEAD~1:refs/tags/v0.1.1-alpha.1");
  const plan = await world.amof(["release", "push", "--dry-run", "--json"]);
  assertEquals(pick(plan.json(), "preview", "earlier"), []);
  assertEquals(pick(plan.json(), "preview", "left"), [
    { tag: "v0.1.1-alpha.1", reason: "the remote has another one" },
  ]);
  const ran = await world.amof(["release", "push", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(pick(ran.json(), "result", "tags"), ["v0.1.1-beta.1"]);
  assertEquals((await record(world, "v0.1.1-alpha.1"))["pushed"], false);
});

Deno.test("amof release init makes the first version of a repository that has none", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await giveRemote(world, world.control, "control");
  for (const command of [["status"], ["validate"], ["patch", "--yes"], ["promote", "--yes"]]) {
    const ran = await world.amof(["release", ...command, "--json"]);
    assertEquals([ran.code, ran.json()["error"]], [2, "release_not_found"], ran.stdout);
    assertEquals(ran.json()["hint"], "Make the first one: amof release init");
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
