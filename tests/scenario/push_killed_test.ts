/**
 * A push that is killed right after the remote has taken it: what arrived is remembered all the same.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";

/** Wrapped programs are POSIX matters. */
const ignore = Deno.build.os === "windows";

/** A git that pushes for real and then kills whoever called it, once. */
async function killing(world: World): Promise<Record<string, string>> {
  const once = join(world.directory, "killed");
  return await world.wrapGit(
    `case " $* " in *" push "*) if [ ! -e '${once}' ]; then : > '${once}'; PATH='${
      world.env["PATH"] ?? ""
    }' git "$@"; kill -9 $PPID; exit 0; fi ;; esac`,
  );
}

/** What is remembered of the push of a repository, and the upstream of its branch. */
async function remembered(world: World): Promise<unknown[]> {
  const status = (await world.amof(["-e", "demo", "status", "--json"])).json();
  const api = rows(status, "repos").find(({ name }) => name === "api");
  return [pick(api, "last_push", "commit_full"), api?.["upstream"], api?.["unpushed"]];
}

async function workspace(): Promise<{ readonly world: World; readonly head: string }> {
  const world = await World.installed({ repos: ["api", "web"] });
  const head = await world.commitOnFeature("api");
  assertEquals(await remembered(world), [undefined, null, true]);
  return { world, head };
}

for (
  const [by, words] of [
    ["a repeated push", ["push", "--yes", "--json"]],
    ["doctor --repair", ["doctor", "--repair", "--yes", "--json"]],
  ] as const
) {
  Deno.test({
    name: `amof push that is killed behind the remote is remembered by ${by}`,
    ignore,
    async fn() {
      const { world, head } = await workspace();
      await using _ = world;
      const killed = await world.amof(["push", "--yes", "--json"], { env: await killing(world) });
      assertEquals(killed.code, 1, killed.stdout);
      assertEquals(
        await world.git(join(world.remotes, "api.git"), "rev-parse", "feature/T-1"),
        head,
      );
      const ran = await world.amof([...words]);
      assertEquals(ran.code, 0, ran.stdout);
      assertEquals(await remembered(world), [head, "origin/feature/T-1", false]);
    },
  });
}

Deno.test({
  name: "a base branch that follows another remote does so after a push that is killed, too",
  ignore,
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const api = world.clone("api");
    await world.git(api, "remote", "add", "upstream", world.url("api"));
    await world.git(api, "fetch", "--quiet", "upstream");
    await world.git(api, "branch", "--quiet", "--set-upstream-to=upstream/main");
    await world.git(api, "commit", "--quiet", "--allow-empty", "-m", "Mine");
    const push = ["push", "--allow-base", "--yes", "--json"];
    const killed = await world.amof(push, { env: await killing(world) });
    assertEquals(killed.code, 1, killed.stdout);
    assertEquals((await world.amof(push)).code, 0);
    assertEquals(await remembered(world), [
      await world.git(api, "rev-parse", "HEAD"),
      "upstream/main",
      false,
    ]);
  },
});

Deno.test({
  name: "a push over MCP that is killed behind the remote is remembered when it is repeated",
  ignore,
  async fn() {
    const { world, head } = await workspace();
    await using _ = world;
    await using client = new McpClient(world, ["--mode", "execute"], await killing(world));
    await client.initialize();
    const asked = await client.call("amof_push_ecosystem", { ecosystem: "demo" });
    const token = pick(asked.data, "confirmation", "token");
    const started = await client.call("amof_confirm", { token });
    assertEquals((await client.finished(String(started.data["run_id"])))["status"], "failed");
    const again = await client.call("amof_push_ecosystem", { ecosystem: "demo" });
    assert(!again.isError, again.text);
    assertEquals(await remembered(world), [head, "origin/feature/T-1", false]);
  },
});

Deno.test({
  name: "amof push that is killed before anything has gone remembers nothing",
  ignore,
  async fn() {
    const { world } = await workspace();
    await using _ = world;
    const env = await world.wrapGit(`case " $* " in *" push "*) kill -9 $PPID; exit 1 ;; esac`);
    assertEquals((await world.amof(["push", "--yes", "--json"], { env })).code, 1);
    assertEquals((await world.amof(["doctor", "--repair", "--yes", "--json"])).code, 0);
    assertEquals(await remembered(world), [undefined, null, true]);
  },
});
