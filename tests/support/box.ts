/**
 * A small world around a box: a base workspace, a ticket that borrows from a mirror, a sibling ticket, and a home with
 * secrets. What it is outside of the ticket can be told as text.
 *
 * @module
 */

import { join } from "@std/path";
import { findMaker, type Maker } from "../../src/machine/box/mod.ts";
import { sha256 } from "../../src/base/hash.ts";
import type { System } from "../../src/base/system/mod.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";
import { World } from "./world.ts";

type Real = Exclude<Maker, { readonly kind: "none" }>;

const found = Deno.build.os === "linux"
  ? await findMaker(realSystem(), "none")
  : { kind: "none" as const, reason: "" };

/** What makes boxes on this machine; null where nothing does, and such tests are left out. */
export const MAKER: Real | null = found.kind === "none" ? null : found;

/** The real machine with the environment of a test's world. */
export function systemOf(world: World, env: Readonly<Record<string, string>> = {}): System {
  const system = realSystem();
  const all: Record<string, string> = { ...world.env, ...env };
  return {
    ...system,
    env: { ...system.env, get: (name) => all[name], home: all["HOME"] ?? null },
  };
}

/** The directory of a ticket of the ecosystem `demo`. */
export function ticketOf(world: World, id: string): string {
  return join(world.control, "worktrees", `demo@${id}`);
}

/** Where the mirror is that the tickets borrow from. */
export function mirrorOf(world: World): string {
  return join(world.directory, "state", "share", "mirrors", "example.com", "api.git");
}

async function borrow(world: World, id: string): Promise<void> {
  const clone = join(ticketOf(world, id), "repos", "api");
  await Deno.mkdir(join(ticketOf(world, id), ".amof"), { recursive: true });
  await world.write(`control/worktrees/demo@${id}/.amof/ticket.json`, "{}\n");
  await world.git(world.control, "clone", "--quiet", "--shared", mirrorOf(world), clone);
  await world.git(clone, "switch", "--quiet", "-c", `feature/${id}`);
  await Deno.writeTextFile(join(clone, "work.txt"), `work of ${id}\n`);
}

/** A world with the tickets A and B, which borrow from a mirror. */
export function boxWorld(): Promise<World> {
  return World.like("box", async (world) => {
    await world.makeControl();
    await world.addRemote("api");
    await world.git(
      world.control,
      "clone",
      "--quiet",
      "--bare",
      join(world.remotes, "api.git"),
      mirrorOf(world),
    );
    await world.git(
      world.control,
      "clone",
      "--quiet",
      join(world.remotes, "api.git"),
      world.clone("api"),
    );
    await borrow(world, "A");
    await borrow(world, "B");
    await world.write("home/.ssh/id_ed25519", "a key\n");
    await world.write("home/.netrc", "a password\n");
    await world.write("home/notes.txt", "notes\n");
    await world.write("state/state/amof.db", "not a database\n");
    await world.write("state/share/token", "a token\n");
  });
}

/** Everything below a directory but what is named besides: kinds, modes, times of writing and contents. */
export async function picture(
  directory: string,
  ...without: readonly string[]
): Promise<readonly string[]> {
  const lines: string[] = [];
  async function walk(path: string): Promise<void> {
    if (without.includes(path)) return;
    const info = await Deno.lstat(path);
    const told = `${path} ${info.mode} ${info.nlink} ${info.mtime?.getTime()}`;
    if (info.isSymlink) lines.push(`${told} → ${await Deno.readLink(path)}`);
    else if (info.isFile) lines.push(`${told} ${sha256(await Deno.readFile(path))}`);
    else {
      lines.push(told);
      const names = (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name);
      for (const name of names.toSorted()) await walk(join(path, name));
    }
  }
  await walk(directory);
  return lines;
}
