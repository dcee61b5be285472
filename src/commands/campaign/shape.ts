/**
 * Shapes: what commits change, without where (CAMP-5).
 *
 * Two commits have one shape when they take away and add the same lines in files of the same names, in whatever
 * directories, at whatever lines, as deep as may be, and however often.
 */

import { Buffer } from "node:buffer";
import { basename } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { Repository } from "../../git/mod.ts";
import { Bundles, type PathChange } from "../../git/write/mod.ts";
import { sha256 } from "../../base/hash.ts";
import type { Sha } from "../../base/ids.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { stripUnsafe } from "../../base/text/sanitize.ts";

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
