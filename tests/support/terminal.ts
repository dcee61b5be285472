/**
 * Runs the program at a real terminal, so that a test can type what a person would type.
 *
 * Standard input and standard error are a pseudo-terminal; standard output goes to a file, so that the two can be told
 * apart.
 *
 * @module
 */

import { join } from "@std/path";
import { PseudoTerminal, quoted, type StartOptions } from "./pseudo_terminal.ts";
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

/** A program at a terminal. */
export class Typist {
  readonly #pseudo: PseudoTerminal;
  readonly #output: string;

  private constructor(pseudo: PseudoTerminal, output: string) {
    this.#pseudo = pseudo;
    this.#output = output;
  }

  /** Starts the program under test at a terminal, in the control repository unless told otherwise. */
  static async start(
    world: World,
    args: readonly string[],
    options: StartOptions = {},
  ): Promise<Typist> {
    const output = join(world.directory, `terminal-${crypto.randomUUID()}.txt`);
    await Deno.writeTextFile(output, "");
    const line = `exec ${[...program(), ...args].map(quoted).join(" ")} > ${quoted(output)}`;
    const env = { TERM: "xterm", ...options.env };
    return new Typist(new PseudoTerminal(world, line, { ...options, env }), output);
  }

  /** Waits until the terminal shows a text; throws when it does not within `ms`. */
  async sees(text: string, ms = 20_000): Promise<void> {
    const screen = () => this.#pseudo.text;
    await this.#pseudo.until(
      () => screen().includes(text),
      ms,
      () => `The terminal never showed "${text}" but "${screen()}"`,
    );
  }

  /** Types characters. */
  types(text: string): Promise<void> {
    return this.#pseudo.types(text);
  }

  /** Waits until the program has ended; kills it and throws when it does not within `ms`. */
  async ends(ms = 30_000): Promise<TerminalEnd> {
    const code = await this.#pseudo.ends(
      ms,
      () => `The program did not end; the terminal shows "${this.#pseudo.text}"`,
    );
    const stdout = await Deno.readTextFile(this.#output);
    return { code, screen: this.#pseudo.text.replaceAll("\r\n", "\n"), stdout };
  }
}
