/** Hides secrets in text that is stored or shown: log lines, arguments, error output. */

const MASK = "***";

// The value of such a name is a secret, also when the name has a prefix, as in `DB_PASSWORD`.
const NAME = "(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)";

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // Credentials in a URL, whatever the scheme; a password may itself hold an at sign. The name that hosts give
  // everybody who comes with a key is none.
  [/(:\/\/)(?!(?<=\bssh:\/\/)git@(?![^\s/"]*@))[^\s/"]*@/g, `$1${MASK}@`],
  // All of the header's value: schemes other than these have several parts.
  [
    /(authorization["']?[ \t]*[:=][ \t]*["']?(?:(?:basic|bearer|token)[ \t]+)?)[^\s"'][^\r\n"']*/gi,
    `$1${MASK}`,
  ],
  // The account of StockTrim, as header or variable; one part is a name, which may hold blanks.
  [
    /(api[_-]auth[_-](?:id|signature)["']?[ \t]*[:=][ \t]*["']?)[^\s"'][^\r\n"']*/gi,
    `$1${MASK}`,
  ],
  // Well-known token shapes, which are secrets wherever they stand.
  [/\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})/g, MASK],
  [/\bxox[abposr]-[A-Za-z0-9-]{10,}/g, MASK],
  [/\bAKIA[0-9A-Z]{16}\b/g, MASK],
  [/\bsk-[A-Za-z0-9_-]{20,}/g, MASK],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g, MASK],
  // name="value", name='value' with blanks inside, then name=value and name: value.
  [new RegExp(`(${NAME}["']?\\s*[:=]\\s*")(?:[^"\\\\\\n]|\\\\.)+`, "gi"), `$1${MASK}`],
  [new RegExp(`(${NAME}["']?\\s*[:=]\\s*')(?:[^'\\\\\\n]|\\\\.)+`, "gi"), `$1${MASK}`],
  [new RegExp(`(${NAME}["']?\\s*[:=]\\s*)[^\\s"',;&]+`, "gi"), `$1${MASK}`],
];

/**
 * Replaces everything that looks like a credential by `***`.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { maskSecrets } from "./mask.ts";
 *
 * assertEquals(maskSecrets("https://me:hunter2@example.com/api.git"), "https://***@example.com/api.git");
 * assertEquals(maskSecrets("ssh://git@example.com/api.git"), "ssh://git@example.com/api.git");
 * assertEquals(maskSecrets("ssh://me@example.com/api.git"), "ssh://***@example.com/api.git");
 * ```
 */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const [pattern, replacement] of PATTERNS) masked = masked.replace(pattern, replacement);
  return masked;
}

/** Deeper values are cut: callers can nest without end, and nobody reads that far. */
const DEEPEST = 50;

const SECRET_KEY =
  /token|secret|password|passwd|credential|authorization|(?:api|access|private)[_-]?key|api[_-]auth/i;

/** A copy of a JSON value with secrets masked in every string, and under keys that name one. */
export function maskValue(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return maskSecrets(value);
  if (depth > DEEPEST) return "…";
  if (Array.isArray(value)) return value.map((item) => maskValue(item, depth + 1));
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map((
        [key, item],
      ) => [
        key,
        SECRET_KEY.test(key) && typeof item === "string" ? MASK : maskValue(item, depth + 1),
      ]),
    );
  }
  return value;
}
