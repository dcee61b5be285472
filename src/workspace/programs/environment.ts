/** What a program that runs in a repository finds in its environment (EXEC-3, EXEC-4). */

import { REPOSITORY_VARIABLES } from "../../git/mod.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import { partMarks } from "../../runs/mod.ts";
import { USUAL_VARIABLES } from "../../runs/changing.ts";
import type { ProcessRequest, System } from "../../base/system/mod.ts";
import type { Manifest } from "../manifest/manifest.ts";

/** Which variables of its caller a program gets, by name, whether they are set or not: a consent is bound to them. */
export interface PassedVariables {
  /** Whether it gets all of them, as if the person had typed it in each repository. */
  readonly all: boolean;
  /** Those it gets where not all; empty otherwise. */
  readonly names: readonly string[];
}

/** Which variables are passed on: all of a person's who typed it, unless `names` says which; else only the usual ones. */
export function passedVariables(names: readonly string[], all: boolean): PassedVariables {
  return { all, names: all ? [] : [...new Set([...USUAL_VARIABLES, ...names])] };
}

/** Which variables are passed on, as a person reads it. */
export function variablesText({ env }: System, { all, names }: PassedVariables): string {
  if (all) return "everything you have set";
  const [set, missing] = [true, false].map((wanted) =>
    names.filter((name) => (env.get(name) !== undefined) === wanted)
  ).map((some) => some.join(", "));
  return missing === "" ? set ?? "" : `${set}; not set here: ${missing}`;
}

/** The variables of tickets, which a program in the base workspace gets from nobody. */
const NO_TICKET = {
  AMOF_PORT_BASE: null,
  AMOF_PORT_COUNT: null,
  AMOF_SLUG: null,
  AMOF_TICKET: null,
  AMOF_TICKET_DIR: null,
} as const;

interface RunPlace {
  readonly repo: string;
  /** What tells it apart from all other places of the run. */
  readonly label: string;
  /** Absolute. */
  readonly directory: string;
  /** The branch that is checked out, or null. */
  readonly branch: string | null;
  /** The workspace around it, absolute. */
  readonly workspace: string;
  /** The task it is, or null. */
  readonly task: string | null;
  /** What is told of the ticket, by name; nothing in the base workspace. */
  readonly ticket: Readonly<Record<string, string>>;
}

/** The environment of a program in one repository. What amof says about the place cannot be overridden. */
export function environmentIn(
  ctx: ExecuteContext,
  manifest: Manifest,
  { all, names }: PassedVariables,
  place: RunPlace,
): Pick<ProcessRequest, "env" | "clearEnv"> {
  const { repo, label, directory, branch, task, ticket, workspace } = place;
  const marks = ctx.runId === null ? {} : partMarks(ctx.runId, label);
  const told = {
    // The ticket of the caller's own environment does not hold in other workspaces.
    ...NO_TICKET,
    ...ticket,
    AMOF_BASE_BRANCH: manifest.repos.find(({ name }) => name === repo)?.branch ?? "",
    AMOF_BRANCH: branch ?? "",
    AMOF_ECOSYSTEM: ctx.ecosystem,
    AMOF_REPO: repo,
    AMOF_REPO_PATH: directory,
    AMOF_ROOT: ctx.root,
    AMOF_TASK: task ?? "",
    AMOF_WORKSPACE: workspace,
    PWD: directory,
    ...marks,
  };
  return environmentWith(ctx, { all, names }, told);
}

/** The variables of its caller that a program gets, and what it is told, which they cannot override. */
export function environmentWith(
  { system }: Pick<ExecuteContext, "system">,
  { all, names }: PassedVariables,
  told: Readonly<Record<string, string | null>>,
): Pick<ProcessRequest, "env" | "clearEnv"> {
  if (all) {
    // A hook or alias of git that started this program would send every git to its own repository.
    const removed = Object.fromEntries(REPOSITORY_VARIABLES.map((name) => [name, null]));
    return { env: { ...removed, OLDPWD: null, ...told } };
  }
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = system.env.get(name);
    if (value !== undefined) values[name] = value;
  }
  return { clearEnv: true, env: { ...values, ...told } };
}
