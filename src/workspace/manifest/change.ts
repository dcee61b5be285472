/**
 * What commands share that edit a manifest: the edit as a checked pair of texts with its diff, and the step that
 * writes it (WORKSPACE-22).
 */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { sha256 } from "../../base/hash.ts";
import { defined } from "../../base/object.ts";
import type { JournalStep } from "../../state/store/mod.ts";
import { unifiedDiff } from "../../base/text/diff/unified.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { replaceFile } from "../operations.ts";
import type * as edits from "./edit.ts";
import { checkManifestText, type Manifest, manifestFile, manifestInvalid } from "./manifest.ts";
import { problemText } from "./problem.ts";

/** A manifest before and after an edit. */
export interface ManifestEdit {
  /** Relative to the control repository. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
  /** The manifest as it is to be understood. */
  readonly manifest: Manifest;
  readonly diff: string;
}

/** What a preview shows of an edit, and what consent is bound to. */
export interface EditFacts {
  readonly file: string;
  readonly diff: string;
  /** The hash of the whole file as it will be. */
  readonly sha256: string;
}

/**
 * Edits the manifest of the call's ecosystem, in memory. Throws `invalid_arguments` when the result would be no valid
 * manifest; what was there must be valid.
 */
export async function editManifest(
  ctx: CommandContext,
  what: string,
  edit: (text: string, editing: typeof edits) => string,
): Promise<ManifestEdit> {
  const file = manifestFile(ctx.ecosystem);
  const before = await ctx.system.files.readText(join(ctx.root, file)) ?? "";
  const after = edit(before, await import("./edit.ts"));
  const check = await checkManifestText(after, ctx.ecosystem);
  if (check.manifest === null) {
    // The manifest was checked before the edit, so what is wrong now comes from what was asked for.
    const [first] = check.errors;
    if (first === undefined) throw manifestInvalid(ctx.ecosystem, check);
    throw new AmofError("invalid_arguments", `Cannot ${what}: ${problemText(first)}`, {
      ...defined({ hint: first.fix ?? undefined }),
      details: { file, errors: check.errors },
    });
  }
  const diff = maskSecrets(unifiedDiff(before, after, `a/${file}`, `b/${file}`));
  return { file, before, after, manifest: check.manifest, diff };
}

/** The facts of an edit. */
export function editFacts({ file, diff, after }: ManifestEdit): EditFacts {
  return { file, diff, sha256: sha256(after) };
}

/** The step that writes an edit into the control repository at `root`. */
export function editStep(root: string, { file, before, after }: ManifestEdit): JournalStep {
  return replaceFile.step({
    file: join(root, file),
    before,
    after,
    what: `Edit ${file}`,
    keep: null,
  });
}
