/**
 * Releases of a real repository with its real history: this project's own, cloned, with a remote on the disk. Twice
 * the whole way from alpha to stable, with everything checked after every step.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join, toFileUrl } from "@std/path";
import { rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

const PROJECT = fromFileUrl(new URL("../../", import.meta.url));

/** Commits that the history should have at least, where it was cut off by a shallow checkout. */
const HISTORY = 300;

/** Adds commits to a short history. */
async function growOld(world: World): Promise<void> {
  const count = Number(await world.git(world.control, "rev-list", "--count", "HEAD"));
  const stream = Array.from({ length: Math.max(0, HISTORY - count) }, (_, index) => {
    const message = `chore: commit ${index + 1}`;
    return [
      "commit refs/heads/main",
      "committer Tester <tester@example.invalid> 1767323045 +0000",
      `data ${message.length}`,
      message,
      ...(index === 0 ? ["from refs/heads/main^0"] : []),
      "",
    ].join("\n");
  }).join("");
  const ran = await world.command("git", ["fast-import", "--quiet"], {
    cwd: world.control,
    stdin: stream,
  });
  assertEquals(ran.code, 0, ran.stderr);
}

/** The project as a control repository, without its tags, and a bare remote that has all of it. */
async function projectWorld(): Promise<World> {
  const world = await World.make();
  try {
    // A checkout that belongs to somebody else, or has no history, is cloned all the same.
    const from = toFileUrl(PROJECT).href;
    const safe = ["-c", "safe.directory=*"];
    await world.git(world.directory, ...safe, "clone", "--quiet", "--no-tags", from, "control");
    const { control } = world;
    await world.git(control, "switch", "--quiet", "--force-create", "main");
    await growOld(world);
    const bare = join(world.remotes, "control.git");
    await Deno.mkdir(bare, { recursive: true });
    await world.git(bare, "init", "--quiet", "--bare", "--initial-branch=main");
    await world.git(control, "remote", "set-url", "origin", bare);
    await world.write("control/ecosystems/demo/ecosystem.yaml", "name: demo\nrepos: []\n");
    await world.git(control, "add", "ecosystems");
    await world.git(control, "commit", "--quiet", "-m", "Make it a control repository");
    // A shallow clone cannot be pushed to an empty remote unless that may be shallow, too.
    await world.git(bare, "config", "receive.shallowUpdate", "true");
    await world.git(control, "push", "--quiet", "--set-upstream", "origin", "main");
    return world;
  } catch (error) {
    await world[Symbol.asyncDispose]();
    throw error;
  }
}

/** A step: the commits made before it, the command, and the tag it makes. */
const WAY: readonly (readonly [news: readonly string[], command: string, tag: string])[] = [
  [[], "init 0.1.0", "v0.1.0"],
  [["feat: one", "fix: two"], "minor --alpha", "v0.2.0-alpha.1"],
  [["fix: three"], "minor --alpha", "v0.2.0-alpha.2"],
  [[], "promote beta", "v0.2.0-beta.1"],
  [["fix: four"], "promote beta", "v0.2.0-beta.2"],
  [[], "promote rc", "v0.2.0-rc.1"],
  [[], "promote", "v0.2.0"],
  [["feat: five"], "patch --alpha", "v0.2.1-alpha.1"],
  [[], "promote beta", "v0.2.1-beta.1"],
  [["fix: six"], "promote rc", "v0.2.1-rc.1"],
  [[], "promote", "v0.2.1"],
];

/** Makes a commit that also says in the changelog what is new. */
async function commit(world: World, subject: string): Promise<void> {
  const file = join(world.control, "CHANGELOG.md");
  const text = await Deno.readTextFile(file);
  await Deno.writeTextFile(
    file,
    text.replace(/^(## \[?Unreleased\]?)\n/m, `$1\n\n- ${subject}\n`),
  );
  await world.git(world.control, "commit", "--quiet", "-am", subject);
}

Deno.test("amof release takes a real repository twice from alpha to stable", async (t) => {
  await using world = await projectWorld();
  const { control } = world;
  const bare = join(world.remotes, "control.git");
  const all = Number(await world.git(control, "rev-list", "--count", "HEAD"));
  const made: string[] = [];
  for (const [news, command, tag] of WAY) {
    await t.step(`amof release ${command} makes ${tag}`, async () => {
      for (const subject of news) await commit(world, subject);
      const head = await world.git(control, "rev-parse", "HEAD");
      const previous = made[made.length - 1] ?? null;
      const ran = await world.amof(["release", ...command.split(" "), "--yes", "--json"]);
      assertEquals(ran.code, 0, ran.stdout);
      made.push(tag);
      const version = tag.slice(1);

      // Tags: all of them, this one annotated, on the commit of the release.
      const tags = (await world.git(control, "tag")).split("\n");
      assertEquals(tags.toSorted(), made.toSorted());
      assertEquals(await world.git(control, "cat-file", "-t", tag), "tag");
      const released = await world.git(control, "rev-parse", `${tag}^{commit}`);
      if (command.startsWith("init")) assertEquals(released, head);
      else {
        assertEquals(await world.git(control, "rev-parse", `${released}^`), head);
        assertEquals(
          await world.git(control, "log", "-1", "--format=%s", released),
          `chore(release): ${tag}`,
        );
      }

      // Files: the version and the changelog, in the released commit as on the disk.
      assertEquals(await world.git(control, "status", "--porcelain"), "");
      const config = await world.git(control, "show", `${tag}:deno.json`);
      assertMatch(config, /"version": "\d/);
      if (!command.startsWith("init")) {
        assert(config.includes(`"version": "${version}"`), config.slice(0, 100));
        const changelog = await world.git(control, "show", `${tag}:CHANGELOG.md`);
        const [, first = ""] = /^## \[(\d[^\]]*)\] - \d{4}-\d\d-\d\d$/m.exec(changelog) ?? [];
        assertEquals(first, version);
        for (const subject of news) {
          const section = changelog.split(`## [${version}]`)[1]?.split("\n## ")[0] ?? "";
          assert(section.includes(`- ${subject}`), section);
        }
        assertEquals(
          await world.git(control, "diff", "--name-only", head, released),
          "CHANGELOG.md\ndeno.json",
        );
      }

      // The record, truthful and committed.
      const record = JSON.parse(
        await world.git(control, "show", `HEAD:releases/${tag}.json`),
      ) as Record<string, unknown>;
      assertEquals(
        ["tag", "previous_tag", "commit", "release_commit", "pushed", "push_error", "branch"].map((
          name,
        ) => record[name]),
        [tag, previous, head, released, true, null, "main"],
      );
      assertEquals(record["commits_since_previous"], previous === null ? all : news.length);
      if (previous !== null) {
        assertEquals(record["commit_subjects"], [...news].reverse());
      } else {
        assertEquals((record["commit_subjects"] as string[]).length, Math.min(all, 50));
      }

      // The remote: the same branch, the same tags, nothing else.
      assertEquals(
        await world.git(bare, "for-each-ref", "--format=%(refname) %(objectname)"),
        await world.git(
          control,
          "for-each-ref",
          "--format=%(refname) %(objectname)",
          "refs/heads/main",
          "refs/tags",
        ),
      );
    });
  }

  await t.step("status and log agree with all of it", async () => {
    const status = (await world.amof(["release", "status", "--json"])).json();
    assertEquals(
      [status["tag"], status["stage"], status["dirty"], status["version_drift"]],
      ["v0.2.1", "stable", false, false],
    );
    assertEquals(status["commits_since_tag"], 0);
    const log = (await world.amof(["release", "log", "--limit", "100", "--json"])).json();
    assertEquals(rows(log, "releases").map((row) => row["tag"]), made.toReversed());
    assert(rows(log, "releases").every((row) => row["pushed"] === true));
  });
});
