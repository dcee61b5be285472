/** Which module files the edits of deployed files belong to (PACK-49). */

import {
  bytesOf,
  compareBytes,
  type Content,
  encodeText,
  firstDifference,
  hashOf,
  sameBytes,
  textOf,
} from "../content.ts";
import { AgentpackError } from "../error.ts";
import { parseSections } from "../module/syntax.ts";
import type { TargetName } from "../names.ts";
import type { Desired, DesiredFile } from "./desired.ts";
import { type OnDisk, readOnDisk } from "./disk.ts";
import type { Session } from "./session.ts";

/** Why a difference cannot be proposed. */
type SkipReason =
  | "missing"
  | "multi_module_output"
  | "read_error"
  | "generated_header_edited"
  | "generated_output"
  | "conflicting_edits";

/** An edit that can be proposed. */
export interface Candidate {
  readonly moduleId: string;
  /** The file inside the module. */
  readonly modulePath: string;
  /** What the module's file should be. */
  readonly bytes: Content;
  readonly target: TargetName;
  /** The deployed file that was edited. */
  readonly path: string;
}

/** A difference that cannot be proposed. */
export interface Skipped {
  readonly reason: SkipReason;
  readonly target: TargetName;
  readonly path: string;
  readonly moduleIds: readonly string[];
  readonly message: string;
}

/** Everything that differs from the desired state. */
export interface Edits {
  /** Sorted by module and path. */
  readonly candidates: readonly Candidate[];
  /** Sorted by reason, target and path. */
  readonly skipped: readonly Skipped[];
  readonly warnings: readonly string[];
}

type Found = readonly Candidate[] | Skipped;

function skip(file: DesiredFile, reason: SkipReason, message: string): Skipped {
  const { target, path, moduleIds } = file;
  return { reason, target, path, moduleIds, message };
}

/** Finds the edits of deployed files, of one module or of all. */
export async function findEdits(
  session: Session,
  desired: Desired,
  moduleId?: string,
): Promise<Edits> {
  const candidates: Candidate[] = [];
  const skipped: Skipped[] = [];
  const warnings: string[] = [];
  for (const file of desired.files) {
    if (moduleId !== undefined && !file.moduleIds.includes(moduleId)) continue;
    const found = await editsOf(session, file);
    if ("reason" in found) {
      skipped.push(found);
      if (found.reason === "read_error") warnings.push(found.message);
    } else {
      candidates.push(
        ...found.filter((one) => moduleId === undefined || one.moduleId === moduleId),
      );
    }
  }
  const settled = settleRivals(candidates, warnings);
  return {
    candidates: settled.candidates.sort((a, b) =>
      firstDifference(compareBytes(a.moduleId, b.moduleId), compareBytes(a.path, b.path))
    ),
    skipped: [...skipped, ...settled.skipped].sort((a, b) =>
      firstDifference(
        compareBytes(a.reason, b.reason),
        compareBytes(a.target, b.target),
        compareBytes(a.path, b.path),
      )
    ),
    warnings,
  };
}

async function editsOf(session: Session, file: DesiredFile): Promise<Found> {
  let disk: OnDisk;
  try {
    disk = await readOnDisk(session.pack.system.files, file.path);
  } catch (error) {
    if (!(error instanceof AgentpackError)) throw error;
    return skip(file, "read_error", error.message);
  }
  if (disk.sha256 === hashOf(file.bytes)) return [];
  if (disk.bytes === null) {
    return skip(file, "missing", `"${file.path}" was deployed and is gone`);
  }
  return file.moduleIds.length === 1 ? wholeEdit(file, disk.bytes) : sectionEdits(file, disk.bytes);
}

function wholeEdit(file: DesiredFile, edited: Content): Found {
  const [origin] = file.origins;
  if (origin === undefined || file.wayBack.kind === "generated") {
    return skip(file, "generated_output", `"${file.path}" is generated, no module holds its text`);
  }
  const { moduleId, modulePath } = origin;
  const candidate = (content: Content): Candidate[] => [
    { moduleId, modulePath, bytes: content, target: file.target, path: file.path },
  ];
  if (file.wayBack.kind !== "below_header") return candidate(edited);
  const { header } = file.wayBack;
  // Only rules in Markdown have a header, and these are never left in place.
  const bytes = bytesOf(edited);
  return bytes !== null && sameBytes(bytes.slice(0, header.length), header)
    ? candidate(bytes.slice(header.length))
    : skip(
      file,
      "generated_header_edited",
      `The header of "${file.path}" is generated and was edited; set metadata.cursor of the module instead`,
    );
}

function sectionEdits(file: DesiredFile, edited: Content): Found {
  const wanted = parseSections(textOf(file.bytes) ?? "");
  const actual = parseSections(textOf(edited) ?? "");
  const complete = file.wayBack.kind === "sections" && wanted !== null && actual !== null &&
    file.moduleIds.every((id) => wanted.has(id) && actual.has(id));
  if (!complete) {
    return skip(
      file,
      "multi_module_output",
      `"${file.path}" is made of several modules and its sections cannot be told apart`,
    );
  }
  return file.origins.flatMap(({ moduleId, modulePath }): Candidate[] => {
    const text = actual.get(moduleId);
    if (text === undefined || text === wanted.get(moduleId)) return [];
    return [{
      moduleId,
      modulePath,
      bytes: encodeText(text),
      target: file.target,
      path: file.path,
    }];
  });
}

/** The same edit in several outputs counts once; different edits of one file exclude each other. */
function settleRivals(
  found: readonly Candidate[],
  warnings: string[],
): { readonly candidates: Candidate[]; readonly skipped: Skipped[] } {
  const groups = Map.groupBy(found, ({ moduleId, modulePath }) => `${moduleId}\0${modulePath}`);
  const candidates: Candidate[] = [];
  const skipped: Skipped[] = [];
  for (const group of groups.values()) {
    const [first, ...others] = group;
    if (first === undefined) continue;
    if (others.every((other) => hashOf(other.bytes) === hashOf(first.bytes))) {
      candidates.push(first);
      continue;
    }
    const message =
      `"${first.modulePath}" of "${first.moduleId}" was edited differently in several outputs`;
    warnings.push(message);
    skipped.push(...group.map(({ target, path, moduleId }): Skipped => ({
      reason: "conflicting_edits",
      target,
      path,
      moduleIds: [moduleId],
      message,
    })));
  }
  return { candidates, skipped };
}
