/**
 * Runs the program at a real terminal of a given size and keeps what the screen shows, as a person would see it.
 *
 * All three standard streams of the program are on the pseudo-terminal. What it writes goes through the terminal
 * emulator of xterm.
 *
 * @module
 */

import xterm from "@xterm/headless";
import { join } from "@std/path";
import { PseudoTerminal, quoted, type StartOptions } from "./pseudo_terminal.ts";
import { program, type World } from "./world.ts";

/** How large a terminal is, in characters. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A program at a terminal whose screen can be looked at. End it with `ends`. */
export class Screen {
  readonly #pseudo: PseudoTerminal;
  readonly #terminal: xterm.Terminal;
  readonly #world: World;
  readonly #device: string;

  private constructor(
    world: World,
    args: readonly string[],
    { columns, rows }: Size,
    options: StartOptions,
  ) {
    const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    const device = join(world.directory, `device-${crypto.randomUUID()}.txt`);
    const line = [
      `stty cols ${columns} rows ${rows}`,
      `tty > ${quoted(device)}`,
      // The shell must outlive an interrupt, to tell how the terminal is left.
      "trap : INT",
      `stty -g > ${quoted(`${device}.before`)}`,
      `sh -c ${quoted(`echo $$ > ${quoted(`${device}.pid`)}; exec "$@" 2>&1`)} sh ${
        [...program(), ...args].map(quoted).join(" ")
      }`,
      "code=$?",
      `stty -g > ${quoted(`${device}.after`)}`,
      "exit $code",
    ].join("; ");
    const env = { TERM: "xterm-256color", LANG: "C.UTF-8", ...options.env };
    this.#world = world;
    this.#device = device;
    this.#terminal = terminal;
    this.#pseudo = new PseudoTerminal(
      world,
      line,
      { ...options, env },
      (bytes) => new Promise((resolve) => terminal.write(bytes, resolve)),
    );
  }

  /** Starts the program under test, in the control repository unless told otherwise. */
  static start(
    world: World,
    args: readonly string[],
    size: Size,
    options: StartOptions = {},
  ): Screen {
    return new Screen(world, args, size, options);
  }

  /** The lines of the screen, without the blanks behind them and the empty ones below them. */
  lines(): string[] {
    const { active } = this.#terminal.buffer;
    const lines = Array.from(
      { length: this.#terminal.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true).trimEnd() ?? "",
    );
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  /** Everything that stands on the screen and above it. */
  all(): string {
    const { active } = this.#terminal.buffer;
    return Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true) ?? "",
    ).join("\n").trimEnd();
  }

  /** Everything that was written, with the sequences that move the cursor. */
  get written(): string {
    return this.#pseudo.text;
  }

  /** Whether the program shows a screen of its own, apart from what stood there before. */
  get alternate(): boolean {
    return this.#terminal.buffer.active.type === "alternate";
  }

  /** Waits until the screen shows what is wanted; answers its lines. Throws when it does not within `ms`. */
  async shows(wanted: RegExp, ms = 30_000): Promise<string[]> {
    await this.#pseudo.until(
      () => wanted.test(this.lines().join("\n")),
      ms,
      () => `The screen never showed ${wanted} but\n${this.lines().join("\n")}`,
    );
    return this.lines();
  }

  /** Types characters. */
  types(text: string): Promise<void> {
    return this.#pseudo.types(text);
  }

  /** Makes the terminal larger or smaller. */
  async resize(size: Size): Promise<void> {
    this.#terminal.resize(size.columns, size.rows);
    await this.#stty("cols", String(size.columns), "rows", String(size.rows));
  }

  /** Whether the program has the keyboard for itself: keys come one by one, and are not shown. */
  async hasKeys(): Promise<boolean> {
    const settings = await this.#stty("-a");
    return /(?<!\S)-icanon\b/.test(settings) && /(?<!\S)-echo\b/.test(settings);
  }

  /** Asks or changes the terminal of the program. */
  async #stty(...args: readonly string[]): Promise<string> {
    const device = (await Deno.readTextFile(this.#device)).trim();
    const of = Deno.build.os === "darwin" ? "-f" : "-F";
    const ran = await this.#world.command("stty", [of, device, ...args]);
    if (ran.code !== 0) throw new Error(ran.stderr);
    return ran.stdout;
  }

  /** The number of the process of the program. */
  async pid(): Promise<number> {
    const pid = Number(await Deno.readTextFile(`${this.#device}.pid`));
    // Anything but a real number would name other processes than the one meant.
    if (!(pid > 1)) throw new Error("The program has not begun");
    return pid;
  }

  /** Whether the program, which has ended, left the terminal as it found it. */
  async isRestored(): Promise<boolean> {
    const [before, after] = await Promise.all(
      ["before", "after"].map((when) => Deno.readTextFile(`${this.#device}.${when}`)),
    );
    return before === after && !this.alternate && this.cursorShown;
  }

  /** Whether the cursor is shown. */
  get cursorShown(): boolean {
    return this.written.lastIndexOf("\u001b[?25l") <= this.written.lastIndexOf("\u001b[?25h");
  }

  /** Waits until the program has ended; answers its exit code. Kills it and throws when it does not within `ms`. */
  ends(ms = 30_000): Promise<number> {
    return this.#pseudo.ends(
      ms,
      () => `The program did not end; the screen shows\n${this.all()}`,
    );
  }
}
