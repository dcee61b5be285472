/**
 * Which of the suggested actions a person is shown: at most two, and only those that follow from the answer (NEXT-12).
 */

import type { Outcome } from "../../pipeline/envelope.ts";
import { findCommand } from "../../pipeline/registry.ts";
import type { ActionId } from "../../contract/next.ts";
import type { SuggestedAction } from "../../pipeline/suggest/mod.ts";
import type { Terminal } from "../../base/system/mod.ts";
import { shellWord } from "../../base/text/words.ts";
import { saidIn } from "./implied.ts";

/** A person is shown so many. */
const MOST = 2;

/** What comes after a command that went well, where nothing special is the reason for it. */
const FOLLOWING: Readonly<Record<string, readonly ActionId[]>> = {
  "amof_install_ecosystem": ["get_ecosystem_status", "ticket_start"],
  "amof_commit_ecosystem": ["push_ecosystem"],
  "amof_pr_open": ["pr_status"],
  "amof_pr_status": ["pr_land", "ticket_end"],
  "amof_pr_update": ["pr_status"],
  "amof_pr_revert": ["pr_status"],
  "amof_switch_ecosystem": ["install_ecosystem", "get_ecosystem_status"],
  "amof_describe_ecosystem": ["install_ecosystem"],
  "amof_release_bump": [
    "release_promote_beta",
    "release_promote_rc",
    "release_promote_stable",
  ],
  "amof_release_promote": [
    "release_promote_beta",
    "release_promote_rc",
    "release_promote_stable",
  ],
};

/** Whether somebody may be shown what to do next: not in pipes, and not where it was turned off. */
export function wantsNextSteps(
  terminal: Pick<Terminal, "stdoutIsTerminal" | "stderrIsTerminal">,
  wishes: { readonly quiet: boolean; readonly nextSteps?: boolean },
): boolean {
  return wishes.nextSteps !== false && !wishes.quiet && terminal.stdoutIsTerminal &&
    terminal.stderrIsTerminal;
}

/** The members whose values name a run. */
const OF_RUNS: ReadonlySet<string> = new Set(["run_id", "run", "retry_failed", "only"]);

/** The switches that a flag turns off. */
const ON_WHEN_ABSENT: ReadonlySet<string> = new Set(["push"]);

/** A run is found by how its id begins, and a person is shown that much of it everywhere else. */
function shortened(member: string, text: string): string {
  return OF_RUNS.has(member)
    ? text.replace(/(?<=^|=)([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "$1")
    : text;
}

function wordOf(member: string, value: unknown): string {
  return shellWord(shortened(member, typeof value === "string" ? value : JSON.stringify(value)));
}

/** A suggested action as a command line to paste, or null when the command line has no such command. */
export function actionLine(tool: string, args: Readonly<Record<string, unknown>>): string | null {
  const command = findCommand(tool);
  if (command === null) return null;
  const words = ["amof"];
  const flags: string[] = [];
  const positionals = command.positionals ?? [];
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined || value === null) continue;
    if (value === false && !ON_WHEN_ABSENT.has(name)) continue;
    if (positionals.includes(name) || name === command.behind) continue;
    if (name === "ecosystem") words.push("-e", wordOf(name, value));
    else {
      const flag = `--${value === false ? "no-" : ""}${
        command.flags?.[name] ?? name.replaceAll("_", "-")
      }`;
      // A list is its flag repeated.
      for (const each of [value].flat()) {
        flags.push(...(typeof each === "boolean" ? [flag] : [flag, wordOf(name, each)]));
      }
    }
  }
  const named = positionals.flatMap((name) =>
    [args[name] ?? []].flat().map((each) => wordOf(name, each))
  );
  const { behind = "" } = command;
  const own = behind === "" ? [] : [args[behind] ?? []].flat();
  const last = own.length === 0 ? [] : ["--", ...own.map((each) => wordOf(behind, each))];
  return [...words, ...command.path, ...named, ...flags, ...last].join(" ");
}

/** What an ecosystem that was just made needs: a workspace, where the answer itself does not say how. */
function afterCreate({ command, envelope }: Outcome): string[] {
  const { name, kind } = envelope;
  if (command?.name !== "amof_create_ecosystem" || typeof name !== "string") return [];
  return kind === "directory"
    ? []
    : [actionLine("amof_install_ecosystem", { ecosystem: name }) ?? ""];
}

/** Whether an action follows from an answer, and is not only what one could do anyway. */
function follows({ command, envelope }: Outcome, { id, condition }: SuggestedAction): boolean {
  // That a run went well is the reason for whatever comes after it.
  if (condition !== undefined && condition !== "run.success") return true;
  // The run goes on in the background, so only looking at it follows.
  if (envelope["status"] === "queued") return id === "get_run_status" || id === "get_run_logs";
  return FOLLOWING[command?.name ?? ""]?.some((known) => known === id) ?? false;
}

/** The next steps of an answer as command lines; none where a hint says what to do already. */
export function nextSteps(outcome: Outcome): string[] {
  if (outcome.isError || typeof outcome.envelope["execute_hint"] === "string") return [];
  const lines = outcome.actions.filter((action) => follows(outcome, action))
    .map((action) => actionLine(action.tool, action.args)).filter((line) => line !== null);
  const { surroundings } = outcome;
  return [...new Set([...afterCreate(outcome), ...lines])].slice(0, MOST)
    .map((line) => surroundings === undefined ? line : saidIn(surroundings, line, true));
}
