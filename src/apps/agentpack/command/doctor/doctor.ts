/**
 * `doctor`: what is wrong with a setup, and `--fix` for what can be mended without asking
 * (PACK-53).
 *
 * Git processes: up to two per root, one to see whether git is there.
 */

import { green, red } from "@std/fmt/colors";
import { dirname, join } from "@std/path";
import { count, few, shellWord } from "../../../../base/text/words.ts";
import { declare, flag, type Look, members, READS } from "../../declare/command.ts";
import { lines, nextActions, shownPath } from "../../declare/show.ts";
import { buildDesired } from "../../engine/desired.ts";
import { actionsFor } from "../../engine/next_action.ts";
import { loadSession, type Session } from "../../engine/session.ts";
import { MANIFEST_GLOB, manifestPath } from "../../engine/target_manifest.ts";
import { AgentpackError } from "../../error.ts";
import type { Answer } from "../../pack.ts";
import { OVERLAY_SCOPES, type TargetName } from "../../names.ts";
import { metaDirectory } from "../../overlay/meta.ts";
import { overlayBase, overlayCandidates } from "../../overlay/place.ts";
import {
  effectFindings,
  type Finding,
  healthFindings,
  leftovers,
  removeLeftovers,
  uncommitted,
} from "./checks.ts";
import { ignore, readUtf8, type Twins, withPosix } from "../../io.ts";
import type { Files } from "../../../../base/system/mod.ts";

// What doctor says about the roots of targets, and about manifests that git does not ignore (PACK-53).

type RootIssue = "missing" | "not_a_directory" | "not_writable";

/** One root as doctor found it. */
interface RootReport extends Twins<"root"> {
  readonly target: TargetName;
  readonly exists: boolean;
  /** Whether files can be written there, or the directory be made. */
  readonly writable: boolean;
  readonly scan_extras: boolean;
  readonly issues: readonly RootIssue[];
  /** `what to do: command`, or null. */
  readonly suggestion: string | null;
}

/** A `.gitignore` that got the line for manifests, or had it. */
interface GitignoreFix extends Twins<"repo_root" | "gitignore_path"> {
  readonly updated: boolean;
}

/** The nearest directory above a path that exists, or the path itself. */
async function nearestExisting(session: Session, path: string): Promise<string> {
  let at = path;
  while (at !== dirname(at) && await session.pack.system.files.stat(at) === null) at = dirname(at);
  return at;
}

/** Looks at one root. */
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
    ? writable ? ["missing"] : ["missing", "not_writable"]
    : !isDirectory
    ? ["not_a_directory"]
    : writable
    ? []
    : ["not_writable"];
  const suggestions: Readonly<Record<RootIssue, string>> = {
    missing: `create directory: mkdir -p ${shellWord(root)}`,
    not_a_directory: `move the file away: mv ${shellWord(root)} ${shellWord(`${root}.old`)}`,
    not_writable: `allow writing: chmod u+w ${shellWord(place)}`,
  };
  // A directory cannot be made where nothing can be written, and no permission opens what is mounted read-only.
  const issue = issues.at(-1);
  const helps = issue !== "not_writable" || !await files.isReadOnly(place);
  return {
    target,
    ...withPosix("root", root),
    exists: info !== null,
    writable,
    scan_extras: scanExtras,
    issues,
    suggestion: issue === undefined || !helps ? null : suggestions[issue],
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
    if (!tops.has(place)) tops.set(place, await git.at(place).topLevel().catch(() => null));
    const top = tops.get(place) ?? null;
    if (top === null) continue;
    const manifest = manifestPath(root, target);
    if (!await git.at(top).files.isIgnored(manifest)) {
      found.set(top, [...found.get(top) ?? [], manifest]);
    }
  }
  return found;
}

/** Adds the line for manifests to the `.gitignore` of a repository. */
async function fixGitignore(session: Session, repo: string): Promise<GitignoreFix> {
  const { files } = session.pack.system;
  const path = join(repo, ".gitignore");
  const updated = await ignore(files, repo, [MANIFEST_GLOB]);
  return {
    ...withPosix("repo_root", repo),
    ...withPosix("gitignore_path", path),
    updated,
  };
}

/** The module a directory says it belongs to, or null when it does not say. */
async function readModuleId(files: Files, overlay: string): Promise<string | null> {
  const read = await readUtf8(files, join(metaDirectory(overlay), "module_id"));
  return read === null || read === "invalid" ? null : read.text.trimEnd();
}

/** Overlays in several places, at paths that are no directories, or of another module. */
async function overlayFindings(session: Session): Promise<Finding[]> {
  const { system } = session.pack;
  const findings: Finding[] = [];
  for (const module of session.config.modules) {
    for (const scope of OVERLAY_SCOPES) {
      const say = (what: string) =>
        findings.push({
          kind: "overlay",
          module_id: module.id,
          message: `overlay layout (${scope}) module ${module.id}: ${what}`,
        });
      const base = overlayBase(session, scope);
      const existing: string[] = [];
      for (const path of overlayCandidates(base, module.id, system.env.platform)) {
        const info = await system.files.stat(path);
        if (info === null) continue;
        if (info.kind !== "directory") {
          say(`"${path}" is not a directory`);
          continue;
        }
        existing.push(path);
        const named = await readModuleId(system.files, path);
        if (named !== null && named !== module.id) {
          say(`"${path}" says that it belongs to "${named}"`);
        }
      }
      const [used, ...others] = existing;
      if (used !== undefined && others.length > 0) {
        say(
          `several directories; "${used}" is used, not ${
            others.map((one) => `"${one}"`).join(", ")
          }`,
        );
      }
    }
  }
  return findings;
}

/** How many manifests a warning names. */
const NAMED = 2;

/** `data` of `doctor`. */
interface DoctorData {
  readonly machine_id: string;
  readonly roots: readonly RootReport[];
  readonly gitignore_fixes: readonly GitignoreFix[];
  /** Broken modules and whatever else is doubtful; each is a warning, too. */
  readonly findings: readonly Finding[];
  /** Temporary files of killed processes that `--fix` removed. */
  readonly removed: readonly string[];
  readonly next_actions?: readonly string[];
}

/** Looks a setup over, and with `fix` mends what doctor can mend. */
async function examine({ pack, selection }: Look, fix: boolean): Promise<Answer<DoctorData>> {
  const session = await loadSession(pack, selection);
  const warnings = [...session.warnings];
  const findings = [
    ...await moduleFindings(session, warnings),
    ...await overlayFindings(session),
    ...await healthFindings(session),
    ...await effectFindings(session),
  ];
  const removed = fix ? await removeLeftovers(session) : [];
  const left = fix ? [] : await leftovers(session, false);
  if (left.length > 0) findings.push(leftoverFinding(left));
  findings.push(...(await uncommitted(session)).map(uncommittedFinding));
  const roots: RootReport[] = [];
  for (const { target, root, scanExtras } of session.roots) {
    roots.push(await reportRoot(session, target, root, scanExtras));
  }
  const unignored = await unignoredManifests(session);
  const fixes: GitignoreFix[] = [];
  for (const [repo, paths] of unignored) {
    if (fix) fixes.push(await fixGitignore(session, repo));
    else {
      warnings.push(
        `git does not ignore ${few(paths, NAMED)}; add ${MANIFEST_GLOB} to ${
          join(repo, ".gitignore")
        }`,
      );
    }
  }
  const actions = [
    ...roots.flatMap(({ issues, suggestion }) =>
      issues.includes("missing") && !issues.includes("not_writable") && suggestion !== null
        ? [suggestion.slice(suggestion.indexOf(":") + 1).trim()]
        : []
    ),
    ...((unignored.size > 0 || left.length > 0) && !fix
      ? [actionsFor(pack, selection).doctorFix.command]
      : []),
  ];
  return {
    data: {
      machine_id: session.machineId,
      roots,
      gitignore_fixes: fixes,
      findings,
      removed,
      ...(actions.length === 0 ? {} : { next_actions: [...new Set(actions)] }),
    },
    warnings: [...new Set([...warnings, ...findings.map((finding) => finding.message)])],
  };
}

function leftoverFinding(paths: readonly string[]): Finding {
  const what = count(paths.length, "temporary file");
  return {
    kind: "leftover",
    message: `${what} of commands that were cut short: ${few(paths, 3)}; doctor --fix removes them`,
    paths,
  };
}

function uncommittedFinding(path: string): Finding {
  return {
    kind: "uncommitted",
    message:
      `"${path}" holds changes of evolve propose that were never committed; commit them there, or remove it with git worktree remove --force`,
    paths: [path],
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

/** `doctor`. */
export const doctor = declare({
  path: ["doctor"],
  summary: "Look the setup over: roots, modules, overlays, git, lockfile, state.",
  options: {
    fix: flag({
      help: "Make git ignore the manifests, and take back and clear away what was cut short",
    }),
  },
  examples: ["doctor", "doctor --fix --yes --json"],
  changes: { flag: "fix", asks: "first" },
  look: (call) => examine(call, false),
  act: (call) => examine(call, true),
  answers: members<DoctorData>(
    "machine_id",
    "roots",
    "gitignore_fixes",
    "findings",
    "removed",
    "next_actions",
  ),
  render: ({ data }) =>
    lines(
      `Machine: ${data.machine_id}`,
      data.roots.map((root) =>
        root.issues.length === 0
          ? `  ${green("ok")}  ${root.target}  ${shownPath(root.root)}`
          : `  ${red(root.issues.join(", "))}  ${root.target}  ${shownPath(root.root)}`
      ),
      data.findings.map((finding) => `  ${red(finding.kind)}  ${shownPath(finding.message)}`),
      data.gitignore_fixes.map((fix) =>
        `  ${fix.updated ? "updated" : "unchanged"}  ${shownPath(fix.gitignore_path)}`
      ),
      data.removed.map((path) => `  removed  ${shownPath(path)}`),
      nextActions(data.next_actions),
    ),
  tools: [{
    name: "doctor",
    title: "Look a setup over",
    description: "Checks roots, modules, overlays, git, lockfile and state. Fixes nothing.",
    selecting: ["repo", "target"],
    takes: [],
    hints: READS,
  }],
});
