/** What the settings say once everybody was asked: the environment before the user file (SETTING-1). */

import type { Color } from "./declared.ts";
import type { EngineSetting } from "./engines.ts";
import type { HostSetting } from "./hosts.ts";

/** The settings that apply to one process; flags of a command line count before all of them. */
export interface Settings {
  /** The control repository of last resort, absolute; null for none. */
  readonly root: string | null;
  readonly jobs: number | null;
  readonly color: Color | null;
  readonly nextSteps: boolean;
  /** How the editor is called; null for the one that git would open. */
  readonly editor: string | null;
  /** How the pager is called, or "off"; null for the usual one. */
  readonly pager: string | null;
  /** Seconds one transfer may take; null for as long as it makes progress. */
  readonly timeout: number | null;
  /** Seconds without progress after which a transfer is given up; null for the usual ones. */
  readonly stallTimeout: number | null;
  /** Whether git is not asked again about clones in which nothing has changed. */
  readonly verdicts: boolean;
  /** Whether a person is told that something waits for them. */
  readonly notify: boolean;
  /** Whether only a passkey approves what waits for a person. */
  readonly passkeyOnly: boolean;
  /** Whether agents are never run without a box. */
  readonly boxAlways: boolean;
  /** What boxes have of the network: never any, what is asked for, or all unless it is declined. */
  readonly boxNetwork: "none" | "ask" | "full";
  /** Absolute paths that a person opens and closes in every box. */
  readonly boxPaths: {
    readonly hide: readonly string[];
    readonly show: readonly string[];
    readonly write: readonly string[];
  };
  /** Whether, for how long, for how many runs and on how much of the disk runs can be undone. */
  readonly undo: {
    readonly on: boolean;
    readonly days: number;
    readonly runs: number;
    readonly mb: number;
  };
  /** The engine that is meant where none is named; null for nobody's choice. */
  readonly engine: string | null;
  /** Engines by their names. */
  readonly engines: Readonly<Record<string, EngineSetting>>;
  /** What git hosts take, by their names. */
  readonly hosts: Readonly<Record<string, HostSetting>>;
  /** Command lines by the word that stands for them. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** The settings of somebody who never set anything. */
export const NO_SETTINGS: Settings = {
  root: null,
  jobs: null,
  color: null,
  nextSteps: true,
  editor: null,
  pager: null,
  timeout: null,
  stallTimeout: null,
  verdicts: true,
  notify: true,
  passkeyOnly: false,
  boxAlways: false,
  boxNetwork: "ask",
  boxPaths: { hide: [], show: [], write: [] },
  undo: { on: true, days: 14, runs: 50, mb: 2000 },
  engine: null,
  engines: {},
  hosts: {},
  aliases: {},
};
