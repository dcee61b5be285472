/**
 * Why repositories failed, where an error is about some of them.
 *
 * @module
 */

import { cleanLine } from "./sanitize.ts";

/**
 * One line per repository of `details.repos` that says why: "✗ web: …"; none for a single one whose reason is in the
 * message already.
 */
export function repoReasons(message: string, details: unknown): string[] {
  const { repos } = (details ?? {}) as { readonly repos?: unknown };
  const rows = Array.isArray(repos) ? repos as Readonly<Record<string, unknown>>[] : [];
  const told = rows.flatMap((row) => {
    const why = row["detail"] ?? row["problem"];
    return typeof why === "string" ? [{ name: String(row["name"]), why }] : [];
  });
  const [first] = told;
  if (told.length === 1 && first !== undefined && message.includes(first.why)) return [];
  return told.map(({ name, why }) => `✗ ${cleanLine(name, 60)}: ${cleanLine(why, 300)}`);
}
