/**
 * The page about variables of the environment: those that are read, and those that programs are given.
 *
 * @module
 */

import { ENVIRONMENT } from "../../../src/doors/cli/topics.ts";
import { code, head, page, table } from "./markdown.ts";

type Rows = readonly (readonly [name: string, meaning: string])[];

/** Read besides what `amof help environment` lists: places, and what few need. */
const SELDOM: Rows = [
  ["AMOF_WORKSPACE_ROOT", "the control repository, where AMOF_ROOT is not set"],
  ["AMOF_CWD", "the control repository, where neither of them is set"],
  ["AMOF_CONFIG_HOME", "where config.yaml lies, before XDG_CONFIG_HOME"],
  ["AMOF_DATA_HOME", "where data lies, before XDG_DATA_HOME"],
  ["AMOF_STATE_HOME", "where the database lies, before XDG_STATE_HOME"],
  ["AMOF_CACHE_HOME", "where caches and mirrors lie, before XDG_CACHE_HOME"],
  ["AMOF_RUNS_DIR", "where records of agent sessions are looked for, for amof agent stats"],
  ["AMOF_API_BASE", "the address that amof server status asks when no server of its own runs"],
  ["AMOF_DISTRIBUTION", "how amof was installed; packages set it"],
];

/** Of agentpack. */
const PACK: Rows = [
  ["AGENTPACK_HOME", "where agentpack keeps what is its own, instead of ~/.agentpack"],
  ["AGENTPACK_PROJECT_ROOT", "the project, as --project-root"],
  ["AGENTPACK_MACHINE_ID", "the name of the machine, as --machine"],
  ["AGENTPACK_FSYNC", "1: every write is flushed to the disk before it counts"],
  ["AGENTPACK_CONFIRM_SECONDS", "for how long a token of its tools is good, at most 600"],
];

/** Of the toolset stocktrim. */
const STOCKTRIM: Rows = [
  ["STOCKTRIM_API_AUTH_ID", "the tenant's id"],
  ["STOCKTRIM_API_AUTH_SIGNATURE", "the tenant's name"],
  ["STOCKTRIM_BASE_URL", "another address of the service"],
];

/** Given to the programs that amof starts. */
const GIVEN: Rows = [
  ["AMOF_ROOT", "the control repository: exec, tasks, provisioners, tickets"],
  ["AMOF_ECOSYSTEM", "the ecosystem: exec, tasks, provisioners, tickets"],
  ["AMOF_WORKSPACE", "the workspace: exec, tasks, tickets"],
  ["AMOF_REPO", "the name of the repository: exec, tasks"],
  ["AMOF_REPO_PATH", "its directory: exec, tasks"],
  ["AMOF_BRANCH", "the branch it is on: exec, tasks"],
  ["AMOF_BASE_BRANCH", "its base branch: exec, tasks"],
  ["AMOF_TASK", "the name of the task; empty for a program of exec"],
  ["AMOF_TICKET", "the ticket: exec, tasks, ticket env"],
  ["AMOF_TICKET_DIR", "the directory of the ticket's own workspace: ticket env"],
  ["AMOF_TICKETS", "the tickets that are tried together: ticket try"],
  ["AMOF_SLUG", "the ticket as a name for databases and containers: ticket env"],
  ["AMOF_PORT_BASE", "the first of the ports that are the ticket's: ticket env"],
  ["AMOF_PORT_COUNT", "how many ports it has: ticket env"],
  ["AMOF_ECOSYSTEM_DIR", "the directory of the manifest: provisioners"],
  ["AMOF_ACTION", "deploy or destroy: provisioners"],
  ["AMOF_DRY_RUN", "always 0: a preview starts no provisioner"],
  ["AMOF_PROVISIONER_DIR", "the directory of the script: provisioners"],
  ["AMOF_STATE_DIR", "what a provisioner keeps until the environment is destroyed, and beyond"],
  ["AMOF_RUN_ID", "the run that started the program: exec, tasks, provisioners"],
  ["AMOF_RUN_PART", "which part of the run; by it leftover programs are found"],
  ["AMOF_ARRAY", "the run of an array, in shards on this machine; by it they are found again"],
  ["AMOF_ARRAY_SHARD", "the run of an array, and which shard of it; by it one is found whose starter was killed"],
  ["AMOF_SHARD", "the shard and repository on an engine; by it leftover programs are found"],
  ["AMOF_CHILD_OF", "the run, in what worker processes start; by it leftover programs are found"],
];

/** All tables of the page, each with what it is about. */
export const ENVIRONMENT_TABLES: readonly (readonly [title: string, rows: Rows])[] = [
  ["What amof reads", ENVIRONMENT],
  ["What few need", SELDOM],
  ["agentpack", PACK],
  ["StockTrim", STOCKTRIM],
  ["What programs are given", GIVEN],
];

/** `environment.md`. */
export function environmentPage(): string {
  return page([
    ...head(
      "Environment variables",
      "What amof reads from its environment, and what it gives to the programs that it starts. A flag counts before a variable, a variable before the [user file](settings.md). Paths must be absolute.",
    ),
    ...ENVIRONMENT_TABLES.flatMap(([title, rows]) => [
      "",
      `## ${title}`,
      ...table(["variable", "meaning"], rows.map(([name, meaning]) => [code(name), meaning])),
    ]),
  ]);
}
