/**
 * Why repositories failed, where an error is about some of them.
 *
 * @module
 */

import { cleanLine } from "./sanitize.ts";
import { MANY } from "./table.ts";
import { list } from "./words.ts";

/**
 * One line per repository of `details.repos` that says why: "✗ web: …"; none for a single one whose reason is in the
 * message already. Of many, those with the same reason share a line that names all of them.
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
  const alike = told.length > MANY
    ? [...Map.groupBy(told, ({ why }) => why).values()]
    : told.map((one) => [one]);
  return alike.flatMap((same) =>
    same.slice(0, 1).map(({ why }) =>
      `✗ ${list(same.map(({ name }) => cleanLine(name, 60)))}: ${cleanLine(why, 300)}`
    )
  );
}
