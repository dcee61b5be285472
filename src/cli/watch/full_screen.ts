/**
 * A screen of the program's own, apart from what stood on the terminal before and stands there again afterwards.
 *
 * @module
 */

import type { Terminal } from "../../system/mod.ts";

const ESC = "\u001b";
/** The other screen, without a cursor, and without breaking lines that are too long. */
const ENTER = `${ESC}[?1049h${ESC}[?25l${ESC}[?7l`;
const LEAVE = `${ESC}[?7h${ESC}[?25h${ESC}[?1049l`;
/** Terminals that know these two show everything between them at once. */
const BEGIN = `${ESC}[?2026h`;
const END = `${ESC}[?2026l`;

/** The screen and the keyboard, while they belong to the program. */
export class FullScreen {
  readonly #terminal: Terminal;
  readonly #onKeys: (text: string) => Promise<void>;
  #drawn: readonly string[] = [];
  #releaseKeys: (() => void) | null = null;

  /** `onKeys` gets what is typed while the screen is there. */
  constructor(terminal: Terminal, onKeys: (text: string) => Promise<void>) {
    this.#terminal = terminal;
    this.#onKeys = onKeys;
  }

  /** Whether the screen is there. */
  get entered(): boolean {
    return this.#releaseKeys !== null;
  }

  /** Takes the terminal. */
  enter(): void {
    if (this.entered) return;
    this.#releaseKeys = this.#terminal.keys(this.#onKeys);
    this.#terminal.out(ENTER);
    this.#drawn = [];
  }

  /** Gives the terminal back as it was; a second call does nothing. */
  leave(): void {
    if (this.#releaseKeys === null) return;
    const release = this.#releaseKeys;
    this.#releaseKeys = null;
    // The keyboard first: it must come back even where nobody reads the output any more.
    release();
    this.#terminal.out(LEAVE);
  }

  /** Takes the terminal anew after something else had it without asking. */
  retake(): void {
    if (!this.entered) return;
    this.#terminal.out(ENTER);
    this.#drawn = [];
  }

  /** Shows rows; only those that changed are written. `anew` is for a screen that was resized. */
  draw(rows: readonly string[], anew = false): void {
    if (!this.entered) return;
    const before = anew ? [] : this.#drawn;
    const parts = rows.flatMap((row, at) =>
      // Clearing behind a row that is as wide as the terminal would take its last character.
      before[at] === row ? [] : [`${ESC}[${at + 1};1H${ESC}[2K${row}`]
    );
    this.#drawn = rows;
    if (parts.length === 0) return;
    const clean = before.length === 0 ? `${ESC}[2J` : "";
    this.#terminal.out(`${BEGIN}${clean}${parts.join("")}${END}`);
  }
}
