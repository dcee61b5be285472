/**
 * What the runner is told, and which mutants that means.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import type { Mutant } from "./mutant.ts";

/** What the command line says. */
export interface Options {
  /** Ids, or patterns of ids with `*`; all where there are none. */
  readonly only: readonly string[];
  /** Rooms; all where there are none. */
  readonly rooms: readonly string[];
  /** The checkout whose program and tests count, or null for this one. */
  readonly against: string | null;
  /** How many mutants are tried at once. */
  readonly jobs: number;
  /** Whether only the tests that a mutant names are run. */
  readonly namedOnly: boolean;
}

/** How it is called. */
export const USAGE = `deno task mutants [--only ID|PATTERN] [--room ROOM] [--against DIRECTORY]
                  [--jobs N] [--named-only]
--only and --room may be repeated.`;

/** Reads the command line; null where it cannot be read, or asks for help. */
export function optionsOf(args: readonly string[]): Options | null {
  let unknown = false;
  const flags = parseArgs([...args], {
    string: ["only", "room", "against", "jobs"],
    collect: ["only", "room"],
    boolean: ["named-only", "help"],
    unknown: () => {
      unknown = true;
      return false;
    },
  });
  const jobs = Number(flags["jobs"] ?? "1");
  if (unknown || flags["help"] || !Number.isInteger(jobs) || jobs < 1) return null;
  return {
    only: texts(flags["only"]),
    rooms: texts(flags["room"]),
    against: texts(flags["against"])[0] ?? null,
    jobs,
    namedOnly: flags["named-only"] === true,
  };
}

/** What a flag that may be repeated was given. */
function texts(flag: unknown): string[] {
  return [flag ?? []].flat().map(String);
}

/** The mutants that are meant. */
export function chosen(mutants: readonly Mutant[], { only, rooms }: Options): Mutant[] {
  const patterns = only.map((text) =>
    new RegExp(`^${text.split("*").map((part) => part.replace(/\W/g, "\\$&")).join(".*")}$`)
  );
  return mutants.filter((mutant) =>
    (rooms.length === 0 || rooms.some((room) => mutant.file.startsWith(`src/${room}/`))) &&
    (patterns.length === 0 || patterns.some((pattern) => pattern.test(mutant.id)))
  );
}
