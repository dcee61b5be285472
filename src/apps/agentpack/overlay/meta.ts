/** What an overlay says about itself, in its directory `.agentpack` (PACK-18). */

import { join } from "@std/path";
import type { output } from "zod";
import { firstIssue } from "../../../base/text/issues.ts";
import type { ZodNamespace } from "../../../contract/mod.ts";
import { builtOnce } from "../built_once.ts";
import type { Files } from "../../../base/system/mod.ts";
import { configInvalid } from "../error.ts";
import { readJson, readUtf8 } from "../io.ts";
import type { OverlayKind } from "../names.ts";

function build(z: ZodNamespace) {
  return z.looseObject({
    version: z.int(),
    created_at: z.string(),
    upstream_sha256: z.string(),
    file_manifest: z.array(
      z.looseObject({ path: z.string(), sha256: z.string(), bytes: z.int() }),
    ),
    upstream: z.union([
      z.looseObject({
        kind: z.literal("local_path"),
        repo_rel_path: z.string(),
        repo_git_rev: z.string().nullish(),
        repo_dirty: z.boolean().nullish(),
      }),
      z.looseObject({
        kind: z.literal("git"),
        url: z.string(),
        commit: z.string(),
        subdir: z.string(),
      }),
    ]).nullish(),
  });
}

const schema = builtOnce(build);

/** What upstream looked like when an overlay was made or last rebased. */
export type Baseline = output<ReturnType<typeof build>>;
/** The directory with everything that is never deployed. */
export function metaDirectory(overlay: string): string {
  return join(overlay, ".agentpack");
}

/** Where an overlay's patches are. */
export function patchesDirectory(overlay: string): string {
  return join(overlay, ".agentpack", "patches");
}

/** Where texts with conflict markers of a patch overlay are left. */
export function conflictsDirectory(overlay: string): string {
  return join(overlay, ".agentpack", "conflicts");
}

/** Where the baseline is. */
export function baselinePath(overlay: string): string {
  return join(overlay, ".agentpack", "baseline.json");
}

function invalidMeta(overlay: string, path: string, why: string) {
  return configInvalid(`Cannot use the overlay metadata "${path}": ${why}`, {
    overlay_dir: overlay,
    meta_path: path,
    hint: 'Write {"overlay_kind":"dir"} or {"overlay_kind":"patch"}',
  });
}

/** The kind of an overlay: `dir` unless its `overlay.json` says otherwise. Throws `E_CONFIG_INVALID`. */
export async function readKind(files: Files, overlay: string): Promise<OverlayKind> {
  const path = join(metaDirectory(overlay), "overlay.json");
  const read = await readJson(files, path);
  if (read === null) return "dir";
  if (typeof read === "string") throw invalidMeta(overlay, path, read);
  const { value } = read;
  if (value === null || typeof value !== "object") {
    throw invalidMeta(overlay, path, "it does not hold an object");
  }
  const kind = "overlay_kind" in value ? value.overlay_kind : "dir";
  if (kind === "dir" || kind === "patch") return kind;
  throw invalidMeta(overlay, path, "its overlay_kind is unknown");
}

/** The baseline of an overlay, or null when it has none. Throws `E_CONFIG_INVALID` for a damaged one. */
export async function readBaseline(files: Files, overlay: string): Promise<Baseline | null> {
  const path = baselinePath(overlay);
  const read = await readJson(files, path);
  if (read === null) return null;
  const refuse = (why: string) =>
    configInvalid(`Cannot use the overlay baseline "${path}": ${why}`, {
      overlay_dir: overlay,
      meta_path: path,
      hint: "Remove the file and run overlay edit to record upstream as it is now",
    });
  if (typeof read === "string") throw refuse(read);
  const shape = (await schema()).safeParse(read.value);
  if (!shape.success) throw refuse(firstIssue(shape.error, read.value));
  return shape.data;
}

/** The module a directory says it belongs to, or null when it does not say. */
export async function readModuleId(files: Files, overlay: string): Promise<string | null> {
  const read = await readUtf8(files, join(metaDirectory(overlay), "module_id"));
  return read === null || read === "invalid" ? null : read.text.trimEnd();
}

/** The text of `overlay.json`. */
export function kindText(kind: OverlayKind): string {
  return `${JSON.stringify({ overlay_kind: kind }, null, 2)}\n`;
}

/** Those of the three metadata files that are missing, by path. */
export async function missingMeta(
  files: Files,
  overlay: string,
  meta: { readonly moduleId: string; readonly kind: OverlayKind; readonly baseline: string },
): Promise<ReadonlyMap<string, string>> {
  const texts = {
    "baseline.json": meta.baseline,
    "module_id": `${meta.moduleId}\n`,
    "overlay.json": kindText(meta.kind),
  };
  const missing = new Map<string, string>();
  for (const [name, text] of Object.entries(texts)) {
    const path = join(metaDirectory(overlay), name);
    if (await files.stat(path) === null) missing.set(path, text);
  }
  return missing;
}
