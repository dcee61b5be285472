/** `evolve restore`: brings deployed files back that are gone, and does nothing else (PACK-50). */

import { byTargetAndPath, createFile } from "../../content.ts";
import { filterWarnings } from "../../config/select.ts";
import { dirname } from "@std/path";
import {
  type Act,
  declare,
  DRY_RUN,
  EVERY_SELECTOR,
  type Look,
  MAY_SAY_YES,
  members,
  text,
} from "../../declare/command.ts";
import { lines, shownPath } from "../../declare/show.ts";
import { type Preparation, prepareDesired } from "../../engine/deployment.ts";
import type { DesiredFile } from "../../engine/desired.ts";
import { missingParents, modeAfter, readOnDisk } from "../../engine/disk.ts";
import { removeEmpty } from "../../engine/journal.ts";
import { refuseEscape, rootOf } from "../../engine/roots.ts";
import { AgentpackError } from "../../error.ts";
import { safePoint } from "../../interrupt.ts";
import { withPath, withPosix } from "../../io.ts";
import type { TargetName } from "../../names.ts";
import type { Answer } from "../../pack.ts";

/** `data` of `evolve restore`. */
interface EvolveRestoreData {
  readonly restored: readonly {
    readonly target: TargetName;
    readonly path: string;
    readonly path_posix: string;
    readonly module_ids?: readonly string[];
  }[];
  readonly summary: {
    readonly missing: number;
    readonly restored: number;
    readonly skipped_existing: number;
    readonly skipped_read_error: number;
  };
  readonly reason: "restored" | "dry_run" | "no_missing";
}

/** Writes the deployed files that are gone. Existing files, manifests and snapshots are not touched. */
async function restore(
  { pack, selection }: Look,
  moduleId: string | undefined,
  act: Act | null,
): Promise<Answer<EvolveRestoreData>> {
  const prepared = await prepareDesired(pack, selection);
  const warnings = [...filterWarnings(prepared.session.config, moduleId), ...prepared.warnings];
  const missing: DesiredFile[] = [];
  const count = { existing: 0, unreadable: 0 };
  for (const file of prepared.desired.files) {
    if (moduleId !== undefined && !file.moduleIds.includes(moduleId)) continue;
    try {
      const disk = await readOnDisk(pack.system.files, file.path);
      if (disk.kind === "absent") missing.push(file);
      else count.existing++;
    } catch (error) {
      if (!(error instanceof AgentpackError)) throw error;
      warnings.push(error.message);
      count.unreadable++;
    }
  }
  const sorted = missing.sort(byTargetAndPath);
  const answer = (reason: EvolveRestoreData["reason"]): EvolveRestoreData => ({
    restored: sorted.map((file) => ({
      target: file.target,
      ...withPosix("path", file.path),
      ...(file.moduleIds.length === 0 ? {} : { module_ids: file.moduleIds }),
    })),
    summary: {
      missing: sorted.length,
      restored: reason === "restored" ? sorted.length : 0,
      skipped_existing: count.existing,
      skipped_read_error: count.unreadable,
    },
    reason,
  });
  if (sorted.length === 0) return { data: answer("no_missing"), warnings };
  if (act === null) return { data: answer("dry_run"), warnings };
  await act.approve(answer("dry_run"));
  await create(prepared, sorted);
  return { data: answer("restored"), warnings };
}

/** Creates the files; when one fails, those made before it go again. */
async function create(
  { session }: Preparation,
  missing: readonly DesiredFile[],
): Promise<void> {
  const { files } = session.pack.system;
  const made: string[] = [];
  const directories: string[] = [];
  try {
    for (const file of missing) {
      await safePoint(files);
      const root = rootOf(session.roots, file.target, file.path)?.root ?? dirname(file.path);
      await refuseEscape(files, root, file.path);
      directories.push(...await missingParents(files, file.path));
      // A file that appeared meanwhile makes this fail instead of being overwritten.
      await withPath(
        "create",
        file.path,
        () => createFile(files, file.path, file.bytes, { mode: modeAfter(null, file.executable) }),
      );
      made.push(file.path);
    }
  } catch (error) {
    for (const path of made) await files.remove(path);
    await removeEmpty(files, directories.toReversed());
    throw error;
  }
}

/** `evolve restore`. */
export const evolveRestore = declare({
  path: ["evolve", "restore"],
  summary: "Write deployed files again that are gone; touch nothing that exists.",
  options: {
    module_id: text({
      help: "Only files of this module",
      value: "ID",
      schema: {
        type: "string",
        description: "Only restore missing outputs attributable to a module id.",
      },
    }),
  },
  examples: ["evolve restore --dry-run", "evolve restore --yes"],
  changes: { asks: "late" },
  look: (call, { module_id }) => restore(call, module_id, null),
  act: (call, { module_id }) => restore(call, module_id, call),
  answers: members<EvolveRestoreData>("restored", "summary", "reason"),
  render: ({ data }) =>
    lines(
      data.reason === "no_missing"
        ? "Nothing is missing"
        : data.reason === "dry_run"
        ? "Would restore:"
        : "Restored:",
      data.restored.map((file) => `  ${file.target}  ${shownPath(file.path)}`),
    ),
  isIdle: ({ data }) => data.reason === "no_missing",
  tools: [{
    name: "evolve_restore",
    title: "Restore missing files",
    description:
      "Writes deployed files again that are gone, and nothing else. Needs yes=true once the person has agreed; dry_run=true lists them.",
    selecting: EVERY_SELECTOR,
    takes: ["module_id"],
    more: { dry_run: DRY_RUN, yes: MAY_SAY_YES },
    hints: { reads: false, destroys: false, idempotent: true, openWorld: true },
  }],
});
