/**
 * Plans of agentpack, against what they cannot do without.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { createHash } from "node:crypto";
import { FILES_AT_ONCE } from "../../src/apps/agentpack/io.ts";
import { inPool } from "../../src/base/async/pool.ts";
import { McpClient } from "../support/mcp_client.ts";
import { plan } from "../support/pack_calls.ts";
import { deploy, setUp } from "../support/pack_fixture.ts";
import { PackWorld } from "../support/pack_world.ts";
import { add, inTurns, median } from "./measure.ts";

/** A plan of a thousand deployed files, against reading and hashing these files. */
export async function agentpackPlan(): Promise<void> {
  await using world = await PackWorld.make();
  await setUp(world, "  codex: { mode: files, scope: project }");
  const text = "A line of a skill that says something.\n".repeat(50);
  const paths: string[] = [];
  for (let index = 0; index < 1_000; index++) {
    const path = `data/${index % 20}/${index}.md`;
    await world.write(`m/tidy/${path}`, `# ${index}\n${text}`);
    paths.push(join(world.project, ".codex", "skills", "tidy", path));
  }
  await deploy(world);
  const hash = async (path: string) =>
    createHash("sha256").update(await Deno.readFile(path)).digest("hex");
  const [floor = NaN, figure = NaN] = await inTurns(
    20,
    () => inPool(FILES_AT_ONCE, paths, hash),
    () => plan(world.reader(), {}),
  );
  add("agentpack plan, 1,000 files", { floor, figure, budget: "≤ 3 × reading and hashing" });
}

/** CPU milliseconds of the program and what it starts, whatever else the machine does meanwhile. */
async function cpuOf(
  world: PackWorld,
  binary: string,
  ...args: readonly string[]
): Promise<number> {
  const taken: number[] = [];
  for (let turn = -1; turn < 7; turn++) {
    const script = '"$0" "$@" > /dev/null && times';
    const ran = await world.world.command("sh", ["-c", script, binary, ...args], {
      cwd: world.project,
      env: { AGENTPACK_MACHINE_ID: "box" },
    });
    if (ran.code !== 0) throw new Error(`${args.join(" ")}: ${ran.stderr}`);
    const times = [...ran.stdout.matchAll(/(\d+)m([\d.]+)s/g)];
    // The shell's own come first.
    const [user = 0, system = 0] = times.slice(2).map(([, minutes, seconds]) =>
      Number(minutes) * 60_000 + Number(seconds) * 1000
    );
    if (turn >= 0) taken.push(user + system);
  }
  return median(taken);
}

/** `scale` times 1,000 sources in 800 modules, of which four targets make 2,500 files that are not there yet. */
async function manyModules(world: PackWorld, scale: number): Promise<void> {
  const text = "A line of an asset that says something useful to an agent.\n".repeat(20);
  const modules: string[] = [];
  const addModules = async (type: string, count: number, head: string, file: string) => {
    for (let index = 0; index < count; index++) {
      const source = `m/${type}${index}${file === "" ? ".md" : ""}`;
      await world.write(file === "" ? source : `${source}/${file}`, `${head}${text}`);
      if (type === "skill" && index < 200 * scale) {
        await world.write(`${source}/scripts/run.sh`, text);
      }
      modules.push(
        `\n  - id: "${type}:${type}${index}"\n    type: ${type}\n    tags: [base]\n` +
          `    source:\n      local_path:\n        path: ${source}`,
      );
    }
  };
  await addModules(
    "skill",
    350 * scale,
    "---\nname: one\ndescription: One of them\n---\n",
    "SKILL.md",
  );
  await addModules("command", 200 * scale, "---\ndescription: One of them\n---\n", "");
  await addModules("prompt", 197 * scale, "", "");
  await addModules("instructions", 53 * scale, "", "AGENTS.md");
  const targets =
    "  codex: { mode: files, scope: both }\n  cursor: { mode: files, scope: project }\n" +
    "  claude_code: { mode: files, scope: both, options: { write_repo_skills: true } }\n" +
    "  vscode: { mode: files, scope: project }";
  await setUp(world, targets, modules.join(""));
}

/** A plan of 2,500 outputs of which nothing is there yet, as a process, against the start of one. */
export async function agentpackProcess(binary: string): Promise<void> {
  await using world = await PackWorld.make();
  await manyModules(world, 1);
  add("CPU of agentpack plan, 2,500 new files", {
    floor: await cpuOf(world, binary, "--version"),
    figure: await cpuOf(world, binary, "agentpack", "plan", "--json"),
    budget: "≤ 450 ms",
  });
}

/** The first deploy of 2,500 files, against writing and flushing these files one after the other. */
export async function agentpackApply(): Promise<void> {
  await using world = await PackWorld.make();
  await manyModules(world, 1);
  const { data } = await plan(world.reader(), {});
  await deploy(world);
  const files = await Promise.all(
    data.changes.map(async ({ path }) => ({ path, bytes: await Deno.readFile(path) })),
  );
  const tops = new Set(files.map(({ path }) => {
    const base = [world.project, world.home].find((base) => path.startsWith(`${base}/`)) ?? "";
    return join(base, path.slice(base.length + 1).split("/")[0] ?? "");
  }));
  const clear = async () => {
    for (const top of [...tops, join(world.root, "state")]) {
      // The bare writes leave no state.
      await Deno.remove(top, { recursive: true }).catch(() => {});
    }
  };
  const taken: { readonly bare: number; readonly apply: number }[] = [];
  for (let turn = 0; turn < 5; turn++) {
    await clear();
    const began = performance.now();
    for (const { path, bytes } of files) {
      await Deno.mkdir(dirname(path), { recursive: true });
      using file = await Deno.open(path, { write: true, createNew: true });
      await file.write(bytes);
      await file.sync();
    }
    const bare = performance.now() - began;
    await clear();
    const next = performance.now();
    await deploy(world);
    taken.push({ bare, apply: performance.now() - next });
  }
  add("agentpack deploy --apply, 2,500 new files", {
    floor: median(taken.map(({ bare }) => bare)),
    figure: median(taken.map(({ apply }) => apply)),
    budget: "≤ 2 × writing and flushing",
  });
}

/** How long pings wait while calls about 12,500 files run, and how long a server goes on with a cancelled one. */
export async function agentpackPings(): Promise<void> {
  await using world = await PackWorld.make();
  await manyModules(world, 5);
  await using client = new McpClient(
    world.world,
    ["--toolsets", "agentpack"],
    { AGENTPACK_MACHINE_ID: "box" },
    { cwd: world.project, words: ["mcp", "serve"] },
  );
  await client.initialize();
  const ping = async () => {
    const began = performance.now();
    await client.request("ping");
    return performance.now() - began;
  };
  const idle = await ping();
  for (const [tool, args] of [["plan", {}], ["deploy", {}], ["preview", { diff: true }]] as const) {
    const worst: number[] = [];
    for (let turn = -1; turn < 5; turn++) {
      const state = { done: false };
      const call = client.call(tool, args).finally(() => {
        state.done = true;
      });
      let longest = 0;
      while (!state.done) longest = Math.max(longest, await ping());
      await call;
      if (turn >= 0) worst.push(longest);
    }
    add(`longest ping during ${tool} of 12,500 files`, {
      floor: idle,
      figure: median(worst),
      budget: "≤ 100 ms",
    });
  }
}
