/** A screen of the program's own, apart from what stood on the terminal before and stands there again afterwards. */

import type { Terminal } from "../../../base/system/mod.ts";

/** A key with a meaning of its own, or text. */
export type Key =
  | { readonly name: "up" | "down" | "page_up" | "page_down" | "home" | "end" }
  | { readonly name: "enter" | "escape" | "erase" | "interrupt" }
  | { readonly name: "text"; readonly text: string };

/** The sequences of keys, as terminals send them in both of their modes. */
const SEQUENCES: Readonly<Record<string, Key["name"]>> = {
  "[A": "up",
  "OA": "up",
  "[B": "down",
  "OB": "down",
  "[5~": "page_up",
  "[6~": "page_down",
  "[H": "home",
  "OH": "home",
  "[1~": "home",
  "[F": "end",
  "OF": "end",
  "[4~": "end",
};

const CONTROLS: Readonly<Record<string, Key["name"]>> = {
  "\r": "enter",
  "\n": "enter",
  "\u007f": "erase",
  "\b": "erase",
  "\u0003": "interrupt",
  "\u0004": "interrupt",
};

function key(name: Key["name"]): Key {
  return name === "text" ? { name, text: "" } : { name };
}

/** The keys in what was read at once; what means nothing here is left out. */
export function keysIn(input: string): Key[] {
  const keys: Key[] = [];
  // deno-lint-ignore no-control-regex -- these are what a keyboard sends
  for (const [part] of input.matchAll(/\u001b(?:\[[0-?]*[ -/]*[@-~]|O[A-Z])|[^]/gu)) {
    const name = part.startsWith(ESC) && part !== ESC
      ? SEQUENCES[part.slice(1)]
      : part === ESC
      ? "escape"
      : CONTROLS[part];
    if (name !== undefined) keys.push(key(name));
    else if (/^\P{C}$/u.test(part)) keys.push({ name: "text", text: part });
  }
  return keys;
}

const ESC = "\u001b";
/** The other screen, without a cursor, and without breaking lines that are too long. */
const ENTER = `${ESC}[?1049h${ESC}[?25l${ESC}[?7l`;
const LEAVE = `${ESC}[?7h${ESC}[?25h${ESC}[?1049l`;
/** Terminals that know these two show everything between them at once. */
const BEGIN = `${ESC}[?2026h`;
const END = `${ESC}[?2026l`;

type OnKeys = (text: string) => Promise<void>;

/** The screen and the keyboard, while they belong to the program. */
export class FullScreen {
  readonly #terminal: Terminal;
  #onKeys: OnKeys | null = null;
  /** What was typed before the screen was there. */
  #held = "";
  #drawn: readonly string[] = [];
  #releaseKeys: (() => void) | null = null;
  #entered = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Whether the screen is there. */
  get entered(): boolean {
    return this.#entered;
  }

  /**
   * Takes the keyboard alone, so that nothing typed is shown: it waits until the screen is there. Only what ends a
   * program calls `interrupt` at once.
   */
  hold(interrupt: () => void): void {
    this.#takeKeys((text) => {
      this.#held += text;
      if (keysIn(text).some(({ name }) => name === "interrupt")) interrupt();
      return Promise.resolve();
    });
  }

  #takeKeys(onKeys: OnKeys): void {
    this.#onKeys = onKeys;
    this.#releaseKeys ??= this.#terminal.keys(async (text) => await this.#onKeys?.(text));
  }

  /** Takes the terminal; `onKeys` gets what is typed while the screen is there, and what was held before. */
  enter(onKeys: OnKeys): void {
    if (this.#entered) return;
    this.#entered = true;
    this.#takeKeys(onKeys);
    this.#terminal.out(ENTER);
    this.#drawn = [];
    const held = this.#held;
    this.#held = "";
    if (held !== "") onKeys(held);
  }

  /** Gives the terminal back as it was; a second call does nothing. */
  leave(): void {
    const wasEntered = this.#entered;
    this.#entered = false;
    // The keyboard first: it must come back even where nobody reads the output any more.
    this.#releaseKeys?.();
    this.#releaseKeys = null;
    if (wasEntered) this.#terminal.out(LEAVE);
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
