/**
 * The canonical hash that ties a confirmation to what was previewed (amof.md §5.4).
 *
 * @module
 */

import process from "node:process";

/** JSON with sorted keys and without members that are undefined: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  }
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

/** SHA-256 of bytes, or of a text as UTF-8, hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  // Taken when it is first needed: loading the module costs more than many a whole command.
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(content).digest("hex");
}

/** What a confirmation is bound to. */
export interface Bound {
  readonly tool: string;
  /** The command's own arguments, validated and with defaults applied. */
  readonly args: unknown;
  readonly root: string;
  readonly ecosystem: string;
  /** The preview's facts. */
  readonly facts: unknown;
}

/** The hash of everything a confirmation is bound to. */
export function fingerprint(bound: Bound): string {
  return sha256(canonicalJson(bound));
}

/**
 * The differences between two previews' facts as lines `path: before → after`, at most `most` of them.
 */
export function factChanges(before: unknown, after: unknown, most = 10): string[] {
  const changes: string[] = [];
  const show = (value: unknown) => {
    const text = value === undefined
      ? "nothing"
      : typeof value === "string"
      ? value
      : canonicalJson(value);
    return text.length > 80 ? `${text.slice(0, 79)}…` : text;
  };
  const walk = (a: unknown, b: unknown, path: string) => {
    // A member that is absent is another fact than one that is null.
    if ((a === undefined) === (b === undefined) && canonicalJson(a) === canonicalJson(b)) return;
    const nested = a !== null && b !== null && typeof a === "object" && typeof b === "object" &&
      Array.isArray(a) === Array.isArray(b);
    if (!nested) {
      changes.push(`${path || "preview"}: ${show(a)} → ${show(b)}`);
      return;
    }
    const left = new Map(Object.entries(a));
    const right = new Map(Object.entries(b));
    for (const key of new Set([...left.keys(), ...right.keys()])) {
      const step = Array.isArray(a) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
      walk(left.get(key), right.get(key), step);
    }
  };
  walk(before ?? null, after ?? null, "");
  return changes.length <= most
    ? changes
    : [...changes.slice(0, most), `… and ${changes.length - most} more`];
}
