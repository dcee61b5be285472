/**
 * `amof release` where something stands in the way or fails: nothing is left half done.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows, until } from "../support/answers.ts";
import { releaseWorld } from "../support/release_world.ts";
import { type Ran, World } from "../support/world.ts";
import { BUMP, read, record, refs } from "./_release.ts";

/** Hooks are shell scripts. */
const POSIX = Deno.build.os !== "windows";

/** The gates of a list in an answer. */
function gates(ran: Ran, ...steps: string[]): unknown[] {
  return rows(ran.json(), ...steps).map((finding) => finding["gate"]);
}

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
    const standing = await world.amof(["release", "status"]);
    assertStringIncludes(
      standing.stdout,
      "Unpushed:  v0.1.1-alpha.1, as its record says: amof release push\n",
    );
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

Deno.test({
  name: "a record that a hook refuses is told with what commits it, and doctor --repair does",
  ignore: !POSIX,
  async fn() {
    await using world = await World.make();
    await world.makeControl();
    await world.hook(join(world.control, ".git"), "commit-msg", 'grep -q OPS- "$1"');
    const init = await world.amof(["release", "init", "0.1.0", "--no-push", "--yes", "--json"]);
    assertEquals([init.code, init.json()["error"]], [5, "partial_failure"], init.stdout);
    const [add = "", commit = ""] = String(init.json()["hint"]).split("\n")
      .map((line) => line.slice(line.indexOf(": ") + 2));
    const path = "releases/v0.1.0.json";
    assertEquals(add, `git -C ${world.control} add -- ${path}`);
    assertMatch(
      commit,
      /commit -m 'chore\(release\): record v0\.1\.0' -- releases\/v0\.1\.0\.json$/,
    );
    // Nobody is told to put it away.
    const validated = await world.amof(["release", "validate", "--no-push", "--json"]);
    assertStringIncludes(validated.stdout, commit);
    const looked = await world.amof(["doctor", "--json"]);
    assertStringIncludes(looked.stdout, `${path} is not committed`);
    assertStringIncludes(looked.stdout, commit);
    await Deno.remove(join(world.control, ".git", "hooks", "commit-msg"));
    await world.amof(["doctor", "--repair", "--yes"]);
    assertEquals(await world.git(world.control, "status", "--porcelain"), "");
    assertStringIncludes(
      await world.git(world.control, "log", "-1", "--format=%s"),
      "record v0.1.0",
    );
  },
});

Deno.test("amof release status says of each step to the stage that is held back that it is not ready", async () => {
  await using world = await releaseWorld();
  const listed = async () =>
    [...(await world.amof(["release", "status"])).stdout.matchAll(
      /^v(\S+?)(, not ready)? {2,}amof/gm,
    )]
      .map(([, version = "", late]) => [version.replace(/.*-/, ""), late !== undefined] as const);
  assertEquals((await listed()).filter(([, late]) => late), []);
  await Deno.remove(join(world.control, "CHANGELOG.md"));
  await world.git(world.control, "commit", "--quiet", "--all", "-m", "Forget the news");
  const { ready } = (await world.amof(["release", "status", "--json"])).json() as {
    ready: { stage: string; ok: boolean };
  };
  assertEquals([ready.stage, ready.ok], ["stable", false]);
  for (const [version, late] of await listed()) {
    assertEquals(late, !version.startsWith("alpha"), version);
  }
});

Deno.test({
  name: "a push of what the remote has says that its record waits, and for what",
  ignore: !POSIX, // hooks
  async fn() {
    await using world = await releaseWorld();
    const git = join(world.control, ".git");
    await world.hook(git, "pre-commit", "! git diff --cached --name-only | grep -q ^releases/");
    const bumped = await world.amof(BUMP);
    assertEquals([bumped.code, bumped.json()["error"]], [5, "partial_failure"], bumped.stdout);
    await Deno.remove(join(git, "hooks", "pre-commit"));
    const waits = async (...words: string[]) =>
      pick((await world.amof(["release", "push", ...words, "--yes", "--json"])).json(), "waiting");
    const open = await waits();
    assertEquals(pick(open, "problem"), "its record is not committed");
    for (const line of String(pick(open, "fix")).split("\n").slice(0, 2)) {
      const [, command = ""] = /: (git .*)$/.exec(line) ?? [];
      const ran = await new Deno.Command("sh", { args: ["-c", command], env: world.env }).output();
      assert(ran.success, command);
    }
    assertEquals(await waits("v0.1.1-alpha.1"), {
      problem: "its record is not pushed",
      fix: "amof release push",
    });
    const pushed = await world.amof(["release", "push", "--yes", "--json"]);
    assertEquals(pick(pushed.json(), "result", "records"), 1, pushed.stdout);
    assertEquals(pick((await world.amof(["release", "push", "--json"])).json(), "unchanged"), true);
    const { stdout } = await world.amof(["release", "push"]);
    assertStringIncludes(stdout, "Found v0.1.1-alpha.1 on the remote already.\n");
  },
});

Deno.test({
  name: "a hook that refuses the release commit is told once, with what it said last",
  ignore: !POSIX, // hooks
  async fn() {
    await using world = await releaseWorld();
    const hook = async (body: string) => {
      await world.hook(join(world.control, ".git"), "commit-msg", body);
      return (await world.amof(BUMP.filter((word) => word !== "--json"))).stderr;
    };
    assertStringIncludes(await hook("exit 1"), "a hook refused it, and said nothing\n");
    const told = await hook("echo first; echo 'no ticket'; exit 1");
    assertStringIncludes(told, "a hook refused it: no ticket\nhint: Mend what the hook found");
    assertEquals(told.split("no ticket").length, 2, told);
  },
});

Deno.test({
  name:
    "a hook that changes the subject of the release commit: it is released, or all is as before",
  ignore: !POSIX, // hooks
  async fn() {
    for (
      const [script, subject] of [
        [`sed -i.bak '1s/^/[OPS-1] /' "$1"`, "[OPS-1] chore(release): v0.1.1-alpha.1"],
        [`printf 'OPS-1\\n\\nRelease v0.1.1-alpha.1.\\n' > "$1"`, "OPS-1"],
        [`echo 'Whatever' > "$1"`, null],
      ] as const
    ) {
      await using world = await releaseWorld();
      await world.hook(join(world.control, ".git"), "commit-msg", script);
      const before = await refs(world);
      const ran = await world.amof(BUMP);
      if (subject === null) {
        assertEquals([ran.code, ran.json()["error"]], [1, "commit_refused"], ran.stdout);
        assertEquals(await refs(world), before);
        assertEquals(await world.git(world.control, "status", "--porcelain"), "");
        continue;
      }
      assertEquals(ran.code, 0, ran.stdout);
      assertEquals(
        await world.git(world.control, "log", "-1", "--format=%s", "v0.1.1-alpha.1"),
        subject,
      );
    }
  },
});

Deno.test("a release whose record cannot be written says that it stands, and undo, doctor and the repair know of it", async () => {
  await using world = await releaseWorld();
  const inTheWay = join(world.control, "releases/v0.1.1-alpha.1.json");
  await Deno.mkdir(join(inTheWay, "x"), { recursive: true });
  const ran = await world.amof(BUMP);
  assertEquals(ran.json()["error"], "file_failed", ran.stdout);
  assertMatch(
    String(ran.json()["message"]),
    /^Released v0\.1\.1-alpha\.1 and pushed it, but its record is not written: /,
  );
  assertMatch(String(ran.json()["hint"]), /\nThen: amof doctor --repair$/);
  assertStringIncludes(await refs(world), "refs/tags/v0.1.1-alpha.1");
  const undo = async () =>
    String((await world.amof(["undo", "--dry-run", "--json"])).json()["message"]);
  const id = String(ran.json()["run_id"]).slice(0, 8);
  assertStringIncludes(await undo(), `release bump ${id}`);
  await Deno.remove(inTheWay, { recursive: true });
  assertEquals((await world.amof(["doctor", "--repair", "--yes"])).code, 0);
  assertEquals((await record(world, "v0.1.1-alpha.1"))["pushed"], true);
  assertStringIncludes(await undo(), `release bump ${id}: undo cannot take back what is pushed`);
});
