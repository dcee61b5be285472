/** What would have to change on the disk (PACK-28). */

import { count, few, shellWord } from "../../../base/text/words.ts";
import { byTargetAndPath, bytesOf, type Content, decodeText, hashOf, textOf } from "../content.ts";
import { AgentpackError } from "../error.ts";
import { safePoint } from "../interrupt.ts";
import { type Twins, withPosix } from "../io.ts";
import type { TargetName } from "../names.ts";
import type { Desired, DesiredFile } from "./desired.ts";
import { AS_WANTED, lookAtMany, type OnDisk } from "./disk.ts";
import { globalWords } from "./next_action.ts";
import type { Managed, ManagedFile } from "./managed.ts";
import { isProgram, refusalOf, type Refusals } from "./programs.ts";
import { escapeWarnings, fileKey, rootOf } from "./roots.ts";
import type { Session } from "./session.ts";
import { type HiddenCharacters, hiddenCharacters, markName } from "../../../base/text/sanitize.ts";
import { collisionLine } from "../diff.ts";

// What a plan would write and nobody wants to: what a reviewer would not see (PACK-52), and markers that git leaves where
// two sides collided (PACK-55).

/** Longer texts are not read by anybody, and have no diff either. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Whether bytes are printable ASCII and line ends but carriage returns, as most texts are: told without decoding them. */
function isPlain(bytes: Uint8Array): boolean {
  // A plain loop: this runs over every byte that a plan would write.
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0;
    if (byte >= 0x7f || (byte < 0x20 && byte !== 0x0a && byte !== 0x09)) return false;
  }
  return true;
}

/** What was found in contents: several targets share one. */
const judged = new WeakMap<Content, HiddenCharacters | null>();

function inContent({ bytes: content }: DesiredFile): HiddenCharacters | null {
  return judged.getOrInsertComputed(content, () => {
    const bytes = bytesOf(content);
    const isUnread = bytes === null || bytes.length > MAX_BYTES || isPlain(bytes);
    const text = isUnread ? null : decodeText(bytes);
    return text === null ? null : hiddenCharacters(text);
  });
}

/** Warnings about a path, and what would be written there, that hide or reorder what is read. */
function hiddenWarnings(path: string, file: DesiredFile | undefined): string[] {
  const found = file === undefined ? null : inContent(file);
  const marked = markName(path);
  return [
    ...(marked === path ? [] : [
      `The path "${marked}" has hidden characters: it is another one than it looks like`,
    ]),
    ...(found === null ? [] : [
      `"${marked}" would get ${
        said(found)
      }, first in line ${found.line}: it says something else than it looks like`,
    ]),
  ];
}

function said({ count: found, codes }: HiddenCharacters): string {
  return `${count(found, "hidden character")} (${few(codes, 4)})`;
}

/** How many files an error names. */
const NAMED = 5;

/**
 * Warnings about markers in files that a plan would write. A text may quote them, so that they are refused only while
 * the config repo is in the middle of what leaves them. Throws `E_GIT_WORKTREE_DIRTY`.
 */
async function collisionWarnings(
  { pack, home }: Session,
  files: readonly DesiredFile[],
): Promise<string[]> {
  // Several targets share a content.
  const lines = new Map<Content, number | null>();
  const marked = files.flatMap(({ path, bytes }) => {
    const line = lines.getOrInsertComputed(bytes, () => {
      const text = textOf(bytes);
      return text === null ? null : collisionLine(text);
    });
    return line === null ? [] : [{ path, line }];
  });
  if (marked.length === 0) return [];
  const git = pack.git.at(home.repo, "config repo");
  const unfinished = (await git.activity().catch(() => null))?.inProgress ?? null;
  if (unfinished === null) {
    return marked.map(({ path, line }) =>
      `"${path}" would get conflict markers of git, first in line ${line}`
    );
  }
  const inRepo = `git -C ${shellWord(home.repo)} ${unfinished}`;
  throw new AgentpackError(
    "E_GIT_WORKTREE_DIRTY",
    `The config repo "${home.repo}" is in the middle of a ${unfinished}, and ${
      count(marked.length, "file")
    } would get its conflict markers: ${few(marked.map(({ path }) => path), NAMED)}`,
    {
      in_progress: unfinished,
      conflict_files: marked.map(({ path }) => path),
      hint:
        `Edit them there and finish it: ${inRepo} --continue, or take it back: ${inRepo} --abort`,
    },
  );
}

/** One entry of a shared file that a change sets or takes away; the members are those of the JSON contract. */
export interface EntryChange {
  readonly op: "create" | "update" | "delete";
  /** The table and the name: `mcpServers.github`. */
  readonly key: string;
  readonly module_ids: readonly string[];
  readonly before_sha256: string | null;
  readonly after_sha256: string | null;
  readonly update_kind?: "managed_update" | "adopt_update";
  readonly locally_modified?: true;
  readonly hidden_characters?: true;
  /** What the tool does because of it, in full but for secrets: `runs: npx …`. */
  readonly runs?: string;
  /** What the tool does no more when it goes, of entries that have no names of their own. */
  readonly stops?: string;
  /** Where its module comes from, when not from this machine. */
  readonly from?: string;
  /** Why a deploy will refuse it. */
  readonly refused?: string;
}

/** One change; the members are those of the JSON contract. */
export interface Change extends Twins<"path"> {
  readonly target: TargetName;
  readonly op: "create" | "update" | "delete";
  readonly before_sha256: string | null;
  readonly after_sha256: string | null;
  readonly update_kind?: "managed_update" | "adopt_update";
  readonly reason: string;
  /** A managed file differs from what was last written: the change would discard an edit. */
  readonly locally_modified?: true;
  /** The destination is a link, which would be replaced by a file. */
  readonly is_symlink?: true;
  /** The path, or what would be written, has characters that hide or reorder what is read. */
  readonly hidden_characters?: true;
  /** A file that belongs to hooks: a tool runs it, or what it runs reads it. */
  readonly program?: true;
  /** Where its module comes from, when not from this machine and it is such a file. */
  readonly from?: string;
  /** Why a deploy will refuse it. */
  readonly refused?: string;
  /** Of a file that is shared with others: the entries that change in it, and nothing else does. */
  readonly entries?: readonly EntryChange[];
}

/** How many changes there are of each kind. */
export interface ChangeSummary {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
}

/** All changes, sorted by target and path. */
export interface Plan {
  readonly changes: readonly Change[];
  readonly summary: ChangeSummary;
  readonly warnings: readonly string[];
}

/** Counts changes by kind. */
export function summarize(changes: readonly { readonly op: string }[]): ChangeSummary {
  const count = (op: string) => changes.filter((change) => change.op === op).length;
  return { create: count("create"), update: count("update"), delete: count("delete") };
}

/** A plan with the changes of shared files. */
export function withShared(plan: Plan, shared: readonly Change[], more: readonly string[]): Plan {
  if (shared.length === 0) return { ...plan, warnings: [...more, ...plan.warnings] };
  const changes = [...plan.changes, ...shared].sort(byTargetAndPath);
  return { changes, summary: summarize(changes), warnings: [...more, ...plan.warnings] };
}

/** Compares the desired state with the disk. Throws `E_IO_*` for places that cannot be read. */
export async function makePlan(
  session: Session,
  desired: Desired,
  managed: Managed,
  refusals: Refusals,
): Promise<Plan> {
  const { files } = session.pack.system;
  const wanted = new Set(desired.files.map((file) => file.path));
  const byKey = new Map(desired.files.map((file) => [fileKey(file.target, file.path), file]));
  const stale = [...managed.files.values()].filter((file) =>
    !file.operator && !byKey.has(fileKey(file.target, file.path)) && !wanted.has(file.path)
  );
  const found = new Map<string, Found | Failure>();
  await lookAtMany(
    files,
    new Map<string, Content | null>([
      ...stale.map(({ path }) => [path, null] as const),
      ...desired.files.map(({ path, bytes }) => [path, bytes] as const),
    ]),
    (path, disk) => found.set(path, disk === AS_WANTED ? disk : { ...disk, bytes: null }),
    (path, error) => found.set(path, { error }),
  );
  const warnings: string[] = [];
  const way = ["evolve", "propose", ...globalWords(session.selection)].map(shellWord).join(" ");
  const hidden: string[] = [];
  const changes: Change[] = [];
  const written: DesiredFile[] = [];
  const add = (change: Change, file: DesiredFile | undefined) => {
    const said = hiddenWarnings(change.path, file);
    hidden.push(...said);
    changes.push(said.length === 0 ? change : { ...change, hidden_characters: true });
  };
  for (const file of desired.files) {
    await safePoint(files);
    const change = changeOf(file, known(found, file.path), managed);
    if (change === null) continue;
    written.push(file);
    add({ ...change, ...programFacts(file, refusals) }, file);
  }
  for (const file of stale) {
    await safePoint(files);
    const change = deletionOf(file, found, warnings);
    if (change !== null) add(change, undefined);
  }
  changes.sort(byTargetAndPath);
  // Files that are created are left out: their directory is most often not there yet.
  const there = changes.flatMap(({ op, target, path }) => {
    const root = op === "create" ? null : rootOf(session.roots, target, path);
    return root === null ? [] : [{ root: root.root, path }];
  });
  return {
    changes,
    summary: summarize(changes),
    warnings: [
      ...warnings,
      ...await collisionWarnings(session, written),
      ...await escapeWarnings(files, there),
      ...hidden,
      ...changes.flatMap((change) => changeWarnings(change, way)),
    ],
  };
}

type Found = OnDisk | typeof AS_WANTED;

interface Failure {
  readonly error: unknown;
}

/** What was found at a path; throws what looking there threw. */
function known(found: ReadonlyMap<string, Found | Failure>, path: string): Found {
  const disk = found.get(path) ?? { error: new Error(`Nobody looked at "${path}"`) };
  if (disk !== AS_WANTED && "error" in disk) throw disk.error;
  return disk;
}

/** The change a desired file needs, or null. */
function changeOf(file: DesiredFile, disk: Found, managed: Managed): Change | null {
  if (disk === AS_WANTED) return null;
  const after = hashOf(file.bytes);
  if (disk.sha256 === after) return null;
  const owner = managed.files.get(fileKey(file.target, file.path));
  const common = {
    target: file.target,
    ...withPosix("path", file.path),
    before_sha256: disk.sha256,
    after_sha256: after,
    ...(disk.kind === "symlink" ? { is_symlink: true as const } : {}),
  };
  if (disk.sha256 === null) return { ...common, op: "create", reason: "file missing" };
  return {
    ...common,
    op: "update",
    ...(owner === undefined
      ? { update_kind: "adopt_update", reason: "would overwrite unmanaged existing file" }
      : { update_kind: "managed_update", reason: "content differs" }),
    ...edited(owner, disk.sha256),
  };
}

/** The deletion of a file that is no longer wanted, or null; what has become something else is left alone. */
function deletionOf(
  file: ManagedFile,
  found: ReadonlyMap<string, Found | Failure>,
  warnings: string[],
): Change | null {
  try {
    const disk = known(found, file.path);
    if (disk === AS_WANTED || disk.kind === "absent") return null;
    return {
      target: file.target,
      op: "delete",
      ...withPosix("path", file.path),
      before_sha256: disk.sha256,
      after_sha256: null,
      reason: "no longer managed",
      ...edited(file, disk.sha256),
      ...(disk.kind === "symlink" ? { is_symlink: true as const } : {}),
    };
  } catch (error) {
    if (!(error instanceof AgentpackError) || error.code !== "E_IO_INVALID_PATH") throw error;
    warnings.push(`"${file.path}" is no longer a file and is left alone`);
    return null;
  }
}

/** What is to be known of a file that belongs to hooks. */
function programFacts(
  file: DesiredFile,
  refusals: Refusals,
): Pick<Change, "program" | "from" | "refused"> {
  if (!isProgram(file)) return {};
  const refused = refusalOf(file, refusals);
  return {
    program: true,
    ...(file.remote === null ? {} : { from: file.remote }),
    ...(refused === null ? {} : { refused }),
  };
}

function edited(
  owner: ManagedFile | undefined,
  disk: string | null,
): { readonly locally_modified?: true } {
  const differs = owner !== undefined && owner.sha256 !== null && owner.sha256 !== disk;
  return differs ? { locally_modified: true } : {};
}

/** What is to be known about a change; `way` is the command that keeps an edit. */
function changeWarnings(change: Change, way: string): string[] {
  const warnings: string[] = [];
  if (change.refused !== undefined) {
    warnings.push(`"${change.path}" will be refused: ${change.refused}`);
  }
  if (change.from !== undefined) {
    warnings.push(`"${change.path}" comes from ${change.from} and would be run by a hook`);
  }
  if (change.locally_modified) {
    warnings.push(
      `"${change.path}" was edited since it was deployed; the ${change.op} would discard that (${way} can keep it)`,
    );
  }
  if (change.is_symlink) {
    warnings.push(
      change.op === "delete"
        ? `"${change.path}" is a link; the link would be removed, not what it leads to`
        : `"${change.path}" is a link; it would be replaced by a file, and what it leads to left alone`,
    );
  }
  return warnings;
}
