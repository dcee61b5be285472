/** What a plan changes inside the files, as unified diffs (PACK-52). */

import type { Files } from "../../../base/system/mod.ts";
import { bytesOf, type Content, decodeText, readContent } from "../content.ts";
import { pathBelow } from "../../../base/paths.ts";
import { unifiedDiff } from "../../../base/text/diff/unified.ts";
import { safePoint } from "../interrupt.ts";
import { posix, type Twins, withPath, withPosix } from "../io.ts";
import { isTrouble, readTable } from "../../../state/entries/document.ts";
import type { SharedFile } from "../../../state/entries/types.ts";
import { withoutSecrets } from "../../../state/entries/shown.ts";
import type { TargetName } from "../names.ts";
import type { Deployment } from "./deployment.ts";
import type { Change } from "./plan.ts";
import { fileKey, rootOf } from "./roots.ts";

/** The longest text a diff is made of, in bytes. */
const MAX_BYTES = 102_400;

/** One change with its diff; the members are those of the JSON contract. */
export interface FileDiff extends Twins<"root" | "path"> {
  readonly target: TargetName;
  readonly op: Change["op"];
  /** Relative to the root. */
  readonly before_hash: string | null;
  readonly after_hash: string | null;
  /** Absent for contents that are no text or too long. */
  readonly unified?: string;
}

/** A hash with its algorithm, or null. */
export function prefixed(hash: string | null): string | null {
  return hash === null ? null : `sha256:${hash}`;
}

/** The diffs of all changes of a deployment, in the order of the plan. */
export async function fileDiffs(
  { session, desired, plan, shared }: Deployment,
): Promise<{ readonly files: readonly FileDiff[]; readonly warnings: readonly string[] }> {
  const wanted = new Map(desired.files.map((file) => [fileKey(file.target, file.path), file]));
  const files: FileDiff[] = [];
  const warnings: string[] = [];
  for (const change of plan.changes) {
    await safePoint(session.pack.system.files);
    const root = rootOf(session.roots, change.target, change.path)?.root ?? null;
    const path = root === null ? change.path : pathBelow(root, change.path) ?? change.path;
    const before = change.before_sha256 === null
      ? new Uint8Array()
      : await contentAt(session.pack.system.files, change.path);
    const edited = shared.find((one) => one.change === change);
    const after = edited?.after ?? wanted.get(fileKey(change.target, change.path))?.bytes ??
      new Uint8Array();
    const plain = diffOf(change.op, posix(path), before, after);
    const unified = edited === undefined || plain === null
      ? plain
      : await maskedDiff(edited.shared, plain, [before, after]);
    if (unified === null) {
      warnings.push(`No diff of "${change.path}": it is not text, or longer than 100 kB`);
    }
    files.push({
      target: change.target,
      op: change.op,
      root: root ?? "<unknown>",
      root_posix: posix(root ?? "<unknown>"),
      ...withPosix("path", path),
      before_hash: prefixed(change.before_sha256),
      after_hash: prefixed(change.after_sha256),
      ...(unified === null ? {} : { unified }),
    });
  }
  return { files, warnings };
}

/** The diff of a shared file without the secrets that are in it, whoever put them there. */
export async function maskedDiff(
  shared: SharedFile,
  unified: string,
  contents: readonly Content[],
): Promise<string> {
  const values: unknown[] = [];
  for (const content of contents) {
    const table = await readTable(shared, decodeText(bytesOf(content) ?? new Uint8Array()) ?? "");
    if (!isTrouble(table)) values.push(table.whole);
  }
  return withoutSecrets(unified, ...values);
}

/** What is at a path now; nothing when it has gone since. */
export function contentAt(files: Files, path: string): Promise<Content> {
  return withPath("read", path, async () => {
    const size = (await files.stat(path))?.size;
    const content = size === undefined ? null : await readContent(files, path, size);
    return content ?? new Uint8Array();
  });
}

/** The unified diff of a file; null for contents that are no text or too long. */
export function diffOf(
  op: Change["op"],
  path: string,
  before: Content,
  after: Content,
): string | null {
  const [then, now] = [bytesOf(before), bytesOf(after)];
  if (then === null || now === null) return null;
  if (then.length > MAX_BYTES || now.length > MAX_BYTES) return null;
  const left = decodeText(then);
  const right = decodeText(now);
  if (left === null || right === null) return null;
  const to = op === "delete" ? "/dev/null" : `b/${path}`;
  return unifiedDiff(left, right, `a/${path}`, to);
}
