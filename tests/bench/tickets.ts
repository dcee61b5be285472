/**
 * Workspaces of tickets, beside linked worktrees and plain clones of the same repositories.
 *
 * @module
 */

import { join } from "@std/path";
import { World } from "../support/world.ts";
import { add } from "./measure.ts";
import { JOBS } from "./reading.ts";

const TICKETS = Array.from({ length: 10 }, (_, index) => `W-${index}`);

async function timed(work: () => Promise<{ readonly code: number; readonly stderr: string }>) {
  const started = performance.now();
  const ran = await work();
  if (ran.code !== 0) throw new Error(ran.stderr);
  return performance.now() - started;
}

/** What a directory takes on the disk, in MB; files with several names count once. */
async function megabytes(world: World, ...directories: readonly string[]): Promise<number> {
  const ran = await world.command("du", ["-skc", ...directories]);
  return Number(/(\d+)\s+total\s*$/.exec(ran.stdout)?.[1] ?? NaN) / 1024;
}

/** Measures making, keeping, looking at and syncing ten tickets over a world with these repositories installed. */
export async function ticketWorkspaces(
  world: World,
  binary: string,
  repos: readonly string[],
): Promise<void> {
  const beside = join(world.directory, "beside");
  await Deno.mkdir(join(beside, "linked"), { recursive: true });
  await Deno.mkdir(join(beside, "plain"), { recursive: true });
  const inAll = (script: string, cwd: string) =>
    world.command("sh", [
      "-c",
      `printf '%s\\n' ${repos.join(" ")} | xargs -P ${JOBS} -I{} sh -c '${script}'`,
    ], { cwd });
  const amof = (...args: string[]) => world.command(binary, ["--json", ...args]);
  // The first one makes the mirrors, which all others then have.
  await timed(() => amof("ticket", "start", "W-first", "--workspace"));
  const sums = { linked: 0, plain: 0, ours: 0 };
  for (const id of TICKETS) {
    const clone = join(world.workspace(), "repos");
    sums.linked += await timed(() =>
      inAll(
        `git -C ${clone}/{} worktree add -q -b linked/${id} ${beside}/linked/${id}/{} origin/main`,
        beside,
      )
    );
    sums.plain += await timed(() =>
      inAll(`git clone -q file://${world.remotes}/{}.git ${beside}/plain/${id}/{}`, beside)
    );
    sums.ours += await timed(() => amof("ticket", "start", id, "--workspace"));
  }
  const what = `10 tickets × ${repos.length} repos`;
  const n = TICKETS.length;
  add(`${what}: make one, beside linked worktrees`, {
    floor: sums.linked / n,
    figure: sums.ours / n,
  });
  add(`${what}: make one, beside plain clones`, { floor: sums.plain / n, figure: sums.ours / n });
  const places = TICKETS.map((id) => join(world.control, "worktrees", `demo@${id}`));
  const disk = await megabytes(world, ...places);
  add(`${what}: disk, beside linked worktrees`, {
    floor: await megabytes(world, join(beside, "linked")),
    figure: disk,
    unit: "MB",
  });
  add(`${what}: disk, beside plain clones`, {
    floor: await megabytes(world, join(beside, "plain")),
    figure: disk,
    unit: "MB",
  });
  const status = "git status --porcelain=v2 --branch --show-stash -z > /dev/null";
  add(`${what}: status of all, beside git alone in linked worktrees`, {
    floor: await timed(() =>
      world.command("sh", [
        "-c",
        `ls -d */* | xargs -P ${JOBS} -I{} sh -c 'cd {} && ${status}'`,
      ], { cwd: join(beside, "linked") })
    ),
    figure: await timed(() =>
      world.command("sh", [
        "-c",
        TICKETS.map((id) => `${binary} --json status -t ${id} > /dev/null`).join(" && "),
      ], { cwd: world.control })
    ),
  });
  add(`${what}: sync of all, beside a fetch of each plain clone`, {
    floor: await timed(() =>
      world.command("sh", ["-c", `ls -d */* | xargs -P ${JOBS} -I{} git -C {} fetch -q`], {
        cwd: join(beside, "plain"),
      })
    ),
    figure: await timed(() =>
      world.command("sh", [
        "-c",
        TICKETS.map((id) => `${binary} --json sync -t ${id} > /dev/null`).join(" && "),
      ], { cwd: world.control })
    ),
  });
}
