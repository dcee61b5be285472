/**
 * Reads and checks `ecosystems/<name>/ecosystem.yaml` (amof.md §1.3).
 *
 * Problems come in two lists, errors and warnings, each with its JSON path and, where one is known, the
 * fix. Warnings never stop a command.
 *
 * @module
 */

// @ts-types="@types/std/path.d.ts"
import { join } from "@std/path";
import { AmofError } from "../error.ts";
import { isBranchName, isUnsafeUrl } from "../git/mod.ts";
import type { System } from "../system/mod.ts";
import { maskSecrets } from "../text/mask.ts";
import { cleanLine } from "../text/sanitize.ts";
import { count } from "../text/words.ts";
import {
  isInside,
  jsonPath,
  type Problem,
  problem,
  readDocument,
  tidy,
  unknownKeys,
} from "./document.ts";
import type { RawManifest } from "./manifest_schema.ts";

/** One repository of an ecosystem, with every default filled in. */
export interface Repo {
  readonly name: string;
  readonly url: string;
  /** The base branch. */
  readonly branch: string;
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  readonly readonly: boolean;
  readonly enabled: boolean;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** An ecosystem's settings, with every default filled in. */
export interface Manifest {
  readonly name: string;
  readonly description: string;
  /** Relative to the control repository, with `/`. */
  readonly workspaceDir: string;
  readonly workspaceBranch: string;
  /** Prefix of feature branches, without a trailing slash. */
  readonly featurePrefix: string;
  readonly provisioner: string | null;
  /** Names of environment variables its provisioner gets besides the usual ones. */
  readonly provisionerEnv: readonly string[];
  readonly retired: boolean;
  /** All repositories, disabled ones too. */
  readonly repos: readonly Repo[];
  readonly noTouchPaths: readonly string[];
}

/** A manifest that was read, valid or not. */
export interface ManifestCheck {
  /** The file, relative to the control repository. */
  readonly file: string;
  /** The manifest, or null when it has errors. */
  readonly manifest: Manifest | null;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
}

const URL_PREFIX = /^(?:git@|https:\/\/|http:\/\/|ssh:\/\/|file:\/\/|local)/;

/** Where the manifest of an ecosystem is, relative to the control repository. */
export function manifestFile(name: string): string {
  return `ecosystems/${name}/ecosystem.yaml`;
}

/** The first directory of a path, in lower case, whichever way the path is spelt. */
function firstStep(path: string): string {
  return tidy(path).split("/")[0]?.toLowerCase() ?? "";
}

/** Reads and checks the manifest of an ecosystem. Throws `manifest_not_found` when there is no file. */
export async function checkManifest(
  system: System,
  root: string,
  name: string,
): Promise<ManifestCheck> {
  const file = manifestFile(name);
  const path = join(root, file);
  const info = await system.files.stat(path);
  const failed = (...errors: Problem[]): ManifestCheck => ({
    file,
    manifest: null,
    errors,
    warnings: [],
  });
  if (info === null) {
    throw new AmofError(
      "manifest_not_found",
      `Cannot read the manifest of "${name}": there is no ${file}`,
      {
        hint: `Create it: amof ecosystem create ${name}`,
        details: { file },
      },
    );
  }
  const read = await readDocument(
    system,
    path,
    file,
    `Write "name: ${name}" and "repos: []"`,
  );
  if (!("document" in read)) return failed(read.problem);
  return { file, ...await inspect(read.document, name) };
}

async function inspect(document: object, name: string): Promise<Omit<ManifestCheck, "file">> {
  const { z } = await import("../spec/zod.ts");
  const { manifestSchema } = await import("./manifest_schema.ts");
  const schema = manifestSchema(z);
  const warnings = unknownKeys(document, schema.shape);
  const shape = schema.safeParse(document);
  if (!shape.success) {
    const errors = shape.error.issues.map((issue) => {
      const path = jsonPath(issue.path);
      const message = issue.message.replace(/^Invalid input: /, "");
      return problem(path, message, fixFor(issue.path, name));
    });
    return { manifest: null, errors, warnings };
  }
  const raw = shape.data;
  const errors = [...checkNames(raw, name), ...checkRepos(raw), ...checkPlaces(raw)];
  warnings.push(...doubts(raw, name));
  return { manifest: errors.length === 0 ? toManifest(raw, name) : null, errors, warnings };
}

function fixFor(path: readonly PropertyKey[], name: string): string | null {
  const last = path[path.length - 1];
  if (path.length === 1 && last === "repos") return 'Add "repos: []" or a list of repositories';
  if (path.length === 1 && last === "name") return `Write "name: ${name}"`;
  if (last === "url") return 'Add "url:" with the address to clone from';
  if (last === "name") return 'Add "name:" with a unique name';
  return null;
}

function checkNames(raw: RawManifest, name: string): Problem[] {
  const given = raw.name ?? raw.ecosystem;
  if (given === undefined) return [problem("name", "The name is missing", `Add "name: ${name}"`)];
  if (given !== name) {
    return [
      problem(
        "name",
        `The name "${given}" differs from the directory "${name}"`,
        `Write "name: ${name}", or rename the directory`,
      ),
    ];
  }
  // The workspace branch ends with the name.
  return isBranchName(`workspace/${name}`) ? [] : [
    problem(
      "name",
      `"${name}" cannot end the name of a branch`,
      'Rename the directory: no "..", and no "." or ".lock" at the end',
    ),
  ];
}

function checkRepos(raw: RawManifest): Problem[] {
  const errors: Problem[] = [];
  const names = new Map<string, number>();
  const paths = new Map<string, number>();
  raw.repos.forEach((repo, index) => {
    const at = `repos[${index}]`;
    const twin = names.get(repo.name.toLowerCase());
    if (twin !== undefined) {
      errors.push(
        problem(
          `${at}.name`,
          `The name "${repo.name}" is already used by repos[${twin}]`,
          "Give each repository its own name",
        ),
      );
    }
    names.set(repo.name.toLowerCase(), index);
    if (repo.branch !== undefined && !isBranchName(repo.branch)) {
      errors.push(
        problem(
          `${at}.branch`,
          `"${cleanLine(repo.branch, 60)}" cannot be the name of a branch`,
          "Use a name that git accepts, such as main",
        ),
      );
    }
    if (isUnsafeUrl(repo.url)) {
      errors.push(
        problem(
          `${at}.url`,
          `"${cleanLine(maskSecrets(repo.url), 60)}" is not an address that may be cloned`,
          "Use https://, ssh://, git@host:path or file://",
        ),
      );
    }
    const path = repo.path ?? `repos/${repo.name}`;
    const first = firstStep(path);
    if (!isInside(path) || first === ".git" || first === ".amof" || first === "ecosystems") {
      errors.push(
        problem(
          `${at}.path`,
          `"${cleanLine(path, 60)}" does not lie inside the workspace`,
          `Use a relative path such as repos/${repo.name}`,
        ),
      );
      return;
    }
    const place = tidy(path).toLowerCase();
    for (const [other, position] of paths) {
      if (other === place || place.startsWith(`${other}/`) || other.startsWith(`${place}/`)) {
        errors.push(
          problem(
            `${at}.path`,
            `"${cleanLine(path, 60)}" collides with the path of repos[${position}]`,
            "Give each repository its own directory",
          ),
        );
      }
    }
    paths.set(place, index);
  });
  return errors;
}

function checkPlaces(raw: RawManifest): Problem[] {
  const errors: Problem[] = [];
  if (raw.workspace_dir !== undefined) {
    const first = firstStep(raw.workspace_dir);
    if (
      !isInside(raw.workspace_dir) ||
      [".git", ".amof", "ecosystems", "provisioners", "releases"].includes(first)
    ) {
      errors.push(
        problem(
          "workspace_dir",
          `"${cleanLine(raw.workspace_dir, 60)}" cannot hold a workspace`,
          "Use a relative path such as worktrees/<name>",
        ),
      );
    }
  }
  for (const key of ["branch_prefix", "repo_branch_prefix"] as const) {
    const prefix = raw.workspace?.[key]?.replace(/\/+$/, "");
    if (prefix !== undefined && prefix !== "" && !isBranchName(`${prefix}/x`)) {
      errors.push(
        problem(
          `workspace.${key}`,
          `"${cleanLine(prefix, 60)}" cannot begin the name of a branch`,
          "Use a simple word such as feature",
        ),
      );
    }
  }
  return errors;
}

function doubts(raw: RawManifest, name: string): Problem[] {
  const warnings: Problem[] = [];
  if (raw.name === undefined && raw.ecosystem !== undefined) {
    warnings.push(
      problem("ecosystem", 'The key "ecosystem" is an older alias', `Write "name: ${name}"`),
    );
  }
  raw.repos.forEach((repo, index) => {
    if (!URL_PREFIX.test(repo.url)) {
      warnings.push(
        problem(
          `repos[${index}].url`,
          `"${cleanLine(maskSecrets(repo.url), 60)}" has no known scheme`,
          "Use https://, ssh://, git@host:path or file://",
        ),
      );
    }
  });
  raw.guardrails?.no_touch_paths?.forEach((glob, index) => {
    if (glob.startsWith("/")) {
      warnings.push(
        problem(
          `guardrails.no_touch_paths[${index}]`,
          "An absolute path never matches",
          "Write it relative to the repository",
        ),
      );
    }
  });
  const limit = (path: string, value: number | undefined, most: number) => {
    if (value !== undefined && value > most) {
      warnings.push(problem(path, `${value} is unusually high`, `Keep it at or below ${most}`));
    }
  };
  limit("context.max_files", raw.context?.max_files, 50_000);
  limit("context.summary_tokens", raw.context?.summary_tokens, 200_000);
  raw.repos.forEach((repo, index) => {
    if (repo.branch === undefined) {
      warnings.push(
        problem(
          `repos[${index}].branch`,
          'No branch is given, "main" is assumed',
          'Add "branch: main"',
        ),
      );
    }
  });
  return warnings;
}

function toManifest(raw: RawManifest, name: string): Manifest {
  const prefix = (value: string | undefined, fallback: string) =>
    value?.replace(/\/+$/, "") || fallback;
  return {
    name,
    description: raw.description ?? "",
    workspaceDir: tidy(raw.workspace_dir ?? `worktrees/${name}`),
    workspaceBranch: `${prefix(raw.workspace?.branch_prefix, "workspace")}/${name}`,
    featurePrefix: prefix(raw.workspace?.repo_branch_prefix, "feature"),
    provisioner: raw.provisioner ?? null,
    provisionerEnv: raw.provisioner_env ?? [],
    retired: raw.retired ?? false,
    repos: raw.repos.map((repo) => ({
      name: repo.name,
      url: repo.url,
      branch: repo.branch ?? "main",
      path: tidy(repo.path ?? `repos/${repo.name}`),
      readonly: repo.readonly ?? false,
      enabled: repo.enabled ?? true,
      include: repo.include ?? [],
      exclude: repo.exclude ?? [],
    })),
    noTouchPaths: raw.guardrails?.no_touch_paths ?? [],
  };
}

/** The manifest of an ecosystem; throws `manifest_invalid` with the errors when it has any. */
export async function loadManifest(system: System, root: string, name: string): Promise<Manifest> {
  const check = await checkManifest(system, root, name);
  if (check.manifest !== null) return check.manifest;
  throw manifestInvalid(name, check);
}

/** The error of a manifest with errors: the first one in the message, all in the details. */
export function manifestInvalid(name: string, check: ManifestCheck): AmofError {
  const [first] = check.errors;
  const place = first === undefined || first.path === "" ? "" : `${first.path}: `;
  return new AmofError(
    "manifest_invalid",
    `Cannot use ${check.file}: ${count(check.errors.length, "error")}, first ${place}${
      first?.message ?? "unknown"
    }`,
    {
      hint: first?.fix ?? `See them all: amof -e ${name} manifest validate`,
      details: { file: check.file, errors: check.errors, warnings: check.warnings },
    },
  );
}
