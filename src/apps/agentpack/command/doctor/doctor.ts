/**
 * `doctor`: what is wrong with a setup, and `--fix` for what can be mended without asking
 * (PACK-53).
 *
 * Git processes: up to two per root, one to see whether git is there.
 */

import { green, red } from "@std/fmt/colors";
import { join } from "@std/path";
import { count, few } from "../../../../base/text/words.ts";
import { declare, type Look, members } from "../../declare/command.ts";
import { flag } from "../../declare/option.ts";
import { lines, nextActions, shownPath } from "../../declare/show.ts";
import { READS } from "../../declare/tool_facts.ts";
import { buildDesired } from "../../engine/desired.ts";
import { actionsFor } from "../../engine/next_action.ts";
import { loadSession, type Session } from "../../engine/session.ts";
import { MANIFEST_GLOB } from "../../engine/target_manifest.ts";
import { AgentpackError } from "../../error.ts";
import type { Answer } from "../../pack.ts";
import { OVERLAY_SCOPES } from "../../names.ts";
import { readModuleId } from "../../overlay/meta.ts";
import { overlayBase, overlayCandidates } from "../../overlay/place.ts";
import { effectFindings } from "./effect.ts";
import { type Finding, healthFindings } from "./health.ts";
import { leftovers, removeLeftovers, uncommitted } from "./leftovers.ts";
import {
  fixGitignore,
  type GitignoreFix,
  reportRoot,
  type RootReport,
  unignoredManifests,
} from "./roots.ts";

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
