/** Every setting of the user file: its name, what it may hold, and what says the same elsewhere (SETTING-4). */

/** When output is coloured. */
export const COLORS = ["auto", "always", "never"] as const;
/** One of {@linkcode COLORS}. */
export type Color = typeof COLORS[number];

/** Whether the text says when output is coloured. */
export function isColor(text: string): text is Color {
  return (COLORS as readonly string[]).includes(text);
}

type SettingKind =
  | "directory"
  | "directories"
  | "number"
  | "choice"
  | "command"
  | "name"
  | "engines"
  | "hosts"
  | "aliases";

/** One setting. */
export interface Setting {
  readonly name: string;
  readonly kind: SettingKind;
  /** The values of a choice. */
  readonly choices?: readonly string[];
  /** The largest number; the smallest is 1. */
  readonly most?: number;
  /** The variable of the environment that counts before the file. */
  readonly variable?: string;
  /** The flag that counts before both. */
  readonly flag?: string;
  /** What applies where nobody says anything. */
  readonly otherwise: string;
  /** What it decides, for help, schema and editors. */
  readonly help: string;
}

/** All settings, in the order in which they are listed. */
export const SETTINGS = [
  {
    name: "root",
    kind: "directory",
    variable: "AMOF_ROOT",
    flag: "--root",
    otherwise: "none",
    help: "The control repository that is meant where none is found at or above the directory",
  },
  {
    name: "jobs",
    kind: "number",
    most: 999,
    variable: "AMOF_JOBS",
    flag: "--jobs",
    otherwise: "by the number of processors",
    help: "How many repositories are worked on at once",
  },
  {
    name: "color",
    kind: "choice",
    choices: COLORS,
    variable: "AMOF_COLOR",
    flag: "--color",
    otherwise: "auto; never where NO_COLOR is set",
    help: "When output is coloured",
  },
  {
    name: "next_steps",
    kind: "choice",
    choices: ["on", "off"],
    variable: "AMOF_NEXT_STEPS",
    otherwise: "on",
    help: "Whether answers at a terminal name what could follow",
  },
  {
    name: "editor",
    kind: "command",
    variable: "AMOF_EDITOR",
    otherwise: "the editor that git would open",
    help: "The editor for messages, files and repositories, as a shell would call it",
  },
  {
    name: "pager",
    kind: "command",
    variable: "AMOF_PAGER",
    flag: "--no-pager",
    otherwise: "PAGER, else less -FRX",
    help: "What shows output that is longer than the terminal; off for nothing",
  },
  {
    name: "timeout",
    kind: "number",
    most: 999_999,
    variable: "AMOF_TIMEOUT",
    flag: "--timeout",
    otherwise: "none",
    help: "How many seconds one transfer may take in all",
  },
  {
    name: "stall_timeout",
    kind: "number",
    most: 86_400,
    variable: "AMOF_STALL_TIMEOUT",
    otherwise: "60",
    help: "After how many seconds without progress a transfer is given up",
  },
  {
    name: "verdicts",
    kind: "choice",
    choices: ["on", "off"],
    variable: "AMOF_VERDICTS",
    otherwise: "on",
    help: "Whether git is not asked again about clones in which nothing has changed",
  },
  {
    name: "notify",
    kind: "choice",
    choices: ["on", "off"],
    variable: "AMOF_NOTIFY",
    otherwise: "on",
    help: "Whether the desktop, or a terminal that watches, tells that something waits for you",
  },
  {
    name: "approve_with",
    kind: "choice",
    choices: ["person", "passkey"],
    otherwise: "person",
    help: "Whether a person at a terminal may approve what waits, or only a passkey in the pages",
  },
  {
    name: "box",
    kind: "choice",
    choices: ["ask", "always"],
    otherwise: "ask",
    help: "Whether agents may be run without a box once you agree, or never",
  },
  {
    name: "box_network",
    kind: "choice",
    choices: ["none", "ask", "full"],
    otherwise: "ask",
    help:
      "What boxes have of the network: never any, only with --net full, or all unless --net none",
  },
  {
    name: "box_write",
    kind: "directories",
    otherwise: "none",
    help: "What programs in boxes may write besides, such as caches or an agent's own directory",
  },
  {
    name: "box_show",
    kind: "directories",
    otherwise: "none",
    help: "What programs in boxes may read although it is among the credentials that are hidden",
  },
  {
    name: "box_hide",
    kind: "directories",
    otherwise: "none",
    help: "What programs in boxes do not see besides credentials",
  },
  {
    name: "undo",
    kind: "choice",
    choices: ["on", "off"],
    variable: "AMOF_UNDO",
    otherwise: "on",
    help: "Whether what runs did to repositories is kept, so that it can be undone",
  },
  {
    name: "undo_days",
    kind: "number",
    most: 3650,
    otherwise: "14",
    help: "For how many days a run can be undone",
  },
  {
    name: "undo_runs",
    kind: "number",
    most: 9999,
    otherwise: "50",
    help: "How many runs can be undone at most",
  },
  {
    name: "undo_mb",
    kind: "number",
    most: 999_999,
    otherwise: "2000",
    help: "How many MB are kept for undo at most, in all; the oldest runs go first",
  },
  {
    name: "engine",
    kind: "name",
    variable: "AMOF_ENGINE",
    flag: "--engine",
    otherwise: "the engine of the manifest, else local",
    help: "The engine that is meant where work is divided into shards and none is named",
  },
  {
    name: "engines",
    kind: "engines",
    otherwise: "none",
    help: "Clusters on which work may run, by names of your own",
  },
  {
    name: "hosts",
    kind: "hosts",
    otherwise: "what github.com, gitlab.com and others usually take",
    help: "How much engines may ask of git hosts, by the names of these",
  },
  {
    name: "aliases",
    kind: "aliases",
    otherwise: "none",
    help: "Words of your own for command lines, such as st for status --only dirty",
  },
] as const satisfies readonly Setting[];

/** The name of a setting. */
export type SettingName = typeof SETTINGS[number]["name"];

/** The setting of a name, or undefined. */
export function settingNamed(name: string): Setting | undefined {
  return SETTINGS.find((setting) => setting.name === name);
}
