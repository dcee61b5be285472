/**
 * Answers that another program reads line by line: each part is written as soon as it is there, and a reader that
 * leaves, such as `head`, ends the work (LOOK-1).
 *
 * @module
 */

import type { Command } from "../../contract/mod.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import type { GlobalFlags } from "../../pipeline/line/flags.ts";
import type { Terminal } from "../../base/system/mod.ts";
import { cleanParts, type Details } from "../../base/text/parts.ts";
import { layOutParts, outputWidth } from "./layout.ts";

/** What was written of an answer before it was whole. */
class Stream {
  readonly #terminal: Terminal;
  readonly #stop: () => void;
  #begun = false;
  /** Whether the reader has left. */
  left = false;

  /** `stop` ends the work when nobody reads any more. */
  constructor(terminal: Terminal, stop: () => void) {
    this.#terminal = terminal;
    this.#stop = stop;
  }

  /** Writes a part of the details. */
  readonly show = (details: Details): void => {
    if (this.left) return;
    this.#begun = true;
    try {
      const lines = layOutParts(cleanParts(details), outputWidth(this.#terminal));
      this.#terminal.out(`${lines}\n`);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "BrokenPipe") throw error;
      this.left = true;
      this.#stop();
    }
  };

  /** The answer without what was written already. */
  rest(outcome: Outcome): Outcome {
    return this.#begun && outcome.answered ? { ...outcome, details: [] } : outcome;
  }
}

/** The stream of a command whose lines a program reads; null for all other calls. */
export function streamOf(
  command: Command,
  terminal: Terminal,
  { json }: GlobalFlags,
  stop: () => void,
): Stream | null {
  return command.bare === "lines" && !json && !terminal.stdoutIsTerminal
    ? new Stream(terminal, stop)
    : null;
}
