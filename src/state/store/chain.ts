/**
 * The chain of the audit log. Every entry holds the hash of the one before, so what is changed, removed, added
 * or moved later is found (AUDIT-1).
 *
 * Its anchor is a file beside the database that gets a line after every entry. So entries that are cut off at
 * the end are missed (AUDIT-3, STATE-4).
 */

import process from "node:process";
import type { Fields } from "../../base/object.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { isSame } from "../../base/policy/consent.ts";
import { ioErrorFacts } from "../../base/io_error.ts";

/** How many digits of its hash stand for an entry: enough that nobody makes another entry with the same. */
const DIGITS = 32;

/** The first digits of a hash. */
export function anchorDigits(hash: string): string {
  return hash.slice(0, DIGITS);
}

/** Names an entry. */
export interface Anchored {
  readonly id: number;
  /** Its {@linkcode anchorDigits}. */
  readonly hash: string;
}

/** The lines of an anchor. */
export class Anchor {
  /** The file, absolute. */
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Adds the line of an entry that is in the database for good. */
  add(id: number, hash: string): void {
    // One short write at the end of a file is never mixed with that of another process. A process that is
    // killed may leave half a line, even half a number. The next line begins anew, so that the two do not
    // become one.
    process.getBuiltinModule("node:fs").appendFileSync(
      this.path,
      `\n${id} ${anchorDigits(hash)}\n`,
      { mode: 0o600 },
    );
  }

  /** All its lines that can be read, in their order; null when there is no file. */
  read(): Anchored[] | null {
    let text: string;
    try {
      text = process.getBuiltinModule("node:fs").readFileSync(this.path, "utf8");
    } catch (error) {
      if (ioErrorFacts(error)?.kind === "not_found") return null;
      throw error;
    }
    return [...text.matchAll(/^(\d{1,15}) ([0-9a-f]{32})$/gm)].map(([, id, hash = ""]) => ({
      id: Number(id),
      hash,
    }));
  }
}

/** What the first entry holds in place of the hash of the one before it. */
export const NO_ENTRY = "";

/** More than these are only counted. */
export const MOST_FINDINGS = 100;
/** How far from its number an entry is looked for. */
const REACH = 32;

/** The members of an entry that its hash covers, as they stand in an export. */
export interface Sealed {
  readonly id: number;
  /** In UTC, with milliseconds. */
  readonly at: string;
  readonly door: string;
  readonly client: string;
  readonly session_id: string;
  readonly root: string;
  readonly ecosystem: string;
  /** Only of entries that are about a ticket's own workspace: all others have the hash they always had. */
  readonly ticket?: string;
  readonly tool: string;
  readonly args: unknown;
  readonly mode: string;
  readonly preview_hash: string | null;
  readonly decision: string;
  readonly way: string;
  readonly outcome: string;
  readonly run_id: string | null;
  /** What proves that a person decided; null where nothing does. */
  readonly evidence: unknown;
  /** Whether it was chained when it was written; entries of older versions were later. */
  readonly chained: boolean;
  /** The hash of the entry before. */
  readonly previous: string;
}

/** What an entry is hashed as: JSON with sorted keys, without spaces. */
export function sealText(entry: Sealed | Fields): string {
  return canonicalJson(entry);
}

/** An entry as it was found, of which nothing is believed. */
export interface Link {
  /** Its number where it stands. */
  readonly id: number;
  readonly at: string | null;
  readonly tool: string | null;
  readonly previous: string;
  readonly hash: string;
  /** The hash of what it holds, with other members in place of its own; null where it holds no entry at all. */
  readonly digest: (others?: { readonly id?: number; readonly previous?: string }) => string | null;
}

/** Whether a link has the hash that it would have with other members in place of its own. */
function isWritten(link: Link, others: Parameters<Link["digest"]>[0]): boolean {
  const digest = link.digest(others);
  return digest !== null && isSame(digest, link.hash);
}

/** The ways in which a log is not as it was written. */
export const PROBLEMS = [
  "changed",
  "removed",
  "inserted",
  "reordered",
  "cut_off",
  "replaced",
  "signature",
] as const;
/** One of {@linkcode PROBLEMS}. */
type Problem = typeof PROBLEMS[number];

/** Where a log is not as it was written. */
export interface Finding {
  readonly problem: Problem;
  /** The number of the entry that is meant, or of the first one. */
  readonly id: number;
  /** When it was written, as far as it is there and can be told. */
  readonly at: string | null;
  readonly tool: string | null;
  /** What differs, as a sentence without a full stop. */
  readonly detail: string;
}

/** Entries that are not where they were, so far. */
interface Gap {
  readonly from: number;
  readonly to: number;
  /** The entry that stands behind them. */
  readonly behind: Link;
}

function numbers(from: number, to: number): string {
  return from === to ? `Entry ${from} is` : `Entries ${from} to ${to} are`;
}

/**
 * Looks at the links of a chain one after the other and tells what is not as it was written.
 *
 * `whole` says that the first link must be the first entry; a part of a log begins anywhere.
 */
export class ChainCheck {
  readonly #findings: Finding[] = [];
  #more = 0;
  #gaps: Gap[] = [];
  /** Hashes of the entry before, one of which the next must hold; null where any will do. */
  #expected: ReadonlySet<string> | null;
  /** The number that the last entry had when it was written. */
  #last = 0;
  #before: { readonly link: Link; readonly flagged: boolean } | null = null;
  /** By how much entries are numbered otherwise than when they were written, since the last insertion or removal. */
  #shift = 0;
  #waiting: Link | null = null;

  constructor(whole: boolean) {
    this.#expected = whole ? new Set([NO_ENTRY]) : null;
  }

  /** Takes the next link. */
  take(link: Link): void {
    if (this.#waiting !== null) this.#look(this.#waiting, link);
    this.#waiting = link;
  }

  /** Ends the chain; answers what was found, and how much more there was than is told. */
  end(): { readonly findings: Finding[]; readonly more: number } {
    if (this.#waiting !== null) this.#look(this.#waiting, null);
    this.#waiting = null;
    for (const { from, to, behind } of this.#gaps) {
      this.#find("removed", from, null, `${numbers(from, to)} gone from before entry ${behind.id}`);
    }
    this.#gaps = [];
    return {
      findings: this.#findings.toSorted((a, b) => a.id - b.id),
      more: this.#more,
    };
  }

  #find(problem: Problem, id: number, link: Link | null, detail: string): void {
    if (this.#findings.length >= MOST_FINDINGS) this.#more++;
    else {
      this.#findings.push({
        problem,
        id,
        at: link?.at ?? null,
        tool: link?.tool ?? null,
        detail,
      });
    }
  }

  /** The number under which a link was written; null where it is not as it was written under any. */
  #written(link: Link): number | null {
    const here = link.id - this.#shift;
    if (isWritten(link, { id: here })) return here;
    if (this.#findings.length >= MOST_FINDINGS) return null;
    for (let away = 0; away <= REACH; away++) {
      for (const id of [link.id - away, link.id + away, here - away, here + away]) {
        if (id > 0 && isWritten(link, { id })) return id;
      }
    }
    return null;
  }

  #look(link: Link, next: Link | null): void {
    const written = this.#written(link);
    const here = link.id - this.#shift;
    const linked = this.#expected === null || this.#expected.has(link.previous);
    // The next entry was written right after the one before, so this one was put between them later.
    const between = (written === null || written === here) && next !== null &&
      this.#expected?.has(next.previous) === true &&
      [here, this.#last + 1].some((id) => isWritten(next, { id }));
    if (between) {
      this.#find(
        "inserted",
        link.id,
        link,
        "It was put there later, between two that belong together",
      );
      this.#shift++;
    } else if (written === null) this.#changed(link, next, linked);
    else if (linked) this.#pass(link, written);
    else this.#misplaced(link, written, next);
  }

  /** Goes on behind a link, of which the next one holds one of these hashes. */
  #go(link: Link, written: number, hashes: readonly string[], flagged = false): void {
    this.#expected = new Set(hashes);
    this.#last = written;
    this.#before = { link, flagged };
  }

  #pass(link: Link, written: number): void {
    const away = link.id - written;
    const renumbered = away !== 0 && away !== this.#shift;
    if (renumbered) {
      this.#find("changed", link.id, link, `Its number was changed: it was entry ${written}`);
    }
    this.#shift = away;
    this.#go(link, written, [link.hash], renumbered);
  }

  #changed(link: Link, next: Link | null, linked: boolean): void {
    const id = link.id - this.#shift;
    const held = link.digest({ id });
    const before = [...this.#expected ?? []].some((previous) => isWritten(link, { id, previous }));
    const detail = held === null
      ? "It cannot be read as an entry"
      : link.hash === ""
      ? "It holds no hash"
      : before
      ? "The hash of the entry before, which it holds, was changed"
      : next?.previous === held && linked
      ? "Its hash was changed"
      : "What it says was changed: it no longer has the hash that was written with it";
    this.#find("changed", link.id, link, detail);
    // Which of the two the next one holds depends on what was changed.
    this.#go(link, id, [link.hash, ...(held === null ? [] : [held])], true);
  }

  /** A link that is as it was written, but stands behind another entry than the one it was written behind. */
  #misplaced(link: Link, written: number, next: Link | null): void {
    if (written > this.#last + 1) {
      this.#gaps.push({ from: this.#last + 1, to: written - 1, behind: link });
      this.#shift = link.id - written;
      this.#go(link, written, [link.hash]);
    } else if (written === this.#last + 1) this.#replaced(link, written, next);
    else this.#older(link, written);
  }

  /** Whether a link or the one before it was written anew shows in the hash that the next one holds. */
  #replaced(link: Link, written: number, next: Link | null): void {
    const before = this.#before;
    const itself = before === null || (next !== null && !isSame(next.previous, link.hash));
    if (itself) {
      this.#find(
        "replaced",
        link.id,
        link,
        "It was written anew: its neighbours hold the hashes of another entry",
      );
    } else if (!before.flagged) {
      this.#find(
        "replaced",
        before.link.id,
        before.link,
        `It was written anew: entry ${link.id} holds the hash of another entry`,
      );
    }
    this.#go(
      link,
      written,
      [link.hash, ...(itself && next !== null ? [next.previous] : [])],
      itself,
    );
  }

  /** A link that was written before the last one. */
  #older(link: Link, written: number): void {
    const moved = this.#gaps.some(({ from, to }) => from <= written && written <= to);
    if (!moved) {
      this.#find("inserted", link.id, link, `It is a second copy of entry ${written}`);
      this.#shift++;
      return;
    }
    this.#gaps = this.#gaps.flatMap(({ from, to, behind }) =>
      written < from || written > to ? [{ from, to, behind }] : [
        ...(from < written ? [{ from, to: written - 1, behind }] : []),
        ...(written < to ? [{ from: written + 1, to, behind }] : []),
      ]
    );
    this.#find(
      "reordered",
      written,
      link,
      `It was moved: it stands behind entry ${this.#last}, which was written after it`,
    );
  }
}
