/**
 * The lines at the bottom of a terminal that show what goes on, and vanish when it is over.
 *
 * The cursor rests on the line below them, at its beginning, so that nothing has to be hidden or restored. A
 * program that is killed leaves text, and never a terminal in a strange state.
 */

import type { NewEvent } from "../../../state/store/mod.ts";
import type { System } from "../../../base/system/mod.ts";
import { textWidth } from "../../../base/text/table.ts";
import { frame, hear, type LiveWork, NOTHING, signsFor } from "./frame.ts";

/** How long work goes on before it is shown. */
const PATIENCE_MS = 500;
/** How often what is shown may change. */
const TICK_MS = 100;
const ESC = "\u001b";
/** Terminals that know these two show everything between them at once. */
const BEGIN = `${ESC}[?2026h`;
const END = `${ESC}[?2026l`;
/** Wipes out everything from the cursor on. */
const WIPE = `${ESC}[J`;

/** The live area of one command. */
export class Area {
  readonly #system: System;
  #action: string;
  #work: LiveWork = NOTHING;
  #heard = false;
  #since: number;
  /** From when on there was something to wait for: an answered question begins the waiting anew. */
  #waitingSince: number;
  #drawn: readonly string[] = [];
  #columns = 0;
  #tall = false;
  #paused = 0;
  /** Whether the cursor is at the beginning of a line. */
  #atBegin = true;
  #timer: ReturnType<typeof setInterval> | undefined;
  #stopListening = () => {};

  constructor(system: System, action: string) {
    this.#system = system;
    this.#action = action;
    this.#since = system.clock.now();
    this.#waitingSince = this.#since;
  }

  /** Takes note of what happens. */
  hear(event: Pick<NewEvent, "at" | "level" | "type" | "message" | "payload">): void {
    this.#work = hear(this.#work, event);
    this.#begin();
  }

  /** Work begins of which nothing was heard yet. */
  start(action: string): void {
    this.#action = action;
    this.#work = NOTHING;
    this.#tall = false;
    this.#begin();
  }

  #begin(): void {
    this.#heard = true;
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#draw(), TICK_MS);
    this.#stopListening = this.#system.terminal.onDisplay((what) => {
      // The shell has written where the lines were.
      if (what === "resumed") this.#drawn = [];
      this.#draw();
    });
  }

  /** Writes something else to the terminal, above the lines. */
  print(text: string, stream: "out" | "err"): void {
    if (text === "") return;
    const { terminal } = this.#system;
    const wipe = this.#wiping();
    if (stream === "err") terminal.err(wipe + text);
    else {
      if (wipe !== "") terminal.err(wipe);
      terminal.out(text);
    }
    this.#atBegin = text.endsWith("\n");
    this.#draw();
  }

  /** Lets something else have the terminal for as long as it works. */
  async aside<T>(work: () => Promise<T>): Promise<T> {
    this.#paused++;
    this.#wipe();
    try {
      return await work();
    } finally {
      this.#paused--;
      this.#atBegin = true;
      this.#waitingSince = this.#system.clock.now();
    }
  }

  /** Takes the lines away; what is heard afterwards begins anew. */
  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopListening();
    this.#stopListening = () => {};
    this.#wipe();
    this.#work = NOTHING;
    this.#heard = false;
    this.#tall = false;
  }

  /** Rows that the lines take where the terminal has `columns` now: a narrower one breaks them. */
  #rows(columns: number): number {
    return this.#drawn.reduce(
      (sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)),
      0,
    );
  }

  #up(columns: number): string {
    const rows = this.#rows(columns);
    return rows === 0 ? "\r" : `\r${ESC}[${rows}A`;
  }

  /** What takes the lines away. */
  #wiping(): string {
    if (this.#drawn.length === 0) return "";
    const text = `${this.#up(this.#system.terminal.size().columns)}${WIPE}`;
    this.#drawn = [];
    return text;
  }

  #wipe(): void {
    const text = this.#wiping();
    if (text !== "") this.#system.terminal.err(text);
  }

  #draw(): void {
    const { clock, env, terminal } = this.#system;
    const now = clock.now();
    if (!this.#heard || this.#timer === undefined || this.#paused > 0 || !this.#atBegin) return;
    if (now - this.#waitingSince < PATIENCE_MS) return;
    const { columns, rows } = terminal.size();
    if (columns !== this.#columns) this.#tall = false;
    const { lines, tall } = frame(this.#work, {
      columns,
      rows,
      now,
      action: this.#action,
      since: this.#since,
      signs: signsFor(env),
      tall: this.#tall,
    });
    this.#tall = tall;
    const text = columns === this.#columns ? this.#changes(lines) : this.#all(lines, columns);
    this.#columns = columns;
    this.#drawn = lines;
    if (text !== "") terminal.err(`${BEGIN}${text}${END}`);
  }

  /** Everything anew, as after a change of size. */
  #all(lines: readonly string[], columns: number): string {
    return `${this.#up(columns)}${WIPE}${lines.map((line) => `${line}\n`).join("")}`;
  }

  /** Only the lines that changed; empty where none did. */
  #changes(lines: readonly string[]): string {
    const before = this.#drawn;
    if (before.length === lines.length && before.every((line, at) => line === lines[at])) return "";
    const parts = lines.map((line, at) => line === before[at] ? "\n" : `${ESC}[2K${line}\n`);
    return `${this.#up(this.#columns)}${parts.join("")}${lines.length < before.length ? WIPE : ""}`;
  }
}

/** The same world, in which everything that writes to the terminal or asks there makes room first. */
export function withArea(system: System, area: Area): System {
  const { processes, terminal } = system;
  return {
    ...system,
    processes: {
      ...processes,
      attach: (argv, options) => area.aside(() => processes.attach(argv, options)),
    },
    terminal: {
      ...terminal,
      get columns() {
        return terminal.columns;
      },
      out: (text) => area.print(text, "out"),
      err: (text) => area.print(text, "err"),
      ask: (question) => area.aside(() => terminal.ask(question)),
    },
  };
}
