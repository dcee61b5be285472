/** The commands that make sense next, as texts to run (PACK-34). */

import { shellWord } from "../../../base/text/words.ts";
import { compareBytes, firstDifference } from "../content.ts";
import type { Pack, Selection } from "../pack.ts";

/** The words by which machines tell next actions apart. */
type ActionWord =
  | "bootstrap"
  | "doctor"
  | "update"
  | "preview"
  | "preview_diff"
  | "diff"
  | "plan"
  | "deploy"
  | "deploy_apply"
  | "status"
  | "evolve"
  | "evolve_propose"
  | "evolve_restore"
  | "rollback"
  | "other";

/** One next action. */
export interface NextAction {
  readonly action: ActionWord;
  /** Runnable as it is. */
  readonly command: string;
}

/** What comes first; actions of one line are ordered by their text. */
const ORDER: readonly (readonly ActionWord[])[] = [
  ["bootstrap"],
  ["doctor"],
  ["update"],
  ["preview", "preview_diff"],
  ["diff"],
  ["plan"],
  ["deploy", "deploy_apply"],
  ["status"],
  ["evolve_propose"],
  ["evolve", "evolve_restore"],
  ["rollback"],
  ["other"],
];

/** A command line with the global options of a call, which subcommand words follow. */
export function commandLine(
  pack: Pack,
  selection: Selection,
  words: readonly string[],
): string {
  return [pack.prefix, ...[...globalWords(selection), ...words].map(shellWord), "--json"].join(" ");
}

/** The global options of a call as words of a command line. */
export function globalWords({ repo, profile, target, machine }: Selection): string[] {
  return [
    ...(repo === undefined || repo === "" ? [] : ["--repo", repo]),
    ...(profile === undefined || profile === "default" ? [] : ["--profile", profile]),
    ...(target === undefined || target === "all" ? [] : ["--target", target]),
    ...(machine === undefined || machine === "" ? [] : ["--machine", machine]),
  ];
}

/** The usual next actions of a call. */
export function actionsFor(pack: Pack, selection: Selection): {
  readonly previewDiff: NextAction;
  readonly deployApply: NextAction;
  readonly evolvePropose: NextAction;
  readonly doctorFix: NextAction;
  readonly bootstrap: (target: string, scope: "user" | "project") => NextAction;
} {
  const line = (...words: string[]) => commandLine(pack, selection, words);
  return {
    previewDiff: { action: "preview_diff", command: line("preview", "--diff") },
    deployApply: { action: "deploy_apply", command: line("deploy", "--apply", "--yes") },
    evolvePropose: { action: "evolve_propose", command: line("evolve", "propose", "--yes") },
    doctorFix: { action: "doctor", command: line("doctor", "--fix", "--yes") },
    bootstrap: (target, scope) => ({
      action: "bootstrap",
      command: commandLine(
        pack,
        { repo: selection.repo, machine: selection.machine, target },
        ["bootstrap", "--scope", scope, "--yes"],
      ),
    }),
  };
}

/** Each action once, in the order of the contract. */
export function orderActions(actions: readonly NextAction[]): NextAction[] {
  const once = new Map(actions.map((action) => [action.command, action]));
  const rank = (action: NextAction) => ORDER.findIndex((words) => words.includes(action.action));
  return [...once.values()].sort((a, b) =>
    firstDifference(rank(a) - rank(b), compareBytes(a.command, b.command))
  );
}
