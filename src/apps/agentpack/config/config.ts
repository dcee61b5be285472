/** Reads and checks `agentpack.yaml` (PACK-3, PACK-4). The first failure of the order given there is thrown. */

import { defined, isObject } from "../../../base/object.ts";
import { isUnsafeUrl } from "../../../git/mod.ts";
import type { Files } from "../../../base/system/mod.ts";
import { firstIssue } from "../../../base/text/issues.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { didYouMean, list, meantText } from "../../../base/text/words.ts";
import { rootCause } from "../../../base/error.ts";
import { AgentpackError, configInvalid } from "../error.ts";
import { idProblem } from "../identity.ts";
import { safePoint } from "../interrupt.ts";
import { readUtf8 } from "../io.ts";
import {
  isTargetName,
  MODULE_TYPES,
  type ModuleType,
  type Scope,
  SCOPES,
  TARGET_NAMES,
  type TargetName,
} from "../names.ts";
import { checkMetadata, refuseMisspelt } from "./metadata.ts";
import type { RawConfig } from "./schema.ts";
import { plainYaml } from "../../../base/text/plain_yaml.ts";

/** So many modules are read at once. */
const AT_ONCE = 200;

/** A configuration in pieces of text. */
interface Pieces {
  /** Everything but the modules. */
  readonly head: string;
  /** Some modules each, with how many. */
  readonly modules: readonly { readonly text: string; readonly count: number }[];
}

/** What one module may say about another one, or about the rest of the document. */
const ENTANGLED = /^(?:---|\.\.\.|%|\ufeff)|(?:^|[\s,[{:-])[&*]\S/m;

/** Takes a configuration apart; null for one that is short, or written in another way than usual. */
function takeApart(text: string): Pieces | null {
  if (ENTANGLED.test(text)) return null;
  const lines = text.split("\n");
  const start = lines.findIndex((line) => /^modules:\s*$/.test(line)) + 1;
  const indent = /^( *)- /.exec(lines[start] ?? "")?.[1];
  if (start === 0 || indent === undefined) return null;
  const begins = (line: string) => line.startsWith(`${indent}- `);
  const isInside = (line: string) =>
    begins(line) || /^\s*(?:#|$)/.test(line) || line.startsWith(`${indent} `);
  let end = start;
  while (end < lines.length && isInside(lines[end] ?? "")) end++;
  const firsts = [];
  for (let at = start; at < end; at++) if (begins(lines[at] ?? "")) firsts.push(at);
  if (firsts.length <= AT_ONCE) return null;
  const modules = [];
  for (let first = 0; first < firsts.length; first += AT_ONCE) {
    const last = firsts[first + AT_ONCE] ?? end;
    const count = Math.min(AT_ONCE, firsts.length - first);
    modules.push({ text: lines.slice(firsts[first], last).join("\n"), count });
  }
  return { head: [...lines.slice(0, start - 1), ...lines.slice(end)].join("\n"), modules };
}

/**
 * The value of a configuration, read in pieces; null where it has to be read as a whole, as whatever is wrong with it
 * has to be.
 */
export async function parseInPieces(
  text: string,
  parse: (text: string) => unknown,
  pause: () => Promise<void>,
): Promise<object | null> {
  const pieces = takeApart(text);
  if (pieces === null) return null;
  const attempt = (part: string): unknown => {
    try {
      return parse(part);
    } catch {
      return undefined;
    }
  };
  const head = attempt(pieces.head);
  if (head === null || typeof head !== "object" || Array.isArray(head) || "modules" in head) {
    return null;
  }
  const modules: unknown[] = [];
  for (const piece of pieces.modules) {
    await pause();
    const read = plainYaml(`modules:\n${piece.text}`)?.["modules"] ?? attempt(piece.text);
    if (!Array.isArray(read) || read.length !== piece.count) return null;
    modules.push(...read);
  }
  return { ...head, modules };
}

/** Whether a member is absent, or what it may be. */
function isMaybe(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || is(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isMapOf(is: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => isObject(value) && Object.values(value).every(is);
}

function isProfile(value: unknown): boolean {
  return isMaybe(value, (profile) =>
    isObject(profile) &&
    [profile["include_tags"], profile["include_modules"], profile["exclude_modules"]]
      .every((texts) => isMaybe(texts, areTexts)));
}

function isTarget(value: unknown): boolean {
  return isObject(value) && value["mode"] === "files" &&
    SCOPES.some((scope) => scope === value["scope"]) && isMaybe(value["options"], isObject);
}

function isSource(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { local_path: local, git } = value;
  return isMaybe(local, (local) => isObject(local) && isText(local["path"])) &&
    isMaybe(git, (git) =>
      isObject(git) && isText(git["url"]) && isMaybe(git["ref"], isText) &&
      isMaybe(git["subdir"], isText) && isMaybe(git["shallow"], isFlag));
}

function isModule(value: unknown): boolean {
  return isObject(value) && isText(value["id"]) &&
    MODULE_TYPES.some((type) => type === value["type"]) && isMaybe(value["enabled"], isFlag) &&
    isMaybe(value["tags"], areTexts) && isMaybe(value["targets"], areTexts) &&
    isSource(value["source"]) && isMaybe(value["metadata"], isObject);
}

/** Whether a document has the shape of a configuration; false says nothing but that the schema has to be asked. */
export function isPlainConfig(document: unknown): document is RawConfig {
  return isObject(document) && document["version"] === 1 &&
    isMaybe(document["profiles"], isMapOf(isProfile)) &&
    isMaybe(document["targets"], isMapOf(isTarget)) &&
    isMaybe(document["modules"], (modules) => Array.isArray(modules) && modules.every(isModule));
}

interface Profile {
  readonly includeTags: readonly string[];
  readonly includeModules: readonly string[];
  readonly excludeModules: readonly string[];
}

interface TargetConfig {
  readonly scope: Scope;
  /** Free-form options, read by the target itself. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Where a module comes from. */
export type ModuleSource =
  | { readonly kind: "local"; readonly path: string }
  | {
    readonly kind: "git";
    readonly url: string;
    readonly ref: string;
    readonly subdir: string;
    readonly shallow: boolean;
  };

/** One module as configured, with every default filled in. */
export interface ModuleConfig {
  readonly id: string;
  readonly type: ModuleType;
  readonly enabled: boolean;
  readonly tags: readonly string[];
  /** Empty means every target. */
  readonly targets: readonly TargetName[];
  readonly source: ModuleSource;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The whole configuration. */
export interface Config {
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly targets: ReadonlyMap<TargetName, TargetConfig>;
  /** In file order. */
  readonly modules: readonly ModuleConfig[];
}

const SUPPORTED = [1];
/** These have no place below the home directory. */
const PROJECT_ONLY: readonly TargetName[] = ["cursor", "vscode", "jetbrains", "zed"];

/** Reads the configuration of a repo. Throws `E_CONFIG_MISSING` and what {@linkcode parseConfig} throws. */
export async function loadConfig(files: Files, path: string): Promise<Config> {
  return await parseConfig(await readConfigText(files, path), path, () => safePoint(files));
}

/** The text of the configuration. Throws `E_CONFIG_MISSING`, or `E_CONFIG_INVALID` when it is not UTF-8. */
export async function readConfigText(files: Files, path: string): Promise<string> {
  const read = await readUtf8(files, path);
  if (read === null) {
    throw new AgentpackError("E_CONFIG_MISSING", `Cannot read the configuration: no ${path}`, {
      path,
      hint: "Create a config repo with init, or name one with --repo",
    });
  }
  if (read === "invalid") throw shapeError(path, "it is not valid UTF-8");
  return read.text;
}

function shapeError(path: string, error: string): AgentpackError {
  return configInvalid(`Cannot use the configuration "${path}": ${error}`, { path, error });
}

/**
 * Checks a configuration text; `path` is only named in errors, and `pause` lets others have their turn while a long
 * one is read. Throws the codes of PACK-4.
 */
export async function parseConfig(
  text: string,
  path: string,
  pause: () => Promise<void> = () => Promise.resolve(),
): Promise<Config> {
  let document: unknown;
  try {
    const { parse } = await import("@std/yaml");
    const read = (part: string) => parse(part, { schema: "core" });
    document = await parseInPieces(text, read, pause) ?? read(text);
  } catch (error) {
    if (error instanceof AgentpackError) throw error;
    throw shapeError(path, rootCause(error));
  }
  checkVersion(document);
  if (isPlainConfig(document)) return check(document);
  const z = await import("../../../contract/zod.ts");
  const { configSchema } = await import("./schema.ts");
  const shape = configSchema(z).safeParse(document);
  if (!shape.success) {
    throw shapeError(path, firstIssue(shape.error, document));
  }
  return check(shape.data);
}

/** A later version may have another shape, so its number is looked at first. */
function checkVersion(document: unknown): void {
  if (document === null || typeof document !== "object" || !("version" in document)) return;
  const { version } = document;
  if (typeof version === "number" && Number.isInteger(version) && !SUPPORTED.includes(version)) {
    throw new AgentpackError(
      "E_CONFIG_UNSUPPORTED_VERSION",
      `Cannot use a configuration of version ${version}: this program reads version ${
        SUPPORTED.join(", ")
      }`,
      { version, supported: SUPPORTED },
    );
  }
}

/** The error for a name that is no target, in `targets` or in a module's list. */
function unknownTarget(target: string, moduleId?: string): AgentpackError {
  return new AgentpackError(
    "E_TARGET_UNSUPPORTED",
    `Unknown target "${target}"${moduleId === undefined ? "" : ` in module "${moduleId}"`}${
      meantText(didYouMean(target, TARGET_NAMES))
    }`,
    {
      target,
      allowed: TARGET_NAMES,
      hint: `Use ${list(TARGET_NAMES, "or")}`,
      ...defined({ module_id: moduleId }),
    },
    {
      reason: "target_not_compiled",
      next: [
        "inspect_help_json",
        "edit_manifest_targets",
        "rebuild_with_target_feature",
        "retry_command",
      ],
    },
  );
}

function check(raw: RawConfig): Config {
  const targets = new Map<TargetName, TargetConfig>();
  for (const [name, target] of Object.entries(raw.targets ?? {})) {
    if (!isTargetName(name)) throw unknownTarget(name);
    if (PROJECT_ONLY.includes(name) && target.scope === "user") {
      throw configInvalid(`The target "${name}" takes the scopes project and both`, {
        target: name,
        allowed_scopes: ["project", "both"],
      });
    }
    refuseMisspelt(target, MEMBERS.target, {
      what: `The target "${name}"`,
      details: { target: name },
    });
    targets.set(name, { scope: target.scope, options: target.options ?? {} });
  }
  const profiles = new Map(
    Object.entries(raw.profiles ?? {}).map(([name, profile]) => {
      const what = `The profile "${cleanLine(name, 60)}"`;
      refuseMisspelt(profile ?? {}, MEMBERS.profile, { what, details: { profile: name } });
      return [name, {
        includeTags: profile?.include_tags ?? [],
        includeModules: profile?.include_modules ?? [],
        excludeModules: profile?.exclude_modules ?? [],
      }];
    }),
  );
  if (!profiles.has("default")) {
    throw configInvalid('The profile "default" is missing', { profile: "default" });
  }
  const ids = new Set<string>();
  const modules = (raw.modules ?? []).map((module) => {
    if (ids.has(module.id)) {
      throw configInvalid(`Two modules have the id "${module.id}"`, { module_id: module.id });
    }
    ids.add(module.id);
    return toModule(module);
  });
  return { profiles, targets, modules };
}

type RawModule = NonNullable<RawConfig["modules"]>[number];

/** The members that count, by what has them. */
const MEMBERS = {
  profile: ["include_tags", "include_modules", "exclude_modules"],
  target: ["mode", "scope", "options"],
  module: ["id", "type", "enabled", "tags", "targets", "source", "metadata"],
} as const;

function toModule(raw: RawModule): ModuleConfig {
  refuseMisspelt(raw, MEMBERS.module, {
    what: `The module "${raw.id}"`,
    details: { module_id: raw.id },
  });
  const targets = (raw.targets ?? []).map((target) => {
    if (!isTargetName(target)) throw unknownTarget(target, raw.id);
    return target;
  });
  const source = toSource(raw.id, raw.source);
  const problem = idProblem(raw.id);
  if (problem !== null) {
    throw configInvalid(`The module id "${raw.id}" cannot be used: ${problem}`, {
      module_id: raw.id,
    });
  }
  checkMetadata(raw.id, raw.type, raw.metadata ?? {});
  return {
    id: raw.id,
    type: raw.type,
    enabled: raw.enabled ?? true,
    tags: raw.tags ?? [],
    targets,
    source,
    metadata: raw.metadata ?? {},
  };
}

function toSource(id: string, raw: RawModule["source"]): ModuleSource {
  const { local_path: local, git } = raw;
  if (local && !git) return { kind: "local", path: local.path };
  if (!git || local) {
    throw configInvalid(`The module "${id}" needs exactly one source`, { module_id: id });
  }
  const source = {
    kind: "git",
    url: git.url,
    ref: git.ref ?? "main",
    subdir: git.subdir ?? "",
    shallow: git.shallow ?? true,
  } as const;
  const problem = gitSourceProblem(source);
  if (problem !== null) {
    throw configInvalid(`The source of module "${id}" cannot be used: ${problem}`, {
      module_id: id,
    });
  }
  return source;
}

/** Why a git source is refused, or null: git must not take it for an option, and it must stay in its checkout. */
export function gitSourceProblem(
  source: { readonly url: string; readonly ref: string; readonly subdir: string },
): string | null {
  if (source.url === "" || isUnsafeUrl(source.url)) return "its url is unsafe";
  if (source.ref === "" || source.ref.startsWith("-") || /[\0-\x20]/.test(source.ref)) {
    return "its ref is unsafe";
  }
  const parts = source.subdir.split(/[\\/]/);
  const leaves = /^(?:[\\/]|[A-Za-z]:)/.test(source.subdir) || parts.includes("..");
  return leaves ? "its subdir leaves the checkout" : null;
}
