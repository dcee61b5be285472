/** What a person sees of programs that run in several repositories at once. */

import type { Reporter } from "../../../contract/mod.ts";
import { MANY } from "../../../base/text/table.ts";
import { count, few } from "../../../base/text/words.ts";

/**
 * How the output of several is shown: whole, in the order of the repositories, line by line as it comes, or not at all.
 */
export const OUTPUTS = ["group", "stream", "none"] as const;
/** One of {@linkcode OUTPUTS}. */
export type OutputForm = typeof OUTPUTS[number];

/** How much of one repository is held back until it ends, in characters. */
const MOST_HELD = 4 * 1024 * 1024;
/** How much is held back of all until what is the same of many can be told once, and until order is kept no longer. */
const MOST_FOLDED = 256 * 1024;
const MOST_ORDERED = 32 * 1024 * 1024;
/** So many that say the same are not told one by one where there are many. */
const ALIKE = 4;
/** How many of those are named. */
const NAMED = 3;

type Stream = "stdout" | "stderr";

/** How it ended in a repository where that was not well, and how long it took. */
export interface Trouble {
  /** `exit status 2`. */
  readonly how: string;
  /** `exit status 2, 12.4s`. */
  readonly note: string;
  /** Why it could not be started, where its program said nothing; else null. */
  readonly why: string | null;
}

class Held {
  readonly parts: { readonly stream: Stream; text: string }[] = [];
  length = 0;
  dropped = 0;
  ended = false;
  trouble: Trouble | null = null;

  add(stream: Stream, line: string): void {
    this.length += line.length;
    const last = this.parts.at(-1);
    if (last?.stream === stream) last.text += line;
    else this.parts.push({ stream, text: line });
  }

  /** Its one line, or null where it has another number of them. */
  get only(): { readonly stream: Stream; readonly text: string } | null {
    const [part] = this.parts;
    if (part === undefined || this.parts.length > 1 || this.dropped > 0) return null;
    const text = part.text.slice(0, -1);
    return text.includes("\n") ? null : { stream: part.stream, text };
  }

  /** What two have in common that can be told once, in whichever order the streams were read. */
  get key(): string {
    const of = (stream: Stream) =>
      this.parts.filter((part) => part.stream === stream).map(({ text }) => text).join("");
    const { trouble, dropped } = this;
    return JSON.stringify([trouble?.how, trouble?.why, of("stdout"), of("stderr"), dropped]);
  }

  get isSilent(): boolean {
    return this.trouble === null && this.parts.length === 0 && this.dropped === 0;
  }
}

/** Shows lines as they come, or held back. */
export class Display {
  readonly #print: Reporter["print"];
  readonly #form: OutputForm | "live";
  readonly #names: readonly string[];
  readonly #width: number;
  readonly #log: string;
  readonly #held = new Map<string, Held>();
  #folds: boolean;
  /** The first that was not shown yet. */
  #next = 0;
  #length = 0;
  #behindBlock = false;
  #closed = false;

  /**
   * `names` are all repositories there will be output of, in the order in which they are shown; one alone needs no name
   * in front of it. `log` is the command that shows all of it.
   */
  constructor(
    report: Pick<Reporter, "print" | "folds">,
    form: OutputForm,
    { names, log }: { readonly names: readonly string[]; readonly log: string },
  ) {
    this.#print = report.print;
    this.#form = form !== "none" && names.length === 1 ? "live" : form;
    this.#names = names;
    this.#width = Math.max(0, ...names.map((name) => name.length));
    this.#log = log;
    this.#folds = report.folds === true && names.length > MANY;
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
    const held = this.#of(repo);
    if (held.length + text.length > MOST_HELD) held.dropped++;
    else {
      held.add(stream, `${text}\n`);
      this.#length += text.length + 1;
      this.#release();
    }
    return true;
  }

  /** A repository has ended, or was not begun; `trouble` says how, where that was not well. */
  ended(repo: string, trouble: Trouble | null): void {
    if (this.#print === undefined || this.#form === "none" || this.#form === "live") return;
    if (this.#form === "stream") {
      if (trouble === null) return;
      const why = trouble.why === null ? "" : `: ${trouble.why}`;
      this.#show("stderr", `${repo.padEnd(this.#width)} │ ✗ ${trouble.note}${why}\n`);
      return;
    }
    const held = this.#of(repo);
    held.ended = true;
    held.trouble = trouble;
    this.#release();
  }

  /** Everything has ended: shows what was held back. */
  finish(): void {
    if (this.#folds) this.#fold();
    else for (const name of this.#names) this.#tell(name);
  }

  #of(repo: string): Held {
    const held = this.#held.get(repo) ?? new Held();
    this.#held.set(repo, held);
    return held;
  }

  /** Shows what need not be held back any longer. */
  #release(): void {
    if (this.#folds && this.#length <= MOST_FOLDED) return;
    this.#folds = false;
    for (let name = this.#names[this.#next]; name !== undefined; name = this.#names[this.#next]) {
      if (this.#held.get(name)?.ended !== true) break;
      this.#tell(name);
      this.#next++;
    }
    if (this.#length <= MOST_ORDERED) return;
    for (const name of this.#names) if (this.#held.get(name)?.ended === true) this.#tell(name);
  }

  /** Shows one repository, once. */
  #tell(name: string): void {
    const held = this.#held.get(name);
    if (held === undefined || held.isSilent) return;
    this.#held.set(name, Object.assign(new Held(), { ended: true }));
    this.#length -= held.length;
    this.#say(held, name.padEnd(this.#width), name);
  }

  /** Shows what there is to fold: what is alike of several once, below those that are told one by one. */
  #fold(): void {
    this.#folds = false;
    const names = this.#names.filter((name) => this.#held.get(name)?.isSilent === false);
    const groups = [...Map.groupBy(names, (name) => this.#of(name).key).values()]
      .filter((same) => same.length >= ALIKE);
    const folded = new Set(groups.flat());
    for (const name of names) if (!folded.has(name)) this.#tell(name);
    for (const same of groups) {
      const [first = ""] = same;
      const what = count(same.length, "repository", "repositories");
      const which = same.length === this.#names.length ? "" : few(same, NAMED);
      const isRow = this.#say(
        this.#of(first),
        `${what}:`,
        which === "" ? what : `${what}: ${which}`,
      );
      if (isRow && which !== "") this.#show("stdout", `  ${which}\n`);
    }
  }

  /** Shows what is held: in one line behind `row` where it is one, which is answered, else as a block below `title`. */
  #say(held: Held, row: string, title: string): boolean {
    const { trouble, only, parts, dropped } = held;
    const why = trouble?.why ?? null;
    const failed = trouble === null ? "" : `✗ `;
    const isRow = only !== null || parts.length === 0 && dropped === 0;
    if (isRow) {
      const gap = row.endsWith(":") ? " " : "  ";
      const said = [trouble?.how, only?.text ?? why].filter((text) => typeof text === "string");
      const apart = this.#behindBlock ? "\n" : "";
      this.#behindBlock = false;
      this.#show(only?.stream ?? "stdout", `${apart}${failed}${row}${gap}${said.join(": ")}\n`);
      return isRow;
    }
    this.#behindBlock = true;
    const head = `── ${title}${trouble === null ? "" : ` ✗ ${trouble.note}`}\n`;
    const joined = parts[0]?.stream === "stdout";
    // In one piece, so that a live display below is drawn once.
    this.#show("stdout", joined ? head + parts[0]?.text : head);
    for (const { stream, text } of joined ? parts.slice(1) : parts) this.#show(stream, text);
    if (dropped > 0) this.#show("stderr", `… ${dropped} lines more, see: ${this.#log}\n`);
    return isRow;
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
