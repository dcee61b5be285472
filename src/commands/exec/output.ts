/**
 * What a person sees of programs that run in several repositories at once.
 *
 * @module
 */

import type { Reporter } from "../../contract/mod.ts";

/** How the output of several is shown: a repository's as a whole when it ends, line by line, or not at all. */
export const OUTPUTS = ["group", "stream", "none"] as const;
/** One of {@linkcode OUTPUTS}. */
export type OutputForm = typeof OUTPUTS[number];

/** How much of one repository is held back until it ends, in characters. */
const MOST_HELD = 4 * 1024 * 1024;

type Stream = "stdout" | "stderr";

/** Lines that wait for the end of their repository. */
interface Held {
  readonly parts: { readonly stream: Stream; text: string }[];
  length: number;
  dropped: number;
}

/** Shows lines as they come, or held back. */
export class Display {
  readonly #print: Reporter["print"];
  readonly #form: OutputForm | "live";
  readonly #width: number;
  readonly #held = new Map<string, Held>();
  #closed = false;

  /** `names` are all repositories there will be output of; one alone needs no name in front of it. */
  constructor(print: Reporter["print"], form: OutputForm, names: readonly string[]) {
    this.#print = print;
    this.#form = form !== "none" && names.length === 1 ? "live" : form;
    this.#width = Math.max(0, ...names.map((name) => name.length));
  }

  /** Whether whoever read along has gone. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Takes a line; false where it was to be shown and nobody reads any more. */
  line(repo: string, stream: Stream, text: string): boolean {
    if (this.#print === undefined || this.#form === "none") return true;
    if (this.#form === "live") return this.#show(stream, `${text}\n`);
    if (this.#form === "stream") {
      return this.#show(stream, `${repo.padEnd(this.#width)} │ ${text}\n`);
    }
    const held = this.#held.get(repo) ?? { parts: [], length: 0, dropped: 0 };
    this.#held.set(repo, held);
    if (held.length + text.length > MOST_HELD) {
      held.dropped++;
      return true;
    }
    held.length += text.length + 1;
    const last = held.parts.at(-1);
    if (last?.stream === stream) last.text += `${text}\n`;
    else held.parts.push({ stream, text: `${text}\n` });
    return true;
  }

  /** A repository has ended; `note` says how, where that was not well. */
  ended(repo: string, note: string | null, log: string): void {
    const held = this.#held.get(repo);
    this.#held.delete(repo);
    if (this.#print === undefined || this.#form !== "group") return;
    if (held === undefined && note === null) return;
    const head = `── ${repo}${note === null ? "" : ` ✗ ${note}`}\n`;
    const parts = held?.parts ?? [];
    const joined = parts[0]?.stream === "stdout";
    // In one piece, so that a live display below is drawn once.
    this.#show("stdout", joined ? head + parts[0]?.text : head);
    for (const { stream, text } of joined ? parts.slice(1) : parts) this.#show(stream, text);
    if (held !== undefined && held.dropped > 0) {
      this.#show("stderr", `… ${held.dropped} lines more, see: ${log}\n`);
    }
  }

  #show(stream: Stream, text: string): boolean {
    if (this.#closed) return false;
    try {
      this.#print?.(stream, text);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "BrokenPipe") throw error;
      this.#closed = true;
    }
    return !this.#closed;
  }
}
