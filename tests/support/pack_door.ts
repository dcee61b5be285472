/**
 * Calls agentpack's command line in this process, on a {@linkcode PackWorld}: for what needs many calls.
 *
 * @module
 */

import { runAgentpack } from "../../src/doors/agentpack/cli/main.ts";
import type { Envelope } from "../../src/doors/agentpack/carry_out.ts";
import type { System } from "../../src/base/system/mod.ts";
import type { PackWorld } from "./pack_world.ts";

/** What a call printed. */
export interface Called {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as the envelope it must be. */
  readonly envelope: () => Envelope;
}

/** How a call differs from the usual one. */
export interface CallOptions {
  /** Lines a person types at a terminal; without, there is no terminal. */
  readonly typed?: readonly string[];
  readonly stdin?: string;
  readonly prefix?: string;
  /** More environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Called with the whole of standard error when a question was asked. */
  readonly onQuestion?: (screen: string) => Promise<void>;
  /** The world to call in, if not the usual one. */
  readonly system?: System;
  /** Takes what Ctrl-C does; without, nothing is interrupted. */
  readonly onInterrupt?: System["terminal"]["onInterrupt"];
  /** How wide the terminal is, where there is one. */
  readonly columns?: number;
  readonly attach?: (argv: readonly string[]) => Promise<number | null>;
}

/** Calls `amof agentpack ARGS`. */
export async function call(
  world: PackWorld,
  args: readonly string[],
  options: CallOptions = {},
): Promise<Called> {
  const output = { out: "", err: "" };
  const typed = [...options.typed ?? []];
  const isTerminal = options.typed !== undefined;
  const system = options.system ?? world.system;
  const called: System = {
    ...system,
    env: {
      ...system.env,
      cwd: options.cwd ?? system.env.cwd,
      get: (name) => options.env?.[name] ?? system.env.get(name),
    },
    processes: { ...system.processes, attach: options.attach ?? (() => Promise.resolve(0)) },
    terminal: {
      ...system.terminal,
      stdinIsTerminal: isTerminal,
      stdoutIsTerminal: isTerminal,
      stderrIsTerminal: isTerminal,
      columns: options.columns ?? system.terminal.columns,
      out: (text) => void (output.out += text),
      err: (text) => void (output.err += text),
      async ask(question) {
        output.err += question;
        await options.onQuestion?.(output.err);
        return typed.shift() ?? null;
      },
      input: () => new Response(options.stdin ?? "").body ?? new ReadableStream(),
      onInterrupt: options.onInterrupt ?? (() => () => {}),
    },
  };
  const code = await runAgentpack(
    called,
    isTerminal ? ["--color", "never", ...args] : args,
    options.prefix ?? "amof agentpack",
  );
  return {
    code,
    stdout: output.out,
    stderr: output.err,
    envelope: () => JSON.parse(output.out) as Envelope,
  };
}
