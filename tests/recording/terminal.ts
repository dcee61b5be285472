/**
 * A terminal on which commands are typed one after the other, and what its screen shows at moments, with colours.
 *
 * @module
 */

import xterm from "@xterm/headless";
import { PseudoTerminal, quoted } from "../support/pseudo_terminal.ts";
import { program, type World } from "../support/world.ts";

/** Characters that look the same. */
export interface Span {
  readonly text: string;
  /** A class name for a colour of the terminal's sixteen, or null for the usual one. */
  readonly colour: string | null;
  readonly bold: boolean;
  readonly dim: boolean;
}

/** A line of the screen. */
export type Line = readonly Span[];

/** What the screen shows from a moment on. */
export interface Frame {
  readonly seconds: number;
  readonly lines: readonly Line[];
  /** Where the cursor stands: column and row. */
  readonly cursor: readonly [number, number];
}

/** How large the terminal is. */
export const SIZE = { columns: 92, rows: 25 };

/** Moments of a person: a character, before and behind a line, and to read a line. */
const SECONDS = { character: 0.05, before: 0.6, behind: 0.35, line: 0.14, least: 1.4 };

const PROMPT = "\x1b[1;32m$\x1b[0m ";

/** How long a command may take on a busy machine. */
const PATIENCE_MS = 120_000;

/** A person at a terminal in the control repository of a world. */
export class Recorder {
  readonly #world: World;
  readonly #env: Record<string, string>;
  readonly #terminal = new xterm.Terminal({
    cols: SIZE.columns,
    rows: SIZE.rows,
    allowProposedApi: true,
    convertEol: false,
  });
  readonly #frames: Frame[] = [];
  #now = 0;

  constructor(world: World, env: Record<string, string>) {
    this.#world = world;
    this.#env = env;
  }

  /** Everything that was shown, in order. */
  get frames(): readonly Frame[] {
    return this.#frames;
  }

  /** When the last frame has been seen. */
  get seconds(): number {
    return this.#now;
  }

  #write(text: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(text, resolve));
  }

  /** Keeps what the screen shows now, for some seconds. */
  #keep(seconds: number): void {
    const { active } = this.#terminal.buffer;
    this.#frames.push({
      seconds: this.#now,
      lines: Array.from({ length: SIZE.rows }, (_, row) => this.#line(active.baseY + row)),
      cursor: [active.cursorX, active.cursorY],
    });
    this.#now += seconds;
  }

  #line(row: number): Line {
    const spans: Span[] = [];
    const line = this.#terminal.buffer.active.getLine(row);
    const end = line?.translateToString(true).length ?? 0;
    for (let column = 0; column < end; column++) {
      const cell = line?.getCell(column);
      if (cell === undefined || cell.getWidth() === 0) continue;
      const look = {
        colour: cell.isFgPalette() && cell.getFgColor() < 16 ? `c${cell.getFgColor()}` : null,
        bold: cell.isBold() !== 0,
        dim: cell.isDim() !== 0,
      };
      const last = spans.at(-1);
      const text = cell.getChars() || " ";
      if (last?.colour === look.colour && last.bold === look.bold && last.dim === look.dim) {
        spans[spans.length - 1] = { ...last, text: last.text + text };
      } else spans.push({ text, ...look });
    }
    return spans;
  }

  /** Types a text, a few characters at a time. */
  async #types(text: string): Promise<void> {
    for (const piece of text.match(/.{1,3}/gsu) ?? []) {
      await this.#write(piece);
      this.#keep(SECONDS.character * piece.length);
    }
  }

  /** A comment for whoever watches. */
  async says(text: string): Promise<void> {
    await this.#write(this.#frames.length === 0 ? "\x1b[2m" : "\r\n\x1b[2m");
    await this.#types(`# ${text}`);
    await this.#write("\x1b[0m\r\n");
    this.#keep(SECONDS.before);
  }

  /**
   * Types a line and shows what it prints. A line of the program under test runs that, any other goes to `sh`.
   *
   * @param shown The line as it stands on the screen.
   * @param answers What is typed once the screen shows something, in order.
   */
  async runs(shown: string, answers: readonly (readonly [RegExp, string])[] = []): Promise<void> {
    await this.#write(PROMPT);
    this.#keep(SECONDS.before);
    await this.#types(shown);
    await this.#write("\r\n");
    this.#keep(SECONDS.behind);
    const before = this.#height();
    const pseudo = new PseudoTerminal(
      this.#world,
      `stty cols ${SIZE.columns} rows ${SIZE.rows}; ${this.#shellLine(shown)}`,
      { env: { TERM: "xterm-256color", LANG: "C.UTF-8", ...this.#env } },
      (bytes) => this.#write(bytes),
    );
    const failure = () => `"${shown}" does not go on:\n${pseudo.text}`;
    for (const [wanted, answer] of answers) {
      await pseudo.until(() => wanted.test(pseudo.text), PATIENCE_MS, failure);
      this.#keep(this.#readingTime(before) + 0.6);
      await pseudo.types(answer);
    }
    const code = await pseudo.ends(PATIENCE_MS, failure);
    if (code !== 0) throw new Error(`"${shown}" ended with ${code}:\n${pseudo.text}`);
    this.#keep(this.#readingTime(before));
  }

  #height(): number {
    const { active } = this.#terminal.buffer;
    return active.baseY + active.cursorY;
  }

  #readingTime(before: number): number {
    return Math.max(SECONDS.least, (this.#height() - before) * SECONDS.line + 0.8);
  }

  #shellLine(shown: string): string {
    return shown.replace(/^amof(?= )/, () => program().map(quoted).join(" "));
  }
}
