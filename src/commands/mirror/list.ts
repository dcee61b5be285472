/** `amof mirror list`: which mirrors there are, how large, and who borrows from them (MIRROR-5). */

import { query } from "../../contract/mod.ts";
import { table } from "../../base/text/table.ts";
import { count, few, sizeText } from "../../base/text/words.ts";
import { findMirrors, type MirrorFound, mirrorsDirectory } from "../../workspace/mirrors/mod.ts";
import { timestamp } from "../../base/system/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

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
function mirrorRow(found: MirrorFound): MirrorRow {
  const { name, directory, state, kind, bytes, fetchedMs, borrowers } = found;
  const url = found.url === null ? null : maskSecrets(found.url);
  // One that was filled from a clone alone was never fetched.
  const fetched_at = fetchedMs === null || fetchedMs === 0 ? null : timestamp(fetchedMs);
  return { name, url, directory, state, kind, bytes, fetched_at, borrowers };
}

/** The command. */
export const listMirrors = query({
  name: "amof_list_mirrors",
  path: ["mirror", "list"],
  mcp: "never",
  toolset: "ecosystem",
  scope: "global",
  needs: "nothing",
  next: [],
  title: "List mirrors",
  summary: "The copies of remotes on this machine, how large they are, and who borrows from them.",
  description:
    "Clones of tickets read from a mirror what they have not made themselves. A borrower is gone where its directory is, or where it has all objects itself; it is not reachable where its control repository is not there either, as on a disk that is not mounted.",
  examples: ["mirror list", "mirror list --json"],
  input: () => ({}),
  async run(ctx) {
    const found = await findMirrors(ctx);
    const data = {
      directory: mirrorsDirectory(ctx.layout),
      mirrors: found.map(mirrorRow),
      bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
    };
    return { data };
  },
  render: ({ mirrors, bytes }, _input, say) => ({
    summary: mirrors.length === 0
      ? "Found no mirrors."
      : `Found ${count(mirrors.length, "mirror")}, ${sizeText(bytes)} in all.`,
    details: mirrors.length === 0
      ? "They are made when a ticket gets clones of its own, or where a manifest says mirrors: true."
      : table(
        ["mirror", "state", "size", "fetched", "borrowers"],
        mirrors.map((row) => [
          mirrorName(row),
          row.state,
          sizeText(row.bytes),
          say.time(row.fetched_at),
          borrowersText(row),
        ]),
      ),
  }),
});

// How mirrors are told, and which ones a person means (MIRROR-5).

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
