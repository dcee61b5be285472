/** Ecosystems whose directory is a link: git keeps the link alone, so nothing behind it is read, and it is named. */

import { join } from "@std/path";
import { AmofError } from "../base/error.ts";
import { SLUG } from "../base/ids.ts";
import { shellWord } from "../base/text/words.ts";
import type { System } from "../base/system/mod.ts";

/** The names in `ecosystems` that are links, sorted as they are listed. */
export async function linkedEcosystems(system: System, root: string): Promise<string[]> {
  const entries = await system.files.list(join(root, "ecosystems"));
  return entries.filter(({ name, kind }) => kind === "symlink" && SLUG.test(name))
    .map(({ name }) => name);
}

/** What is said of such a link, and what puts the directory itself in its place. */
export function linkedText(root: string, name: string): readonly [detail: string, fix: string] {
  const link = join(root, "ecosystems", name);
  const [old, place] = [shellWord(link), shellWord(`${link}.link`)];
  return [
    `ecosystems/${name} is a link, and git keeps nothing of what it leads to`,
    `Put a copy in its place: mv ${old} ${place} && cp -R ${place}/. ${old} && rm ${place}`,
  ];
}

/** Throws where the ecosystem of this name is a link; with null where any is. */
export async function refuseLinked(
  system: System,
  root: string,
  name: string | null,
): Promise<void> {
  const linked = (await linkedEcosystems(system, root)).find((one) =>
    name === null || one === name
  );
  if (linked === undefined) return;
  const [detail, hint] = linkedText(root, linked);
  throw new AmofError("ecosystem_not_found", `Cannot find ecosystem "${linked}": ${detail}`, {
    hint,
    details: { ecosystem: linked },
  });
}
