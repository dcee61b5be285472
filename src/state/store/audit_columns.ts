/** The columns of the audit log as its hashes cover them. */

import { type Link, type Sealed, sealText } from "./chain.ts";
import { hash } from "../../base/hash.ts";
import type { Fields } from "../../base/object.ts";
import type { Cell, Row } from "./sql.ts";

/** The columns of an entry that its hash covers. */
export const MEMBERS = [
  "id",
  "at",
  "door",
  "client",
  "session_id",
  "root",
  "ecosystem",
  "ticket",
  "tool",
  "args",
  "mode",
  "decision",
  "way",
  "fingerprint",
  "outcome",
  "run_id",
  "evidence",
  "chained",
  "previous",
] as const;
/** An entry with its members as columns hold them. */
export type Columns = Readonly<Record<typeof MEMBERS[number], Cell>>;

function moment(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}

/** The members of columns as an export has them; throws where JSON is none. */
export function toSealed(row: Columns): Sealed {
  const text = (member: keyof Columns) => String(row[member]);
  const optional = (member: keyof Columns) => row[member] === null ? null : text(member);
  // Entries of older versions, which are chained while the database gets the column, have none.
  const { ticket = null } = row as Partial<Columns>;
  return {
    id: Number(row.id),
    at: moment(Number(row.at)),
    door: text("door"),
    client: text("client"),
    session_id: text("session_id"),
    root: text("root"),
    ecosystem: text("ecosystem"),
    ...(ticket === null ? {} : { ticket: String(ticket) }),
    tool: text("tool"),
    args: JSON.parse(text("args")) as unknown,
    mode: text("mode"),
    preview_hash: optional("fingerprint"),
    decision: text("decision"),
    way: text("way"),
    outcome: text("outcome"),
    run_id: optional("run_id"),
    evidence: row.evidence === null ? null : JSON.parse(text("evidence")) as unknown,
    chained: Number(row.chained) === 1,
    previous: text("previous"),
  };
}

/** A strict reader, to which a mark of the order of bytes is a character as any other. */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** An entry as it lies in the database, of which nothing is believed. */
export class Stored implements Link {
  readonly id: number;
  readonly #columns: Readonly<Record<string, string | null>>;
  readonly #sealed: Sealed | null;

  constructor(row: Row) {
    this.id = Number(row["id"]);
    let readable = true;
    const columns: Record<string, string | null> = { id: String(this.id) };
    for (const member of [...MEMBERS, "hash"]) {
      if (member === "id") continue;
      const bytes = Uint8Array.fromHex(String(row[member]));
      try {
        columns[member] = row[`no_${member}`] === 1 ? null : UTF8.decode(bytes);
      } catch {
        // A hash covers everything but itself.
        if (member !== "hash") readable = false;
        columns[member] = new TextDecoder().decode(bytes);
      }
    }
    this.#columns = columns;
    this.#sealed = readable ? exactly(columns) : null;
  }

  /** Its members as an export has them; what is no entry at all as far as it can be read. */
  get exported(): Fields {
    const { hash: _, ...columns } = this.#columns;
    return { ...this.#sealed ?? columns, id: this.id, hash: this.hash };
  }

  get at(): string | null {
    const at = this.#sealed?.at ?? moment(Number(this.#columns["at"]));
    return at.endsWith("Z") ? at : null;
  }

  get tool(): string | null {
    return this.#columns["tool"] ?? null;
  }

  get previous(): string {
    return this.#columns["previous"] ?? "";
  }

  get hash(): string {
    return this.#columns["hash"] ?? "";
  }

  get chained(): boolean {
    return this.#columns["chained"] === "1";
  }

  /** Its members; null where it is no entry. */
  get sealed(): Sealed | null {
    return this.#sealed;
  }

  /** What proves that a person decided; null where nothing does, or what is there is no JSON. */
  get evidence(): unknown {
    return this.#sealed?.evidence ?? null;
  }

  get previewHash(): string | null {
    return this.#sealed?.preview_hash ?? null;
  }

  digest(others: { readonly id?: number; readonly previous?: string } = {}): string | null {
    return this.#sealed === null ? null : hash("sha256", sealText({ ...this.#sealed, ...others }));
  }
}

/** The entry of columns that hold exactly what this program writes, else null. */
function exactly(columns: Readonly<Record<string, string | null>>): Sealed | null {
  try {
    const sealed = toSealed(columns as Columns);
    // Two texts of the same JSON are two texts.
    const same = JSON.stringify(sealed.args) === columns["args"] &&
      (sealed.evidence === null
        ? columns["evidence"] === null
        : JSON.stringify(sealed.evidence) === columns["evidence"]) &&
      /^-?\d+$/.test(columns["at"] ?? "") && /^[01]$/.test(columns["chained"] ?? "");
    return same ? sealed : null;
  } catch {
    return null;
  }
}
