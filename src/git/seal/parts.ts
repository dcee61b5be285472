/**
 * What in a clone decides which programs git runs there and where it sends things. That is its own
 * configuration with what that includes, its attributes, hooks and borrowed objects, and the same of its
 * submodules.
 *
 * Read from the disk without starting git, a few small files per clone.
 */

import { dirname, isAbsolute, join, relative, resolve } from "@std/path";
import { sha256 } from "../../base/hash.ts";
import { isBelow } from "../../base/paths.ts";
import type { System } from "../../base/system/mod.ts";
import { type ConfigKeys, configKeys } from "../files/config_text.ts";

/** What git writes at the beginning of an index. Git looks into each submodule that one names, whoever put it there. */
const SIGNATURE = 0x44495243;
/** The mode of an entry for a submodule. */
const GITLINK = 0o160000;

/** Whether a mode of a submodule can stand anywhere in it, which is fast and right for every index without one. */
function mayHaveLinks(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0xe0, 2); at >= 0; at = bytes.indexOf(0xe0, at + 1)) {
    if (bytes[at - 2] === 0 && bytes[at - 1] === 0 && bytes[at + 1] === 0) return true;
  }
  return false;
}

/** A number that git writes with seven bits in each byte, for how much of the last path falls away. */
function varint(view: DataView, at: number): [value: number, next: number] {
  let byte = view.getUint8(at++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = view.getUint8(at++);
    value = ((value + 1) << 7) | (byte & 0x7f);
  }
  return [value, at];
}

/**
 * The paths of submodules in an index of version 2, 3 or 4 whose hashes have so many bytes; none in what is no index.
 * Throws `RangeError` for one that ends too early.
 */
export function gitlinksIn(bytes: Uint8Array, hashBytes: number): string[] {
  if (bytes.length < 12 || !mayHaveLinks(bytes)) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const version = view.getUint32(4);
  if (view.getUint32(0) !== SIGNATURE || version < 2 || version > 4) return [];
  const decoder = new TextDecoder();
  const found: string[] = [];
  let path = new Uint8Array();
  let at = 12;
  for (let left = view.getUint32(8); left > 0; left--) {
    const begin = at;
    const mode = view.getUint32(begin + 24);
    at = begin + 40 + hashBytes;
    const flags = view.getUint16(at);
    at += version >= 3 && (flags & 0x4000) !== 0 ? 4 : 2;
    let kept = 0;
    if (version === 4) {
      const [dropped, next] = varint(view, at);
      kept = Math.max(0, path.length - dropped);
      at = next;
    }
    const end = bytes.indexOf(0, at);
    if (end < 0) throw new RangeError("The index ends within a path");
    const whole = new Uint8Array(kept + end - at);
    whole.set(path.subarray(0, kept));
    whole.set(bytes.subarray(at, end), kept);
    path = whole;
    // Older versions fill up to a multiple of eight.
    at = version === 4 ? end + 1 : begin + ((end - begin + 8) & ~7);
    if (mode === GITLINK) found.push(decoder.decode(path));
  }
  return found;
}

type PartKind = "place" | "config" | "attributes" | "hook" | "alternates" | "legacy";

/** What stands for the git directory of a clone that is one. */
export const PLAIN = "directory";

/** One file that counts. */
export interface Part {
  readonly kind: PartKind;
  /** What messages call it: relative to the clone where it lies there. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

/** What was found in a clone. */
export interface Seal {
  /** SHA-256 over everything. */
  readonly digest: string;
  readonly parts: readonly Part[];
}

/** What is remembered of a seal: enough to name later what has changed, and no value. */
export interface Remembered {
  /** The hash of each part, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** The hash of the values of each key, by the name of the file and the key. */
  readonly keys: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** So deep are included files and nested submodules followed. */
const DEEPEST = 8;
/** What is longer is no configuration or hook that somebody wrote; only its beginning and its size count. */
const LONGEST = 4 * 1024 * 1024;

/** Reads the parts of one clone. */
class Reading {
  readonly parts: Part[] = [];
  readonly #system: System;
  readonly #clone: string;

  constructor(system: System, clone: string) {
    this.#system = system;
    this.#clone = clone;
  }

  #named(path: string): string {
    const inside = relative(this.#clone, path);
    return inside.startsWith("..") || isAbsolute(inside) ? path : inside.replaceAll("\\", "/");
  }

  add(kind: PartKind, path: string, text: string): void {
    this.parts.push({ kind, name: this.#named(path), path, text });
  }

  /** The text of a file, null where there is none; what is no plain file says what it is. */
  async #text(path: string): Promise<string | null> {
    const { files } = this.#system;
    const info = await files.stat(path);
    if (info === null) return null;
    // A pipe or a device would make whoever reads it wait.
    if (info.kind !== "file") return `\0${info.kind}`;
    if (info.size > LONGEST) return `\0${info.size} bytes ${await files.hash(path)}`;
    const bytes = await files.readBytes(path, info.size);
    return bytes === null ? null : new TextDecoder().decode(bytes);
  }

  /** A file that counts where it is there; mostly it is not. */
  async file(kind: PartKind, path: string): Promise<void> {
    const isThere = await this.#system.files.exists(path);
    const text = isThere ? await this.#text(path) : null;
    if (text !== null) this.add(kind, path, text);
  }

  /** A file of configuration, and those that it includes, whatever the condition is. */
  async config(path: string, depth = 0): Promise<void> {
    if (this.parts.some((part) => part.path === path)) return;
    const text = await this.#text(path);
    if (text === null) return;
    this.add("config", path, text);
    if (depth >= DEEPEST || !/include/i.test(text)) return;
    for (const included of includedFiles(configKeys(text))) {
      const place = /^~[/\\]/.test(included)
        ? join(this.#system.env.home ?? "", included.slice(2))
        : resolve(dirname(path), included);
      await this.config(place, depth + 1);
    }
  }

  /**
   * Everything in a git directory, or in two where a working copy is linked to another one. `listed` is what stands in
   * the common one, where that is known.
   */
  async repository(
    own: string,
    common: string,
    depth = 0,
    listed?: ReadonlySet<string>,
  ): Promise<void> {
    const entries = listed ?? await namesIn(this.#system, common);
    if (own === common ? entries.has("commondir") : true) {
      await this.file("place", join(own, "commondir"));
    }
    await this.config(join(common, "config"));
    if (own !== common || entries.has("config.worktree")) {
      await this.config(join(own, "config.worktree"));
    }
    if (entries.has("info")) await this.file("attributes", join(common, "info", "attributes"));
    const alternates = join(common, "objects", "info", "alternates");
    if (await this.#system.files.exists(alternates)) await this.file("alternates", alternates);
    if (entries.has("hooks")) await this.#each("hook", join(common, "hooks"));
    for (const name of ["remotes", "branches"]) {
      if (entries.has(name)) await this.#each("legacy", join(common, name));
    }
    if (entries.has("modules") && depth < DEEPEST) {
      await this.#modules(join(common, "modules"), depth + 1);
    }
  }

  async #each(kind: PartKind, directory: string): Promise<void> {
    for (const { name, kind: what } of await this.#system.files.list(directory)) {
      if (what !== "directory" && !name.endsWith(".sample")) {
        await this.file(kind, join(directory, name));
      }
    }
  }

  /** What lies where an index names a submodule: its repository is one of the clone's own, or counts by itself. */
  async submodules(own: string, common: string, place: string, depth = 0): Promise<void> {
    const { files } = this.#system;
    const index = await files.readBytes(join(own, "index"));
    if (index === null || depth >= DEEPEST) return;
    const isLong = this.parts.some(({ kind, text }) =>
      kind === "config" && /objectformat\s*=\s*sha256/i.test(text)
    );
    for (const path of linksOf(index, isLong ? 32 : 20)) {
      const inside = join(place, path);
      const dotGit = join(inside, ".git");
      const info = await files.lstat(dotGit);
      if (info === null || this.parts.some((part) => part.path === dotGit)) continue;
      const text = info.kind === "directory"
        ? PLAIN
        : info.kind === "file"
        ? await files.readText(dotGit) ?? ""
        : `link ${await files.readLink(dotGit)}`;
      const named = resolve(inside, /^gitdir: (.+)$/m.exec(text)?.[1]?.trim() ?? ".git");
      // Those in there are looked at anyway.
      const isOwn = text !== PLAIN && isBelow(join(common, "modules"), named);
      if (isOwn) {
        await this.submodules(named, named, inside, depth + 1);
        continue;
      }
      this.add("place", dotGit, text);
      await this.repository(named, named, depth + 1);
      await this.submodules(named, named, inside, depth + 1);
    }
  }

  /** Names of submodules have slashes, so what is no repository may hold some. */
  async #modules(directory: string, depth: number): Promise<void> {
    if (depth > DEEPEST) return;
    for (const { name, kind } of await this.#system.files.list(directory)) {
      if (kind === "file") continue;
      const place = join(directory, name);
      const isRepository = await this.#system.files.lstat(join(place, "HEAD")) !== null;
      await (isRepository ? this.repository(place, place, depth) : this.#modules(place, depth + 1));
    }
  }
}

/** The names of what lies in a directory. */
async function namesIn({ files }: System, directory: string): Promise<ReadonlySet<string>> {
  return new Set((await files.list(directory)).map(({ name }) => name));
}

/** The submodules of an index; one that cannot be read has none, as for git. */
function linksOf(index: Uint8Array, hashBytes: number): string[] {
  try {
    return gitlinksIn(index, hashBytes);
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** The files that a configuration includes, as it names them. */
function includedFiles(keys: ConfigKeys | null): string[] {
  return [...keys ?? []].flatMap(([key, values]) =>
    key === "include.path" || /^includeif\..*\.path$/s.test(key)
      ? values.filter((value) => value !== null && value !== "")
      : []
  ) as string[];
}

/** What decides in a clone which programs git runs; null where there is no repository. No process. */
export async function sealOf(system: System, clone: string): Promise<Seal | null> {
  const { files } = system;
  const dotGit = join(clone, ".git");
  const info = await files.lstat(dotGit);
  if (info === null) return null;
  const reading = new Reading(system, clone);
  let own = dotGit;
  if (info.kind === "directory") reading.add("place", dotGit, PLAIN);
  else if (info.kind === "symlink") {
    reading.add("place", dotGit, `link ${await files.readLink(dotGit)}`);
  } else {
    const text = await files.readText(dotGit) ?? "";
    reading.add("place", dotGit, text);
    own = resolve(clone, /^gitdir: (.+)$/m.exec(text)?.[1]?.trim() ?? ".git");
  }
  const listed = await namesIn(system, own);
  // Few have it, and to look for what is not there costs more than the list.
  const elsewhere = listed.has("commondir") ? await files.readText(join(own, "commondir")) : null;
  const common = elsewhere === null ? own : resolve(own, elsewhere.trim());
  await reading.repository(own, common, 0, common === own ? listed : undefined);
  await reading.submodules(own, common, clone);
  const { parts } = reading;
  return {
    parts,
    digest: sha256(JSON.stringify(parts.map(({ kind, name, text }) => [kind, name, text]))),
  };
}

/** The hash of the values of a key. */
export function hashOfValues(values: readonly (string | null)[]): string {
  return sha256(JSON.stringify(values));
}

/** What is kept of a seal. */
export function remembered({ parts }: Seal): Remembered {
  const configs = parts.filter(({ kind }) => kind === "config");
  return {
    files: Object.fromEntries(parts.map(({ name, text }) => [name, sha256(text)])),
    keys: Object.fromEntries(configs.map(({ name, text }) => [
      name,
      Object.fromEntries(
        [...configKeys(text) ?? []].map(([key, values]) => [key, hashOfValues(values)]),
      ),
    ])),
  };
}
