/**
 * A program named git that stands before the real one on PATH and, at a chosen call, kills whoever called it: before the
 * real git ran, in the middle of it, behind it, or leaving it to go on alone. What makes boxes is struck in the same
 * way, because git in a box is not found on that PATH.
 *
 * @module
 */

import { join } from "@std/path";
import type { World } from "../support/world.ts";
import { writeProgram } from "../support/program.ts";

/** How a call is struck. */
export const STRIKES = ["before", "middle", "after", "orphan", "late"] as const;
/** One of {@linkcode STRIKES}. */
export type Strike = typeof STRIKES[number];

/** What each does, for the report. */
export const STRIKE_WORDS: Readonly<Record<Strike, string>> = {
  before: "killed before git ran",
  middle: "killed together with git in the middle",
  after: "killed after git had run",
  orphan: "killed while git goes on alone",
  late: "killed before a git that runs later, alone",
};

const SCRIPT = String.raw`
n=1
{ until true > "$CHAOS_CALLS/$n"; do n=$((n+1)); done; } 2>/dev/null
echo "$CHAOS_SAID$*" >| "$CHAOS_CALLS/$n"
[ "$n" = "$CHAOS_AT" ] || exec "$CHAOS_GIT" "$@"
exec 3<&0
case "$CHAOS_STRIKE" in
before)
  kill -9 "$PPID"
  exit 137 ;;
middle)
  "$CHAOS_GIT" "$@" <&3 &
  sleep "$CHAOS_DELAY"
  kill -9 "$PPID" $!
  exit 137 ;;
after)
  "$CHAOS_GIT" "$@"
  code=$?
  kill -9 "$PPID"
  exit "$code" ;;
orphan)
  "$CHAOS_GIT" "$@" <&3 &
  sleep "$CHAOS_DELAY"
  kill -9 "$PPID"
  wait ;;
late)
  # What the caller was going to write is read first, as it would be out of a full pipe.
  cat <&3 > "$CHAOS_CALLS.in"
  kill -9 "$PPID"
  sleep 0.4
  exec "$CHAOS_GIT" "$@" < "$CHAOS_CALLS.in" ;;
esac
`;

/** The wrapper of one world. */
export class Wrapper {
  readonly #world: World;
  /** Where the real programs are, by name. */
  readonly #real: ReadonlyMap<string, string>;
  readonly #base: string;
  #turns = 0;

  private constructor(world: World, real: ReadonlyMap<string, string>, base: string) {
    this.#world = world;
    this.#real = real;
    this.#base = base;
  }

  /** Puts the wrapper at a place beside the world, so that bringing the world back does not touch it. */
  static async make(world: World, beside: string): Promise<Wrapper> {
    const real = new Map<string, string>();
    for (const name of ["git", "bwrap"]) {
      const found = await world.command("sh", ["-c", `command -v ${name}`]);
      if (found.code === 0) real.set(name, found.stdout.trim());
    }
    return new Wrapper(world, real, beside);
  }

  /** The environment in which the `at`th call is struck, counted from 1; 0 strikes none. */
  async armed(at: number, strike: Strike, delayMs: number): Promise<Record<string, string>> {
    const calls = this.#calls(++this.#turns);
    await Deno.mkdir(calls, { recursive: true });
    const bin = join(this.#base, `bin-${this.#turns}`);
    await Deno.mkdir(bin);
    for (const [name, real] of this.#real) {
      // In the script and not in the environment, because what makes boxes is started without one.
      const lines = [
        "#!/bin/sh",
        "set -C",
        `CHAOS_GIT='${real}' CHAOS_CALLS='${calls}' CHAOS_SAID='${
          name === "git" ? "" : `${name} `
        }'`,
        `CHAOS_AT=${at} CHAOS_STRIKE=${strike} CHAOS_DELAY=${(delayMs / 1000).toFixed(3)}`,
      ];
      await writeProgram(join(bin, name), lines.join("\n") + SCRIPT);
    }
    return { PATH: `${bin}:${this.#world.env["PATH"] ?? ""}` };
  }

  /** What git was called with since it was last armed, in order. */
  async calls(): Promise<string[]> {
    const directory = this.#calls(this.#turns);
    const numbers: number[] = [];
    for await (const { name } of Deno.readDir(directory)) numbers.push(Number(name));
    return await Promise.all(
      numbers.sort((a, b) => a - b).map(async (number) =>
        (await Deno.readTextFile(join(directory, String(number)))).trim()
      ),
    );
  }

  #calls(turn: number): string {
    return join(this.#base, `calls-${turn}`);
  }
}
