// Covers the helper processes of commands that read many repositories: what becomes of them when the command is ended.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { until } from "../support/answers.ts";
import { World } from "../support/world.ts";

const REPOS = ["a", "b", "c", "d", "e", "f", "g"];

/** Whether no process has that number, or only one that nobody has collected yet. */
async function isGone(pid: string): Promise<boolean> {
  const output = await new Deno.Command("ps", { args: ["-o", "stat=", "-p", pid] }).output();
  return /^\s*(?:Z.*)?$/.test(new TextDecoder().decode(output.stdout));
}

/** Begins a status in which git takes its time in every clone; answers it with the processes of git and its parents. */
async function slowStatus(world: World, seconds: number) {
  const noted = join(world.directory, "pids");
  await Deno.writeTextFile(noted, "");
  const env = await world.wrapGit(
    `case "$PWD $*" in */repos/*" "*status*) echo "$$ $PPID" >> '${noted}'; sleep ${seconds} ;; esac`,
  );
  const child = world.start(["status"], { env });
  const pids = async () =>
    (await Deno.readTextFile(noted)).split(/\s+/).filter((pid) => pid !== "");
  await until(
    "a helper has started git",
    async () => (await pids()).some((pid, index) => index % 2 === 1 && pid !== String(child.pid)),
  );
  return { child, pids };
}

async function areGone(pids: readonly string[]): Promise<boolean> {
  return (await Promise.all(pids.map(isGone))).every((gone) => gone);
}

Deno.test({
  name: "an interrupt ends status with its helpers and their git at once",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await World.installed({ repos: REPOS });
    const { child, pids } = await slowStatus(world, 600);
    child.kill("SIGINT");
    assertEquals((await child.output()).code, 130);
    const begun = await pids();
    assert(begun.length <= 2 * REPOS.length);
    await until("git and its helpers are gone", () => areGone(begun));
  },
});

Deno.test({
  name: "the helpers of a status that is killed end with the call that they are at",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using world = await World.installed({ repos: REPOS });
    const { child, pids } = await slowStatus(world, 1);
    child.kill("SIGKILL");
    await child.output();
    await until("git and its helpers are gone", async () => areGone(await pids()));
    const helpers = (await pids()).filter((_, index) => index % 2 === 1);
    assertEquals(new Set(helpers).size, helpers.length);
  },
});
