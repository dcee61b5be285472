/**
 * The radar for conflicts between tickets, against a process for every merge.
 *
 * @module
 */

import { World } from "../support/world.ts";
import { JOBS } from "./reading.ts";
import { add, inTurns } from "./measure.ts";

const TICKETS = Array.from({ length: 10 }, (_, index) => `T-${index}`);

/** Gives every repository of a world a branch for each ticket, with a line of its own in a file that all have. */
async function withTickets(world: World, repos: readonly string[]): Promise<void> {
  const lines = (index: number) =>
    Array.from({ length: 40 }, (_, line) => line % 10 === index ? `${index}\n` : "line\n").join("");
  for (const repo of repos) {
    const stream = TICKETS.map((id, index) => {
      const text = lines(index);
      return `commit refs/heads/feature/${id}\ncommitter T <t@example.invalid> ${index} +0000\ndata 1\nx\nfrom refs/heads/main^0\nM 100644 inline all.txt\ndata ${text.length}\n${text}\n`;
    }).join("");
    const ran = await world.command("git", ["fast-import", "--quiet"], {
      cwd: world.clone(repo),
      stdin: stream,
    });
    if (ran.code !== 0) throw new Error(`${repo}: ${ran.stderr}`);
  }
  const all = (id: string) => Object.fromEntries(repos.map((repo) => [repo, `feature/${id}`]));
  await world.patchState({
    tickets: Object.fromEntries(TICKETS.map((id) => [id, {
      created_at: "2026-01-02T03:04:05Z",
      ecosystem: "demo",
      repos: all(id),
    }])),
  });
}

/** Every two branches, and each with its base, by a process for each. */
async function aProcessPerPair(world: World): Promise<void> {
  const sides = ["main", ...TICKETS.map((id) => `feature/${id}`)];
  const pairs = sides.flatMap((a, index) => sides.slice(index + 1).map((b) => `${a} ${b}`));
  const ran = await world.command("sh", [
    "-c",
    `for repo in repos/*; do printf '%s\\n' ${
      pairs.map((pair) => `"$repo ${pair}"`).join(" ")
    }; done | xargs -P ${JOBS} -L 1 sh -c 'git -C "$0" merge-tree --write-tree --name-only "$1" "$2" > /dev/null; :'`,
  ], { cwd: world.workspace() });
  if (ran.code !== 0) throw new Error(ran.stderr);
}

/** Measures `ticket conflicts` over a world with these repositories installed. */
export async function radar(world: World, binary: string, repos: readonly string[]): Promise<void> {
  await withTickets(world, repos);
  const [floor = NaN, figure = NaN] = await inTurns(
    1,
    () => aProcessPerPair(world),
    () => world.command(binary, ["--json", "ticket", "conflicts"]),
  );
  const what = `${TICKETS.length} tickets, ${repos.length} repos`;
  add(`amof ticket conflicts, ${what}, beside a process per pair`, {
    floor,
    figure,
    budget: "≤ 0.5 ×",
  });
}
