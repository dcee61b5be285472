/**
 * Commands that look at many repositories, against starting a program and the same calls by `xargs`, and beside other
 * programs for many repositories where those are installed.
 *
 * @module
 */

import { join } from "@std/path";
import { McpClient } from "../support/mcp_client.ts";
import { World } from "../support/world.ts";
import { add, inTurns, median } from "./measure.ts";

/** How many calls run at once. */
export const JOBS = Math.max(4, navigator.hardwareConcurrency * 2);
const TURNS = 10;
/** What all repositories of the world hold. */
const PATTERN = "repo";

/** An earlier build that is measured beside this one; empty for none. */
export const BEFORE = Deno.env.get("AMOF_BENCH_BEFORE") ?? "";

/** What is measured: how it is called, the calls it consists of, and how others do it. */
interface Reading {
  readonly words: readonly string[];
  /** What runs in each repository, as shell words. */
  readonly call: string;
  /** What is looked at in each before and after that, so that it can be undone; nothing where absent. */
  readonly looks?: string;
  /** As it is written in the design; nothing where git has to be asked all the same. */
  readonly budget?: string;
  /** Their arguments; those of a program that cannot do it are missing. */
  readonly others: Readonly<Partial<Record<Other, readonly string[]>>>;
}

type Other = "gita" | "mr" | "vcs";

const VCS = ["--workers", String(JOBS)];
/** The arguments of vcs for a call of git. */
const vcs = (...args: string[]) => ["custom", "--git", "repos", ...VCS, "--args", ...args];

const STATUS: Reading = {
  words: ["status"],
  budget: "≤ 1.3 ×",
  call: "git status --porcelain=v2 --branch --show-stash -z",
  others: { gita: ["ll"], mr: ["status"], vcs: ["status", "repos", ...VCS] },
};

const READINGS: readonly Reading[] = [
  {
    words: ["log"],
    call: "git log -z --max-count=51 --format=%H%n%ct%n%an%n%s HEAD --",
    others: {
      gita: ["super", "log", "--max-count=51"],
      mr: ["log", "--max-count=51"],
      vcs: ["log", "repos", ...VCS, "--limit", "51"],
    },
  },
  {
    words: ["grep", PATTERN],
    call: `git grep --threads=1 --null --line-number -e ${PATTERN}`,
    others: {
      gita: ["super", "grep", PATTERN],
      mr: ["run", "git", "grep", PATTERN],
      vcs: vcs("grep", PATTERN),
    },
  },
  {
    words: ["branches"],
    call:
      "git for-each-ref '--format=%(refname)%00%(objectname)%00%(committerdate:unix)' refs/heads refs/remotes",
    others: {
      gita: ["super", "branch", "--all", "--verbose"],
      mr: ["run", "git", "branch", "--all", "--verbose"],
      vcs: vcs("branch", "--all", "--verbose"),
    },
  },
  {
    words: ["exec", "--", "true"],
    call: "true",
    looks: STATUS.call,
    others: { gita: ["shell", "true"], mr: ["run", "true"] },
  },
];

/** The repositories of {@linkcode installed}. */
export function reposOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `repo${String(index).padStart(3, "0")}`);
}

/** A world with `count` small repositories installed. */
export async function installed(count: number): Promise<World> {
  const repos = reposOf(count);
  const world = await World.withEcosystem({ repos });
  await world.install();
  await Deno.writeTextFile(
    join(world.directory, "mrconfig"),
    repos.map((repo) => `[control/worktrees/demo/repos/${repo}]\ncheckout = true\n`).join(""),
  );
  return world;
}

/** Runs a call in every repository by xargs, with the same parallelism. */
export async function byXargs(world: World, call: string): Promise<void> {
  // A call by itself needs no shell in between.
  const each = call.startsWith("git ")
    ? `git -C {} ${call.slice("git ".length)}`
    : `sh -c 'cd {} && ${call}'`;
  const ran = await world.command("sh", [
    "-c",
    `git -C ${world.control} worktree list --porcelain > /dev/null; ls -d repos/* | xargs -P ${JOBS} -I{} ${each} > /dev/null 2>&1`,
  ], { cwd: world.workspace() });
  if (ran.code !== 0) throw new Error(`${call}: ${ran.stderr}`);
}

/** The other programs that are installed, ready to be used. */
async function others(world: World): Promise<readonly Other[]> {
  const found: Other[] = [];
  for (const other of ["gita", "mr", "vcs"] as const) {
    if ((await world.command("sh", ["-c", `command -v ${other}`])).code === 0) found.push(other);
  }
  if (found.includes("gita")) {
    await world.command("sh", ["-c", "gita add repos/*"], { cwd: world.workspace() });
  }
  return found;
}

function runOther(world: World, other: Other, args: readonly string[]): Promise<unknown> {
  const mr = ["--trust-all", "--jobs", String(JOBS), "--config", join(world.directory, "mrconfig")];
  return other === "mr"
    ? world.command("mr", [...mr, ...args], { cwd: world.directory })
    : world.command(other, args, { cwd: world.workspace() });
}

async function measure(world: World, reading: Reading, { binary, start, count }: {
  readonly binary: string;
  readonly start: number;
  readonly count: number;
}): Promise<void> {
  const beside = (await others(world)).filter((other) => reading.others[other] !== undefined);
  const before = BEFORE === "" ? [] : [BEFORE];
  const args = ["--json", ...reading.words];
  const [calls = NaN, figure = NaN, ...taken] = await inTurns(
    TURNS,
    () => byXargs(world, reading.call),
    () => world.command(binary, args),
    ...beside.map((other) => () => runOther(world, other, reading.others[other] ?? [])),
    ...before.map((build) => async () => world.command(build, args, await homeOf(world))),
  );
  const floor = start + calls;
  const { budget = "" } = reading;
  add(`amof ${reading.words.join(" ")}, ${count} repos, floor: start and git by xargs`, {
    floor,
    figure,
    budget,
  });
  const { looks } = reading;
  if (looks !== undefined) {
    const [look = NaN, forgetful = NaN] = await inTurns(
      TURNS,
      () => byXargs(world, looks),
      () => world.command(binary, args, { env: { AMOF_UNDO: "off" } }),
    );
    add("· with what undo looks at", { floor: floor + 2 * look, figure });
    add("· AMOF_UNDO=off", { floor, figure: forgetful });
  }
  for (const [index, other] of beside.entries()) {
    add(`· ${other} ${reading.others[other]?.[0] ?? ""}`, { floor, figure: taken[index] ?? NaN });
  }
  for (const _ of before) add("· an earlier build", { floor, figure: taken.at(-1) ?? NaN });
}

/** Another home for another build, whose database may have another form. */
async function homeOf(world: World): Promise<{ readonly env: Record<string, string> }> {
  const home = join(world.directory, "earlier");
  const isThere = await Deno.stat(home).then(() => true, () => false);
  if (!isThere) await world.command("cp", ["-a", world.env["AMOF_HOME"] ?? "", home]);
  return { env: { AMOF_HOME: home } };
}

/** Status where nothing is remembered, and where five of the repositories have changed since. */
async function changedStatus(world: World, { binary, start, count }: {
  readonly binary: string;
  readonly start: number;
  readonly count: number;
}): Promise<void> {
  const status = () => world.command(binary, ["--json", ...STATUS.words]);
  const before = BEFORE === "" ? [] : [BEFORE];
  const books = join(world.env["AMOF_HOME"] ?? "", "state", "verdicts");
  const [calls = NaN, first = NaN, ...earlier] = await inTurns(
    TURNS,
    () => byXargs(world, STATUS.call),
    async () => {
      await Deno.remove(books, { recursive: true }).catch(() => {});
      await status();
    },
    ...before.map((build) => async () =>
      world.command(build, ["--json", ...STATUS.words], await homeOf(world))
    ),
  );
  const floor = start + calls;
  add(`first amof status, ${count} repos, floor: start and git by xargs`, { floor, figure: first });
  for (const figure of earlier) add("· an earlier build", { floor, figure });
  const taken: number[] = [];
  for (let turn = -2; turn < TURNS; turn++) {
    for (const repo of reposOf(count).slice(0, 5)) {
      await Deno.writeTextFile(join(world.clone(repo), "changed"), `${turn}\n`);
    }
    const began = performance.now();
    await status();
    if (turn >= 0) taken.push(performance.now() - began);
  }
  add(`amof status, 5 of ${count} repos changed, floor: start and git by xargs`, {
    floor,
    figure: median(taken),
    budget: "≤ 1.4 ×",
  });
  for (const repo of reposOf(count).slice(0, 5)) {
    await Deno.remove(join(world.clone(repo), "changed"));
  }
}

/** Measures the reading commands over a world of {@linkcode installed}; all of them, or `status` alone. */
export async function reading(
  world: World,
  of: { readonly binary: string; readonly start: number; readonly count: number },
  all: boolean,
): Promise<void> {
  await measure(world, STATUS, of);
  if (!all) return;
  await changedStatus(world, of);
  for (const each of READINGS) await measure(world, each, of);
}

/** Measures the status tool of a server that is running. */
export async function statusTool(world: World, count: number): Promise<void> {
  await using client = new McpClient(world);
  await client.initialize();
  const [floor = NaN, figure = NaN] = await inTurns(
    TURNS,
    () => byXargs(world, STATUS.call),
    () => client.call("amof_get_ecosystem_status", { ecosystem: "demo" }),
  );
  add(`status tool over MCP, ${count} repos, floor: git by xargs`, { floor, figure });
}
