/**
 * What several unit tests share: the real world narrowed to a hermetic environment, and a reporter that
 * remembers.
 *
 * @module
 */

import { join } from "@std/path";
import type { ExecuteContext, Reporter } from "../../src/contract/mod.ts";
import { Git } from "../../src/git/mod.ts";
import type { System } from "../../src/base/system/mod.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";
import { withoutTerminal } from "../support/no_terminal.ts";
import { newDirectory } from "../support/place.ts";
import type { World } from "../support/world.ts";

/**
 * The real world, except that it and its programs see the environment of the test's world and `extra`, and nothing
 * else, and that nobody sits at a terminal.
 */
export function hermetic(world: World, extra: Readonly<Record<string, string>> = {}): System {
  const system = realSystem();
  const env: Readonly<Record<string, string>> = { ...world.env, ...extra };
  return {
    ...system,
    env: {
      ...system.env,
      cwd: world.directory,
      home: env["HOME"] ?? world.directory,
      user: "tester",
      get: (name) => env[name],
    },
    terminal: withoutTerminal(system.terminal),
    processes: {
      ...system.processes,
      run: (request) =>
        system.processes.run({ ...request, clearEnv: true, env: { ...env, ...request.env } }),
    },
  };
}

/** A reporter that remembers every line and every step forward. */
export interface RememberingReporter extends Reporter {
  /** `level message` of each line, in order. */
  readonly lines: string[];
  /** `done/total message` of each step forward. */
  readonly steps: string[];
}

/** Makes a {@linkcode RememberingReporter}. */
export function rememberingReporter(): RememberingReporter {
  const lines: string[] = [];
  const steps: string[] = [];
  return {
    lines,
    steps,
    log: (level, message) => void lines.push(`${level} ${message}`),
    progress: (done, total, message) => void steps.push(`${done}/${total} ${message}`),
  };
}

/** A repository of a unit test, and what works in it. */
interface InRepository {
  /** Absolute. */
  readonly directory: string;
  readonly git: (...args: string[]) => Promise<string>;
  readonly report: RememberingReporter;
  readonly ctx: ExecuteContext;
}

/** A repository `api` with the file `a` in one commit, git in it, and what commands work with. */
export async function repositoryIn(world: World): Promise<InRepository> {
  const directory = join(world.directory, "api");
  await Deno.mkdir(directory);
  const git = (...args: string[]) => world.git(directory, ...args);
  await git("init", "--quiet", "--initial-branch=main");
  await Deno.writeTextFile(join(directory, "a"), "first\n");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "First");
  const system = hermetic(world);
  const report = rememberingReporter();
  const { signal } = new AbortController();
  const tools = { system, git: new Git(system), report, jobs: 2, signal };
  return { directory, git, report, ctx: tools as unknown as ExecuteContext };
}

/** A temporary directory without symbolic links in its path, removed at the end. */
export function temporaryDirectory(): AsyncDisposable & { readonly path: string } {
  const path = newDirectory();
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
