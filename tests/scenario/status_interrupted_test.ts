// Covers commands that read many repositories: what becomes of the git that they started when they are ended.

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

/** Begins a status in which git takes its time in every clone; answers it with the processes of git. */
async function slowStatus(world: World, seconds: number) {
  const noted = join(world.directory, "pids");
  await Deno.writeTextFile(noted, "");
  const env = await world.wrapGit(
    `case "$PWD $*" in */repos/*" "*status*) echo "$$" >> '${noted}'; exec sleep ${seconds} ;; esac`,
  );
  const child = world.start(["status"], { env });
  const pids = async () =>
    (await Deno.readTextFile(noted)).split(/\s+/).filter((pid) => pid !== "");
  await until("git is at work", async () => (await pids()).length > 0);
  return { child, pids };
}

async function areGone(pids: readonly string[]): Promise<boolean> {
  return (await Promise.all(pids.map(isGone))).every((gone) => gone);
}

for (const [signal, seconds] of [["SIGINT", 600], ["SIGKILL", 1]] as const) {
  Deno.test({
    name: `${signal} of a status ${signal === "SIGINT" ? "ends its git at once" : "leaves no git"}`,
    ignore: Deno.build.os === "windows",
    async fn() {
      await using world = await World.installed({ repos: REPOS });
      const { child, pids } = await slowStatus(world, seconds);
      child.kill(signal);
      const { code } = await child.output();
      if (signal === "SIGINT") assertEquals(code, 130);
      const begun = await pids();
      assert(begun.length <= REPOS.length);
      await until("git is gone", () => areGone(begun));
    },
  });
}
