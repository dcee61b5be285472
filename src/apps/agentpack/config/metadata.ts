/**
 * What `metadata` of a module says to this program; anything else in it is left to others (PACK-3, PACK-61). A name that
 * is nearly one that counts is refused: a slip is no wish to be ignored.
 */

import { type Fields, fieldsOf, isObject } from "../../../base/object.ts";
import { configInvalid, type Details } from "../error.ts";
import { relativePathProblem, skillName } from "../identity.ts";
import { type ModuleType, SCOPES } from "../names.ts";
import { didYouMean, list } from "../../../base/text/words.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";

/** Throws `E_CONFIG_INVALID` for the first member that is nearly a known one; `what` is what it is a member of. */
export function refuseMisspelt(
  members: object,
  known: readonly string[],
  { what, details }: { readonly what: string; readonly details: Details },
): void {
  for (const name of Object.keys(members)) {
    const near = known.includes(name) ? null : didYouMean(name, known);
    if (near === null || Object.hasOwn(members, near)) continue;
    const shown = cleanLine(name, 60);
    throw configInvalid(`${what} has no member "${shown}"; did you mean "${near}"?`, {
      ...details,
      field: shown,
      did_you_mean: near,
      allowed: known,
    });
  }
}

/** The members of `metadata` that say something to this program; its JSON Schema describes each. */
export const METADATA_MEMBERS: readonly string[] = [
  "scope",
  "output",
  "only",
  "cursor",
  "windsurf",
  "description",
  "allow_remote_program",
];

/** What the heads of rules can be given, by the tool they are of. */
export const RULE_MEMBERS: Readonly<Record<RuleTool, readonly string[]>> = {
  cursor: ["description", "globs", "alwaysApply", "file", "header"],
  windsurf: ["description", "globs", "trigger", "file", "header"],
};

/** The part of a module that is looked at here. */
interface Described {
  readonly metadata: Fields;
}

/** Tools whose rules have a head that `metadata` can say something about, under their names. */
type RuleTool = "cursor" | "windsurf";

/** The settings of a module for the rules of a tool. */
export function toolSettings({ metadata }: Described, tool: RuleTool): Fields {
  return fieldsOf(metadata[tool]);
}

/** Why a setting of a rule cannot be followed, or null. */
function settingProblem(name: string, value: unknown): string | null {
  if (name === "alwaysApply") {
    return typeof value === "boolean" ? null : "it is neither true nor false";
  }
  if (typeof value === "string") return null;
  if (name !== "globs") return "it is not a text";
  return Array.isArray(value) && value.every((glob) => typeof glob === "string")
    ? null
    : "it is neither a text nor a list of texts";
}

/** What the names of a type's files end in; anything where they do not matter. */
function suffixesOf(type: ModuleType): string[] {
  if (type === "command" || type === "subagent") return [".md", ".toml"];
  return type === "prompt" ? [".md"] : [""];
}

/**
 * Refuses members that cannot be followed, such as paths that lead out of the roots of targets, and names that are
 * nearly those of members. Throws `E_CONFIG_INVALID`.
 */
export function checkMetadata(
  id: string,
  type: ModuleType,
  metadata: Fields,
): void {
  const refuse = (member: string, problem: string): never => {
    throw configInvalid(`metadata.${member} of the module "${id}" cannot be used: ${problem}`, {
      module_id: id,
      field: `metadata.${member}`,
    });
  };
  const isGiven = (value: unknown) => value !== undefined && value !== null;
  const where = (what: string) => ({
    what: `${what} of the module "${id}"`,
    details: { module_id: id },
  });
  refuseMisspelt(metadata, METADATA_MEMBERS, where("metadata"));
  const { scope } = metadata;
  if (isGiven(scope) && !SCOPES.some((one) => one === scope)) {
    const near = typeof scope === "string" ? didYouMean(scope, SCOPES) : null;
    const meant = near === null ? "" : `; did you mean "${near}"?`;
    refuse("scope", `it is none of ${list(SCOPES, "and")}${meant}`);
  }
  for (const tool of ["cursor", "windsurf"] as const) {
    if (isGiven(metadata[tool]) && !isObject(metadata[tool])) refuse(tool, "it is no map");
    const settings = toolSettings({ metadata }, tool);
    refuseMisspelt(settings, RULE_MEMBERS[tool], where(`metadata.${tool}`));
    for (const name of RULE_MEMBERS[tool]) {
      const problem = isGiven(settings[name]) ? settingProblem(name, settings[name]) : null;
      if (problem !== null) refuse(`${tool}.${name}`, problem);
    }
  }
  const checkPath = (member: string, value: unknown, ...suffixes: string[]) => {
    if (value === undefined || value === null) return;
    if (typeof value !== "string") return refuse(member, "it is not a text");
    const problem = relativePathProblem(value);
    if (problem !== null) refuse(member, `it ${problem}`);
    if (!suffixes.some((suffix) => value.endsWith(suffix))) {
      refuse(member, `it does not end in ${list(suffixes, "or")}`);
    }
  };
  checkPath("output", metadata["output"], ...suffixesOf(type));
  checkPath("cursor.file", toolSettings({ metadata }, "cursor")["file"], ".mdc");
  checkPath("windsurf.file", toolSettings({ metadata }, "windsurf")["file"], ".md");
  const allowed = metadata["allow_remote_program"];
  if (allowed !== undefined && allowed !== null && typeof allowed !== "boolean") {
    refuse("allow_remote_program", "it is neither true nor false");
  }
  const only = metadata["only"] ?? [];
  if (!Array.isArray(only) || !only.every((option) => typeof option === "string")) {
    refuse("only", "it is not a list of options");
  }
}

/** The path that `metadata.output` gives a module below the roots of its type, or null. */
export function givenOutput({ metadata }: Described): string | null {
  const { output } = metadata;
  return typeof output === "string" ? output : null;
}

/** The options, as `codex.write_user_skills`, to whose outputs `metadata.only` limits a module; null for no limit. */
export function onlyOptions(
  { metadata }: Described,
): readonly string[] | null {
  const { only } = metadata;
  return Array.isArray(only) && only.length > 0 ? only.map(String) : null;
}

/** What `metadata.description` says that a module is for, where its file does not say so; null for nothing. */
export function givenDescription({ metadata }: Described): string | null {
  const { description } = metadata;
  return typeof description === "string" ? description : null;
}

/** Whether a module may run programs although it comes from elsewhere (PACK-65). */
export function allowsRemoteProgram({ metadata }: Described): boolean {
  return metadata["allow_remote_program"] === true;
}

/** The directory of a skill below the roots of its targets. */
export function skillDirectory(module: Described & { readonly id: string }): string {
  return givenOutput(module) ?? skillName(module.id);
}
