/** What the checks of a release found, and how it is told. */

import { fixLine } from "../../base/text/words.ts";

/** One thing that was looked at. */
export interface Finding {
  /** The gate, such as `clean`. */
  readonly gate: string;
  readonly message: string;
  /** What mends it, or null. */
  readonly fix: string | null;
}

/** The gates of one release (RELEASE-4). */
export interface Validation {
  readonly ok: boolean;
  readonly passed: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly errors: readonly Finding[];
}

/** The findings for readers, the worst first. */
export function findingLines(
  { passed, warnings, errors }: Pick<Validation, "passed" | "warnings" | "errors">,
  withPassed = false,
): string[] {
  const line = (symbol: string) => ({ gate, message, fix }: Finding) =>
    `${symbol} ${gate.replaceAll("_", " ")}: ${message}${fixLine(fix)}`;
  return [
    ...errors.map(line("✗")),
    ...warnings.map(line("⚠")),
    ...(withPassed ? passed.map(line("✓")) : []),
  ];
}
