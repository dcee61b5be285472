/**
 * The sandbox of a demo: one directory, and the real program in it.
 *
 * @module
 */

import { join, resolve } from "@std/path";
import { AmofError } from "../../error.ts";
import type { ProcessResult, System } from "../../system/mod.ts";

/** Where a demo takes place. */
export interface Sandbox {
  /** Absolute. */
  readonly directory: string;
  /** Where commands are given. */
  readonly control: string;
  /** What they get besides the inherited environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Shows a command and what the real program answers to it. */
export async function show(
  system: System,
  sandbox: Sandbox,
  args: readonly string[],
  expected: number,
): Promise<ProcessResult> {
  const { terminal, processes } = system;
  const [command = "amof", ...before] = processes.self();
  terminal.out(
    `\n$ amof ${args.map((arg) => /[\s"]/.test(arg) ? JSON.stringify(arg) : arg).join(" ")}\n`,
  );
  const result = await processes.run({
    command,
    args: [...before, ...args],
    cwd: sandbox.control,
    env: sandbox.environment,
    timeoutMs: 120_000,
  });
  terminal.out(result.stdout);
  terminal.out(result.stderr);
  if (result.exitCode !== expected) {
    throw new AmofError(
      "subprocess_failed",
      `The demo expected exit code ${expected} and got ${result.exitCode}`,
      {
        details: { args, exit_code: result.exitCode },
      },
    );
  }
  return result;
}

/** The directory that was named, or a new temporary one; it is empty. */
export async function emptyDirectory(system: System, given: string | undefined): Promise<string> {
  const base = system.env.get("TMPDIR") ?? system.env.get("TEMP") ?? "/tmp";
  const directory = given === undefined
    ? join(base, `amof-demo-${system.ids.hex(8)}`)
    : resolve(system.env.cwd, given);
  if (
    (await system.files.list(directory)).length > 0 ||
    (await system.files.stat(directory))?.kind === "file"
  ) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot build the demo in "${directory}": it is not empty`,
      {
        hint: "Name an empty or new directory: amof demo DIR",
      },
    );
  }
  await system.files.makeDirectory(directory);
  return await system.files.realPath(directory) ?? directory;
}
