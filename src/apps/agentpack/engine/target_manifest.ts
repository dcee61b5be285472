/** The file in every target root that proves which files are ours (PACK-10). */

import { join } from "@std/path";
import { fieldsOf } from "../../../base/object.ts";
import type { Files } from "../../../base/system/mod.ts";
import { compareBytes, decodeText, encodeText, firstDifference } from "../content.ts";
import { rootCause } from "../../../base/error.ts";
import { builtOnce, parseJson } from "../io.ts";
import { isTargetName, type TargetName } from "../names.ts";
import type { Made } from "../../../state/entries/types.ts";
import { sharedFilesOf } from "../target/shared_files.ts";
import type { TargetRoot } from "../target/target.ts";

const SCHEMA_VERSION = 1;
const LEGACY_NAME = ".agentpack.manifest.json";
const PREFIX = ".agentpack.manifest.";

/** What to put into `.gitignore`. */
export const MANIFEST_GLOB = ".agentpack.manifest*.json";

/** One file a manifest lists. */
export interface ManifestEntry {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly sha256: string;
  readonly moduleIds: readonly string[];
}

/** One entry of a shared file that a manifest lists (PACK-62). */
export interface ManagedEntry {
  /** The file, relative to the root, with `/`. */
  readonly path: string;
  readonly name: string;
  /** Of its value, however it is written. */
  readonly sha256: string;
  readonly moduleIds: readonly string[];
  /** What of the file exists because of our entries, and goes with the last one. */
  readonly made: Made;
}

/** The manifest of one root, as far as there is one. */
export interface RootManifest {
  readonly target: TargetName;
  readonly root: string;
  /** Where the manifest is or would be. */
  readonly path: string;
  /** `legacy`: read from the older name; `unusable`: there is a file, but nothing can be made of it. */
  readonly state: "present" | "legacy" | "absent" | "unusable";
  readonly entries: readonly ManifestEntry[];
  /** The entries of the root's shared files. */
  readonly shared: readonly ManagedEntry[];
  readonly warnings: readonly string[];
}

/** Where the manifest of a target is in a root. */
export function manifestPath(root: string, target: TargetName): string {
  return join(root, `${PREFIX}${target}.json`);
}

/** Whether a file of this name is a manifest of some target. */
export function isManifestName(name: string): boolean {
  return name === LEGACY_NAME || (name.startsWith(PREFIX) && name.endsWith(".json"));
}

const schema = builtOnce((z) =>
  z.looseObject({
    schema_version: z.literal(SCHEMA_VERSION),
    tool: z.string(),
    managed_files: z.array(z.looseObject({
      path: z.string(),
      sha256: z.string(),
      module_ids: z.array(z.string()).nullish(),
    })),
    managed_entries: z.array(z.looseObject({
      path: z.string(),
      name: z.string(),
      sha256: z.string(),
      module_ids: z.array(z.string()).nullish(),
      made: z.enum(["file", "table", "list"]).nullish(),
    })).nullish(),
  })
);

interface Parsed {
  readonly tool: string;
  readonly entries: readonly ManifestEntry[];
  readonly shared: readonly ManagedEntry[];
  readonly warnings: readonly string[];
}

/** What a manifest says, or in one sentence why it cannot be used. */
export async function parseManifest(bytes: Uint8Array, path: string): Promise<Parsed | string> {
  const read = parseJson(bytes);
  if (typeof read === "string") return `The manifest "${path}" is ignored: ${read}`;
  const { value } = read;
  const version = value !== null && typeof value === "object" && "schema_version" in value
    ? value.schema_version
    : 0;
  if (version !== SCHEMA_VERSION) {
    return `The manifest "${path}" is ignored: unsupported schema_version ${
      JSON.stringify(version)
    }`;
  }
  const shape = (await schema()).safeParse(value);
  if (!shape.success) {
    return `The manifest "${path}" is ignored: its shape is wrong at ${
      shape.error.issues[0]?.path.map(String).join(".")
    }`;
  }
  const warnings: string[] = [];
  const entries = shape.data.managed_files.flatMap((file): ManifestEntry[] => {
    if (/^(?:[\\/]|[A-Za-z]:)/.test(file.path) || file.path.split(/[\\/]/).includes("..")) {
      warnings.push(`The manifest "${path}" lists "${file.path}" outside of its root; ignored`);
      return [];
    }
    return [{ path: file.path, sha256: file.sha256, moduleIds: file.module_ids ?? [] }];
  });
  const { tool } = shape.data;
  const known = isTargetName(tool) ? sharedFilesOf(tool).map(({ file }) => file) : [];
  const names = new Set<string>();
  const isFirst = (key: string) => !names.has(key) && names.add(key);
  // Anything but the files that the tool has would be a way to entries of others.
  const shared = (shape.data.managed_entries ?? []).filter((entry) =>
    known.includes(entry.path) && isFirst(`${entry.path}\0${entry.name}`)
  ).map(({ path: at, name, sha256, module_ids, made }) => ({
    path: at,
    name,
    sha256,
    moduleIds: module_ids ?? [],
    made: made ?? null,
  }));
  return { tool, entries, shared, warnings };
}

/** Reads the manifest of a root. Whatever is wrong with it becomes one warning. */
export async function readManifest(
  files: Files,
  { target, root }: Pick<TargetRoot, "target" | "root">,
): Promise<RootManifest> {
  const path = manifestPath(root, target);
  const none = (state: "absent" | "unusable", warning?: string): RootManifest => ({
    target,
    root,
    path,
    state,
    entries: [],
    shared: [],
    warnings: warning === undefined ? [] : [warning],
  });
  const own = await tryRead(files, path);
  if (typeof own === "string") return none("unusable", own);
  if (own !== null) {
    const parsed = await parseManifest(own, path);
    if (typeof parsed === "string") return none("unusable", parsed);
    if (parsed.tool !== target) {
      return none("unusable", `The manifest "${path}" is ignored: it belongs to "${parsed.tool}"`);
    }
    return { ...none("absent"), ...parsed, state: "present" };
  }
  const legacyPath = join(root, LEGACY_NAME);
  const legacy = await tryRead(files, legacyPath);
  if (typeof legacy === "string") return none("absent", legacy);
  if (legacy === null) return none("absent");
  const parsed = await parseManifest(legacy, legacyPath);
  if (typeof parsed === "string") return none("absent", parsed);
  // Several targets can share a root; the older name holds only one of them.
  if (parsed.tool !== target) return none("absent");
  return {
    ...none("absent"),
    state: "legacy",
    entries: parsed.entries,
    shared: parsed.shared,
    warnings: [`Used the manifest of an older version: "${legacyPath}"`, ...parsed.warnings],
  };
}

async function tryRead(files: Files, path: string): Promise<Uint8Array | string | null> {
  try {
    return await files.readBytes(path);
  } catch (error) {
    return `The manifest "${path}" is ignored: ${rootCause(error)}`;
  }
}

interface ManifestFacts {
  readonly target: TargetName;
  readonly snapshotId: string;
  readonly generatedAt: string;
  readonly entries: readonly ManifestEntry[];
  readonly shared: readonly ManagedEntry[];
}

/** The bytes of a manifest; entries are sorted by path. */
export function manifestBytes(
  { target, snapshotId, generatedAt, entries, shared }: ManifestFacts,
): Uint8Array {
  const manifest = {
    schema_version: SCHEMA_VERSION,
    generated_at: generatedAt,
    tool: target,
    snapshot_id: snapshotId,
    managed_files: [...entries].sort((a, b) => compareBytes(a.path, b.path)).map(entryOf),
    ...(shared.length === 0 ? {} : { managed_entries: sortedShared(shared).map(sharedOf) }),
  };
  return encodeText(`${JSON.stringify(manifest, null, 2)}\n`);
}

function sortedShared(shared: readonly ManagedEntry[]): ManagedEntry[] {
  return [...shared].sort((a, b) =>
    firstDifference(compareBytes(a.name, b.name), compareBytes(a.path, b.path))
  );
}

function sharedOf(entry: ManagedEntry): Readonly<Record<string, unknown>> {
  const { path, name, sha256, moduleIds, made } = entry;
  return {
    path,
    name,
    sha256,
    ...(moduleIds.length === 0 ? {} : { module_ids: moduleIds }),
    ...(made === null ? {} : { made }),
  };
}

/** A manifest that lists these entries of its shared file; everything else stays as it is. */
export function withSharedEntries(
  bytes: Uint8Array,
  shared: readonly ManagedEntry[],
): Uint8Array {
  const { managed_entries: _before, ...manifest } = fieldsOf(JSON.parse(decodeText(bytes) ?? "{}"));
  const listed = sortedShared(shared).map(sharedOf);
  const text = JSON.stringify(
    { ...manifest, ...(listed.length === 0 ? {} : { managed_entries: listed }) },
    null,
    2,
  );
  return encodeText(`${text}\n`);
}

function entryOf(entry: ManifestEntry): Readonly<Record<string, unknown>> {
  return {
    path: entry.path,
    sha256: entry.sha256,
    ...(entry.moduleIds.length === 0 ? {} : { module_ids: entry.moduleIds }),
  };
}

/** A manifest without the entries of some paths and with others besides; everything else stays as it is. */
export function editEntries(
  bytes: Uint8Array,
  without: readonly string[],
  more: readonly ManifestEntry[],
): Uint8Array {
  if (without.length === 0 && more.length === 0) return bytes;
  const manifest: unknown = JSON.parse(decodeText(bytes) ?? "null");
  const pathOf = (file: { readonly path?: unknown }) => String(file.path);
  const text = JSON.stringify(
    manifest,
    (key, value: unknown) =>
      key === "managed_files" && Array.isArray(value)
        ? [...value.filter((file) => !without.includes(pathOf(file))), ...more.map(entryOf)]
          .sort((a, b) => compareBytes(pathOf(a), pathOf(b)))
        : value,
    2,
  );
  return encodeText(`${text}\n`);
}

/** Whether two lists of entries of shared files say the same, in whatever order. */
export function sameShared(a: readonly ManagedEntry[], b: readonly ManagedEntry[]): boolean {
  const text = (entries: readonly ManagedEntry[]) =>
    JSON.stringify(sortedShared(entries).map(sharedOf));
  return text(a) === text(b);
}

/** Whether two lists of entries say the same, in whatever order. */
export function sameEntries(a: readonly ManifestEntry[], b: readonly ManifestEntry[]): boolean {
  const lines = (entries: readonly ManifestEntry[]) =>
    entries.map((entry) => JSON.stringify([entry.path, entry.sha256, entry.moduleIds]))
      .sort(compareBytes).join("\n");
  return lines(a) === lines(b);
}

// The module ids under which `bootstrap` records the files it installs (PACK-57).

/** The skill that tells an agent how to use this tool. */
export const OPERATOR_SKILL = "skill:agentpack-operator";

/** The skill that tells an agent how to work on many repositories. */
export const AMOF_SKILL = "skill:amof";

/** The commands for Claude Code, without their prefix `ap-`. */
export const OPERATOR_COMMANDS = [
  "doctor",
  "update",
  "preview",
  "plan",
  "diff",
  "deploy",
  "status",
  "explain",
  "evolve",
] as const;

const IDS: readonly string[] = [
  OPERATOR_SKILL,
  AMOF_SKILL,
  ...OPERATOR_COMMANDS.map((name) => `command:ap-${name}`),
];

/**
 * Whether a managed file is an operator asset: all its modules are, and no configured module has one of
 * their ids. Deploys leave such files and their entries alone.
 */
export function isOperatorFile(
  moduleIds: readonly string[],
  configured: ReadonlySet<string>,
): boolean {
  return moduleIds.length > 0 &&
    moduleIds.every((id) => IDS.includes(id) && !configured.has(id));
}
