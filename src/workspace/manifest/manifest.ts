/**
 * Reads and checks `ecosystems/<name>/ecosystem.yaml` (WORKSPACE-5, WORKSPACE-6).
 *
 * Problems come in two lists, errors and warnings, each with its JSON path and, where one is known, the
 * fix. Warnings never stop a command.
 */

import { join } from "@std/path";
import { lightly } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { type BranchName, branchName, type RepoName, repoName, SLUG } from "../../base/ids.ts";
import type { ForgeKind, Method } from "../../forge/mod.ts";
import type { System } from "../../base/system/mod.ts";
import type { Settings } from "../../state/settings/mod.ts";
import { linkOut } from "../../base/system/within.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, shellWord } from "../../base/text/words.ts";
import { normalPath, parseText, placesIn, readBounded } from "./document.ts";
import { manifestDoubts, manifestErrors } from "./checks.ts";
import type { ManifestSchema, RawManifest } from "./schema.ts";
import {
  fileProblem,
  type Mistake,
  type Problem,
  problemText,
  shapeMistakes,
  type Steps,
  toProblems,
  unknownKeys,
} from "./shape.ts";
import { type Task, toTasks } from "./tasks.ts";

/** The base branch of a repository whose manifest names none, as long as its remote has not been asked. */
export const ASSUMED_BRANCH = "main";

/** One repository of an ecosystem, with every default filled in. */
export interface Repo {
  readonly name: RepoName;
  readonly url: string;
  /** The base branch. */
  readonly branch: BranchName;
  /** Whether the manifest names the base branch; else it is {@linkcode ASSUMED_BRANCH} until a remote was asked. */
  readonly branchGiven: boolean;
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  /** How much history its clones get: `full`, `blobless` or `shallow:N`. */
  readonly clone: string;
  /** Whether clones take what they can from a mirror on this machine. */
  readonly mirrored: boolean;
  readonly readonly: boolean;
  readonly enabled: boolean;
  /** What it can be selected by besides its name. */
  readonly tags: readonly string[];
  /** The names of the repositories it needs: they come first where order matters. */
  readonly dependsOn: readonly string[];
  /** Patterns of ignored files that go along into the workspaces of tickets. */
  readonly carry: readonly string[];
  /** The directories that new clones have of it, besides the files at its top; all where empty (WORKSPACE-26). */
  readonly sparse: readonly string[];
  /** Whether what git-lfs keeps apart is kept in its mirror. */
  readonly lfs: boolean;
  /** Whether clones get its submodules. */
  readonly submodules: boolean;
  /** Whether the manifest says in so many words that they do without; absent where it says nothing. */
  readonly withoutSubmodules?: true;
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
  /** Whether tickets are started in workspaces of their own. */
  readonly perTicket: boolean;
  /** Prefix of feature branches, without a trailing slash. */
  readonly featurePrefix: string;
  /** The engine that is meant where work is divided and none is named; null for nobody's choice. */
  readonly engine: string | null;
  readonly provisioner: string | null;
  /** Names of environment variables its provisioner gets besides the usual ones. */
  readonly provisionerEnv: readonly string[];
  readonly retired: boolean;
  /** All repositories, disabled ones too. */
  readonly repos: readonly Repo[];
  /** Names of repositories that are selected together, by the name of the group. */
  readonly groups: Readonly<Record<string, readonly string[]>>;
  /** Commands that have a name, in the order of the file. */
  readonly tasks: readonly Task[];
  readonly noTouchPaths: readonly string[];
  /** Which kind of forge hosts are, as far as the manifest says it. */
  readonly forges: Readonly<Record<string, ForgeKind>>;
  /** How pull requests are opened and landed. */
  readonly review: {
    readonly draft: boolean;
    readonly labels: readonly string[];
    readonly reviewers: readonly string[];
    readonly method: Method;
  };
  /** How a ticket's branches get the commits of their base branches where nobody says it. */
  readonly ticketUpdate: "merge" | "rebase";
  /** How much is kept of runs so that they can be undone; null where only the user's settings count. */
  readonly undo: {
    readonly on: boolean;
    readonly days: number | null;
    readonly runs: number | null;
    readonly mb: number | null;
  };
  /** The ticket whose workspace this is about: repositories that it lacks are disabled. Absent in the base workspace. */
  readonly ticket?: string;
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

/** Where the manifest of an ecosystem is, relative to the control repository. */
export function manifestFile(name: string): string {
  return `ecosystems/${name}/ecosystem.yaml`;
}

/** Where the lock of an ecosystem is, relative to the control repository. */
export function lockFile(ecosystem: string): string {
  return `ecosystems/${ecosystem}/lock.json`;
}

/**
 * Reads and checks the manifest of an ecosystem. Errors come with their lines; warnings only where `lines` is asked
 * for, because that costs more than all else. Throws `manifest_not_found` when there is no file.
 */
export async function checkManifest(
  system: System,
  root: string,
  name: string,
  lines = false,
): Promise<ManifestCheck> {
  const file = manifestFile(name);
  const path = join(root, file);
  const info = await system.files.stat(path);
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
  const read = await readBounded(system, path, file);
  if ("problems" in read) return { file, manifest: null, errors: read.problems, warnings: [] };
  const check = await checkedText(read.text, name, lines);
  const { workspaceDir } = check.manifest ?? {};
  if (workspaceDir === undefined) return check;
  if (await linkOut(system.files, root, join(root, workspaceDir)) === null) return check;
  const problem = fileProblem(
    `"${
      cleanLine(workspaceDir, 60)
    }" cannot hold a workspace: a link leads out of the control repository there`,
    "Name another place in workspace_dir, or put a directory in the place of the link",
  );
  return { ...check, manifest: null, errors: [{ ...problem, path: "workspace_dir" }] };
}

/** Checks the text that a manifest is to have. */
export async function checkManifestText(text: string, name: string): Promise<ManifestCheck> {
  return await checkedText(text, name, false);
}

/** What the texts that were checked last came to; one command reads the same manifest several times, a server often. */
const CHECKED = new Map<string, ManifestCheck>();
/** How many of them are kept. */
const KEPT = 16;

async function checkedText(text: string, name: string, lines: boolean): Promise<ManifestCheck> {
  const key = JSON.stringify([name, lines, text]);
  const known = CHECKED.get(key);
  if (known !== undefined) return known;
  const file = manifestFile(name);
  const read = await parseText(text, `Write "name: ${name}" and "repos: []"`);
  const check = "problems" in read
    ? { file, manifest: null, errors: read.problems, warnings: [] }
    : { file, ...await inspect(read, name, lines) };
  const [oldest] = CHECKED.keys();
  if (CHECKED.size >= KEPT && oldest !== undefined) CHECKED.delete(oldest);
  CHECKED.set(key, check);
  return check;
}

/** Whether a mistake is about something that another one already calls wrong. */
function isCovered(one: Mistake, others: readonly Mistake[]): boolean {
  return others.some(({ at }) =>
    at.length <= one.at.length && at.every((step, index) => step === one.at[index])
  );
}

async function inspect(
  { document, text }: { readonly document: object; readonly text: string },
  name: string,
  lines: boolean,
): Promise<Omit<ManifestCheck, "file">> {
  const { manifestSchema } = await import("./schema.ts");
  const judge = (schema: ManifestSchema) => ({
    schema,
    shape: schema.safeParse(document),
  });
  const usual = lightly(manifestSchema);
  const quick = usual === null ? null : judge(usual);
  const { schema, shape } = quick?.shape.success
    ? quick
    : judge(manifestSchema(await import("../../contract/zod.ts")));
  const unknown = unknownKeys(document, schema.shape);
  if (shape.success) {
    const errors = manifestErrors(shape.data, name);
    const warnings = [...unknown, ...manifestDoubts(shape.data, name)];
    const known = errors.length === 0 && !lines ? null : await placesIn(text);
    return {
      manifest: errors.length === 0 ? toManifest(shape.data, name) : null,
      errors: toProblems(errors, document, known),
      warnings: toProblems(warnings, document, known),
    };
  }
  const known = await placesIn(text);
  const { mistakes, rest } = shapeMistakes(shape.error.issues, {
    document,
    places: known,
    schema: "ecosystem",
    fixFor: (at, value) => fixFor(at, value, name),
  });
  // The parts whose shape is right are checked as well, so that one run finds every problem.
  const more = (found: readonly Mistake[]) => found.filter((one) => !isCovered(one, mistakes));
  return {
    manifest: null,
    errors: toProblems([...mistakes, ...more(manifestErrors(rest, name))], document, known),
    warnings: toProblems([...unknown, ...more(manifestDoubts(rest, name))], document, known),
  };
}

function fixFor(at: Steps, value: unknown, name: string): string | null {
  const last = at[at.length - 1];
  if (at.length === 1 && last === "repos") return 'Add "repos: []" or a list of repositories';
  if (at.length === 1 && last === "name") return `Write "name: ${name}"`;
  if (at.length === 2 && at[0] === "repos") {
    return 'Write "- name:" with the name and "url:" with the address below it';
  }
  if (last === "url" && (value === undefined || value === "")) {
    return 'Add "url:" with the address to clone from';
  }
  if (last === "name" && value === undefined) return 'Add "name:" with a unique name';
  if (last === "tags" || last === "depends_on" || (at[0] === "groups" && at.length === 2)) {
    return `Write a list: ${String(last)}: [${last === "tags" ? "backend" : "api"}]`;
  }
  if (at[0] === "groups") return "Write a name with a list of repositories: shop: [api, web]";
  if (at[0] === "tasks" && at.length < 3) {
    return "Write a name with what it runs: test: {run: [make, test]}";
  }
  if (at[0] === "tasks" && at[2] === "run") {
    return "Write a list: run: [make, test]\nOr a line for sh: shell: make test";
  }
  if (at[0] === "tasks" && last === "order") return "Write parallel, layers or serial";
  if (at[0] === "tasks" && at[2] === "env") return "Write names such as CI, without values";
  if (at[0] === "provisioner_env") return "Write names such as KUBECONFIG, without values";
  return null;
}

function toManifest(raw: RawManifest, name: string): Manifest {
  const prefix = (value: string | undefined, fallback: string) =>
    value?.replace(/\/+$/, "") || fallback;
  return {
    name,
    description: raw.description ?? "",
    workspaceDir: normalPath(raw.workspace_dir ?? `worktrees/${name}`),
    workspaceBranch: `${prefix(raw.workspace?.branch_prefix, "workspace")}/${name}`,
    featurePrefix: prefix(raw.workspace?.repo_branch_prefix, "feature"),
    perTicket: raw.workspace?.per_ticket ?? false,
    engine: raw.engine ?? null,
    provisioner: raw.provisioner ?? null,
    provisionerEnv: raw.provisioner_env ?? [],
    retired: raw.retired ?? false,
    repos: raw.repos.map((repo) => ({
      name: repoName(repo.name),
      url: repo.url,
      branch: branchName(repo.branch ?? ASSUMED_BRANCH),
      branchGiven: repo.branch !== undefined,
      clone: repo.clone ?? raw.clone ?? "full",
      mirrored: raw.mirrors ?? false,
      path: normalPath(repo.path ?? `repos/${repo.name}`),
      readonly: repo.readonly ?? false,
      enabled: repo.enabled ?? true,
      tags: [...new Set(repo.tags)],
      dependsOn: [...new Set(repo.depends_on)],
      carry: repo.carry ?? [],
      sparse: [...new Set(repo.sparse)],
      lfs: repo.lfs ?? false,
      submodules: repo.submodules ?? false,
      ...(repo.submodules === false ? { withoutSubmodules: true } : {}),
      include: repo.include ?? [],
      exclude: repo.exclude ?? [],
    })),
    groups: Object.fromEntries(
      Object.entries(raw.groups ?? {}).map(([group, names]) => [group, [...new Set(names)]]),
    ),
    tasks: toTasks(raw.tasks),
    noTouchPaths: raw.guardrails?.no_touch_paths ?? [],
    forges: raw.forges ?? {},
    review: {
      draft: raw.review?.draft ?? false,
      labels: [...new Set(raw.review?.labels)],
      reviewers: [...new Set(raw.review?.reviewers)],
      method: raw.review?.method ?? "merge",
    },
    ticketUpdate: raw.tickets?.update ?? "merge",
    undo: {
      on: raw.undo?.keep ?? true,
      days: raw.undo?.days ?? null,
      runs: raw.undo?.runs ?? null,
      mb: raw.undo?.mb ?? null,
    },
  };
}

/** Groups in one line: "shop (api, web)". */
export function groupsText(groups: Manifest["groups"]): string {
  return Object.entries(groups).map(([name, repos]) => `${name} (${repos.join(", ")})`).join(", ");
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
  return new AmofError(
    "manifest_invalid",
    `Cannot use ${check.file}: ${count(check.errors.length, "error")}${
      check.errors.length === 1 ? ":" : ", the first:"
    } ${first === undefined ? "unknown" : problemText(first)}`,
    {
      hint: first?.fix ?? `See them all: amof -e ${name} manifest validate`,
      details: { file: check.file, errors: check.errors, warnings: check.warnings },
    },
  );
}

/** The names of all ecosystems of a control repository, sorted. */
export async function ecosystemNames(system: System, root: string): Promise<string[]> {
  const entries = await system.files.list(join(root, "ecosystems"));
  const names: string[] = [];
  for (const entry of entries) {
    if (entry.kind !== "directory" || !SLUG.test(entry.name)) continue;
    const file = join(root, "ecosystems", entry.name, "ecosystem.yaml");
    if (await system.files.lstat(file) !== null) names.push(entry.name);
  }
  return names;
}

/** What is told where nothing can be installed yet. */
export const NO_COMMIT = "the control repository has no commit yet";

/** The commands that make the first commit of a control repository. */
export function firstCommit(ecosystem: string): readonly [add: string, commit: string] {
  const subject = shellWord(`Create ecosystem: ${ecosystem}`);
  return ["git add :/ecosystems", `git commit -m ${subject}`];
}

// How much is kept of the runs in an ecosystem so that they can be undone (UNDO-8).

/** Whether anything is kept, for how many days, of how many runs, and how many MB in all. */
export type UndoLimits = Settings["undo"];

/** What the user's settings and the manifest leave together: the less of both, so that a manifest never asks for more. */
export function undoLimits({ undo: own }: Settings, { undo }: Manifest): UndoLimits {
  const less = (a: number, b: number | null) => b === null ? a : Math.min(a, b);
  return {
    on: own.on && undo.on,
    days: less(own.days, undo.days),
    runs: less(own.runs, undo.runs),
    mb: less(own.mb, undo.mb),
  };
}
