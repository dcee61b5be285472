/** What a list of repositories of another tool says, before names are settled and remotes are asked. */

import type { Fields } from "../../base/object.ts";
import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

/** A repository as a list names it. */
export interface Listed {
  /** What the list calls it: messages name it so. */
  readonly what: string;
  /** The name it should get. */
  readonly name: string;
  /** Where it should lie in the workspace; null for the usual place. */
  readonly path: string | null;
  /** Null where only a clone of it is named. */
  readonly url: string | null;
  /** A clone whose `origin` is asked where there is no address; as the list has it. */
  readonly clone: string | null;
  /** A branch, a tag or a commit, as written; null where the list says nothing. */
  readonly version: string | null;
  /** The branch, where the list says besides a commit which one it is on. */
  readonly branch: string | null;
  readonly readonly: boolean;
  readonly enabled: boolean;
  readonly tags: readonly string[];
  /** Names of repositories as the list has them. */
  readonly dependsOn: readonly string[];
  /** How many commits its clone gets; null for all. */
  readonly depth: number | null;
  /** Whether its clones get its submodules. */
  readonly submodules: boolean;
}

/** A list that was read. */
export interface Imported {
  readonly repos: readonly Listed[];
  /** Names of groups with what the list calls their repositories. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** What the list says and the manifest will not, one line each. */
  readonly notes: readonly string[];
}

/** The repository around submodules, as git reads it. */
export interface Superproject {
  /** What `.gitmodules` says: keys with their values, the last of which counts. */
  readonly settings: ReadonlyMap<string, readonly (string | null)[]>;
  /** The commits that the index has of submodules, by path; null where the file lies in no repository. */
  readonly pins: ReadonlyMap<string, string> | null;
  /** The branch that is checked out, which a submodule with the branch `.` follows. */
  readonly branch: string | null;
}

/** A list to read. */
export interface Source {
  readonly text: string;
  /** What messages call the file. */
  readonly shown: string;
  /** The text of a file that the list names, relative to its own directory; throws where it may not be read. */
  readonly include: (path: string) => Promise<string>;
  /** The files of a directory that the list names, as it would name them, sorted; null for what is no directory. */
  readonly within?: (path: string) => Promise<readonly string[] | null>;
  /** Lists that count after it. */
  readonly after?: readonly { readonly name: string; readonly text: string }[];
  /** The repository that the list lies in, where it is one of submodules. */
  readonly superproject?: Superproject;
  /** The address of the repository the list lies in, or null. */
  readonly home: string | null;
  /** What this system is called, such as `linux`; null where nothing depends on it. */
  readonly platform: string | null;
}

/** How many files one list may name in all. */
export const MOST_INCLUDES = 50;

/** A repository with everything a list need not say. */
export function listed(fields: Partial<Listed> & Pick<Listed, "what" | "name">): Listed {
  return {
    path: null,
    url: null,
    clone: null,
    version: null,
    branch: null,
    readonly: false,
    enabled: true,
    tags: [],
    dependsOn: [],
    depth: null,
    submodules: false,
    ...fields,
  };
}

/** The error of a list that cannot be read. */
export function unreadable(shown: string, why: string): AmofError {
  return new AmofError("invalid_arguments", `Cannot read ${cleanLine(shown, 120)}: ${why}`, {
    hint: "Correct the file, or say which tool wrote it: the same command with --kind KIND",
    details: { field: "from", file: shown },
  });
}

/** How many commits a clone gets, as a list says it; null for what is no such number. */
export function depthOf(value: unknown): number | null {
  const text = textOf(value);
  return text !== null && /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null;
}

/** The last name of a path or address, without `.git`. */
export function lastName(text: string): string {
  const last = text.replace(/[\\/]+$/, "").split(/[\\/:]/).at(-1) ?? "";
  return last.replace(/\.git$/, "");
}

/** The value as text; null for what is none, or empty. */
export function textOf(value: unknown): string | null {
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof text === "string" && text.trim() !== "" ? text.trim() : null;
}

/** The texts of a list, or of one text. */
export function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((item) => textOf(item) ?? []);
}

/** One note for the members of a mapping that are not carried over. */
export function droppedNote(what: string, value: Fields, known: readonly string[]): string[] {
  const names = Object.keys(value).filter((name) => !known.includes(name));
  return names.length === 0
    ? []
    : [`${cleanLine(what, 60)}: ${names.map((name) => cleanLine(name, 40)).join(", ")}`];
}
