/** Secrets in entries of shared files: named in warnings, and never shown (PACK-64). */

import { isObject } from "../../base/object.ts";
import { maskSecrets } from "../../base/text/mask.ts";

const MASK = "***";

/** Names whose values are secrets, as headers and as variables. */
const SECRET_NAME =
  /token|secret|passw(?:or)?d|passwd|credential|authorization|cookie|(?:api|access|private|auth)[_-]?key|(?:^|[_-])(?:key|pat|pwd)$/i;

/** Values that say where a secret is instead of being one: `${TOKEN}`, `$TOKEN`, `<your token>`, `Bearer ${TOKEN}`. */
const REFERENCE = /^(?:(?:bearer|basic|token)\s+)?(?:\$\{[^}]*\}|\$[A-Za-z_]\w*|<[^>]*>|\*+)$/i;

interface FoundSecret {
  /** Where it is in the entry: `env.GITHUB_TOKEN`. */
  readonly member: string;
  readonly value: string;
}

/** Long runs of letters and digits mixed, as tokens are, and neither paths nor words. */
function looksRandom(text: string): boolean {
  return /^[A-Za-z0-9+/_=.-]{24,}$/.test(text) && !/^[./~]/.test(text) &&
    /[0-9].*[0-9].*[0-9]/.test(text) && /[A-Za-z]/.test(text) && !/[./-].*[./-].*[./-]/.test(text);
}

function isSecret(name: string, value: string): boolean {
  if (value.trim() === "" || REFERENCE.test(value.trim())) return false;
  return SECRET_NAME.test(name) || maskSecrets(value) !== value || looksRandom(value);
}

/** The secrets of a value, wherever in it they are. */
export function secretsIn(value: unknown, path: readonly string[] = []): FoundSecret[] {
  const name = path.at(-1) ?? "";
  if (typeof value === "string") {
    return isSecret(name, value) ? [{ member: path.join("."), value }] : [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => {
      const before: unknown = value[index - 1];
      // The value of an option stands behind it.
      const option = typeof before === "string" && /^--?[A-Za-z]/.test(before) ? before : "";
      const own = path.concat(String(index));
      return option !== "" && typeof item === "string" && !item.startsWith("-") &&
          isSecret(option, item)
        ? [{ member: own.join("."), value: item }]
        : secretsIn(item, own);
    });
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => secretsIn(item, path.concat(key)));
}

/** A text without the secrets of values, however JSON or TOML write them, and without what looks like one. */
export function withoutSecrets(text: string, ...values: readonly unknown[]): string {
  const found = values.flatMap((value) => secretsIn(value)).flatMap(({ value }) => [
    value,
    JSON.stringify(value).slice(1, -1),
    ...value.split("\n"),
  ]).filter((secret) => secret.length >= 4).sort((a, b) => b.length - a.length);
  let shown = text;
  for (const secret of new Set(found)) shown = shown.replaceAll(secret, MASK);
  return maskSecrets(shown);
}
