/**
 * The page about what a person sets once.
 *
 * @module
 */

import { type Setting, SETTINGS } from "../../../src/state/settings/mod.ts";
import type { SettingName } from "../../../src/state/settings/declared.ts";
import { code, head, page, table } from "./markdown.ts";

/** A command line for every setting that sets it. */
export const SETTING_EXAMPLES: Readonly<Record<SettingName, string>> = {
  root: "amof config set root ~/shop/control",
  jobs: "amof config set jobs 8",
  color: "amof config set color never",
  next_steps: "amof config set next_steps off",
  editor: 'amof config set editor "code --wait"',
  pager: "amof config set pager off",
  timeout: "amof config set timeout 600",
  stall_timeout: "amof config set stall_timeout 120",
  verdicts: "amof config set verdicts off",
  notify: "amof config set notify off",
  approve_with: "amof config set approve_with passkey",
  box: "amof config set box always",
  box_network: "amof config set box_network none",
  box_write: "amof config set box_write ~/.claude",
  box_show: "amof config set box_show ~/.npmrc",
  box_hide: "amof config set box_hide ~/private",
  undo: "amof config set undo off",
  undo_days: "amof config set undo_days 3",
  undo_runs: "amof config set undo_runs 20",
  undo_mb: "amof config set undo_mb 500",
  engine: "amof config set engine cluster",
  engines: "amof config edit",
  hosts: "amof config edit",
  aliases: 'amof config set aliases.st "status --fetch"',
};

function values({ kind, choices, most }: Setting): string {
  if (kind === "number") return `1 to ${most ?? "any"}`;
  return choices?.join(", ") ?? kind;
}

/** `settings.md`. */
export function settingsPage(): string {
  const rows = SETTINGS.map((setting: Setting) => [
    code(setting.name),
    values(setting),
    setting.otherwise,
    [setting.flag, setting.variable].filter((each) => each !== undefined).map(code).join(", "),
    setting.help,
  ]);
  return page([
    ...head(
      "Settings",
      "What a person sets once, in `~/.config/amof/config.yaml` or where `AMOF_CONFIG` says. A flag counts before a variable of the environment, that before the file. `amof config list` shows what applies and who says so, `amof config edit` opens the file. The rules are in [settings and output](../settings.md).",
    ),
    ...table(["setting", "values", "otherwise", "flag, variable", "what it decides"], rows),
    "",
    "## Examples",
    "",
    "```sh",
    ...SETTINGS.map(({ name }) => SETTING_EXAMPLES[name]),
    "```",
  ]);
}
