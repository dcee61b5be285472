/**
 * `add` and `remove`: modules of `agentpack.yaml` (PACK-54).
 *
 * @module
 */

import { isAbsolute, join } from "@std/path";
import {
  gitSourceProblem,
  type ModuleSource,
  parseConfig,
  readConfigText,
} from "../config/config.ts";
import { addModules, type NewModule, removeModule } from "../config/edit.ts";
import { AgentpackError, configInvalid } from "../error.ts";
import { withHomeLock } from "../engine/lock.ts";
import { type Home, homeOf } from "../identity/home.ts";
import { posix, writeFile } from "../io.ts";
import type { ModuleType } from "../names.ts";
import type { Answer, Pack, Selection } from "../pack.ts";

/** `data` of `add` and `remove`. */
export interface ModuleData {
  readonly module_id: string;
  readonly manifest: string;
  readonly manifest_posix: string;
}

/** What to add. */
export interface AddOptions {
  readonly type: ModuleType;
  /** `local:<path>` or `git:<url>[#ref=…&subdir=…&shallow=true|false]`. */
  readonly source: string;
  /** Derived from type and source when absent. */
  readonly id?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly targets?: readonly string[] | undefined;
}

function usage(message: string): AgentpackError {
  return new AgentpackError("E_USAGE", message);
}

/** Reads a source as it is given on the command line. Throws `E_USAGE`. */
export function parseSource(text: string): ModuleSource {
  if (text.startsWith("local:") && text.length > "local:".length) {
    return { kind: "local", path: text.slice("local:".length) };
  }
  if (!text.startsWith("git:") || text.length === "git:".length) {
    throw usage(`Unknown source "${text}": write local:<path> or git:<url>#ref=…&subdir=…`);
  }
  const rest = text.slice("git:".length);
  const hash = rest.indexOf("#");
  const url = hash < 0 ? rest : rest.slice(0, hash);
  const options = new Map<string, string>();
  for (const part of hash < 0 ? [] : rest.slice(hash + 1).split("&")) {
    const [name = "", ...value] = part.split("=");
    if (!["ref", "subdir", "shallow"].includes(name)) {
      throw usage(`Unknown option "${name}" of a git source: ref, subdir and shallow are known`);
    }
    options.set(name, value.join("="));
  }
  const shallow = options.get("shallow") ?? "true";
  if (shallow !== "true" && shallow !== "false") {
    throw usage(`The option shallow of a git source is true or false, not "${shallow}"`);
  }
  return {
    kind: "git",
    url,
    ref: options.get("ref") ?? "main",
    subdir: options.get("subdir") ?? "",
    shallow: shallow === "true",
  };
}

function lastPart(path: string): string {
  return path.replace(/[\\/]+$/, "").split(/[\\/:]/).pop() ?? "";
}

/** The id of a module that is given none: its type and the last part of where it comes from. */
export function derivedId(type: ModuleType, source: ModuleSource): string {
  if (source.kind === "local") {
    const name = lastPart(source.path);
    const dot = name.lastIndexOf(".");
    return `${type}:${dot > 0 ? name.slice(0, dot) : name}`;
  }
  const subdir = lastPart(source.subdir);
  return `${type}:${subdir === "" ? lastPart(source.url).replace(/\.git$/, "") : subdir}`;
}

/** Writes an edited configuration after it proved to be valid. */
export async function saveConfig(pack: Pack, home: Home, text: string): Promise<void> {
  await parseConfig(text, home.config);
  await writeFile(pack.system.files, home.config, text);
}

/** Appends a module. Throws `E_CONFIG_INVALID` when the id is taken or the source cannot be used. */
export async function add(
  pack: Pack,
  selection: Selection,
  options: AddOptions,
): Promise<Answer<ModuleData>> {
  const home = homeOf(pack.system.env, selection.repo);
  return await withHomeLock(pack.system, home, async (held) => {
    const text = await readConfigText(pack.system.files, home.config);
    const config = await parseConfig(text, home.config);
    const source = parseSource(options.source);
    const id = options.id ?? derivedId(options.type, source);
    if (config.modules.some((module) => module.id === id)) {
      throw configInvalid(`There is already a module "${id}"`, { module_id: id });
    }
    const problem = source.kind === "git" ? gitSourceProblem(source) : null;
    if (problem !== null) {
      throw configInvalid(`The source of module "${id}" cannot be used: ${problem}`, {
        module_id: id,
      });
    }
    const module: NewModule = {
      id,
      type: options.type,
      tags: options.tags ?? [],
      targets: options.targets ?? [],
      source,
    };
    await saveConfig(pack, home, await addModules(text, [module]));
    const warnings = [...held.warnings];
    if (source.kind === "local") {
      const path = isAbsolute(source.path) ? source.path : join(home.repo, source.path);
      if (await pack.system.files.stat(path) === null) {
        warnings.push(`"${path}" does not exist yet`);
      }
    }
    return { data: moduleData(id, home), warnings };
  });
}

/** Drops a module; the files of its source stay. Throws `E_CONFIG_INVALID` when there is none. */
export async function remove(
  pack: Pack,
  selection: Selection,
  options: { readonly id: string },
): Promise<Answer<ModuleData>> {
  const home = homeOf(pack.system.env, selection.repo);
  return await withHomeLock(pack.system, home, async (held) => {
    const text = await readConfigText(pack.system.files, home.config);
    await parseConfig(text, home.config);
    await saveConfig(pack, home, await removeModule(text, options.id));
    return { data: moduleData(options.id, home), warnings: held.warnings };
  });
}

function moduleData(id: string, home: Home): ModuleData {
  return { module_id: id, manifest: home.config, manifest_posix: posix(home.config) };
}
