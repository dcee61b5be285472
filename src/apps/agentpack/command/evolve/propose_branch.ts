/**
 * Commits changes of the config repo on a new branch, in a temporary working copy.
 *
 * Git processes: five when all goes well.
 */

import { join } from "@std/path";
import { pathBelow } from "../../../../base/paths.ts";
import { type Content, createFile, encodeText, hashOf, textOf } from "../../content.ts";
import { rootCause } from "../../../../base/error.ts";
import type { Home } from "../../identity.ts";
import { withPath, writeFile } from "../../io.ts";
import { type Pack, viaGit } from "../../pack.ts";
import type { ModuleConfig } from "../../config/config.ts";
import { unifiedDiff } from "../../../../base/text/diff/unified.ts";
import { type ComposeInput, composeModule } from "../../module/compose.ts";
import type { OverlayScope } from "../../names.ts";
import { missingMeta, patchesDirectory, readKind } from "../../overlay/meta.ts";
import { findOverlay } from "../../overlay/place.ts";

// Which files of an overlay have to change so that a module's file becomes what somebody edited it to
// (PACK-49). Nothing is written here.

/** A file of the config repo to write, or to remove when `bytes` is null. */
export interface RepoEdit {
  /** Absolute. */
  readonly path: string;
  readonly bytes: Content | null;
  readonly mode: number;
}

const PLAIN = 0o644;

/**
 * Plans the overlay of a module in a scope. The edit becomes an override file, or a patch where the overlay
 * holds patches; where it equals what lower layers give, the override goes instead.
 */
export async function planProposal(
  shop: ComposeInput,
  module: ModuleConfig,
  scope: OverlayScope,
  wishes: readonly { readonly modulePath: string; readonly bytes: Content }[],
): Promise<{ readonly edits: readonly RepoEdit[]; readonly warnings: readonly string[] }> {
  const { pack } = shop;
  const { files } = pack.system;
  const place = await findOverlay(pack.system, shop, scope, module.id);
  const kind = place.exists ? await readKind(files, place.directory) : "dir";
  const lower = await composeModule(shop, module, { below: scope });
  const whole = await composeModule(shop, module);
  const edits: RepoEdit[] = [];
  const warnings: string[] = [];
  for (const { modulePath, bytes } of wishes) {
    const decided = whole.files.get(modulePath)?.layer ?? "upstream";
    if (outranks(decided, scope)) {
      warnings.push(
        `The ${decided} overlay of "${module.id}" has "${modulePath}" too and wins over the ${scope} one`,
      );
    }
    const below = lower.files.get(modulePath);
    const parts = modulePath.split("/");
    const path = kind === "patch"
      ? `${join(patchesDirectory(place.directory), ...parts)}.patch`
      : join(place.directory, ...parts);
    const exists = await files.lstat(path) !== null;
    if (below !== undefined && hashOf(below.bytes) === hashOf(bytes)) {
      if (exists) edits.push({ path, bytes: null, mode: PLAIN });
      continue;
    }
    if (kind === "dir") {
      const executable = whole.files.get(modulePath)?.executable ?? false;
      edits.push({ path, bytes, mode: executable ? 0o755 : PLAIN });
      continue;
    }
    const before = below === undefined ? null : textOf(below.bytes);
    const after = textOf(bytes);
    if (before === null || after === null) {
      warnings.push(`"${modulePath}" of "${module.id}" is not text and cannot become a patch`);
      continue;
    }
    const patch = unifiedDiff(before, after, `a/${modulePath}`, `b/${modulePath}`);
    edits.push({ path, bytes: encodeText(patch), mode: PLAIN });
  }
  if (edits.length > 0) {
    const missing = await missingMeta(pack, shop.home, place.directory, {
      moduleId: module.id,
      kind: "dir",
      upstream: lower.upstream,
    });
    for (const [path, text] of missing) edits.push({ path, bytes: encodeText(text), mode: PLAIN });
  }
  return { edits, warnings };
}

function outranks(layer: OverlayScope | "upstream", scope: OverlayScope): boolean {
  const order = ["upstream", "global", "machine", "project"];
  return order.indexOf(layer) > order.indexOf(scope);
}

interface BranchDone {
  /** The changed files, relative to the config repo. */
  readonly files: readonly string[];
  /** The working copy that holds the changes because they could not be committed; else null. */
  readonly worktree: string | null;
  readonly warnings: readonly string[];
}

/**
 * Makes the branch from HEAD and commits the changes there, with the user's hooks. When only the commit fails,
 * branch and working copy stay, so that a person can finish; when anything before fails, neither does.
 */
export async function commitOnBranch(
  pack: Pack,
  home: Home,
  work: { readonly branch: string; readonly message: string; readonly edits: readonly RepoEdit[] },
): Promise<BranchDone> {
  const { files } = pack.system;
  const { repo } = home;
  const repository = pack.git.at(repo);
  const head = await repository.refs.resolve("HEAD") ?? "";
  const worktree = join(home.scratch, pack.system.ids.uuid());
  await withPath("create", home.scratch, () => files.makeDirectory(home.scratch));
  await viaGit(
    repo,
    () => repository.worktrees.add({ path: worktree, branch: work.branch, from: "HEAD" }),
  );
  const relative = work.edits.map((edit) => pathBelow(repo, edit.path) ?? edit.path);
  try {
    for (const [index, edit] of work.edits.entries()) {
      const path = join(worktree, ...(relative[index] ?? "").split("/"));
      if (edit.bytes === null) await files.remove(path);
      else if (edit.bytes instanceof Uint8Array) {
        await writeFile(files, path, edit.bytes, edit.mode);
      } else {
        const { bytes, mode } = edit;
        await files.remove(path);
        await withPath("write", path, () => createFile(files, path, bytes, { mode }));
      }
    }
  } catch (error) {
    await files.removeTree(worktree);
    await repository.worktrees.forget(worktree);
    await repository.refs.deleteUnused(`refs/heads/${work.branch}`, head);
    throw error;
  }
  try {
    await pack.git.at(worktree).commits.paths(relative, work.message);
  } catch (error) {
    return {
      files: relative,
      worktree,
      warnings: [
        `The changes could not be committed (${
          rootCause(error)
        }); they are in "${worktree}" on the branch ${work.branch}`,
      ],
    };
  }
  const warnings: string[] = [];
  try {
    await repository.worktrees.remove(worktree);
  } catch (error) {
    warnings.push(
      `The temporary working copy "${worktree}" could not be removed: ${rootCause(error)}`,
    );
  }
  return { files: relative, worktree: null, warnings };
}
