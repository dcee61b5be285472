/** How mirrors are told, and which ones a person means (MIRROR-5). */

import { AmofError } from "../../base/error.ts";
import { timestamp } from "../../base/system/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, didYouMean, few, list } from "../../base/text/words.ts";
import type { MirrorFound } from "../../workspace/mirrors/mod.ts";

/** A mirror as an answer has it. */
interface MirrorRow {
  readonly name: string;
  readonly url: string | null;
  readonly directory: string;
  readonly state: MirrorFound["state"];
  readonly kind: MirrorFound["kind"];
  readonly bytes: number;
  readonly fetched_at: string | null;
  readonly borrowers: MirrorFound["borrowers"];
}

/** A mirror for an answer. */
export function mirrorRow(found: MirrorFound): MirrorRow {
  const { name, directory, state, kind, bytes, fetchedMs, borrowers } = found;
  const url = found.url === null ? null : maskSecrets(found.url);
  // One that was filled from a clone alone was never fetched.
  const fetched_at = fetchedMs === null || fetchedMs === 0 ? null : timestamp(fetchedMs);
  return { name, url, directory, state, kind, bytes, fetched_at, borrowers };
}

/** What a mirror is called in lines. */
export function mirrorName({ name }: Pick<MirrorFound, "name">): string {
  return cleanLine(name, 100);
}

/** Who borrows from a mirror: "2 clones of PROJ-1 and PROJ-2, 1 gone". */
export function borrowersText({ borrowers }: Pick<MirrorFound, "borrowers">): string {
  const living = borrowers.filter(({ state }) => state === "living");
  const tickets = [...new Set(living.map(({ ticket }) => cleanLine(ticket, 40)))].sort();
  const other = (state: string) => borrowers.filter((each) => each.state === state).length;
  const parts = [
    ...living.length === 0 ? [] : [`${count(living.length, "clone")} of ${few(tickets, 3)}`],
    ...other("away") === 0 ? [] : [`${other("away")} not reachable`],
    ...other("gone") === 0 ? [] : [`${other("gone")} gone`],
  ];
  return parts.length === 0 ? "nobody" : parts.join(", ");
}

/** The words by which a mirror can be meant: its name, that without the digits, the last part of it, its address. */
function wordsOf({ name, url }: MirrorFound): string[] {
  const plain = name.replace(/-[0-9a-f]{8}(?:-blobless)?$/, "");
  return [name, plain, plain.split("/").at(-1) ?? plain, ...(url === null ? [] : [url])];
}

/** The mirrors that words mean, all where there are no words. Throws `invalid_arguments` for a word that means none. */
export function meantMirrors(
  found: readonly MirrorFound[],
  words: readonly string[] | undefined,
): readonly MirrorFound[] {
  if (words === undefined || words.length === 0) return found;
  const unknown = words.filter((word) => !found.some((mirror) => wordsOf(mirror).includes(word)));
  const [first] = unknown;
  if (first !== undefined) {
    const near = didYouMean(first, found.flatMap(wordsOf));
    throw new AmofError(
      "invalid_arguments",
      `Cannot find a mirror called ${
        list(unknown.map((word) => `"${cleanLine(maskSecrets(word), 60)}"`))
      }${near === null ? "" : `; did you mean "${cleanLine(maskSecrets(near), 100)}"?`}`,
      { hint: "List them: amof mirror list" },
    );
  }
  return found.filter((mirror) => wordsOf(mirror).some((word) => words.includes(word)));
}
