/**
 * What the user's git configuration may change about our calls, and what it may not.
 *
 * Settings say how git behaves for a person who reads its output and answers its questions. This program promises more
 * than git does: nothing of the user's is lost, only what was previewed is done. A setting that would break a promise
 * is overruled for the calls it would change, by a flag where git has one, else by the table here. All others are
 * honoured; `.github/adr/0015-settings-of-git.md` goes through them one by one.
 */

interface Overruled {
  readonly name: string;
  readonly value: string;
  /** The verbs it would change, or null for all. */
  readonly verbs: readonly string[] | null;
}

/** Verbs that write files of a working copy, its index, or both. */
const WRITING_FILES = [
  "add",
  "checkout",
  "checkout-index",
  "clone",
  "commit",
  "merge",
  "read-tree",
  "rebase",
  "reset",
  "stash",
  "switch",
  "update-index",
  "worktree",
];

const OVERRULED: readonly Overruled[] = [
  // A URL of this kind runs a command.
  { name: "protocol.ext.allow", value: "never", verbs: null },
  // Git's output is parsed and logged, so it must not contain colours.
  { name: "color.ui", value: "false", verbs: null },
  { name: "color.advice", value: "false", verbs: null },
  { name: "color.push", value: "false", verbs: ["push"] },
  { name: "color.remote", value: "false", verbs: ["clone", "fetch", "push"] },
  { name: "color.transport", value: "false", verbs: ["clone", "fetch", "push"] },
  // What a remote says is cleaned here; newer git would leave marks in the place of what it takes out.
  {
    name: "sideband.allowControlCharacters",
    value: "true",
    verbs: ["clone", "fetch", "push"],
  },
  // Signatures would stand between the commits that are listed.
  { name: "log.showSignature", value: "false", verbs: ["log", "stash"] },
  // Output of git is read as UTF-8, and messages are handed over as UTF-8.
  { name: "i18n.logOutputEncoding", value: "UTF-8", verbs: ["log", "rev-list", "stash"] },
  {
    name: "i18n.commitEncoding",
    value: "UTF-8",
    verbs: ["commit", "merge", "rebase", "stash", "tag"],
  },
  // Work that a status would not show could be deleted with its repository.
  { name: "core.ignoreStat", value: "false", verbs: WRITING_FILES },
  // What lies outside of a sparse checkout is work like all other, and git would refuse it together with the rest.
  { name: "core.sparseCheckout", value: "false", verbs: ["add"] },
  // A push names what goes; a mirror takes only everything, and loses what is not here.
  { name: "remote.origin.mirror", value: "false", verbs: ["push"] },
  { name: "diff.ignoreSubmodules", value: "none", verbs: ["add", "commit", "stash", "status"] },
  // `git worktree remove` runs a status of its own, which must see untracked files.
  { name: "status.showUntrackedFiles", value: "normal", verbs: ["worktree"] },
  // Submodules are not changed along with a repository, and nothing is stashed unasked.
  { name: "submodule.recurse", value: "false", verbs: WRITING_FILES },
  { name: "merge.autoStash", value: "false", verbs: ["merge"] },
  { name: "rebase.autoStash", value: "false", verbs: ["rebase"] },
  { name: "rebase.autoSquash", value: "false", verbs: ["rebase"] },
  { name: "rebase.updateRefs", value: "false", verbs: ["rebase"] },
  // What refs say is read from files without starting git, which other formats do not have.
  { name: "init.defaultRefFormat", value: "files", verbs: ["clone", "init", "submodule"] },
];

/** Every event that git runs hooks for (githooks(5)). */
export const HOOK_EVENTS: readonly string[] = [
  "applypatch-msg",
  "pre-applypatch",
  "post-applypatch",
  "pre-commit",
  "pre-merge-commit",
  "prepare-commit-msg",
  "commit-msg",
  "post-commit",
  "pre-rebase",
  "post-checkout",
  "post-merge",
  "pre-push",
  "pre-receive",
  "update",
  "proc-receive",
  "post-receive",
  "post-update",
  "reference-transaction",
  "push-to-checkout",
  "pre-auto-gc",
  "post-rewrite",
  "sendemail-validate",
  "fsmonitor-watchman",
  "p4-changelist",
  "p4-prepare-changelist",
  "p4-post-changelist",
  "p4-pre-submit",
  "post-index-change",
];

/** Settings for calls that run no hooks: a hook gets the settings of the call that runs it. */
const WITHOUT_HOOKS: readonly Overruled[] = [
  { name: "core.hooksPath", value: "/dev/null", verbs: null },
  { name: "core.fsmonitor", value: "false", verbs: null },
  { name: "core.quotePath", value: "false", verbs: null },
  // Configuration names hooks, too, since git 2.54, whatever the path is; since 2.55 an event can be switched off.
  ...HOOK_EVENTS.map((event) => ({ name: `hook.${event}.enabled`, value: "false", verbs: null })),
];

/** The arguments that stand before a verb of git, so that the user's configuration does not change what it does. */
export function settingsFor(verb: string, hooks: boolean): string[] {
  return [...OVERRULED, ...(hooks ? [] : WITHOUT_HOOKS)]
    .filter(({ verbs }) => verbs === null || verbs.includes(verb))
    .flatMap(({ name, value }) => ["-c", `${name}=${value}`]);
}
