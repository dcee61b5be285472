/** What a look of `amof doctor` found. */

/** What one look found. */
export interface Check {
  readonly name: string;
  /** A warning hinders nothing, so it counts as ok. */
  readonly level: "ok" | "warning" | "problem";
  readonly ok: boolean;
  readonly detail: string;
  /** A command to paste, or null. */
  readonly fix: string | null;
}

/** A check with its level; what is in order needs no fix. */
export function found(
  name: string,
  level: Check["level"],
  detail: string,
  fix: string | null = null,
): Check {
  return { name, level, ok: level !== "problem", detail, fix: level === "ok" ? null : fix };
}
