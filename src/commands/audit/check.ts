/** Looks whether the audit log, or an export of it, is as it was written (AUDIT-1 to AUDIT-3). */

import { hash } from "../../base/hash.ts";
import { fieldsOf, jsonIn } from "../../base/object.ts";
import type { StoreReader } from "../../contract/mod.ts";
import {
  anchorDigits,
  type Anchored,
  ChainCheck,
  type Finding,
  type Link,
  MOST_FINDINGS,
  sealText,
} from "../../state/store/mod.ts";
import { count } from "../../base/text/words.ts";

/** So many entries are read at once. */
const PAGE = 500;

/** What a look at a log came to. */
interface Checked {
  readonly entries: number;
  /** Number and hash of the last entry; null without one. */
  readonly head: { readonly id: number; readonly at: string | null; readonly hash: string } | null;
  /** The number of the first entry; null without one. */
  readonly first: number | null;
  /** How many entries were chained later than they were written. */
  readonly beforeChain: number;
  /** How many entries of an older program are not chained yet. */
  readonly unchained: number;
  /** The first entry that the anchor names; null where there is no anchor. */
  readonly anchoredFrom: number | null;
  /** How many entries hold evidence that a person decided. */
  readonly signatures: number;
  readonly findings: readonly Finding[];
  /** How many more there are. */
  readonly more: number;
}

/** An entry as it goes by. */
interface Seen extends Link {
  readonly chained: boolean;
  /** What proves that a person decided; null without. */
  readonly evidence: unknown;
  readonly previewHash: string | null;
}

/** Counts what goes by, besides checking the chain. */
class Walk {
  readonly chain: ChainCheck;
  readonly #wanted: string | null;
  found = false;
  entries = 0;
  first: Link | null = null;
  last: Link | null = null;
  beforeChain = 0;
  /** Entries with evidence. */
  readonly signed: Seen[] = [];

  constructor(whole: boolean, wanted: string | null) {
    this.chain = new ChainCheck(whole);
    this.#wanted = wanted;
  }

  take(link: Seen): void {
    this.entries++;
    this.first ??= link;
    this.last = link;
    if (!link.chained) this.beforeChain++;
    if (this.#wanted !== null && link.hash.startsWith(this.#wanted)) this.found = true;
    if (link.evidence !== null) this.signed.push(link);
    this.chain.take(link);
  }

  end(facts: Pick<Checked, "unchained" | "anchoredFrom">): Checked {
    const { findings, more } = this.chain.end();
    const id = this.last?.id ?? 0;
    const missed: Finding[] = this.#wanted === null || this.found ? [] : [{
      problem: "cut_off",
      id,
      at: null,
      tool: null,
      detail: `No entry has the hash ${this.#wanted}: what was written up to it is not all there`,
    }];
    return {
      ...facts,
      entries: this.entries,
      first: this.first?.id ?? null,
      head: this.last === null ? null : { id, at: this.last.at, hash: this.last.hash },
      beforeChain: this.beforeChain,
      signatures: this.signed.length,
      findings: [...findings, ...missed],
      more,
    };
  }
}

/** Compares a log with its anchor while it goes by. */
class AnchorCheck {
  readonly #hashes = new Map<number, Set<string>>();
  readonly #file: string;
  readonly #lines: readonly Anchored[] | null;
  #chained = false;
  #other: Link | null = null;

  constructor(lines: readonly Anchored[] | null, file: string) {
    this.#lines = lines;
    this.#file = file;
    for (const { id, hash } of lines ?? []) {
      this.#hashes.set(id, (this.#hashes.get(id) ?? new Set()).add(hash));
    }
  }

  take(link: Seen): void {
    if (link.chained) this.#chained = true;
    const held = this.#hashes.get(link.id);
    if (held === undefined) return;
    if (held.size > 1 || !held.has(anchorDigits(link.hash))) this.#other ??= link;
  }

  get from(): number | null {
    return this.#lines?.[0]?.id ?? null;
  }

  /** What it misses behind the last entry, and, in a log that is in order by itself, what it holds otherwise. */
  end(last: number, inOrder: boolean): Finding[] {
    if (this.#lines === null) {
      return this.#chained
        ? [{
          problem: "cut_off",
          id: last,
          at: null,
          tool: null,
          detail:
            `The anchor ${this.#file} is gone, so nobody can tell whether entries are missing behind this one`,
        }]
        : [];
    }
    const most = [...this.#hashes.keys()].reduce((most, id) => Math.max(most, id), 0);
    const findings: Finding[] = [];
    if (this.#other !== null && inOrder) {
      findings.push({
        problem: "replaced",
        id: this.#other.id,
        at: this.#other.at,
        tool: this.#other.tool,
        detail: `The anchor ${this.#file} holds the hash of another entry with this number`,
      });
    }
    if (most > last) {
      findings.push({
        problem: "cut_off",
        id: last + 1,
        at: null,
        tool: null,
        detail: `The log was cut off: ${
          count(most - last, "entry", "entries")
        } more stood behind entry ${last}, up to entry ${most}`,
      });
    }
    return findings;
  }
}

/** What was found, and which signatures do not prove what they should. */
async function withSignatures({ signed }: Walk, checked: Checked): Promise<Checked> {
  if (signed.length === 0) return checked;
  const findings = [...checked.findings];
  // An entry that was changed is told once, with what was found first.
  const told = new Set(findings.map(({ id }) => id));
  // The library comes with more than most calls need.
  const { signatureFault } = await import("./signature.ts");
  let more = 0;
  for (const { id, at, tool, evidence, previewHash } of signed) {
    const detail = told.has(id) ? null : await signatureFault(evidence, previewHash);
    if (detail === null) continue;
    if (findings.length >= MOST_FINDINGS) more++;
    else findings.push({ problem: "signature", id, at, tool, detail });
  }
  return { ...checked, findings, more: checked.more + more };
}

/** Looks at the log itself. `wanted` is the beginning of a hash that it must hold. */
export async function checkLog(
  audit: StoreReader["audit"],
  wanted: string | null,
  pause: () => Promise<void>,
): Promise<Checked> {
  // The log may grow meanwhile, the anchor behind it.
  const anchor = new AnchorCheck(audit.anchored(), audit.anchorPath ?? "");
  const walk = new Walk(true, wanted);
  let waiting: ReturnType<StoreReader["audit"]["stored"]> = [];
  const flush = () => {
    waiting.forEach((link) => walk.take(link));
    waiting = [];
  };
  for (let after = 0;;) {
    const page = audit.stored(after, PAGE);
    for (const link of page) {
      anchor.take(link);
      // An older program that still runs holds no chain; the next entry of this one chains what it wrote.
      if (link.hash === "" && !link.chained) waiting.push(link);
      else {
        flush();
        walk.take(link);
      }
      after = link.id;
    }
    if (page.length < PAGE) break;
    await pause();
  }
  const unchained = waiting.length;
  const last = waiting.at(-1)?.id ?? walk.last?.id ?? 0;
  const strange: Finding[] = audit.misnumbered().map((id) => ({
    problem: "inserted",
    id,
    at: null,
    tool: null,
    detail: "It was put there later: no entry gets such a number",
  }));
  const others = (inOrder: boolean) => [...strange, ...anchor.end(last, inOrder)];
  const checked = walk.end({ unchained, anchoredFrom: anchor.from });
  const inOrder = checked.findings.length === 0;
  return await withSignatures(walk, {
    ...checked,
    findings: [...checked.findings, ...others(inOrder)],
  });
}

/** A moment as an entry has it, else null. */
function momentOf(text: string | null): string | null {
  const form = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
  return text !== null && form.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;
}

/** A line of an export, of which nothing is believed. */
function lineLink(text: string, behind: number): Seen {
  const value = jsonIn(text);
  const readable = value !== undefined;
  const { hash: own, ...members } = fieldsOf(value);
  const word = (name: string) => typeof members[name] === "string" ? String(members[name]) : null;
  const id = members["id"];
  return {
    id: typeof id === "number" && Number.isSafeInteger(id) ? id : behind + 1,
    at: momentOf(word("at")),
    tool: word("tool"),
    previous: word("previous") ?? "",
    hash: typeof own === "string" ? own : "",
    chained: members["chained"] === true,
    evidence: members["evidence"] ?? null,
    previewHash: word("preview_hash"),
    digest(others = {}) {
      if (!readable) return null;
      try {
        return hash("sha256", sealText({ ...members, ...others }));
      } catch {
        return null;
      }
    },
  };
}

/** Looks at the lines of an export, which may be a part of the log. */
export async function checkExport(
  text: string,
  wanted: string | null,
  pause: () => Promise<void>,
): Promise<Checked> {
  const walk = new Walk(false, wanted);
  let taken = 0;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    walk.take(lineLink(line, walk.last?.id ?? 0));
    if (++taken % PAGE === 0) await pause();
  }
  return await withSignatures(walk, walk.end({ unchained: 0, anchoredFrom: null }));
}
