/**
 * Git directories of ours, written as files: no process makes them, and no template and no setting of the user's has a
 * part in them. One stands in for that of a clone: it has its refs, index and objects, and of its configuration only
 * what names no program. What reads there answers as it would in the clone, and runs nothing that was written into that.
 */

import { basename, dirname, join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { System } from "../../base/system/mod.ts";
import { shellWord } from "../../base/text/words.ts";
import { commonDirectory, gitDirectory, refsAreFiles } from "../files/directory.ts";
import type { ConfigKeys } from "../files/config_text.ts";
import { isHarmlessKey } from "./judge.ts";
import { bytesOf, isOddName, textOf } from "../odd_names.ts";

/** Files of a git directory that reading calls go by, where they are there. */
const OWN = ["HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "ORIG_HEAD", "FETCH_HEAD"];
/** The same of what linked working copies share. */
const SHARED = ["shallow", "info/exclude", "info/sparse-checkout", "info/grafts"];

/** What is copied into a place, and removed there when it has gone. */
class Copying {
  readonly #system: System;
  readonly #sanitized: string;

  constructor(system: System, sanitized: string) {
    this.#system = system;
    this.#sanitized = sanitized;
  }

  async put(name: string, content: string | Uint8Array, modifiedMs?: number | null): Promise<void> {
    const { files, ids } = this.#system;
    const target = join(this.#sanitized, name);
    await files.makeDirectory(dirname(target), { mode: 0o700 });
    // Not beside it: what is left below refs/ when amof is killed here would be a broken ref for everybody.
    const beside = join(this.#sanitized, `new-${ids.hex(8)}`);
    await files.create(beside, content, {
      mode: 0o600,
      flush: false,
      ...(modifiedMs === undefined || modifiedMs === null ? {} : { modifiedMs }),
    });
    // Others may read there at the same time.
    await files.rename(beside, target);
  }

  /** Copies a file with its time, by which git tells what it has to compare again. */
  async copy(from: string, name: string): Promise<void> {
    const { files } = this.#system;
    const info = await files.stat(from);
    const bytes = info?.kind === "file" ? await files.readBytes(from, info.size) : null;
    if (bytes === null) await files.remove(join(this.#sanitized, name));
    else await this.put(name, bytes, info?.modifiedMs);
  }

  async copyTree(from: string, name: string): Promise<void> {
    for (const { name: entry, kind } of await this.#system.files.list(from)) {
      if (kind === "directory") await this.copyTree(join(from, entry), `${name}/${entry}`);
      else if (kind === "file") await this.copy(join(from, entry), `${name}/${entry}`);
    }
  }
}

/** A value as a file of configuration has it. */
function quoted(value: string): string {
  const escaped = value.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll(
    "\t",
    "\\t",
  );
  return `"${escaped}"`;
}

/** What reading calls need of a configuration: settings that may change without a look, and addresses as mere texts. */
function configText(keys: ConfigKeys): string {
  const lines: string[] = [];
  for (const [key, values] of keys) {
    const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
    const isAddress = /^remote\..+\.(?:push)?url$/.test(key);
    if (!isAddress && !isHarmlessKey(key, values)) continue;
    // Those of a linked working copy stand in the same file here.
    if (key === "extensions.worktreeconfig" || key === "core.bare") continue;
    // It would ask for a place of each submodule, which is left out.
    if (key === "extensions.submodulepathconfig") continue;
    const section = key.slice(0, first);
    lines.push(
      first === last ? `[${section}]` : `[${section} ${quoted(key.slice(first + 1, last))}]`,
    );
    for (const value of values) {
      const name = key.slice(last + 1);
      lines.push(value === null ? `\t${name}` : `\t${name} = ${quoted(value)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** The error of a ref that no file can be read by: what only it holds would not be seen. */
function unreadable(directory: string): AmofError {
  const common = directory.slice(0, directory.lastIndexOf("/refs"));
  return new AmofError(
    "git_failed",
    "Cannot read a clone that nobody has looked at: a ref of it has a name that is no UTF-8",
    {
      hint: `Let git pack its refs: git --git-dir ${
        shellWord(common)
      } -c core.hooksPath=/dev/null pack-refs --all`,
      details: { kind: "odd_ref" },
    },
  );
}

/** What every file below a directory of refs says, by the ref it is. */
async function refFiles(
  system: System,
  directory: string,
  name = "refs",
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { name: entry, kind } of await system.files.list(directory)) {
    const [path, ref] = [join(directory, entry), `${name}/${entry}`];
    if (isOddName(entry)) throw unreadable(directory);
    if (kind === "directory") {
      for (const [below, text] of await refFiles(system, path, ref)) found.set(below, text);
    }
    if (kind === "file") found.set(ref, (await system.files.readText(path))?.trim() ?? "");
  }
  return found;
}

/** The refs of a repository as one file, as git packs them, and the symbolic ones. */
async function refsOf(system: System, common: string) {
  const symbolic = new Map<string, string>();
  const packed = textOf(
    await system.files.readBytes(join(common, "packed-refs")) ?? new Uint8Array(),
  );
  const loose = await refFiles(system, join(common, "refs"));
  const refs = new Map<string, string>();
  for (const line of packed.split("\n")) {
    const match = /^([0-9a-f]{40,64}) (refs\/.+)$/.exec(line);
    if (match !== null) refs.set(match[2] ?? "", match[1] ?? "");
  }
  for (const [ref, text] of loose) {
    if (ref.endsWith(".lock")) continue;
    if (text.startsWith("ref: ")) symbolic.set(ref, text);
    else if (/^[0-9a-f]{40,64}$/.test(text)) refs.set(ref, text);
  }
  // Git sorts them itself, by their bytes, where no first line says that they are.
  return {
    packed: bytesOf([...refs].map(([ref, sha]) => `${sha} ${ref}\n`).join("")),
    symbolic,
  };
}

/** A clone and what git says that its configuration holds. */
interface Sanitized {
  /** Absolute. */
  readonly clone: string;
  /** Where it is made, absolute. */
  readonly sanitized: string;
  readonly keys: ConfigKeys;
}

/**
 * Makes the sanitized git directory of a clone, or brings it up to date. No process. Throws what the file system
 * throws; a clone without a git directory gets none.
 */
export async function writeSanitized(
  system: System,
  { clone, sanitized, keys }: Sanitized,
): Promise<void> {
  const { files } = system;
  // Of a submodule that is not checked out there is a git directory and nothing else.
  const isBare = await files.lstat(join(clone, ".git")) === null;
  const own = isBare ? clone : await gitDirectory(system, clone);
  const common = isBare ? clone : await commonDirectory(system, clone);
  if (own === null || common === null) return;
  const copying = new Copying(system, sanitized);
  const inFiles = await refsAreFiles(system, common);
  // Tables cannot be put together like files: those of a linked working copy stay beside those of all.
  const shared = inFiles || own === common ? "" : "shared/";
  if (shared === "") await files.remove(join(sanitized, "commondir"));
  else await copying.put("commondir", `${shared}\n`);
  await copying.put(`${shared}config`, configText(keys));
  await copying.put(`${shared}objects/info/alternates`, `${join(common, "objects")}\n`);
  for (const name of [...OWN, "index"]) await copying.copy(join(own, name), name);
  for (const name of SHARED) await copying.copy(join(common, name), `${shared}${name}`);
  await copying.copy(join(common, "logs", "refs", "stash"), "logs/refs/stash");
  await copying.copy(join(own, "logs", "HEAD"), "logs/HEAD");
  for (const { name } of await files.list(own)) {
    if (name.startsWith("sharedindex.")) await copying.copy(join(own, name), basename(name));
  }
  if (!inFiles) {
    if (shared !== "") await copying.copyTree(join(own, "reftable"), "reftable");
    await copying.copyTree(join(common, "reftable"), `${shared}reftable`);
  }
  await files.makeDirectory(join(sanitized, shared, "refs"), { mode: 0o700 });
  const { packed, symbolic } = await refsOf(system, common);
  for (const ref of (await refFiles(system, join(sanitized, "refs"))).keys()) {
    if (!symbolic.has(ref)) await files.remove(join(sanitized, ref));
  }
  for (const [ref, text] of symbolic) await copying.put(ref, `${text}\n`);
  await copying.put("packed-refs", packed);
}

/**
 * The content of a scratch directory (`Files.scratch`) that has an empty bare repository below `name`, for names of objects as
 * long as `like`. With `origin` it can be fetched from and pushed to.
 */
export function privateFiles(
  name: string,
  { like, origin }: { readonly like: string; readonly origin?: string },
): Readonly<Record<string, string>> {
  const sha256 = like.length === 64;
  const config = [
    "[core]",
    `\trepositoryformatversion = ${sha256 ? 1 : 0}`,
    "\tbare = true",
    // It goes again before anybody could look for what was in it.
    "\tfsync = none",
    // Whoever tidies up in the background would find it gone.
    "[maintenance]",
    "\tauto = false",
    ...(sha256 ? ["[extensions]", "\tobjectFormat = sha256"] : []),
    ...(origin === undefined ? [] : ['[remote "origin"]', `\turl = ${quoted(origin)}`]),
    "",
  ].join("\n");
  return {
    [`${name}/HEAD`]: "ref: refs/heads/none\n",
    [`${name}/config`]: config,
    [`${name}/objects/info/`]: "",
    [`${name}/refs/`]: "",
  };
}
