/**
 * `add`: appends a module to `agentpack.yaml` (PACK-54).
 *
 * @module
 */

import { isAbsolute, join } from "@std/path";
import { gitSourceProblem, parseConfig, readConfigText } from "../config/config.ts";
import { addModules, type NewModule } from "../config/edit.ts";
import { derivedId, parseSource } from "../config/source.ts";
import { type Act, declare, members } from "../declare/command.ts";
import { argument, choiceArgument, list, text } from "../declare/option.ts";
import { shownPath } from "../declare/show.ts";
import { configInvalid } from "../error.ts";
import { type Home } from "../identity/home.ts";
import { posix, writeFile } from "../io.ts";
import { MODULE_TYPES, type ModuleType } from "../names.ts";
import type { Answer, Pack } from "../pack.ts";

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

/** Writes an edited configuration after it proved to be valid. */
export async function saveConfig(pack: Pack, home: Home, text: string): Promise<void> {
  await parseConfig(text, home.config);
  await writeFile(pack.system.files, home.config, text);
}

/** Appends a module. Throws `E_CONFIG_INVALID` when the id is taken or the source cannot be used. */
async function append({ pack, home }: Act, options: AddOptions): Promise<Answer<ModuleData>> {
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
  const warnings: string[] = [];
  if (source.kind === "local") {
    const path = isAbsolute(source.path) ? source.path : join(home.repo, source.path);
    if (await pack.system.files.stat(path) === null) {
      warnings.push(`"${path}" does not exist yet`);
    }
  }
  return { data: moduleData(id, home), warnings };
}

/** What `add` and `remove` answer. */
export function moduleData(id: string, home: Home): ModuleData {
  return { module_id: id, manifest: home.config, manifest_posix: posix(home.config) };
}

/** `add`. */
export const add = declare({
  path: ["add"],
  summary: "Add a module to agentpack.yaml, which keeps its comments.",
  options: {
    type: choiceArgument(MODULE_TYPES, { help: "What the module is" }),
    source: argument({
      help: "local:<path> or git:<url>[#ref=…&subdir=…&shallow=true|false]",
    }),
    id: text({ help: "Its id; type and last part of the source otherwise", value: "ID" }),
    tags: list<string>([], { help: "Tags that profiles select by", value: "TAGS" }),
    targets: list<string>([], { help: "Only for these targets", value: "NAMES" }),
  },
  examples: [
    "add skill local:modules/skills/tidy --tags base",
    "add prompt git:https://git.example.org/team/assets.git#ref=v2&subdir=prompts/pr.md",
  ],
  changes: { asks: "first" },
  act: append,
  answers: members<ModuleData>("module_id", "manifest", "manifest_posix"),
  render: ({ data }) => `Added ${data.module_id} to ${shownPath(data.manifest)}`,
});
