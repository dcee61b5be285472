/**
 * Runs the program at a real terminal of a given size and keeps what the screen shows, as a person would see it.
 *
 * The pseudo-terminal is that of the `script` program, as for {@linkcode Typist}; all three standard streams of the
 * program are on it. What it writes goes through the terminal emulator of xterm.
 *
 * @module
 */

import xterm from "@xterm/headless";
import { join } from "@std/path";
import { program, type World } from "./world.ts";

/** How large a terminal is, in characters. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A program at a terminal whose screen can be looked at. End it with `ends`. */
export class Screen {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #terminal: xterm.Terminal;
  readonly #world: World;
  readonly #device: string;
  readonly #reading: Promise<void>;
  #text = "";
  #changed: (() => void) | null = null;

  private constructor(world: World, child: Deno.ChildProcess, device: string, size: Size) {
    this.#world = world;
    this.#child = child;
    this.#device = device;
    this.#writer = child.stdin.getWriter();
    this.#terminal = new xterm.Terminal({
      cols: size.columns,
      rows: size.rows,
      allowProposedApi: true,
    });
    this.#reading = this.#read();
  }

  /** Starts the program under test, in the control repository unless told otherwise. */
  static start(
    world: World,
    args: readonly string[],
    size: Size,
    options: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
  ): Screen {
    const device = join(world.directory, `device-${crypto.randomUUID()}.txt`);
    const line = [
      `stty cols ${size.columns} rows ${size.rows}`,
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
    const vector = Deno.build.os === "darwin"
      ? ["-q", "/dev/null", "sh", "-c", line]
      : ["--quiet", "--flush", "--return", "--command", line, "/dev/null"];
    const env = { SHELL: "/bin/sh", TERM: "xterm-256color", LANG: "C.UTF-8", ...options.env };
    return new Screen(
      world,
      world.spawn("script", vector, { ...options, env, stdin: true }),
      device,
      size,
    );
  }

  async #read(): Promise<void> {
    for await (const bytes of this.#child.stdout) {
      this.#text += new TextDecoder().decode(bytes);
      await new Promise<void>((resolve) => this.#terminal.write(bytes, resolve));
      this.#changed?.();
    }
    this.#changed?.();
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
    return this.#text;
  }

  /** Whether the program shows a screen of its own, apart from what stood there before. */
  get alternate(): boolean {
    return this.#terminal.buffer.active.type === "alternate";
  }

  /** Waits until the screen shows what is wanted; answers its lines. Throws when it does not within `ms`. */
  async shows(wanted: RegExp, ms = 30_000): Promise<string[]> {
    const deadline = Date.now() + ms;
    while (!wanted.test(this.lines().join("\n"))) {
      const left = deadline - Date.now();
      if (left <= 0) {
        throw new Error(`The screen never showed ${wanted} but\n${this.lines().join("\n")}`);
      }
      let timer: ReturnType<typeof setTimeout> | undefined;
      await Promise.race([
        new Promise<void>((resolve) => this.#changed = resolve),
        new Promise<void>((resolve) => timer = setTimeout(resolve, left)),
      ]);
      clearTimeout(timer);
    }
    return this.lines();
  }

  /** Types characters. */
  async types(text: string): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(text));
  }

  /** Makes the terminal larger or smaller. */
  async resize(size: Size): Promise<void> {
    this.#terminal.resize(size.columns, size.rows);
    const device = (await Deno.readTextFile(this.#device)).trim();
    const of = Deno.build.os === "darwin" ? "-f" : "-F";
    const ran = await this.#world.command("stty", [
      of,
      device,
      "cols",
      String(size.columns),
      "rows",
      String(size.rows),
    ]);
    if (ran.code !== 0) throw new Error(ran.stderr);
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
    return this.#text.lastIndexOf("\u001b[?25l") <= this.#text.lastIndexOf("\u001b[?25h");
  }

  /** Waits until the program has ended; answers its exit code. Kills it and throws when it does not within `ms`. */
  async ends(ms = 30_000): Promise<number> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#child.kill("SIGKILL");
    }, ms);
    const { code } = await this.#child.status;
    clearTimeout(timer);
    await this.#writer.close().catch(() => {});
    await this.#reading;
    await this.#child.stderr.cancel();
    if (late) throw new Error(`The program did not end; the screen shows\n${this.all()}`);
    return code;
  }
}
