/**
 * What must hold before a version is released, by stage (RELEASE-4). All of it is looked at, so that every
 * problem is known at once.
 */

import { GIT_HINTS } from "../../base/error_codes.ts";
import { join } from "@std/path";
import { whyOf } from "../../workspace/mod.ts";
import { pullThere } from "../advice/clone.ts";
import { problemText, touches, touchText } from "../../workspace/manifest/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, list, shellWord } from "../../base/text/words.ts";
import { hasEntry, hasStatus } from "./documents.ts";
import {
  commandFor,
  compareVersions,
  formatVersion,
  type Stage,
  tagOf,
  usualStage,
  type Version,
} from "./ladder.ts";
import { isRecordPath, RECORD_SUBJECT, recordPath, recordTag } from "./record.ts";
import { mergeCommand } from "./outgoing.ts";
import { agrees, newestOnRemote, type ReleaseState, REMOTE, says } from "./state.ts";

/** What is judged. */
export interface Judged {
  readonly standing: ReleaseState;
  /** The version that would be released; null when the ladder has none. */
  readonly next: Version | null;
  readonly stage: Stage;
  /** Whether it would be pushed: only then does it matter what the remote says. */
  readonly push: boolean;
  /** Whether warnings count as errors. */
  readonly strict: boolean;
  /** Whether it may come without new commits, as a promotion does. */
  readonly mayBeEmpty: boolean;
  /** Whether the release takes the files as they are, as the first one does. */
  readonly baseline: boolean;
  /** The branch that must be checked out, with a clean tree, as trains demand it; null for the usual rules. */
  readonly expectedBranch: string | null;
}
type Verdict = readonly [level: "ok" | "info" | "warning" | "error", message: string, fix?: string];
type Gate = (judged: Judged) => Verdict | null;

function names(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).map((path) => cleanLine(path, 60));
  return paths.length > 5 ? `${shown.join(", ")} and ${paths.length - 5} more` : list(shown);
}

/** Whether a branch matches a name in which `*` stands for any text. */
function matches(pattern: string, branch: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(branch);
}

/** The files that a release writes: a first one only those that say another version. */
function releaseFiles({ standing, next, baseline }: Judged): string[] {
  const { versionFiles, changelog, readme } = standing;
  if (baseline) {
    const others = versionFiles.filter((file) => next !== null && !says(file.version, next));
    return others.filter((file) => file.problem === null).map((file) => file.path);
  }
  return [...versionFiles, changelog, ...(hasStatus(readme.text ?? "") ? [readme] : [])]
    .filter((file) => file.text !== null).map((file) => file.path);
}

/** A command of git in the repository that is judged, to paste anywhere. */
function gitIn({ directory }: Pick<ReleaseState, "directory">, words: string): string {
  return `git -C ${shellWord(directory)} ${words}`;
}

/** What brings a branch back; a pattern names none. */
function switchTo(standing: ReleaseState, branch: string): string {
  return branch.includes("*")
    ? `Switch to a branch such as ${branch}`
    : `Switch to ${branch}: ${gitIn(standing, `switch ${shellWord(branch)}`)}`;
}

/** The commands that commit records of releases, which may be new. */
export function commitRecords(directory: string, paths: readonly string[]): string {
  const [git, names] = [`git -C ${shellWord(directory)}`, paths.map(shellWord).join(" ")];
  return `Add it: ${git} add -- ${names}\nCommit it: ${git} commit -m ${
    shellWord(`${RECORD_SUBJECT}${list(paths.map(recordTag))}`)
  } -- ${names}`;
}

/** What clears changes out of the way: but for what this program writes nobody else knows what is to become of them. */
function clearChanges(standing: ReleaseState): string {
  if (standing.changes.every(isRecordPath)) {
    return commitRecords(standing.directory, standing.changes);
  }
  if (
    standing.changes.every((path) =>
      /^ecosystems\/[^/]+\/(?:ecosystem\.yaml|lock\.json)$/.test(path)
    )
  ) {
    const paths = standing.changes.map(shellWord).join(" ");
    return `Add it: ${gitIn(standing, `add -- ${paths}`)}\nCommit it: ${
      gitIn(standing, `commit -m 'Change ecosystems' -- ${paths}`)
    }`;
  }
  return `See what to commit: ${gitIn(standing, "status")}\nPut it away: ${
    gitIn(standing, "stash push --include-untracked")
  }`;
}

/** The commands that commit the changelog, which may be new. */
function commitIt(standing: ReleaseState): string {
  const path = shellWord(standing.changelog.path);
  return `Add it: ${gitIn(standing, `add -- ${path}`)}\nCommit it: ${
    gitIn(standing, `commit -m 'Say what is new' -- ${path}`)
  }`;
}

/** Every gate by its name, in the order of the answer; null where it has nothing to say. */
export const GATES: Readonly<Record<string, Gate>> = {
  config({ standing }) {
    const [first] = standing.config.problems;
    if (first === undefined) return null;
    return [
      "error",
      `amof.yaml: ${problemText(first)}${
        standing.config.problems.length > 1
          ? ` (and ${standing.config.problems.length - 1} more)`
          : ""
      }`,
      first.fix,
    ];
  },
  commit({ standing }) {
    return standing.head === null
      ? ["error", "There is no commit to release", "Commit something"]
      : null;
  },
  in_progress({ standing }) {
    return standing.inProgress === null ? ["ok", "No operation is in progress"] : [
      "error",
      `A ${standing.inProgress} is in progress`,
      `See how it is finished or aborted: ${gitIn(standing, "status")}`,
    ];
  },
  clean({ standing, stage, expectedBranch }) {
    if (standing.changes.length === 0) return ["ok", "The working tree is clean"];
    return [
      stage === "alpha" && expectedBranch === null ? "warning" : "error",
      `${count(standing.changes.length, "file")} not committed: ${names(standing.changes)}`,
      clearChanges(standing),
    ];
  },
  release_files(judged) {
    const { standing } = judged;
    const written = releaseFiles(judged);
    // A commit of these files would take the user's own changes along.
    const dirty = written.filter((path) => standing.changes.includes(path));
    if (dirty.length > 0) {
      return [
        "error",
        `The release would write ${names(dirty)}, with changes that are not committed`,
        clearChanges(standing),
      ];
    }
    const untracked = standing.untracked.filter((path) =>
      written.includes(path) &&
      (standing.versionFiles.some((file) => file.path === path) || path === standing.changelog.path)
    );
    return untracked.length === 0 ? null : [
      "error",
      `Git does not track ${names(untracked)}`,
      `Add, then commit: ${gitIn(standing, `add -- ${untracked.map(shellWord).join(" ")}`)}`,
    ];
  },
  branch({ standing, stage, expectedBranch }) {
    const wanted = expectedBranch ?? standing.config.branches[0] ?? "main";
    if (standing.branch === null) {
      return ["error", "No branch is checked out", switchTo(standing, wanted)];
    }
    const shown = cleanLine(standing.branch, 60);
    if (expectedBranch !== null) {
      return standing.branch === expectedBranch
        ? ["ok", `On ${shown}`]
        : ["error", `On ${shown} instead of ${expectedBranch}`, switchTo(standing, wanted)];
    }
    if (standing.config.branches.some((pattern) => matches(pattern, standing.branch ?? ""))) {
      return ["ok", `On ${shown}`];
    }
    return [
      stage === "stable" ? "warning" : "info",
      `On ${shown}, which is none of ${list(standing.config.branches)}`,
      switchTo(standing, wanted),
    ];
  },
  behind({ standing }) {
    const { behind, remoteAhead, current, remote, directory, branch } = standing;
    if ((behind ?? 0) === 0 && !remoteAhead) return ["ok", "Not behind its upstream"];
    return [
      "error",
      behind === null || behind === 0
        ? "The remote branch has commits that are not here"
        : `${count(behind, "commit")} behind its upstream`,
      // Below an unpushed release commit a rebase would leave its tag behind.
      current !== null && remote?.refs && !remote.refs.has(`refs/tags/${current.tag}`)
        ? `Merge them: ${mergeCommand(directory, REMOTE, branch ?? "")}\nThen: amof release push`
        : `Integrate them: ${pullThere(directory, { remote: REMOTE, branch: branch ?? "HEAD" })}`,
    ];
  },
  no_touch(judged) {
    const { standing, push, next, expectedBranch } = judged;
    if (standing.guard.isEmpty) return null;
    const written = [
      ...releaseFiles(judged),
      // A train keeps its record in the control repository.
      ...expectedBranch === null && next !== null ? [recordPath(tagOf(next))] : [],
    ];
    const found = [...touches(standing.guard, written), ...push ? standing.touched : []];
    return found.length === 0 ? ["ok", "No no-touch path would change"] : [
      "error",
      `No-touch paths would change: ${touchText(found)}`,
      `Take them out of the release\nSee what lets them go at a terminal: amof release ${
        expectedBranch === null ? "" : "train "
      }bump --help`,
    ];
  },
  author({ standing }) {
    return standing.author !== null ? null : [
      "error",
      "Git does not know who commits here",
      GIT_HINTS.identity,
    ];
  },
  version_files({ standing }) {
    const [bad, ...more] = standing.versionFiles.filter((file) => file.problem !== null);
    if (bad !== undefined) {
      return [
        "error",
        `${cleanLine(bad.path, 60)} ${bad.problem}${
          more.length > 0 ? ` (and ${more.length} more)` : ""
        }`,
        "Fix the file, or release.version_files in amof.yaml",
      ];
    }
    const versions = new Set(standing.versionFiles.map((file) => file.version));
    if (versions.size > 1) {
      return [
        "warning",
        `The version files disagree: ${
          standing.versionFiles.map((file) =>
            `${cleanLine(file.path, 60)} ${cleanLine(file.version ?? "", 30)}`
          )
            .join(", ")
        }`,
        "The release writes the new version into all of them",
      ];
    }
    return standing.versionFiles.length === 0 ? null : ["ok", "The version files agree"];
  },
  version_drift({ standing: { current, versionFiles } }) {
    if (current === null) return null;
    const drifted = versionFiles.filter((file) => file.problem === null && !agrees(file, current));
    if (drifted.length === 0) {
      return versionFiles.length === 0 ? null : ["ok", `The version files say ${current.tag}`];
    }
    return [
      "warning",
      `${names(drifted.map((file) => file.path))} differ${
        drifted.length === 1 ? "s" : ""
      } from ${current.tag}`,
      "The release writes the new version into all of them",
    ];
  },
  changelog({ standing, stage, baseline }) {
    if (baseline) return null;
    const { changelog } = standing;
    if (changelog.problem !== null) {
      return ["error", `${changelog.path} ${changelog.problem}`, "Make it a text file"];
    }
    if (changelog.text !== null) return ["ok", `${changelog.path} exists`];
    const none = `There is no ${changelog.path}`;
    if (stage !== "stable") {
      return ["warning", none, "Begin it before a stable version, which needs it"];
    }
    return [
      "error",
      none,
      `Begin it with what is new: printf '%s\\n' '# Changelog' '' '## [Unreleased]' '' '- WHAT IS NEW' > ${
        shellWord(join(standing.directory, changelog.path))
      }\n${commitIt(standing)}`,
    ];
  },
  changelog_entry({ standing, stage, next }) {
    const { changelog, current } = standing;
    if (stage !== "stable" || changelog.text === null) return null;
    const version = next ?? (current === null ? null : { ...current.version });
    if (version === null) return null;
    return hasEntry(changelog.text, version) ? ["ok", `${changelog.path} tells what is new`] : [
      "error",
      `${changelog.path} says nothing about ${formatVersion(version)}`,
      `Write what is new under "## [Unreleased]" in ${
        shellWord(join(standing.directory, changelog.path))
      }\n${commitIt(standing)}`,
    ];
  },
  records({ standing: { recordProblem }, expectedBranch }) {
    // A train keeps its record in the control repository.
    return recordProblem === null || expectedBranch !== null
      ? null
      : ["error", recordProblem, "Make it a directory"];
  },
  readme({ standing: { readme } }) {
    return readme.problem === null
      ? null
      : ["warning", `${readme.path} ${readme.problem}`, "Its status line is left as it is"];
  },
  commits({ standing: { commits, current }, mayBeEmpty, push, expectedBranch }) {
    if (current === null) return null;
    if (commits > 0) return ["ok", `${count(commits, "commit")} since ${current.tag}`];
    const target = usualStage(current.version);
    // A stable version has no later stage, and a train takes its own command.
    return mayBeEmpty || target === "alpha" || current.version.stage === "stable" ||
        expectedBranch !== null
      ? [mayBeEmpty ? "info" : "warning", `No commits since ${current.tag}`]
      : [
        "warning",
        `No commits since ${current.tag}`,
        `Go on to ${target}: ${commandFor({ kind: "promote", target }, push)}`,
      ];
  },
  ladder({ standing: { current }, stage, next }) {
    return next !== null || current === null ? null : [
      "error",
      `${stage} comes before ${current.tag}`,
      "Promote it, or raise another part of the version",
    ];
  },
  tag_free({ standing, next }) {
    if (next === null) return null;
    const tag = tagOf(next);
    const here = standing.tags.some(({ name }) => name === tag || name === formatVersion(next));
    if (!here) return ["ok", `The tag ${tag} is free`];
    const look = `Look at it: ${gitIn(standing, `show ${tag}`)}`;
    // It would be the current version, or below it, if the branch had it.
    return standing.beyond === null ? ["error", `The tag ${tag} exists`, look] : [
      "error",
      `The tag ${tag} exists, and is not in ${cleanLine(standing.branch ?? "HEAD", 60)}`,
      `${look}\nGo on from it: ${gitIn(standing, `merge --no-edit ${tag}`)}`,
    ];
  },
  remote({ standing, push }) {
    if (!push) return null;
    const { remote } = standing;
    if (remote === null || remote.url === null) {
      return [
        "error",
        `There is no remote "${REMOTE}" to push to`,
        `Add it: ${
          gitIn(standing, `remote add ${REMOTE} URL`)
        }\nKeep the release here: the same command with --no-push`,
      ];
    }
    if (remote.error !== null) {
      const { code, message, hint } = remote.error;
      // In a clone that somebody has to look at first git is not started, for a release here neither.
      if (code === "clone_untrusted") {
        return [
          "error",
          `The remote cannot be asked: ${cleanLine(whyOf(remote.error), 150)}`,
          hint,
        ];
      }
      return [
        "error",
        `The remote cannot be reached: ${cleanLine(message, 150)}`,
        `${hint}\nKeep the release here: the same command with --no-push`,
      ];
    }
    return ["ok", `The remote "${REMOTE}" answers`];
  },
  remote_tag({ standing, next, push }) {
    const { remote, current } = standing;
    if (!push || !remote?.refs) return null;
    const getTags = `Get its tags: ${gitIn(standing, "fetch --tags")}`;
    if (next !== null && remote.refs.has(`refs/tags/${tagOf(next)}`)) {
      return [
        "error",
        `The remote has the tag ${tagOf(next)}`,
        getTags,
      ];
    }
    const newest = newestOnRemote(standing);
    const ahead = newest !== null &&
      (current === null || compareVersions(newest.version, current.version) > 0);
    return ahead
      ? [
        "error",
        `The remote has the newer version ${newest.tag}`,
        getTags,
      ]
      : ["ok", "The remote has no newer version"];
  },
  pushed({ standing: { remote, current }, push }) {
    if (!push || current === null || !remote?.refs) return null;
    return remote.refs.has(`refs/tags/${current.tag}`) ? null : [
      "warning",
      `${current.tag} was never pushed`,
      "Push it first: amof release push",
    ];
  },
};
