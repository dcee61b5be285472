/**
 * `doctor`: what is wrong with a setup, and `--fix` for what can be mended without asking
 * (PACK-53).
 *
 * Git processes: up to two per root, one to see whether git is there.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { AgentpackError } from "../error.ts";
import { buildDesired } from "../engine/desired.ts";
import { type HeldLock, withHomeLock } from "../engine/lock.ts";
import { shellWord } from "../../text/words.ts";
import { actionsFor } from "../engine/next_action.ts";
import { loadSession, type Session } from "../engine/session.ts";
import { MANIFEST_GLOB, manifestPath } from "../engine/target_manifest.ts";
import { homeOf } from "../identity/home.ts";
import { posix, writeFile } from "../io.ts";
import type { TargetName } from "../names.ts";
import type { Answer, Pack, Selection } from "../pack.ts";
import { type Finding, healthFindings } from "./doctor_health.ts";
import { overlayFindings } from "./doctor_overlays.ts";

/** What is wrong with a root. */
export type RootIssue = "missing" | "not_a_directory" | "not_writable";

/** One root as doctor found it. */
export interface RootReport {
  readonly target: TargetName;
  readonly root: string;
  readonly root_posix: string;
  readonly exists: boolean;
  /** Whether files can be written there, or the directory be made. */
  readonly writable: boolean;
  readonly scan_extras: boolean;
  readonly issues: readonly RootIssue[];
  /** `what to do: command`, or null. */
  readonly suggestion: string | null;
}

/** A `.gitignore` that got the line for manifests, or had it. */
export interface GitignoreFix {
  readonly repo_root: string;
  readonly repo_root_posix: string;
  readonly gitignore_path: string;
  readonly gitignore_path_posix: string;
  readonly updated: boolean;
}

/** `data` of `doctor`. */
export interface DoctorData {
  readonly machine_id: string;
  readonly roots: readonly RootReport[];
  readonly gitignore_fixes: readonly GitignoreFix[];
  /** Broken modules and whatever else is doubtful; each is a warning, too. */
  readonly findings: readonly Finding[];
  readonly next_actions?: readonly string[];
}

/** Looks a setup over, and with `fix` mends what doctor can mend. */
export async function doctor(
  pack: Pack,
  selection: Selection,
  options: { readonly fix: boolean },
): Promise<Answer<DoctorData>> {
  if (!options.fix) return await examine(pack, selection, null);
  const home = homeOf(pack.system.env, selection.repo);
  return await withHomeLock(pack.system, home, (held) => examine(pack, selection, held));
}

async function examine(
  pack: Pack,
  selection: Selection,
  held: HeldLock | null,
): Promise<Answer<DoctorData>> {
  const session = await loadSession(pack, selection);
  const warnings = [...held?.warnings ?? [], ...session.warnings];
  const findings = [
    ...await moduleFindings(session, warnings),
    ...await overlayFindings(session),
    ...await healthFindings(session),
  ];
  const roots: RootReport[] = [];
  for (const { target, root, scanExtras } of session.roots) {
    roots.push(await reportRoot(session, target, root, scanExtras));
  }
  const unignored = await unignoredManifests(session);
  const fixes: GitignoreFix[] = [];
  for (const [repo, paths] of unignored) {
    if (held !== null) fixes.push(await fixGitignore(session, repo));
    else {
      warnings.push(
        `git does not ignore ${paths.join(", ")}; add ${MANIFEST_GLOB} to ${
          join(repo, ".gitignore")
        }`,
      );
    }
  }
  const actions = [
    ...roots.flatMap(({ issues, suggestion }) =>
      issues.includes("missing") && suggestion !== null
        ? [suggestion.slice(suggestion.indexOf(":") + 1).trim()]
        : []
    ),
    ...(unignored.size > 0 && held === null ? [actionsFor(pack, selection).doctorFix.command] : []),
  ];
  return {
    data: {
      machine_id: session.machineId,
      roots,
      gitignore_fixes: fixes,
      findings,
      ...(actions.length === 0 ? {} : { next_actions: [...new Set(actions)] }),
    },
    warnings: [...new Set([...warnings, ...findings.map((finding) => finding.message)])],
  };
}

/** Modules that cannot be composed or rendered; what is merely doubtful goes to the warnings. */
async function moduleFindings(session: Session, warnings: string[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    const desired = await buildDesired(session, {
      onBroken: (moduleId, error) =>
        void findings.push({
          kind: "module",
          module_id: moduleId,
          code: error.code,
          message: error.message,
        }),
    });
    warnings.push(...desired.warnings);
  } catch (error) {
    if (!(error instanceof AgentpackError) || error.code !== "E_DESIRED_STATE_CONFLICT") {
      throw error;
    }
    findings.push({ kind: "conflict", code: error.code, message: error.message });
  }
  return findings;
}

/** The nearest directory above a path that exists, or the path itself. */
async function nearestExisting(session: Session, path: string): Promise<string> {
  let at = path;
  while (at !== dirname(at) && await session.pack.system.files.stat(at) === null) at = dirname(at);
  return at;
}

async function reportRoot(
  session: Session,
  target: TargetName,
  root: string,
  scanExtras: boolean,
): Promise<RootReport> {
  const { files } = session.pack.system;
  const info = await files.stat(root);
  const place = await nearestExisting(session, root);
  const isDirectory = info?.kind === "directory";
  const writable = (info === null || isDirectory) && await files.isWritable(place);
  const issues: RootIssue[] = info === null
    ? ["missing"]
    : !isDirectory
    ? ["not_a_directory"]
    : writable
    ? []
    : ["not_writable"];
  const suggestions: Readonly<Record<RootIssue, string>> = {
    missing: `create directory: mkdir -p ${shellWord(root)}`,
    not_a_directory: `move the file away: mv ${shellWord(root)} ${shellWord(`${root}.old`)}`,
    not_writable: `allow writing: chmod u+w ${shellWord(root)}`,
  };
  const [issue] = issues;
  return {
    target,
    root,
    root_posix: posix(root),
    exists: info !== null,
    writable,
    scan_extras: scanExtras,
    issues,
    suggestion: issue === undefined ? null : suggestions[issue],
  };
}

/** Manifests that git would list as untracked files, by the top of their repository. */
async function unignoredManifests(session: Session): Promise<ReadonlyMap<string, string[]>> {
  const { git } = session.pack;
  const tops = new Map<string, string | null>();
  const found = new Map<string, string[]>();
  for (const { target, root } of session.roots) {
    const place = await nearestExisting(session, root);
    // A repository that git does not trust is not ours to complain about.
    if (!tops.has(place)) tops.set(place, await git.topLevel(place).catch(() => null));
    const top = tops.get(place) ?? null;
    if (top === null) continue;
    const manifest = manifestPath(root, target);
    if (!await git.isIgnored(top, manifest)) found.set(top, [...found.get(top) ?? [], manifest]);
  }
  return found;
}

async function fixGitignore(session: Session, repo: string): Promise<GitignoreFix> {
  const { files } = session.pack.system;
  const path = join(repo, ".gitignore");
  const text = await files.readText(path) ?? "";
  const updated = !text.split(/\r?\n/).includes(MANIFEST_GLOB);
  if (updated) {
    const end = text.includes("\r\n") ? "\r\n" : "\n";
    const before = text === "" || text.endsWith("\n") ? text : `${text}${end}`;
    await writeFile(files, path, `${before}${MANIFEST_GLOB}${end}`);
  }
  return {
    repo_root: repo,
    repo_root_posix: posix(repo),
    gitignore_path: path,
    gitignore_path_posix: posix(path),
    updated,
  };
}
