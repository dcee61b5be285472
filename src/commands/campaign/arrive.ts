/**
 * Commits that come home from shards (CAMP-4). They are treated as sent by strangers: looked at apart from
 * everything, and kept only where they are what was agreed to.
 */

import { basename, join } from "@std/path";
import { Buffer } from "node:buffer";
import type { ExecuteContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import type { Repository } from "../../git/mod.ts";
import { privateFiles } from "../../git/changing.ts";
import { Bundles, commitText, type PathChange } from "../../git/write/mod.ts";
import { sha256 } from "../../base/hash.ts";
import type { Sha } from "../../base/ids.ts";
import { cleanLine, stripUnsafe } from "../../base/text/sanitize.ts";
import { heldBack } from "../outgoing/contents.ts";
import type { Campaign } from "./record.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { maskSecrets } from "../../base/text/mask.ts";

// Shapes: what commits change, without where (CAMP-5).
//
// Two commits have one shape when they remove and add the same lines in files of the same names. Directories,
// line numbers, indentation and the number of repetitions do not count.

/** What is kept of a shape to be looked at. */
export interface Shape {
  readonly hash: string;
  /** Names of its files, without directories. */
  readonly files: readonly string[];
  readonly added: number;
  readonly removed: number;
  /** An example: the lines of one commit that has it, masked and clean. */
  readonly lines: readonly string[];
  /** How many more lines there are. */
  readonly more: number;
}

const MOST_LINES = 200;

const MOST_LENGTH = 300;

/** Texts of a patch hold one character for each byte. */
function readable(text: string): string {
  const line = Buffer.from(text, "latin1").toString("utf8").slice(0, MOST_LENGTH * 4);
  return maskSecrets(stripUnsafe(line)).slice(0, MOST_LENGTH);
}

/** The lines of a hunk without what the place in the file makes of them: depth, and blanks at their ends. */
function normalized(body: string): readonly string[] {
  const lines = body.split("\n").filter((line) => /^[-+]/.test(line)).map((line) => ({
    sign: line.slice(0, 1),
    text: line.slice(1).trimEnd(),
  }));
  const depths = lines.filter(({ text }) => text !== "")
    .map(({ text }) => /^[ \t]*/.exec(text)?.[0] ?? "");
  const common = depths.reduce((a, b) => {
    let same = 0;
    while (same < a.length && a[same] === b[same]) same++;
    return a.slice(0, same);
  }, depths[0] ?? "");
  return lines.map(({ sign, text }) => sign + text.slice(common.length));
}

function fileKey({ path, status, modes }: PathChange, bodies: readonly string[]) {
  return {
    name: basename(path),
    // A type or a right that changes is a change of its own.
    what: status === "M" && modes[0] === modes[1] ? "M" : `${status} ${modes.join(" ")}`,
    hunks: [...new Set(bodies.map((body) => normalized(body).join("\n")))].sort(),
  };
}

/** The shape of a commit. Two processes. */
export async function shapeOf(
  repository: Repository,
  { base, commit, changes }: {
    readonly base: Sha;
    readonly commit: Sha;
    readonly changes: readonly PathChange[];
  },
): Promise<Shape> {
  const patch = [...await repository.part(Bundles).patch(base, commit)];
  if (patch.length !== changes.length) {
    throw new AmofError("git_failed", "Cannot read what its commit changes");
  }
  const files = changes.map((change, at) => ({
    change,
    bodies: (patch[at]?.[1] ?? []).map(({ body }) => body),
  }));
  const keys = [
    ...new Set(files.map(({ change, bodies }) => canonicalJson(fileKey(change, bodies)))),
  ];
  const all = files.flatMap(({ change, bodies }) => [
    `${change.status} ${readable(Buffer.from(change.path).toString("latin1"))}`,
    ...bodies.flatMap((body) => body.split("\n").filter((line) => /^[-+]/.test(line))),
  ]);
  const lines = files.flatMap(({ bodies }) => bodies.flatMap((body) => body.split("\n")));
  return {
    hash: sha256(keys.toSorted().join("\n")),
    files: [...new Set(changes.map(({ path }) => basename(path)))].toSorted(),
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    lines: all.slice(0, MOST_LINES).map(readable),
    more: Math.max(0, all.length - MOST_LINES),
  };
}

/** No pack has more bytes. */
export const MOST_BYTES = 2 * 1024 * 1024;
/** What the objects of a pack have at most together when they are unpacked, in bytes. */
const MOST_UNPACKED = 256 * 1024 * 1024;

function wrong(why: string): AmofError {
  return new AmofError("git_failed", `Its commit is not the one that was agreed to: ${why}`, {
    details: { kind: "refused" },
  });
}

interface Agreed {
  readonly campaign: Pick<Campaign, "author" | "message">;
  readonly base: Sha;
  readonly commit: Sha;
}

/**
 * Takes a pack in and throws unless it holds the one commit that was agreed to, on the agreed base, and nothing besides.
 * `whole` where the base is there: then nothing may be missing either.
 */
export async function takeIn(
  repository: Repository,
  pack: Uint8Array,
  { campaign, base, commit, whole }: Agreed & { readonly whole: boolean },
): Promise<void> {
  const bundles = repository.part(Bundles);
  if (pack.length > MOST_BYTES) throw wrong("it is larger than one may be");
  try {
    await bundles.take(pack, whole);
  } catch (error) {
    if (!(error instanceof AmofError)) throw error;
    throw wrong(`git refuses it (${cleanLine(error.message, 200)})`);
  }
  const text = await bundles.text(commit).catch(() => null);
  if (text === null) throw wrong("it is not in the pack");
  const tree = /^tree ([0-9a-f]+)\n/.exec(text)?.[1] ?? "";
  const words = { parent: base, author: campaign.author, message: campaign.message };
  if (text !== commitText(tree, words)) throw wrong("its base, author, date or message differ");
}

async function requireAlone(bundles: Bundles, { base, commit }: Agreed): Promise<void> {
  const objects = await bundles.objects();
  const strange = objects.find(({ type, id }) =>
    type === "tag" || (type === "commit" && id !== base && id !== commit)
  );
  if (strange !== undefined) throw wrong(`there is another ${strange.type} beside it`);
  if (objects.reduce((sum, { bytes }) => sum + bytes, 0) > MOST_UNPACKED) {
    throw wrong("its files are too large");
  }
}

/** What is known of a commit that came home. */
interface Arrived {
  readonly shape: Shape;
  readonly files: number;
  /** Why it must not be pushed, or null. */
  readonly held: string | null;
}

/** Looks at a pack in a place of its own; throws `git_failed` for one that is not what was agreed to. */
export async function inspectPack(
  ctx: ExecuteContext,
  pack: Uint8Array,
  agreed: Agreed & { readonly noTouch: readonly string[] },
): Promise<Arrived> {
  const { base, commit, noTouch } = agreed;
  const empty = privateFiles("quarantine", { like: commit });
  return await ctx.system.files.scratch(empty, async (directory) => {
    const repository = ctx.git.bare(join(directory, "quarantine"));
    await takeIn(repository, pack, { ...agreed, whole: false });
    await requireAlone(repository.part(Bundles), agreed);
    const changes = await repository.part(Bundles).changes(base, commit);
    return {
      shape: await shapeOf(repository, { base, commit, changes }),
      files: changes.length,
      held: await heldBack(changes, noTouch),
    };
  });
}
