/**
 * Everything that an answer of git about a clone depends on, found by reading the clone. Null where something
 * is not understood here, so that git is asked each time.
 */

import { dirname, isAbsolute, join } from "@std/path";
import type { System } from "../../base/system/mod.ts";
import { commonDirectory, gitDirectory } from "../files/directory.ts";
import { type ConfigKeys, configKeys } from "../files/config_text.ts";
import type { Outside } from "./outside.ts";
import type { Verdict } from "../files/signature.ts";

/** What one file of configuration, or the environment, names. */
interface Named {
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

/** The most files and directories of a clone that are looked at; of more, git is asked. */
const MOST = 3_000;

/** A name that cannot be kept, or not be opened. */
const ODD = /[\n\uFFFD]/;

/** Reads clones for one call of a command. */
export class Watcher {
  readonly #system: System;
  readonly #outside: Outside;
  /** What texts of configuration say: clones share most of them. */
  readonly #parsed = new Map<string, ConfigKeys | null>();

  constructor(system: System, outside: Outside) {
    this.#system = system;
    this.#outside = outside;
  }

  /** What the answers about the clone in a directory depend on. No process. */
  async watched(clone: string): Promise<Verdict["watched"] | null> {
    const { files } = this.#system;
    const own = await gitDirectory(this.#system, clone);
    const common = await commonDirectory(this.#system, clone);
    if (own === null || common === null) return null;
    for (const place of [clone, own, common]) if (!await files.isLocal(place)) return null;
    const listed = (await files.list(own)).map(({ name }) => name);
    if (listed.some((name) => name.startsWith("sharedindex."))) return null;
    const named = await this.#configuration(clone, { own, common });
    if (named === null) return null;
    const refs = await this.#refs(own, common);
    const borrowed = await this.#borrowed(join(common, "objects"));
    const tree = await files.tree(clone, MOST, ".git");
    if (refs === null || borrowed === null || tree === null) return null;
    const inside = tree.filter((name) => name !== ".git");
    if (inside.some((name) => ODD.test(name) || name.endsWith("/.git"))) return null;
    const attributes = [
      ...inside.filter((name) => name === ".gitattributes" || name.endsWith("/.gitattributes"))
        .map((name) => join(clone, name)),
      ...named.attributes,
      join(common, "info", "attributes"),
    ];
    if (await this.#filters(attributes)) return null;
    const dotGit = join(clone, ".git");
    const names = [
      ...(await files.lstat(dotGit))?.kind === "directory" ? [] : [dotGit],
      ...[own, common].flatMap((place) =>
        ["HEAD", "commondir", "config", "config.worktree", "packed-refs", "shallow", "index"]
          .map((name) => join(place, name))
      ),
      ...["exclude", "attributes", "sparse-checkout", "grafts"]
        .map((name) => join(common, "info", name)),
      // Not the directory of objects itself: every fetch has a lock there for a moment, and an object that comes changes
      // no answer.
      ...["pack", "info/alternates"].map((name) => join(common, "objects", name)),
      join(common, "logs", "refs", "stash"),
      ...refs,
      ...borrowed,
      ...named.included,
      ...named.excludes,
      ...named.attributes,
    ];
    const within = (path: string) =>
      path.startsWith(`${clone}/`) ? path.slice(clone.length + 1) : path;
    const index = join(own, "index");
    const [there, absent] = [new Set<string>(), new Set<string>()];
    for (const path of names) {
      const nearest = await this.#nearest(path);
      // Every git that may write takes a lock there, which is noted of the directory and changes nothing.
      if (nearest === own || nearest === common) absent.add(within(path));
      else if (path !== index) there.add(within(nearest));
    }
    return {
      names: [...there],
      files: [...absent.has(within(index)) ? [] : [within(index)], "", ...inside],
      absent: [...absent],
    };
  }

  /** What is at a path, or else the directory that notes when something comes there. */
  async #nearest(path: string): Promise<string> {
    return await this.#system.files.exists(path) || path === "/"
      ? path
      : this.#nearest(dirname(path));
  }

  /** The refs of a clone, each with a file of its own or all in tables, and the directories that hold them. */
  async #refs(own: string, common: string): Promise<string[] | null> {
    const found: string[] = [];
    for (const place of new Set([own, common])) {
      for (const name of ["refs", "reftable"]) {
        if (!await this.#system.files.exists(join(place, name))) continue;
        const below = await this.#system.files.tree(join(place, name), MOST);
        if (below === null || below.some((one) => ODD.test(one))) return null;
        found.push(join(place, name), ...below.map((one) => join(place, name, one)));
      }
    }
    return found.length > MOST ? null : found;
  }

  /** Where the objects lie that a clone borrows. */
  async #borrowed(objects: string): Promise<string[] | null> {
    const { files } = this.#system;
    const text = await files.readText(join(objects, "info", "alternates")) ?? "";
    const found: string[] = [];
    for (const line of text.split("\n").filter((one) => one !== "" && !one.startsWith("#"))) {
      if (line.startsWith('"') || ODD.test(line)) return null;
      const place = isAbsolute(line) ? line : join(objects, line);
      const further = join(place, "info", "alternates");
      if (await files.lstat(further) !== null || !await files.isLocal(place)) return null;
      found.push(join(place, "pack"), further);
    }
    return found;
  }

  /** What all configuration in force names. */
  async #configuration(
    clone: string,
    { own, common }: { readonly own: string; readonly common: string },
  ): Promise<Named | null> {
    const { home, config, keys } = this.#outside;
    const found = {
      included: [] as string[],
      excludes: [] as string[],
      attributes: [] as string[],
    };
    const take = (named: Named | null): named is Named => {
      if (named === null) return false;
      found.excludes.push(...named.excludes);
      found.attributes.push(...named.attributes);
      return true;
    };
    if (!take(namedIn(keys, { file: null, clone, home }))) return null;
    const waiting = [...config, join(common, "config"), join(own, "config.worktree")];
    const seen = new Set<string>();
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      if (ODD.test(file) || seen.size > 50) return null;
      const said = await this.#said(file);
      const named = said === null ? null : namedIn(said, { file, clone, home });
      if (!take(named)) return null;
      found.included.push(...named.included);
      waiting.push(...named.included);
    }
    return found;
  }

  /** What a file of configuration says; nothing where it is not there, null where it cannot be read as one. */
  async #said(file: string): Promise<ConfigKeys | null> {
    const text = await this.#system.files.readText(file);
    if (text === null) return new Map();
    return this.#parsed.getOrInsertComputed(text, configKeys);
  }

  /** Whether attributes may name a filter: its program decides then what counts as changed. */
  async #filters(paths: readonly string[]): Promise<boolean> {
    for (const path of [...paths, ...this.#outside.attributes]) {
      if (/filter/i.test(await this.#system.files.readText(path) ?? "")) return true;
    }
    return false;
  }
}
