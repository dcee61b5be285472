/** The log of a run as it goes on: what the server streams is added line by line, as text. */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { whileSeen } from "./stream.ts";

/** An event of a run, as far as it is shown. */
interface RunEvent {
  readonly seq: number;
  readonly timestamp: string;
  readonly level: string;
  readonly message: string;
  readonly stream?: string;
  readonly payload?: { readonly repo?: unknown };
}

/** The levels from the least important one on. */
const LEVELS = ["debug", "info", "warn", "error"];
/** The tones of levels, as the server has them. */
const TONES: Readonly<Record<string, string>> = { warn: "attention", error: "bad" };

function two(n: number, digits = 2): string {
  return String(n).padStart(digits, "0");
}

function clock(timestamp: string): string {
  const at = new Date(timestamp);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${
    two(at.getMilliseconds(), 3)
  }`;
}

function piece(kind: string, text: string): HTMLElement {
  const element = document.createElement("span");
  element.className = kind;
  element.textContent = text;
  return element;
}

/** One line, as the server renders those that come with the page. */
function lineOf(event: RunEvent): HTMLElement {
  const line = document.createElement("li");
  line.className = TONES[event.level] ?? "quiet";
  line.dataset["seq"] = String(event.seq);
  const time = document.createElement("time");
  time.dateTime = event.timestamp;
  time.textContent = clock(event.timestamp);
  const said = piece("said", "");
  const repo = event.payload?.repo;
  if (event.stream !== undefined && typeof repo === "string") said.append(piece("speaker", repo));
  said.append(event.message);
  line.append(time, piece("level", event.level), said);
  return line;
}

/** A log that lines are added to, many at once where they come fast. */
class Log {
  readonly #list: HTMLElement;
  readonly #least: number;
  #waiting: HTMLElement[] = [];

  constructor(list: HTMLElement) {
    this.#list = list;
    this.#least = LEVELS.indexOf(list.dataset["level"] ?? "debug");
    list.addEventListener("scroll", () => this.#scrolled());
  }

  #follow(): HTMLInputElement | null {
    const box = document.getElementById("follow");
    return box instanceof HTMLInputElement ? box : null;
  }

  #atEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#list;
    return scrollHeight - scrollTop - clientHeight < 30;
  }

  /** Whoever scrolls up reads, and whoever comes back to the end follows again. */
  #scrolled(): void {
    const box = this.#follow();
    if (box !== null) box.checked = this.#atEnd();
  }

  /** Goes to the newest line. */
  toEnd(): void {
    this.#list.scrollTop = this.#list.scrollHeight;
  }

  add(event: RunEvent): void {
    this.#list.dataset["after"] = String(event.seq);
    if (LEVELS.indexOf(event.level) < this.#least) return;
    this.#waiting.push(lineOf(event));
    if (this.#waiting.length === 1) setTimeout(() => this.#show(), 50);
  }

  #show(): void {
    const follows = this.#follow()?.checked === true;
    document.getElementById("no-lines")?.remove();
    this.#list.append(...this.#waiting);
    this.#waiting = [];
    if (follows) this.toEnd();
  }
}

/** The lines of a log that the page does not have yet; null where there will be none. */
function linesOf(list: HTMLElement, log: Log): EventSource | null {
  const { run = "", after = "0", ended } = list.dataset;
  if (ended !== undefined) return null;
  const source = new EventSource(
    `/api/v1/runs/${encodeURIComponent(run)}/stream?after=${encodeURIComponent(after)}`,
  );
  source.onmessage = ({ data }) => {
    if (data === "[DONE]") {
      source.close();
      list.dataset["ended"] = "";
      return;
    }
    log.add(JSON.parse(String(data)));
  };
  return source;
}

/** Begins to follow the log of this page, if it has one that goes on. */
export function followLog(): void {
  const list = document.getElementById("log");
  if (list === null) return;
  const log = new Log(list);
  if (list.dataset["ended"] !== undefined) return;
  log.toEnd();
  document.getElementById("follow")?.addEventListener("change", (event) => {
    if (event.target instanceof HTMLInputElement && event.target.checked) log.toEnd();
  });
  whileSeen(() => linesOf(list, log));
}
