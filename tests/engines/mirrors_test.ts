/**
 * Mirrors that a node keeps for its shards (ENGINE-12).
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { World } from "../support/world.ts";
import { ends } from "./suite.ts";

const ignore = Deno.build.os === "windows";

/** A world with an engine of this machine that keeps mirrors, and where they lie. */
async function mirroring(
  extra: string,
): Promise<{ readonly world: World; readonly place: string }> {
  const world = await World.withEcosystem({ repos: ["api", "web"], extra });
  const place = join(world.directory, "node");
  await world.write(
    "state/config/config.yaml",
    `engines:\n  here: {kind: local, parallel: 2, mirrors: ${place}}\n`,
  );
  return { world, place };
}

/** The mirrors below a directory, by the name of their repository. */
async function mirrorsIn(directory: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = join(directory, name);
    if (!isDirectory) continue;
    if (name.endsWith(".git")) found.set(name.replace(/-[0-9a-f]{8}(-blobless)?\.git$/, ""), path);
    else for (const [key, value] of await mirrorsIn(path)) found.set(key, value);
  }
  return found;
}

const EXEC = ["exec", "--json", "--engine", "here", "--shards", "2", "--shell"];

Deno.test({
  name: "shards clone from mirrors of their node, which are fetched, mended and made anew",
  ignore,
  async fn() {
    const { world, place } = await mirroring("");
    await using _world = world;
    const count = 'test "$(git rev-list --count HEAD)" = ';
    const first = await world.amof([...EXEC, `${count} 1`]);
    assertEquals(ends(first), [["api", "ok", 0], ["web", "ok", 0]], first.stdout);
    const mirrors = await mirrorsIn(place);
    assertEquals([...mirrors.keys()].sort(), ["api", "web"]);
    const api = mirrors.get("api") ?? "";
    // A new commit arrives; what somebody wrote into the configuration of a mirror has no effect.
    const remote = join(world.remotes, "api.git");
    const next = await world.git(remote, "commit-tree", "-p", "main", "-m", "Next", "main^{tree}");
    await world.git(remote, "update-ref", "refs/heads/main", next);
    const evil = await world.script("evil", `touch ${world.directory}/ran`);
    await world.git(api, "config", "core.fsmonitor", evil);
    await world.git(api, "config", "core.hooksPath", join(api, "hooks"));
    await world.git(api, "config", "core.sshCommand", evil);
    const second = await world.amof([...EXEC, `${count} 2 || test $AMOF_REPO = web`]);
    assertEquals(ends(second), [["api", "ok", 0], ["web", "ok", 0]], second.stdout);
    assert(!await world.exists(join(world.directory, "ran")));
    assertStringIncludes(await Deno.readTextFile(join(api, "config")), "hooksPath = /dev/null");
    // Nothing of it is left to borrow from.
    await Deno.remove(join(api, "objects"), { recursive: true });
    await Deno.mkdir(join(api, "objects"));
    const third = await world.amof([...EXEC, `${count} 2 || test $AMOF_REPO = web`]);
    assertEquals(ends(third), [["api", "ok", 0], ["web", "ok", 0]], third.stdout);
    const readme = await Deno.readTextFile(join(place, "mirrors", "README.md"));
    assertStringIncludes(readme, "everything\nhere may be removed");
  },
});

Deno.test({
  name: "blobless repositories have blobless mirrors, shallow ones none",
  ignore,
  async fn() {
    const { world, place } = await mirroring("clone: blobless");
    await using _world = world;
    for (const repo of ["api", "web"]) {
      await world.git(
        join(world.remotes, `${repo}.git`),
        "config",
        "uploadpack.allowFilter",
        "true",
      );
    }
    const path = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(
      path,
      text.replace("  - name: web\n", "  - name: web\n    clone: shallow:1\n"),
    );
    const line = "test -f README.md && git rev-parse --is-shallow-repository";
    const ran = await world.amof([...EXEC, line]);
    assertEquals(ends(ran), [["api", "ok", 0], ["web", "ok", 0]], ran.stdout);
    const mirrors = await mirrorsIn(place);
    assertEquals([...mirrors.keys()], ["api"]);
    assert(mirrors.get("api")?.endsWith("-blobless.git"));
    const log = await world.amof(["runs", "logs", String(ran.json()["run_id"])]);
    assertEquals(/^.*\btrue\b.*$/m.test(log.stdout) && /^.*\bfalse\b.*$/m.test(log.stdout), true);
  },
});
