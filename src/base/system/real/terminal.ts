/** The standard streams of this process. */

import process from "node:process";
import type { Terminal } from "../mod.ts";

const encoder = new TextEncoder();
/** What a keyboard gives for Ctrl-D. */
const END_OF_INPUT = "\u0004";

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = encoder.encode(text);
  for (let written = 0; written < bytes.length;) {
    written += stream.writeSync(bytes.subarray(written));
  }
}

/** Asked each time, because a terminal can be resized. */
function columns(): number {
  // Asking without a terminal throws, and the first throw of a process costs more than all else here.
  const shown = Deno.stdout.isTerminal() || Deno.stderr.isTerminal() || Deno.stdin.isTerminal()
    ? Deno.consoleSize().columns
    : 0;
  // A terminal that was never told its size says 0. A shell's variable is as old as the shell's last look.
  if (shown > 0) return shown;
  const given = Number(Deno.env.get("COLUMNS"));
  return Number.isInteger(given) && given > 0 ? given : 80;
}

/** The size of whichever standard stream is a terminal. */
function size(): { columns: number; rows: number } {
  try {
    const { columns, rows } = Deno.consoleSize();
    // A terminal that was never told its size says 0.
    return { columns: columns || 80, rows: rows || 24 };
  } catch {
    return { columns: 80, rows: 24 };
  }
}

async function readLine(): Promise<string | null> {
  const byte = new Uint8Array(1);
  const line: number[] = [];
  // Byte by byte, so that nothing behind the line is taken from whoever reads next.
  while (line.length < 4096) {
    const read = await Deno.stdin.read(byte);
    if (read === null) return line.length === 0 ? null : decode(line);
    if (byte[0] === 10) break;
    line.push(byte[0] ?? 0);
  }
  return decode(line);
}

/** The most that is dropped of what was typed ahead: far more than a terminal holds for a program that does not read. */
const MOST_TYPED_AHEAD = 1 << 20;

/** Drops what was typed at the terminal and nobody has read, also a line that was begun (CONFIRM-5). */
function dropTyped(): void {
  if (Deno.build.os === "windows" || !Deno.stdin.isTerminal()) return;
  const fs = process.getBuiltinModule("node:fs");
  const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = fs.constants;
  try {
    // Opened anew, because reading must not wait, and standard input shares its state with other programs.
    const typed = fs.openSync("/dev/tty", O_RDONLY | O_NONBLOCK | O_NOCTTY);
    // As long as a line is not ended, a terminal hands it out in this state alone.
    Deno.stdin.setRaw(true, { cbreak: true });
    try {
      const bytes = new Uint8Array(4096);
      for (let dropped = 0; dropped < MOST_TYPED_AHEAD;) {
        const count = fs.readSync(typed, bytes);
        if (count === 0) break;
        dropped += count;
      }
    } finally {
      Deno.stdin.setRaw(false);
      fs.closeSync(typed);
    }
  } catch {
    // Nothing more is there, or it is no terminal of ours.
  }
}

function keys(callback: (text: string) => Promise<void>): () => void {
  let stopped = false;
  Deno.stdin.setRaw(true);
  const read = async () => {
    const bytes = new Uint8Array(256);
    const decoder = new TextDecoder();
    while (!stopped) {
      const count = await Deno.stdin.read(bytes);
      // At the end of input nobody can type any more, which is as good as leaving.
      if (count === null) return await callback(END_OF_INPUT);
      if (!stopped) await callback(decoder.decode(bytes.subarray(0, count), { stream: true }));
    }
  };
  read();
  return () => {
    stopped = true;
    Deno.stdin.setRaw(false);
  };
}

/** Standard input without the streams of the platform, which take longer to load than all else at a start. */
async function* typedBytes(): AsyncGenerator<Uint8Array> {
  const bytes = new Uint8Array(65_536);
  for (;;) {
    const count = await Deno.stdin.read(bytes);
    if (count === null) return;
    yield bytes.slice(0, count);
  }
}

function decode(line: readonly number[]): string {
  return new TextDecoder().decode(new Uint8Array(line)).replace(/\r$/, "");
}

function err(text: string): void {
  try {
    writeAll(Deno.stderr, text);
  } catch {
    // Standard error is closed; the work goes on without it.
  }
}

/** What goes through standard input and output. */
export type Streams = Pick<Terminal, "input" | "out">;

const STREAMS: Streams = { input: typedBytes, out: (text) => writeAll(Deno.stdout, text) };

/** The terminal, or the pipes, of this process. */
export function realTerminal({ input, out }: Streams = STREAMS): Terminal {
  return {
    stdinIsTerminal: Deno.stdin.isTerminal(),
    stdoutIsTerminal: Deno.stdout.isTerminal(),
    stderrIsTerminal: Deno.stderr.isTerminal(),
    get columns() {
      return columns();
    },
    size,
    out,
    err,
    async ask(question) {
      dropTyped();
      err(question);
      return await readLine();
    },
    keys,
    input,
    guardOutput() {
      const { console } = globalThis;
      const toStderr = console.error.bind(console);
      Object.assign(console, {
        log: toStderr,
        info: toStderr,
        debug: toStderr,
        dir: toStderr,
        table: toStderr,
      });
    },
    onInterrupt(callback) {
      const signals: Deno.Signal[] = Deno.build.os === "windows"
        ? ["SIGINT"]
        : ["SIGINT", "SIGTERM", "SIGHUP"];
      const listeners = signals.map((name) =>
        [name, () => callback(name === "SIGINT" ? "typed" : "asked")] as const
      );
      for (const [name, listener] of listeners) Deno.addSignalListener(name, listener);
      return () => {
        for (const [name, listener] of listeners) Deno.removeSignalListener(name, listener);
      };
    },
    onDisplay(callback) {
      if (Deno.build.os === "windows") return () => {};
      const resized = () => callback("resized");
      const resumed = () => callback("resumed");
      Deno.addSignalListener("SIGWINCH", resized);
      Deno.addSignalListener("SIGCONT", resumed);
      return () => {
        Deno.removeSignalListener("SIGWINCH", resized);
        Deno.removeSignalListener("SIGCONT", resumed);
      };
    },
  };
}
