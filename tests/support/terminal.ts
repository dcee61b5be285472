/**
 * Runs the program at a real terminal, so that a test can type what a person would type.
 *
 * Standard input and standard error are a pseudo-terminal that the `script` program of util-linux or BSD
 * makes; standard output goes to a file, so that the two can be told apart.
 *
 * @module
 */

import { join } from "@std/path";
import { program, type World } from "./world.ts";

/** What a person types to end the input. */
export const END_OF_INPUT = "\u0004";
/** What a person types to interrupt. */
export const INTERRUPT = "\u0003";

/** How a program at a terminal ended. */
export interface TerminalEnd {
  readonly code: number;
  /** What was on the terminal: prompts, standard error, and the echo of what was typed. */
  readonly screen: string;
  readonly stdout: string;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A program at a terminal. */
export class Typist {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #output: string;
  readonly #reading: Promise<void>;
  readonly #errors: Promise<string>;
  #screen = "";
  #changed: (() => void) | null = null;

  private constructor(child: Deno.ChildProcess, output: string) {
    this.#child = child;
    this.#output = output;
    this.#writer = child.stdin.getWriter();
    this.#reading = this.#read();
    this.#errors = new Response(child.stderr).text();
  }

  /** Starts the program under test at a terminal, in the control repository unless told otherwise. */
  static async start(
    world: World,
    args: readonly string[],
    options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
  ): Promise<Typist> {
    const output = join(world.directory, `terminal-${crypto.randomUUID()}.txt`);
    await Deno.writeTextFile(output, "");
    const line = `exec ${[...program(), ...args].map(quoted).join(" ")} > ${quoted(output)}`;
    const vector = Deno.build.os === "darwin"
      ? ["-q", "/dev/null", "sh", "-c", line]
      : ["--quiet", "--flush", "--return", "--command", line, "/dev/null"];
    const env = { SHELL: "/bin/sh", TERM: "xterm", ...options.env };
    return new Typist(world.spawn("script", vector, { ...options, env, stdin: true }), output);
  }

  async #read(): Promise<void> {
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      this.#screen += text;
      this.#changed?.();
    }
    this.#changed?.();
  }

  /** Waits until the terminal shows a text; throws when it does not within `ms`. */
  async sees(text: string, ms = 20_000): Promise<void> {
    const deadline = Date.now() + ms;
    while (!this.#screen.includes(text)) {
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`The terminal never showed "${text}" but "${this.#screen}"`);
      let timer: ReturnType<typeof setTimeout> | undefined;
      await Promise.race([
        new Promise<void>((resolve) => this.#changed = resolve),
        new Promise<void>((resolve) => timer = setTimeout(resolve, left)),
      ]);
      clearTimeout(timer);
    }
  }

  /** Types characters. */
  async types(text: string): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(text));
  }

  /** Waits until the program has ended; kills it and throws when it does not within `ms`. */
  async ends(ms = 30_000): Promise<TerminalEnd> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#child.kill("SIGKILL");
    }, ms);
    const { code } = await this.#child.status;
    clearTimeout(timer);
    await this.#writer.close().catch(() => {});
    await this.#reading;
    await this.#errors;
    if (late) throw new Error(`The program did not end; the terminal shows "${this.#screen}"`);
    const stdout = await Deno.readTextFile(this.#output);
    return { code, screen: this.#screen.replaceAll("\r\n", "\n"), stdout };
  }
}
