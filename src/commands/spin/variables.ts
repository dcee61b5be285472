/**
 * The environment of a provisioner: a few harmless variables, what amof tells it, and what the manifest
 * names (SPIN-5). Nothing else of the caller's environment reaches it.
 */

import { join } from "@std/path";
import { sha256 } from "../../base/hash.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { RUN_VARIABLE } from "../../runs/mod.ts";
import { USUAL_VARIABLES } from "../../runs/changing.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { stripUnsafe } from "../../base/text/sanitize.ts";
import type { SpinAction } from "./record.ts";

/** A shorter value cannot be told from ordinary text. */
const SHORTEST_SECRET = 4;

/** Which variables a provisioner gets: names only. */
export interface VariableNames {
  /** Those that are set and passed on, sorted. */
  readonly passed: readonly string[];
  /** Those the manifest names and the caller does not have. */
  readonly missing: readonly string[];
}

/** Which of the caller's variables are passed on. */
export function variableNames(ctx: CommandContext, manifest: Manifest): VariableNames {
  const isSet = (name: string) => ctx.system.env.get(name) !== undefined;
  const wanted = [...new Set([...USUAL_VARIABLES, ...manifest.provisionerEnv])];
  return {
    passed: wanted.filter(isSet).sort(),
    missing: manifest.provisionerEnv.filter((name) => !isSet(name)).toSorted(),
  };
}

/** The directory that stays with an environment from its deploy to its destroy. */
export function stateDirectory(ctx: CommandContext): string {
  const { root, ecosystem, ticket } = ctx;
  // No ecosystem has a name with "@"; ids that differ in case share their lock, and so their directory.
  const name = ticket === null ? ecosystem : `${ecosystem}@${ticket.toLowerCase()}`;
  return join(ctx.layout.data, "environments", sha256(root).slice(0, 16), name);
}

/** The whole environment of a provisioner. What amof says about the run cannot be overridden. */
export function variables(
  ctx: CommandContext,
  manifest: Manifest,
  run: {
    readonly id: string;
    readonly action: SpinAction;
    /** The provisioner's real directory, absolute. */
    readonly directory: string;
    /** What is told of the ticket whose environment it is, by name; nothing in the base workspace. */
    readonly ticket: Readonly<Record<string, string>>;
  },
): Record<string, string> {
  const passed = variableNames(ctx, manifest).passed.map((name) =>
    [name, ctx.system.env.get(name) ?? ""] as const
  );
  return {
    ...Object.fromEntries(passed),
    ...run.ticket,
    AMOF_ACTION: run.action,
    AMOF_DRY_RUN: "0",
    AMOF_ECOSYSTEM: ctx.ecosystem,
    AMOF_ECOSYSTEM_DIR: join(ctx.root, "ecosystems", ctx.ecosystem),
    AMOF_PROVISIONER_DIR: run.directory,
    AMOF_ROOT: ctx.root,
    AMOF_STATE_DIR: stateDirectory(ctx),
    [RUN_VARIABLE]: run.id,
  };
}

/** The forms in which a value may turn up in output. */
function formsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const encoded = new TextEncoder().encode(value).toBase64();
  return [value, ...lines, encodeURIComponent(value), encoded, JSON.stringify(value).slice(1, -1)];
}

/** What hides the values of the variables the manifest names, and whatever else looks like a secret. */
export function masker(ctx: CommandContext, manifest: Manifest): (line: string) => string {
  const usual = new Set(USUAL_VARIABLES.map((name) => ctx.system.env.get(name)));
  const secrets = manifest.provisionerEnv.filter((name) => !USUAL_VARIABLES.includes(name))
    .map((name) => ctx.system.env.get(name) ?? "")
    // A variable that only repeats a harmless one, such as the home directory, hides nothing.
    .filter((value) => !usual.has(value))
    .flatMap(formsOf).filter((form) => form.length >= SHORTEST_SECRET);
  const longestFirst = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return (line) => {
    let text = stripUnsafe(line);
    for (const secret of longestFirst) text = text.replaceAll(secret, "***");
    return maskSecrets(text);
  };
}
