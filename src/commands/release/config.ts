/**
 * Reads `amof.yaml` of a repository (RELEASE-6). A damaged file is no reason to stop looking: its problems
 * are gates like all others.
 */

import { basename, join } from "@std/path";
import {
  fileProblem,
  isGitName,
  isInside,
  type Mistake,
  mistake,
  normalPath,
  placesIn,
  type Problem,
  readDocument,
  shapeMistakes,
  toProblems,
  unknownKeys,
} from "../../workspace/manifest/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

/** The file, relative to the root of the repository. */
const CONFIG_FILE = "amof.yaml";

/** Files whose version is found without a pattern, by name. */
export const PRESETS = [
  "package.json",
  "deno.json",
  "pyproject.toml",
  "Cargo.toml",
  "VERSION",
] as const;

/** A file that carries the version. */
export interface VersionFileSpec {
  /** Relative to the root, with `/`. */
  readonly path: string;
  /** The regular expression around the version; null where the name of the file says how to find it. */
  readonly pattern: string | null;
}

/** The settings of releases, with every default filled in. */
export interface ReleaseConfig {
  /** Null: those of {@linkcode PRESETS} that exist. */
  readonly versionFiles: readonly VersionFileSpec[] | null;
  readonly changelog: string;
  readonly readme: string;
  readonly branches: readonly string[];
  /** What is wrong with the file; the defaults stand in then. */
  readonly problems: readonly Problem[];
}

const DEFAULTS: ReleaseConfig = {
  versionFiles: null,
  changelog: "CHANGELOG.md",
  readme: "README.md",
  branches: ["main", "master", "release/*"],
  problems: [],
};

/** Whether the name of a file says where in it the version stands. */
function hasPreset(path: string): boolean {
  return PRESETS.some((name) => name === basename(path));
}

/** Reads the settings of the repository at `directory`; without a file these are the defaults. */
export async function loadConfig(system: System, directory: string): Promise<ReleaseConfig> {
  const path = join(directory, CONFIG_FILE);
  const info = await system.files.lstat(path);
  if (info === null) return DEFAULTS;
  const broken = (...problems: Problem[]): ReleaseConfig => ({ ...DEFAULTS, problems });
  // A link may lead out of the repository, so it is not followed.
  if (info.kind !== "file") {
    return broken(fileProblem(`${CONFIG_FILE} is not a file`, "Make it a file"));
  }
  const read = await readDocument(system, path, CONFIG_FILE, 'Write "release:" or remove the file');
  if ("problems" in read) return broken(...read.problems);
  const { document, text } = read;
  const z = await import("../../contract/zod.ts");
  const { configSchema } = await import("./config_schema.ts");
  const schema = configSchema(z);
  const shape = schema.safeParse(document);
  const unknown = unknownKeys(document, schema.shape);
  if (!shape.success) {
    const places = await placesIn(text);
    const { mistakes } = shapeMistakes(shape.error.issues, { document, places, schema: "config" });
    return broken(...toProblems([...mistakes, ...unknown], document, places));
  }
  const { release } = shape.data;
  const versionFiles =
    release?.version_files?.map((entry): VersionFileSpec =>
      typeof entry === "string"
        ? { path: normalPath(entry), pattern: null }
        : { path: normalPath(entry.path), pattern: entry.pattern ?? null }
    ) ?? null;
  const changelog = normalPath(release?.changelog ?? DEFAULTS.changelog);
  const mistakes = [
    ...unknown,
    ...(versionFiles ?? []).flatMap((file, index) =>
      versionFileMistakes(["release", "version_files", index], file)
    ),
    ...misplaced(["release", "changelog"], changelog),
  ];
  if (mistakes.length > 0) {
    return broken(...toProblems(mistakes, document, await placesIn(text)));
  }
  return {
    ...DEFAULTS,
    versionFiles,
    changelog,
    branches: release?.branches ?? DEFAULTS.branches,
  };
}

function versionFileMistakes(at: Mistake["at"], { path, pattern }: VersionFileSpec): Mistake[] {
  const vague = pattern === null && !hasPreset(path)
    ? [mistake(
      [...at, "pattern"],
      `"${cleanLine(path, 60)}" needs a pattern`,
      "Add a regular expression with one group around the version",
    )]
    : [];
  return [...misplaced(at, path), ...vague];
}

function misplaced(at: Mistake["at"], path: string): Mistake[] {
  const parts = path.split("/");
  const ours = parts[0]?.toLowerCase() === ".amof";
  if (isInside(path) && !parts.some(isGitName) && !ours) return [];
  const message = `"${cleanLine(path, 60)}" does not lie inside the repository`;
  return [mistake(at, message, "Use a relative path")];
}
