/**
 * Worlds with a provisioner, for the tests of environments.
 *
 * @module
 */

import { join } from "@std/path";
import { pick, until } from "./answers.ts";
import { World } from "./world.ts";

/** The name of the provisioner of these worlds. */
export const PROVISIONER = "here";

/** Makes a world whose ecosystem `demo` has no repositories and a provisioner with these lines. */
export async function worldWithProvisioner(lines: string, extra = ""): Promise<World> {
  const world = await World.withEcosystem({
    repos: [],
    extra: `provisioner: ${PROVISIONER}\n${extra}`,
  });
  await writeScript(world, lines);
  return world;
}

/** Puts other lines into the script. */
export async function writeScript(world: World, lines: string): Promise<void> {
  await world.script(`control/provisioners/${PROVISIONER}/spin.sh`, lines);
}

/** The hash of the provisioner as it now is. */
export async function hashOf(world: World): Promise<string> {
  const shown = await world.amof(["spin", "trust", "--dry-run", "--json"]);
  return String(pick(shown.json(), "preview", "hash"));
}

/** Approves the provisioner as it now is; answers the hash. */
export async function approve(world: World): Promise<string> {
  const hash = await hashOf(world);
  const ran = await world.amof(["spin", "trust", "--hash", hash, "--yes"]);
  if (ran.code !== 0) throw new Error(`The approval failed: ${ran.stderr}`);
  return hash;
}

/** What is known about the environment. */
export async function environment(world: World): Promise<Record<string, unknown>> {
  const ran = await world.amof(["spin", "status", "--json"]);
  return pick(ran.json(), "environment") as Record<string, unknown>;
}

/**
 * Lines of a script that ignores SIGTERM, as do its child and a grandchild in a session of its own, and that never
 * ends. Their numbers stand in the file `pids` of the world once all three run.
 */
export function stubborn(world: World): string {
  const at = (name: string) => `'${world.directory}/${name}'`;
  const loop = "trap '' TERM; while :; do sleep 0.2; done";
  return [
    `cat > ${at("far.sh")} <<'END'`,
    `echo $$ > ${at("far.new")} && mv ${at("far.new")} ${at("far")}`,
    loop,
    "END",
    "trap '' TERM",
    `( ${loop} ) >/dev/null 2>&1 &`,
    "child=$!",
    `setsid sh ${at("far.sh")} >/dev/null 2>&1 &`,
    `while [ ! -e ${at("far")} ]; do sleep 0.05; done`,
    `echo "$$ $child $(cat ${at("far")})" > ${at("pids.new")}`,
    `mv ${at("pids.new")} ${at("pids")}`,
    "echo ready",
    "while :; do sleep 0.2; done",
  ].join("\n");
}

/** The numbers of the processes of {@linkcode stubborn}, once they run. */
export async function stubbornPids(world: World): Promise<readonly number[]> {
  const path = join(world.directory, "pids");
  const text = await until("the script runs", () => Deno.readTextFile(path).catch(() => null));
  return text.trim().split(" ").map(Number);
}

/** Those of some processes that still run, also as zombies of nobody. */
export async function alive(world: World, pids: readonly number[]): Promise<string[]> {
  const ran = await world.command("ps", ["-o", "pid=,stat=,args=", "-p", pids.join(",")]);
  return ran.stdout.split("\n").filter((line) => line.trim() !== "" && !/^\s*\d+\s+Z/.test(line));
}
