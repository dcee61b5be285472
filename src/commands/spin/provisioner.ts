/**
 * Provisioners: `provisioners/<name>/` of the control repository with a `spin.sh` (SPIN-1, SPIN-3).
 *
 * What is looked at, approved, and run is the same: the bytes of every file below that directory that git
 * tracks or would track. They are read once; the hash is the hash of what was read.
 */

import { isAbsolute, join, relative } from "@std/path";
import { sha256 } from "../../base/hash.ts";
import { pathBelow } from "../../base/paths.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { list } from "../../base/text/words.ts";

/** The directory of all provisioners, relative to the control repository. */
const PROVISIONERS = "provisioners";
/** The script of a provisioner. */
const SCRIPT = "spin.sh";
/** More than a directory of scripts and templates holds; every preview reads all of it. */
const MOST_FILES = 500;
const MOST_BYTES = 8 * 1024 * 1024;

/** One file of a provisioner. */
export interface ProvisionerFile {
  /** Relative to the directory of the provisioner, with `/`. */
  readonly path: string;
  readonly sha256: string;
  readonly executable: boolean;
}

/** A provisioner as it was read. */
export interface Provisioner {
  readonly name: string;
  /** Absolute, without symbolic links. */
  readonly directory: string;
  /** The script, relative to the control repository, with `/`. */
  readonly script: string;
  /** Sorted by path. */
  readonly files: readonly ProvisionerFile[];
  /** SHA-256 over mode, content hash and path of every file. */
  readonly hash: string;
  /** SHA-256 of the script alone, as `sha256sum` shows it. */
  readonly scriptHash: string;
}

/** A provisioner together with the bytes its hash is of. */
export interface ProvisionerContents {
  readonly provisioner: Provisioner;
  /** By path of {@linkcode ProvisionerFile}. */
  readonly bytes: ReadonlyMap<string, Uint8Array>;
}

function missing(message: string, hint: string, details: Record<string, unknown>): AmofError {
  return new AmofError("provisioner_missing", message, { hint, details });
}

function invalid(name: string, what: string, hint: string): AmofError {
  return new AmofError("provisioner_invalid", `Cannot use provisioner "${name}": ${what}`, {
    hint,
    details: { provisioner: name },
  });
}

/** The names of the provisioners of a control repository, sorted. */
async function available(ctx: CommandContext): Promise<string[]> {
  const base = join(ctx.root, PROVISIONERS);
  const names: string[] = [];
  for (const { name } of await ctx.system.files.list(base)) {
    const script = await ctx.system.files.stat(join(base, name, SCRIPT));
    if (script?.kind === "file") names.push(cleanLine(name, 60));
  }
  return names;
}

/** The name of the provisioner of an ecosystem; throws `provisioner_missing` when its manifest names none. */
export async function requireProvisioner(ctx: CommandContext, manifest: Manifest): Promise<string> {
  if (manifest.provisioner !== null) return manifest.provisioner;
  const names = await available(ctx);
  throw missing(
    `Cannot spin "${manifest.name}": its manifest names no provisioner`,
    `Add "provisioner: NAME" to ecosystems/${manifest.name}/ecosystem.yaml; ${
      names.length === 0
        ? `there is none yet, write ${PROVISIONERS}/NAME/${SCRIPT}`
        : `available: ${list(names)}`
    }`,
    { ecosystem: manifest.name, available: names },
  );
}

/** The real directory of a provisioner, which lies inside `provisioners/` whatever links lead there. */
async function locate(ctx: CommandContext, name: string): Promise<{ base: string; at: string }> {
  const { files } = ctx.system;
  const base = join(ctx.root, PROVISIONERS);
  const real = await files.realPath(base);
  if (real !== null && real !== base) {
    throw invalid(
      name,
      `${PROVISIONERS}/ leads to another place`,
      `Make ${PROVISIONERS}/ a directory of the control repository`,
    );
  }
  const at = real === null ? null : await files.realPath(join(base, name));
  if (at === null || (await files.stat(at))?.kind !== "directory") {
    const names = await available(ctx);
    throw missing(
      `Cannot find provisioner "${name}": there is no ${PROVISIONERS}/${name}/${SCRIPT}`,
      names.length === 0 ? `Write ${PROVISIONERS}/${name}/${SCRIPT}` : `Available: ${list(names)}`,
      { provisioner: name, available: names },
    );
  }
  if (pathBelow(base, at) === null) throw leadsOut(name, `${PROVISIONERS}/${name}`);
  return { base, at };
}

function leadsOut(name: string, path: string): AmofError {
  return invalid(
    name,
    `${cleanLine(path, 120)} leads out of ${PROVISIONERS}/`,
    "Put the file itself there instead of a symbolic link",
  );
}

/**
 * The bytes of one file, or null when it is gone; throws `provisioner_invalid` for what is not a file inside.
 * `budget` counts down what may still be read.
 */
async function readInside(
  ctx: CommandContext,
  { name, base, full }: {
    readonly name: string;
    readonly base: string;
    readonly full: string;
  },
  budget: { left: number },
): Promise<{ bytes: Uint8Array; executable: boolean } | null> {
  const { files } = ctx.system;
  const path = relative(ctx.root, full);
  if (await files.lstat(full) === null) return null;
  const real = await files.realPath(full);
  if (real !== null && pathBelow(base, real) === null) throw leadsOut(name, path);
  const info = real === null ? null : await files.stat(real);
  if (real === null || info?.kind !== "file") {
    throw invalid(
      name,
      `${cleanLine(path, 120)} is not a file`,
      "A provisioner consists of files; ignore with .gitignore what does not belong to it",
    );
  }
  budget.left -= info.size;
  // The size is asked first, so that a huge file is not read into memory to be refused.
  const bytes = budget.left < 0 ? null : await files.readBytes(real);
  if (bytes === null || bytes.length > info.size + Math.max(0, budget.left)) {
    throw invalid(
      name,
      `its files are larger than ${MOST_BYTES / 1024 / 1024} MiB together`,
      "Ignore with .gitignore what does not belong to it",
    );
  }
  return { bytes, executable: ((info.mode ?? 0) & 0o111) !== 0 };
}

/**
 * Reads a provisioner. One git process.
 *
 * Throws `provisioner_missing` when there is none of that name, and `provisioner_invalid` when anything of it
 * lies outside of `provisioners/`, is not a file, or is too much.
 */
export async function readProvisioner(
  ctx: CommandContext,
  name: string,
): Promise<ProvisionerContents> {
  const { base, at } = await locate(ctx, name);
  const directory = relative(ctx.root, at).replaceAll("\\", "/");
  const script = `${directory}/${SCRIPT}`;
  const paths = (await ctx.git.at(at).files.own()).sort();
  // A repository's own configuration can place its files elsewhere; a copy must not follow it there.
  const outside = paths.find((path) => isAbsolute(path) || path.split("/").includes(".."));
  if (outside !== undefined) throw leadsOut(name, outside);
  if (paths.length > MOST_FILES) {
    throw invalid(
      name,
      `it has ${paths.length} files, at most ${MOST_FILES} are allowed`,
      "Ignore with .gitignore what does not belong to it",
    );
  }
  const bytes = new Map<string, Uint8Array>();
  const files: ProvisionerFile[] = [];
  const budget = { left: MOST_BYTES };
  for (const path of paths) {
    const read = await readInside(ctx, { name, base, full: join(at, path) }, budget);
    if (read === null) continue;
    bytes.set(path, read.bytes);
    files.push({ path, sha256: sha256(read.bytes), executable: read.executable });
  }
  const entry = files.find((file) => file.path === SCRIPT);
  if (entry === undefined) {
    if (await ctx.system.files.lstat(join(ctx.root, script)) !== null) {
      throw invalid(name, `git ignores its ${SCRIPT}`, "Take it out of .gitignore");
    }
    throw missing(
      `Cannot find ${script}`,
      `Write ${script}, which is called with deploy or destroy`,
      {
        provisioner: name,
        available: await available(ctx),
      },
    );
  }
  const lines = files.map((file) =>
    `${file.executable ? "755" : "644"} ${file.sha256} ${JSON.stringify(file.path)}`
  );
  return {
    provisioner: {
      name,
      directory: at,
      script,
      files,
      hash: sha256(lines.join("\n")),
      scriptHash: entry.sha256,
    },
    bytes,
  };
}
