/**
 * What `metadata` of a module says to this program; anything else in it is left to others (PACK-3, PACK-61).
 *
 * @module
 */

import { type Fields, fieldsOf } from "../../object.ts";
import { list } from "../../text/words.ts";
import { configInvalid } from "../error.ts";
import { relativePathProblem, skillName } from "../identity/fs_key.ts";
import type { ModuleType } from "../names.ts";

/** The part of a module that is looked at here. */
interface Described {
  readonly metadata: Fields;
}

/** Tools whose rules have a head that `metadata` can say something about, under their names. */
export type RuleTool = "cursor" | "windsurf";

/** The settings of a module for the rules of a tool. */
export function toolSettings({ metadata }: Described, tool: RuleTool): Fields {
  return fieldsOf(metadata[tool]);
}

/** What the names of a type's files end in; anything where they do not matter. */
function suffixesOf(type: ModuleType): string[] {
  if (type === "command") return [".md", ".toml"];
  return type === "prompt" || type === "subagent" ? [".md"] : [""];
}

/**
 * Refuses members that say where files go and cannot be followed: they become paths below the roots of targets.
 * Throws `E_CONFIG_INVALID`.
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
