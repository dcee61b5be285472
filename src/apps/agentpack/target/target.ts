/** What a target is: rules that say which type of module becomes which files below which root (PACK-23, PACK-24). */

import { isAbsolute, resolve } from "@std/path";
import type { Environment } from "../../../base/system/mod.ts";
import { compareBytes, type Content } from "../content.ts";
import type { Fields } from "../../../base/object.ts";
import type { SharedFile } from "../../../state/entries/types.ts";
import { expandTilde } from "../io.ts";
import type { ComposedModule } from "../module/compose.ts";
import type { ModuleType, Scope, TargetName } from "../names.ts";
import type { Config, ModuleConfig } from "../config/config.ts";
import { onlyOptions } from "../config/metadata.ts";

/** What a target is set up with. */
export interface TargetPlace {
  readonly scope: Scope;
  readonly options: Readonly<Record<string, unknown>>;
  readonly projectRoot: string;
  /** Whether the project root is a project (PACK-60): else nothing that depends on one is written. */
  readonly hasProject: boolean;
  readonly env: Environment;
}

/** The file of a module that an output was made of. */
export interface Origin {
  readonly moduleId: string;
  readonly moduleType: ModuleType;
  /** Relative to the module, with `/`. */
  readonly modulePath: string;
}

/** How an edited output leads back to its module: evolve goes this way. */
export type EvolvePath =
  /** The output is the module's file. */
  | { readonly kind: "whole" }
  /** The output may hold sections between markers. */
  | { readonly kind: "sections" }
  /** The module's file stands below a header that was generated. */
  | { readonly kind: "below_header"; readonly header: Uint8Array }
  /** Nothing of it comes from a module's file. */
  | { readonly kind: "generated" };

/** One file as a target wants it. */
export interface RenderedFile {
  /** Relative to the root of its rule, with `/`. */
  readonly path: string;
  readonly bytes: Content;
  readonly executable: boolean;
  readonly origins: readonly Origin[];
  readonly wayBack: EvolvePath;
}

/** One entry of a shared file as a target wants it. */
export interface RenderedEntry {
  /** The file, below the root of its rule. */
  readonly shared: SharedFile;
  readonly name: string;
  readonly value: Fields;
  /** What the tool does because of it, without secrets: `runs: npx …`. */
  readonly runs: string;
  readonly origin: Origin;
  /** Where its module comes from, when not from this machine. */
  readonly remote: string | null;
}

/** What a rule made, and what people should know about it. */
export interface Rendering {
  readonly files: readonly RenderedFile[];
  readonly entries?: readonly RenderedEntry[];
  readonly warnings?: readonly string[];
}

/** How a tool's own files can be taken as modules: the way of a rule back. */
export type Assets =
  /** One file with instructions. */
  | { readonly kind: "file"; readonly name: string }
  /** A module for each file whose name ends so. */
  | { readonly kind: "files"; readonly suffix: string }
  /** The same for files below heads that Cursor reads. */
  | { readonly kind: "rules"; readonly suffix: string }
  /** A module for each directory. */
  | { readonly kind: "trees" }
  /** A module for each entry of a file. */
  | {
    readonly kind: "entries";
    readonly shared: SharedFile;
    /** Whether they are those of its lists, and not the ones with names. */
    readonly listed?: true;
  };

/** One row of the table of outputs. */
export interface OutputRule {
  readonly type: ModuleType;
  readonly scope: "user" | "project";
  /** The option that switches it; null when only the scope does. */
  readonly option: string | null;
  /** Whether it is on when the option is absent. */
  readonly on: boolean;
  /** Another option that, where it says no and this one says nothing, switches this rule off, too. */
  readonly unless?: string;
  /** Where the files are, for help: `<codex_home>/prompts/<file>`. */
  readonly output: string;
  /** The directory that gets the manifest, for help. */
  readonly rootName: string;
  readonly root: (place: TargetPlace) => string;
  /** The option for a directory that its root depends on; a relative one is a place in the project. */
  readonly rootOption?: string;
  /** Whether unmanaged files below the root are reported; a function where an option decides. */
  readonly scanExtras: boolean | ((place: TargetPlace) => boolean);
  /** What import finds below the root; absent where its files are no module's. */
  readonly assets?: Assets;
  /** Where import looks instead of its root. */
  readonly formerRoot?: (place: TargetPlace) => string;
  /** Renders modules of the rule's type, which are sorted by id; `all` is what the target gets besides. */
  readonly render: (
    modules: readonly ComposedModule[],
    all?: readonly ModuleConfig[],
  ) => Rendering;
}

/** A target: a coding tool and where it reads its files. */
export interface Target {
  readonly name: TargetName;
  readonly rules: readonly OutputRule[];
  /** Types that are composed, and so checked, even when no rule for them is on. */
  readonly always?: readonly ModuleType[];
  /** Options besides those of its rules. */
  readonly options?: readonly string[];
  /** Throws `E_CONFIG_INVALID` when its options cannot be used. */
  readonly check?: (place: TargetPlace) => void;
}

/** The options that a target knows. */
export function knownOptions({ rules, options = [] }: Target): string[] {
  return [...new Set([...options, ...rules.flatMap(({ option }) => option ?? [])])].sort();
}

/** A directory that a target owns files in. */
export interface TargetRoot {
  readonly target: TargetName;
  readonly root: string;
  readonly scanExtras: boolean;
}

const TRUE = ["true", "yes", "1"];
const FALSE = ["false", "no", "0"];

/** A yes-or-no option; texts for yes and no count, anything else means the default. */
export function booleanOption(
  options: Readonly<Record<string, unknown>>,
  name: string,
  otherwise: boolean,
): boolean {
  const value = options[name];
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  return TRUE.includes(word) ? true : FALSE.includes(word) ? false : otherwise;
}

/** A directory option as an absolute path: `~/` expanded, relative to the project; null when absent or blank. */
export function directoryOption(place: TargetPlace, name: string): string | null {
  const value = place.options[name];
  if (typeof value !== "string" || value.trim() === "") return null;
  return resolve(place.projectRoot, expandTilde(value, place.env));
}

/** Whether a target writes in a scope here: its own scope says so, and for the project there is one (PACK-60). */
export function writesIn(place: TargetPlace, scope: "user" | "project"): boolean {
  return (place.scope === "both" || place.scope === scope) &&
    (scope === "user" || place.hasProject);
}

/** Whether an option names a directory relative to the project. */
function isInProject({ options }: TargetPlace, name: string | undefined): boolean {
  const value = name === undefined ? undefined : options[name];
  return typeof value === "string" && value.trim() !== "" && !value.startsWith("~/") &&
    !isAbsolute(value);
}

/** The rules that are switched on. */
export function activeRules(target: Target, place: TargetPlace): OutputRule[] {
  return target.rules.filter((rule) =>
    writesIn(place, rule.scope) && (place.hasProject || !isInProject(place, rule.rootOption)) &&
    (rule.option === null || booleanOption(
      place.options,
      rule.option,
      rule.on && (rule.unless === undefined || booleanOption(place.options, rule.unless, true)),
    ))
  );
}

/** The roots of a target, each path once, sorted. */
export function rootsOf(target: Target, place: TargetPlace): TargetRoot[] {
  const roots = new Map<string, boolean>();
  for (const rule of activeRules(target, place)) {
    const scan = typeof rule.scanExtras === "boolean" ? rule.scanExtras : rule.scanExtras(place);
    const root = rule.root(place);
    roots.set(root, (roots.get(root) ?? false) || scan);
  }
  return [...roots].map(([root, scanExtras]) => ({ target: target.name, root, scanExtras }))
    .sort((a, b) => compareBytes(a.root, b.root));
}

/** Whether a module may be rendered by a rule: `metadata.scope` can limit it to one scope. */
function fitsScope(module: ModuleConfig, scope: "user" | "project"): boolean {
  const wanted = module.metadata["scope"];
  return wanted !== "user" && wanted !== "project" || wanted === scope;
}

/** Whether a module is for a target at all. */
export function isFor(target: TargetName, module: ModuleConfig): boolean {
  return module.targets.length === 0 || module.targets.includes(target);
}

/** Whether a rule of a target renders a module: type and targets fit, and so does what `metadata` limits it to. */
export function renders(target: TargetName, rule: OutputRule, module: ModuleConfig): boolean {
  const only = onlyOptions(module);
  return rule.type === module.type && isFor(target, module) && fitsScope(module, rule.scope) &&
    (only === null || only.includes(`${target}.${rule.option}`));
}

/** Whether a target has to compose a module. */
export function needsModule(target: Target, place: TargetPlace, module: ModuleConfig): boolean {
  return isFor(target.name, module) &&
    (target.always?.includes(module.type) ||
      activeRules(target, place).some((rule) => renders(target.name, rule, module)));
}

/**
 * What a configuration lacks before a rule of a target writes, as a path of keys, a colon, and the value; null when it
 * lacks nothing.
 */
export function missingFor(config: Config, tool: TargetName, rule: OutputRule): string | null {
  const target = config.targets.get(tool);
  if (target === undefined) return wholeTarget(tool, [rule]);
  if (target.scope !== "both" && target.scope !== rule.scope) return `targets.${tool}.scope: both`;
  if (rule.option === null || booleanOption(target.options, rule.option, rule.on)) return null;
  return `targets.${tool}.options.${rule.option}: true`;
}

/** What a configuration that lacks a target has to say, so that all of these rules of it write. */
export function wholeTarget(tool: TargetName, rules: readonly OutputRule[]): string {
  const scope = rules.some((rule) => rule.scope === "user") ? "both" : "project";
  const off = rules.flatMap(({ option, on }) => option === null || on ? [] : [`${option}: true`]);
  const options = off.length === 0 ? "" : `, options: { ${[...new Set(off)].join(", ")} }`;
  return `targets.${tool}: { mode: files, scope: ${scope}${options} }`;
}
