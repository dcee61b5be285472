/**
 * What it costs that runs can be undone: the looks before and after a run that does nothing, against the same calls of
 * git, over repositories without and with uncommitted work; a push with it and without; and an undo.
 *
 * @module
 */

import { join } from "@std/path";
import { World } from "../support/world.ts";
import { add, inTurns, median } from "./measure.ts";
import { JOBS } from "./reading.ts";

const TURNS = 5;
/** How many files are not committed in each repository. */
const CHANGES = 13;

/** Measures a push that commits in every repository, with and without what is kept to undo it, in turns. */
async function pushing(world: World, binary: string, repos: readonly string[]): Promise<void> {
  await world.command(binary, ["ticket", "start", "T-9", "--offline"]);
  const figures: Record<"off" | "on", number[]> = { off: [], on: [] };
  for (let turn = -1; turn < TURNS; turn++) {
    for (const undo of ["off", "on"] as const) {
      for (const repo of repos) {
        await Deno.writeTextFile(join(world.clone(repo), "pushed"), `${undo} ${turn}\n`);
      }
      const began = performance.now();
      const ran = await world.command(
        binary,
        ["push", "--commit", "-m", `Turn ${turn}, ${undo}`, "--yes", "--json"],
        { env: { AMOF_UNDO: undo } },
      );
      if (ran.code !== 0) throw new Error(ran.stdout);
      if (turn >= 0) figures[undo].push(performance.now() - began);
    }
  }
  add(`amof push --commit, ${repos.length} repos, floor: AMOF_UNDO=off`, {
    floor: median(figures.off),
    figure: median(figures.on),
  });
  await world.command(binary, ["ticket", "switch", "main"]);
}

/** Measures runs of a program over a world with these repositories installed; leaves it as it was. */
export async function undoing(
  world: World,
  { binary, start }: { readonly binary: string; readonly start: number },
  repos: readonly string[],
): Promise<void> {
  const status = "git status --porcelain=v2 --branch --show-stash -uall -z";
  const bare = () =>
    world.command("sh", [
      "-c",
      `ls -d repos/* | xargs -P ${JOBS} -I{} sh -c 'cd {} && ${status} && true && ${status}' > /dev/null 2>&1`,
    ], { cwd: world.workspace() });
  const nothing = () => world.command(binary, ["exec", "--json", "--", "true"]);
  const [floor = NaN, clean = NaN] = await inTurns(TURNS, bare, nothing);
  add(`amof exec -- true, ${repos.length} clean repos`, { floor: start + floor, figure: clean });
  for (const repo of repos) {
    for (let file = 0; file < CHANGES; file++) {
      await Deno.writeTextFile(join(world.clone(repo), `new-${file}`), `${repo} ${file}\n`);
    }
  }
  const [dirty = NaN, kept = NaN] = await inTurns(TURNS, bare, nothing);
  add(`amof exec -- true, ${repos.length} repos, ${CHANGES} changes each`, {
    floor: start + dirty,
    figure: kept,
  });
  const taken: number[] = [];
  for (let turn = -1; turn < TURNS; turn++) {
    await world.command(binary, ["exec", "--shell", "rm new-*; echo x > made"]);
    const began = performance.now();
    const ran = await world.command(binary, ["undo", "--yes", "--json"]);
    if (ran.code !== 0) throw new Error(ran.stdout);
    if (turn >= 0) taken.push(performance.now() - began);
  }
  add(`amof undo, ${repos.length} repos, ${CHANGES + 1} files each`, { figure: median(taken) });
  for (const repo of repos) await world.git(world.clone(repo), "clean", "-q", "-f");
  await pushing(world, binary, repos);
}
