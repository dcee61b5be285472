/** Reads and writes `agentpack.lock.json` (PACK-7). */

import type { output } from "zod";
import type { ZodNamespace } from "../../../contract/mod.ts";
import { builtOnce, readJson, writeFile } from "../io.ts";
import type { Files } from "../../../base/system/mod.ts";
import { compareBytes } from "../content.ts";
import { firstIssue } from "../../../base/text/issues.ts";
import { AgentpackError } from "../error.ts";
import { MODULE_TYPES } from "../names.ts";

const VERSION = 1;

function build(z: ZodNamespace) {
  return z.looseObject({
    version: z.literal(VERSION),
    generated_at: z.string(),
    modules: z.array(z.looseObject({
      id: z.string(),
      type: z.enum(MODULE_TYPES),
      resolved_source: z.looseObject({
        local_path: z.looseObject({ path: z.string() }).nullish(),
        git: z.looseObject({ url: z.string(), commit: z.string(), subdir: z.string() }).nullish(),
      }),
      resolved_version: z.string(),
      sha256: z.string(),
      file_manifest: z.array(z.looseObject({
        path: z.string(),
        sha256: z.string(),
        bytes: z.int(),
      })),
    })),
  });
}

const schema = builtOnce(build);

/** A lockfile as it is in the file. */
export type Lockfile = output<ReturnType<typeof build>>;
/** One locked module. */
export type LockedModule = Lockfile["modules"][number];

/** What reading the lockfile found. */
export type LockfileState =
  | { readonly kind: "missing" }
  | { readonly kind: "usable"; readonly lockfile: Lockfile }
  | { readonly kind: "broken"; readonly error: AgentpackError };

function invalid(path: string, error: string): AgentpackError {
  return new AgentpackError("E_LOCKFILE_INVALID", `Cannot use the lockfile "${path}": ${error}`, {
    path,
    error,
  });
}

/** Reads the lockfile; what is wrong with it is part of the answer, since not every call needs it. */
export async function readLockfile(files: Files, path: string): Promise<LockfileState> {
  const read = await readJson(files, path);
  if (read === null) return { kind: "missing" };
  if (typeof read === "string") return { kind: "broken", error: invalid(path, read) };
  const { value } = read;
  if (
    value !== null && typeof value === "object" && "version" in value &&
    typeof value.version === "number" && value.version !== VERSION
  ) {
    const error = new AgentpackError(
      "E_LOCKFILE_UNSUPPORTED_VERSION",
      `Cannot use a lockfile of version ${value.version}`,
      {
        path,
        version: value.version,
        supported: [VERSION],
        hint: "Write it anew with lock, or use a newer program",
      },
    );
    return { kind: "broken", error };
  }
  const shape = (await schema()).safeParse(value);
  if (shape.success) return { kind: "usable", lockfile: shape.data };
  return { kind: "broken", error: invalid(path, firstIssue(shape.error, value)) };
}

/** The lockfile, for a call that cannot do without. Throws the `E_LOCKFILE_*` codes. */
export async function requireLockfile(files: Files, path: string): Promise<Lockfile> {
  const state = await readLockfile(files, path);
  if (state.kind === "usable") return state.lockfile;
  if (state.kind === "broken") throw state.error;
  throw new AgentpackError("E_LOCKFILE_MISSING", `There is no lockfile "${path}"`, {
    path,
    hint: "Write it with lock or update",
  });
}

/**
 * Writes the lockfile, modules sorted by id. `generated_at` stays as it was when nothing else changed, so
 * that the file is the same to the byte.
 */
export async function writeLockfile(
  files: Files,
  path: string,
  modules: readonly LockedModule[],
  now: string,
): Promise<void> {
  const before = await readLockfile(files, path);
  const sorted = [...modules].sort((a, b) => compareBytes(a.id, b.id));
  const unchanged = before.kind === "usable" &&
    JSON.stringify(before.lockfile.modules) === JSON.stringify(sorted);
  const lockfile = {
    version: VERSION,
    generated_at: unchanged ? before.lockfile.generated_at : now,
    modules: sorted,
  };
  await writeFile(files, path, `${JSON.stringify(lockfile, null, 2)}\n`);
}
