/** Which files the configuration of git names that an answer depends on: pure, over what files of configuration say. */

import { dirname, isAbsolute, join } from "@std/path";
import type { ConfigKeys } from "../seal/config_text.ts";

/** What one file of configuration, or the environment, names. */
export interface Named {
  /** Files of configuration that it includes, whatever its conditions say. */
  readonly included: readonly string[];
  /** Files with names to ignore, and with attributes. */
  readonly excludes: readonly string[];
  readonly attributes: readonly string[];
}

/** Repository formats whose answers depend on nothing else. */
const KNOWN_EXTENSIONS = [
  "noop",
  "objectformat",
  "preciousobjects",
  "refstorage",
  "worktreeconfig",
];
/** What must not be set, or only so: a working copy elsewhere, parts of files that are absent, a watcher of files. */
const ALLOWED: Readonly<Record<string, RegExp>> = {
  "core.worktree": /^$/,
  "core.fsmonitor": /^(?:false|no|off|0|)$/i,
  "core.sparsecheckout": /^(?:false|no|off|0|)$/i,
  "core.splitindex": /^(?:false|no|off|0|)$/i,
  "index.sparse": /^(?:false|no|off|0|)$/i,
  "core.virtualfilesystem": /^$/,
};

/** Whether a key is one of `section.*.name`, as `includeif.CONDITION.path`. */
function isWithin(key: string, section: string, name: string): boolean {
  return key.startsWith(`${section}.`) && key.endsWith(`.${name}`);
}

/** An absolute path that a value names; null where only git can tell. Empty for nothing. */
function pathOf(value: string | null, { from, home }: { from: string | null; home: string }) {
  if (value === null || /^(?:~[^/]|%\(|:\()/.test(value)) return null;
  if (value === "" || isAbsolute(value)) return value;
  if (value === "~" || value.startsWith("~/")) return join(home, value.slice(1));
  return from === null ? null : join(from, value);
}

/**
 * What a file of configuration names, or null where it says something that is not understood here, so that git is asked.
 * `file` is where it lies, null for the environment; `clone` is where relative names of excludes begin.
 */
export function namedIn(
  keys: ConfigKeys,
  { file, clone, home }: {
    readonly file: string | null;
    readonly clone: string;
    readonly home: string;
  },
): Named | null {
  const found = { included: [] as string[], excludes: [] as string[], attributes: [] as string[] };
  for (const [key, values] of keys) {
    if (key.startsWith("extensions.") && !KNOWN_EXTENSIONS.includes(key.slice(11))) return null;
    const allowed = Object.hasOwn(ALLOWED, key) ? ALLOWED[key] : undefined;
    // A key without a value means true.
    if (allowed !== undefined && values.some((value) => !allowed.test(value ?? "true"))) {
      return null;
    }
    if (isWithin(key, "remote", "promisor")) return null;
    const isInclude = key === "include.path" || isWithin(key, "includeif", "path");
    const list = isInclude
      ? found.included
      : key === "core.excludesfile"
      ? found.excludes
      : key === "core.attributesfile"
      ? found.attributes
      : null;
    if (list === null) continue;
    const from = !isInclude ? clone : file === null ? null : dirname(file);
    for (const value of values) {
      const path = pathOf(value, { from, home });
      if (path === null) return null;
      if (path !== "") list.push(path);
    }
  }
  return found;
}
