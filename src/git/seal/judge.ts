/** Whether what has changed in a clone since it was sealed needs a person to look. */

import { dirname, join, resolve } from "@std/path";
import { sha256 } from "../../base/hash.ts";
import { isBelow } from "../../base/paths.ts";
import { type ConfigKeys, configKeys } from "./config_text.ts";
import { isHarmlessAttributes, isHarmlessHook, isHarmlessKey, isPlainAddress } from "./harmless.ts";
import { hashOfValues, type Part, PLAIN, type Remembered, type Seal } from "./parts.ts";

/** A key of the configuration that somebody has to look at. */
interface SuspectKey {
  readonly key: string;
  /** The file it stands in. */
  readonly file: string;
  /** For whoever looks at it, and nobody else: it may hold a password. */
  readonly values: readonly (string | null)[];
}

/** What a person has to look at; nothing where both are empty. */
export interface Suspects {
  readonly keys: readonly SuspectKey[];
  readonly files: readonly string[];
}

/** What only the caller can tell. */
interface Surroundings {
  /** What git itself reads in a file of configuration; null where it reads nothing. */
  readonly listed: (path: string) => Promise<ConfigKeys | null>;
  /** Whether `origin` may have this address. */
  readonly isOrigin: (url: string) => boolean;
  /** Whether a clone may borrow objects from a directory. */
  readonly mayBorrow: (objects: string) => boolean;
}

function isHarmlessFile({ kind, text }: Part, around: Surroundings): boolean {
  switch (kind) {
    case "attributes":
      return isHarmlessAttributes(text);
    case "hook":
      return isHarmlessHook(text);
    case "alternates":
      return text.split("\n").every((line) => line === "" || around.mayBorrow(line));
    case "legacy":
      return text.trim() === "";
    case "place":
      return text === PLAIN;
    case "config":
      return false;
  }
}

/** Whether a key has the value that it has to have in this file. */
function isExpectedIn({ path }: Part, key: string, value: string, around: Surroundings): boolean {
  // Settings that git writes for a submodule: where it is checked out, and where it comes from.
  const clone = /^(.+?)[/\\]\.git[/\\]modules[/\\]/.exec(path)?.[1];
  if (/^submodule\..+\.gitdir$/s.test(key)) {
    const top = clone ?? /^(.+)[/\\]\.git[/\\]config$/.exec(path)?.[1];
    return top !== undefined && isBelow(join(top, ".git", "modules"), resolve(top, value));
  }
  if (key === "core.worktree") {
    return clone !== undefined && isBelow(clone, resolve(dirname(path), value));
  }
  if (key !== "remote.origin.url") return false;
  return clone === undefined ? around.isOrigin(value) : isPlainAddress(value);
}

/** The keys of one file that have other values than before, and are no matter of course. */
async function suspectKeys(
  part: Part,
  before: Readonly<Record<string, string>>,
  around: Surroundings,
): Promise<SuspectKey[] | null> {
  const listed = await around.listed(part.path);
  if (listed === null) return null;
  // A key that git read a moment after this program counts as new, like one that git no longer reads.
  const now = new Map([...configKeys(part.text) ?? [], ...listed]);
  return [...now].flatMap(([key, values]) => {
    if (Object.hasOwn(before, key) && before[key] === hashOfValues(values)) return [];
    const isExpected = (value: string | null) => isExpectedIn(part, key, value ?? "", around);
    return values.every(isExpected) || isHarmlessKey(key, values)
      ? []
      : [{ key, file: part.name, values }];
  });
}

/**
 * Compares a clone with what was remembered of it; null where nothing was, which is as if it had been empty. What is
 * gone needs no look. A process for each file of configuration that has changed.
 */
export async function judge(
  before: Remembered | null,
  now: Seal,
  around: Surroundings,
): Promise<Suspects> {
  const keys: SuspectKey[] = [];
  const files: string[] = [];
  for (const part of now.parts) {
    const { name, kind, text } = part;
    if (before !== null && Object.hasOwn(before.files, name)) {
      if (before.files[name] === sha256(text)) continue;
    }
    if (kind !== "config") {
      if (!isHarmlessFile(part, around)) files.push(name);
      continue;
    }
    const old = before !== null && Object.hasOwn(before.keys, name) ? before.keys[name] : undefined;
    const found = await suspectKeys(part, old ?? {}, around);
    if (found === null) files.push(name);
    else keys.push(...found);
  }
  return { keys, files };
}
