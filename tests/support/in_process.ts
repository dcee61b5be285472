/**
 * Runs a command line in the process of the tests, which saves the start of a program. The code is the same
 * from the words to the exit code, in the surroundings of a world.
 *
 * @module
 */

import { isAbsolute } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { runCommandLine } from "../../src/doors/cli/start.ts";
import type { Processes, System } from "../../src/base/system/mod.ts";
import { inspect } from "../../src/base/system/real/processes.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";
import { withoutTerminal } from "./no_terminal.ts";

/** With what a command line is run. */
export interface Surroundings {
  /** Where. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The argument vector that starts the program under test as a process of its own. */
  readonly program: () => readonly string[];
}

/** How a command line ended, and what it wrote. */
export interface Written {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Starts a program as the child of nobody, with no more than this environment. A child of the tests would count as
 * living until they have asked how it ended.
 */
const orphaned: Processes["detach"] = async (argv, { cwd, env = {} }) => {
  const line = '"$@" </dev/null >/dev/null 2>&1 & echo $!';
  const args = ["-c", line, "sh", "setsid", ...argv];
  const { stdout } = await new Deno.Command("sh", { args, cwd, env, clearEnv: true }).output();
  const pid = Number(new TextDecoder().decode(stdout));
  if (!(pid > 0)) throw new Error(`Could not start ${argv[0]}`);
  return await inspect(pid) ?? { pid, startedAt: null, bootId: null };
};

/** The real world narrowed to the surroundings; what it starts for good is the program under test. */
export function systemIn({ cwd, env, program }: Surroundings): System {
  const system = realSystem();
  return {
    ...system,
    env: {
      ...system.env,
      cwd,
      home: isAbsolute(env["HOME"] ?? "") ? env["HOME"] ?? null : null,
      user: env["USER"] ?? "unknown",
      get: (name) => env[name],
      names: () => Object.keys(env),
    },
    terminal: withoutTerminal(system.terminal),
    processes: {
      ...system.processes,
      self: program,
      detach: (argv, options) => orphaned(argv, { ...options, env: { ...env, ...options.env } }),
      run: (request) =>
        system.processes.run({
          ...request,
          cwd: request.cwd ?? cwd,
          clearEnv: true,
          env: request.clearEnv ? request.env ?? {} : { ...env, ...request.env },
        }),
    },
  };
}

/** Runs a program on what would be the terminal; answers its exit code, or null when it could not be started. */
async function attached(
  [command = "", ...args]: readonly string[],
  { cwd, env }: Pick<Surroundings, "cwd" | "env">,
  write: (stdout: string, stderr: string) => void,
): Promise<number | null> {
  try {
    const options = { args, cwd, env, clearEnv: true, stdin: "null" } as const;
    const { code, stdout, stderr } = await new Deno.Command(command, options).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    write(text(stdout), text(stderr));
    return code;
  } catch {
    return null;
  }
}

/** Does `work`, and closes the databases that it opened, as the end of a process does. */
async function closingDatabases<T>(work: () => Promise<T>): Promise<T> {
  const opened = new Set<DatabaseSync>();
  const { exec } = DatabaseSync.prototype;
  // Every connection of the program begins with settings of its own.
  DatabaseSync.prototype.exec = function (sql: string) {
    opened.add(this);
    exec.call(this, sql);
  };
  try {
    return await work();
  } finally {
    DatabaseSync.prototype.exec = exec;
    for (const database of opened) if (database.isOpen) database.close();
  }
}

/** Runs one command line to its end. Only one at a time: two programs are never the same process. */
export async function runHere(
  surroundings: Surroundings,
  args: readonly string[],
): Promise<Written> {
  const system = systemIn(surroundings);
  let [stdout, stderr] = ["", ""];
  const code = await closingDatabases(() =>
    runCommandLine({
      ...system,
      terminal: {
        ...system.terminal,
        out: (text) => void (stdout += text),
        err: (text) => void (stderr += text),
        onInterrupt: () => () => {},
      },
      processes: {
        ...system.processes,
        attach: (argv, options = {}) =>
          attached(
            argv,
            {
              cwd: options.cwd ?? surroundings.cwd,
              env: Object.fromEntries(
                Object.entries({
                  ...(options.clearEnv === true ? {} : surroundings.env),
                  ...options.env,
                }).filter((entry): entry is [string, string] => entry[1] !== null),
              ),
            },
            (out, err) => {
              stdout += out;
              stderr += err;
            },
          ),
      },
    }, args)
  );
  return { code, stdout, stderr };
}
