/** What has changed in a repository, file by file. Reached as `git.at(directory).differences`. */

import { gitFailure } from "../call/error.ts";
import { RepositoryPart } from "../call/part.ts";

/** The most bytes of patches that are read of one repository. */
const MOST_BYTES = 8 * 1024 * 1024;

interface FileDifference {
  /** Relative to the top of the repository. */
  readonly path: string;
  /** What it was called before, or null. */
  readonly from: string | null;
  readonly change: "added" | "deleted" | "modified" | "renamed" | "copied" | "type" | "unmerged";
  /** Lines; null where it is no text. */
  readonly added: number | null;
  readonly deleted: number | null;
  /** The lines as a patch; empty where they were not asked for or could not be read. */
  readonly patch: string;
}

/** What is compared. */
export interface DifferenceQuery {
  /**
   * What is compared with what: `files` on the disk with a commit, or `filesSince` with where they parted from
   * one. `staged` is the index with HEAD. `branch` and `since` are what a commit has that the other did not
   * have where they parted.
   */
  readonly of:
    | { readonly files: string }
    | { readonly filesSince: string }
    | "staged"
    | { readonly branch: string; readonly since: string };
  /** Whether patches are wanted, and what their paths begin with behind `a/` and `b/`. */
  readonly patches: { readonly prefix: string } | null;
  /** Only these paths, as git's path patterns; all where there is none. */
  readonly paths: readonly string[];
}

/** What has changed. */
export interface Differing {
  readonly files: readonly FileDifference[];
  /** Whether there was more than is read. */
  readonly cut: boolean;
}

const CHANGES: Readonly<Record<string, FileDifference["change"]>> = {
  A: "added",
  C: "copied",
  D: "deleted",
  M: "modified",
  R: "renamed",
  T: "type",
  U: "unmerged",
};

function comparing(of: DifferenceQuery["of"]): string[] {
  if (of === "staged") return ["--cached"];
  if ("files" in of) return [of.files];
  if ("filesSince" in of) return ["--merge-base", of.filesSince];
  return [`${of.since}...${of.branch}`];
}

interface Raw {
  readonly path: string;
  readonly from: string | null;
  readonly change: FileDifference["change"];
}

/** A patch whose lines about renames have the prefix, too, which git leaves out there. */
function prefixed(patch: string, prefix: string): string {
  const end = patch.indexOf("\n@@ ");
  const [header, rest] = end < 0 ? [patch, ""] : [patch.slice(0, end), patch.slice(end)];
  return header.replace(/^((?:rename|copy) (?:from|to) "?)/gm, (line) => line + prefix) + rest;
}

/** Reads `--raw --numstat --patch -z`: the files, their lines, and behind an empty field the patches. */
function parseDifferences(output: string, prefix: string): FileDifference[] {
  const fields = output.split("\0");
  const raws: Raw[] = [];
  const counts = new Map<string, readonly [number | null, number | null]>();
  let at = 0;
  for (; fields[at]?.startsWith(":"); at++) {
    const letter = fields[at]?.split(" ")[4]?.charAt(0) ?? "";
    const change = CHANGES[letter] ?? "modified";
    const isMoved = change === "renamed" || change === "copied";
    const from = isMoved ? fields[++at] ?? "" : null;
    raws.push({ path: fields[++at] ?? "", from, change });
  }
  for (; /^(?:\d+|-)\t(?:\d+|-)\t/.test(fields[at] ?? ""); at++) {
    const [added = "", deleted = "", ...rest] = fields[at]?.split("\t") ?? [];
    const named = rest.join("\t");
    // A file that was moved has its two names in fields of their own.
    if (named === "") at += 2;
    const number = (text: string) => text === "-" ? null : Number(text);
    counts.set(named === "" ? fields[at] ?? "" : named, [number(added), number(deleted)]);
  }
  const patches = fields.slice(at).join("\0").replace(/^\0/, "").split(/^(?=diff --)/m)
    .filter((text) => text.startsWith("diff --"));
  return raws.filter(({ path, change }, index) =>
    // A conflict is told once more as the change that the file on the disk makes.
    change !== "unmerged" ||
    !raws.some((other, place) => place !== index && other.path === path)
  ).map(({ path, from, change }): FileDifference => {
    const [added, deleted] = counts.get(path) ?? [null, null];
    const taken = change === "unmerged" ? 0 : change === "type" ? 2 : 1;
    return {
      path,
      from,
      change,
      added,
      deleted,
      patch: patches.splice(0, taken).map((patch) => prefixed(patch, prefix)).join(""),
    };
  });
}

/** What has changed in a repository. */
export class Differences extends RepositoryPart {
  /**
   * The files that differ, in git's order; null where one of the commits is not there. Runs no program that the
   * repository names but the filters that say what its files are. One process.
   */
  async find(query: DifferenceQuery): Promise<Differing | null> {
    const { patches } = query;
    const result = await this.git.run(
      [
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--no-relative",
        "--ignore-submodules=none",
        "--submodule=short",
        "--find-renames",
        "--raw",
        "--numstat",
        "-z",
        ...(patches === null ? [] : [
          "--patch",
          `--src-prefix=a/${patches.prefix}`,
          `--dst-prefix=b/${patches.prefix}`,
        ]),
        ...comparing(query.of),
        "--",
        ...query.paths,
      ],
      { access: "read", patient: true, maxOutputBytes: MOST_BYTES },
    );
    if (result.exitCode === 0) {
      return {
        files: parseDifferences(result.stdout, patches?.prefix ?? ""),
        cut: result.truncated,
      };
    }
    if (/bad revision|unknown revision|ambiguous argument/.test(result.stderr)) return null;
    throw gitFailure(result, `compare the files of "${this.git.name}"`, this.git.label, {
      cwd: this.git.directory,
    });
  }
}
