/**
 * The processes of a world, as Linux tells of them, and what they take.
 *
 * @module
 */

import type { World } from "../support/world.ts";

/** What a process is to the world. */
export type Role = "git" | "worker" | "server" | "mcp" | "command" | "other";

/** A process that runs in the surroundings of a world. */
export interface Process {
  readonly pid: number;
  readonly role: Role;
  /** What it was started with. */
  readonly line: string;
}

function roleOf(words: readonly string[]): Role {
  const [command = ""] = words;
  if (/(?:^|\/)git(?:-[a-z-]+)?$/.test(command)) return "git";
  if (words.includes("run-worker")) return "worker";
  if (words.includes("server-worker")) return "server";
  if (words.includes("mcp") && words.includes("serve")) return "mcp";
  return /(?:deno|amof)$/.test(command) ? "command" : "other";
}

/** Everything that runs with the home of a world; what ends meanwhile is left out. */
export async function processesOf(world: World): Promise<readonly Process[]> {
  const found: Process[] = [];
  const home = `\0HOME=${world.env["HOME"]}\0`;
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (!`\0${await Deno.readTextFile(`/proc/${name}/environ`)}`.includes(home)) continue;
      const words = (await Deno.readTextFile(`/proc/${name}/cmdline`)).split("\0").slice(0, -1);
      // One that has ended and was not asked how has no words any more.
      if (words.length === 0) continue;
      found.push({ pid: Number(name), role: roleOf(words), line: words.join(" ") });
    } catch {
      // It has ended.
    }
  }
  return found;
}

/** What a descriptor may be of. */
export const KINDS = ["tcp", "other socket", "pipe", "file", "other"] as const;
/** One of {@linkcode KINDS}. */
export type Kind = typeof KINDS[number];

/** What a process takes. */
export interface Usage {
  readonly residentMiB: number;
  /** How many descriptors there are of each kind. */
  readonly descriptors: Readonly<Record<Kind, number>>;
}

/** The numbers of the sockets that are of TCP. */
async function tcpSockets(pid: number): Promise<ReadonlySet<string>> {
  const tables = ["tcp", "tcp6"].map((name) =>
    Deno.readTextFile(`/proc/${pid}/net/${name}`).catch(() => "")
  );
  const lines = (await Promise.all(tables)).flatMap((table) => table.split("\n").slice(1));
  return new Set(lines.map((line) => line.trim().split(/\s+/)[9] ?? ""));
}

function kindOf(target: string, tcp: ReadonlySet<string>): Kind {
  const socket = /^socket:\[(\d+)\]$/.exec(target)?.[1];
  if (socket !== undefined) return tcp.has(socket) ? "tcp" : "other socket";
  if (target.startsWith("pipe:")) return "pipe";
  return target.startsWith("/") ? "file" : "other";
}

/** What a process takes; null when it is gone, also when nobody has asked yet how it ended. */
export async function usage(pid: number): Promise<Usage | null> {
  try {
    const status = await Deno.readTextFile(`/proc/${pid}/status`);
    if (/^State:\s+[ZX]/m.test(status)) return null;
    const resident = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024;
    const descriptors = { tcp: 0, "other socket": 0, pipe: 0, file: 0, other: 0 };
    const names = await Array.fromAsync(Deno.readDir(`/proc/${pid}/fd`));
    const tcp = await tcpSockets(pid);
    for (const { name } of names) {
      const target = await Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => null);
      // It was closed meanwhile.
      if (target !== null) descriptors[kindOf(target, tcp)]++;
    }
    return { residentMiB: resident, descriptors };
  } catch {
    return null;
  }
}

/** Kills a process the hard way; answers whether it was there. */
export function kill(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}
