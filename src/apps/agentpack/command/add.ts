/** `add`: appends a module to `agentpack.yaml` (PACK-54). */

import { basename, isAbsolute, join } from "@std/path";
import { unifiedDiff } from "../../../base/text/diff/unified.ts";
import { gitSourceProblem, parseConfig, readConfigText } from "../config/config.ts";
import { addModules, type NewModule } from "../config/edit.ts";
import { derivedId, parseSource } from "../config/select.ts";
import {
  type Act,
  argument,
  choiceArgument,
  declare,
  type InputOf,
  list,
  type Look,
  members,
  text,
} from "../declare/command.ts";
import { lines, patchText, shownPath } from "../declare/show.ts";
import { configInvalid } from "../error.ts";
import type { Home } from "../identity.ts";
import { type Twins, withPosix, writeFile } from "../io.ts";
import { MODULE_TYPES } from "../names.ts";
import type { Answer } from "../pack.ts";

/** `data` of `add` and `remove`. */
export interface ModuleData extends Twins<"manifest"> {
  readonly module_id: string;
  /** Present in a dry run. */
  readonly dry_run?: true;
}

/** An answer about an edit of `agentpack.yaml`, with the edit as a diff for people where it is shown beforehand. */
type ModuleEdit = Answer<ModuleData> & { readonly diff?: string };

/** An edit of `agentpack.yaml` that proved to leave a valid configuration. */
export interface ConfigEdit {
  readonly id: string;
  readonly before: string;
  readonly after: string;
  readonly warnings: readonly string[];
}

/** Shows an edit. */
export function shownEdit(home: Home, { id, before, after, warnings }: ConfigEdit): ModuleEdit {
  const name = basename(home.config);
  return {
    data: { ...moduleData(id, home), dry_run: true },
    warnings,
    diff: unifiedDiff(before, after, `a/${name}`, `b/${name}`),
  };
}

/** Makes an edit after it was approved of. */
export async function makeEdit(
  { pack, home, approve }: Act,
  edit: ConfigEdit,
): Promise<ModuleEdit> {
  await approve(shownEdit(home, edit).data);
  await writeFile(pack.system.files, home.config, edit.after);
  return { data: moduleData(edit.id, home), warnings: edit.warnings };
}

/** What people read of an edit. */
export function editText({ diff }: ModuleEdit, done: string, planned: string): string {
  return diff === undefined ? done : lines(planned, "", patchText(diff));
}

const OPTIONS = {
  type: choiceArgument(MODULE_TYPES, { help: "What the module is" }),
  source: argument({
    help: "local:<path> or git:<url>[#ref=…&subdir=…&shallow=true|false]",
  }),
  id: text({ help: "Its id; type and last part of the source otherwise", value: "ID" }),
  tags: list<string>([], { help: "Tags that profiles select by", value: "TAGS" }),
  targets: list<string>([], { help: "Only for these targets", value: "NAMES" }),
};

/** What appends a module. Throws `E_CONFIG_INVALID` when the id is taken or the source cannot be used. */
async function appended(
  { pack, home }: Look,
  options: InputOf<typeof OPTIONS>,
): Promise<ConfigEdit> {
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
      hint: "Give another one: git:URL#ref=BRANCH&subdir=DIR, with a URL of https, ssh or a path",
    });
  }
  const module: NewModule = {
    id,
    type: options.type,
    tags: options.tags,
    targets: options.targets,
    source,
  };
  const after = await addModules(text, [module]);
  await parseConfig(after, home.config);
  const warnings: string[] = [];
  if (source.kind === "local") {
    const path = isAbsolute(source.path) ? source.path : join(home.repo, source.path);
    if (await pack.system.files.stat(path) === null) {
      warnings.push(`"${path}" does not exist yet`);
    }
  }
  return { id, before: text, after, warnings };
}

/** What `add` and `remove` answer. */
function moduleData(id: string, home: Home): ModuleData {
  return { module_id: id, ...withPosix("manifest", home.config) };
}

/** `add`. */
export const add = declare({
  path: ["add"],
  summary: "Add a module to agentpack.yaml, which keeps its comments.",
  options: OPTIONS,
  examples: [
    "add skill local:modules/skills/tidy --tags base",
    "add prompt 'git:https://git.example.org/team/assets.git#ref=v2&subdir=prompts/pr.md'",
  ],
  changes: { asks: "first" },
  look: async (call, input) => shownEdit(call.home, await appended(call, input)),
  act: async (call, input) => await makeEdit(call, await appended(call, input)),
  answers: members<ModuleData>("module_id", "manifest", "manifest_posix", "dry_run"),
  render: (answer) => {
    const { module_id: id, manifest } = answer.data;
    return editText(
      answer,
      `Added ${shownPath(id)} to ${shownPath(manifest)}`,
      `Would add ${shownPath(id)} to ${shownPath(manifest)}:`,
    );
  },
});
