/**
 * What a module must consist of after its overlays are applied (PACK-21). All failures are
 * `E_CONFIG_INVALID` with `module_id` and `path`.
 */

import type { Fields } from "../../../base/object.ts";
import { bytesOf, type Content, decodeText } from "../content.ts";
import { type AgentpackError, configInvalid, type Details } from "../error.ts";
import type { ModuleType } from "../names.ts";
import { readFrontMatter, tomlAgentProblem, tomlCommandProblem } from "./syntax.ts";
import { type Hook, HOOK_FILE, hookFileOf, readHooks, readServer, scriptsOf } from "../shared.ts";
import { list } from "../../../base/text/words.ts";
import { commandsOf } from "../../../state/entries/types.ts";

/** What is checked: files by path. */
interface Checked {
  readonly id: string;
  readonly type: ModuleType;
  /** What the configuration says that it is for, where its file does not. */
  readonly description?: string | null;
  readonly files: ReadonlyMap<string, { readonly bytes: Content }>;
}

function invalid(module: Checked, path: string, why: string, details: Details): AgentpackError {
  return configInvalid(`The ${module.type} module "${module.id}" cannot be used: ${why}`, {
    module_id: module.id,
    path,
    ...details,
  });
}

/** The bytes of a file that this program reads itself; it would have to be Markdown that is taken for something else. */
function textOf(module: Checked, path: string, content: Content): Uint8Array {
  const bytes = bytesOf(content);
  if (bytes === null) throw invalid(module, path, `${path} is too large`, { error: "too large" });
  return bytes;
}

function requireFile(module: Checked, path: string): Uint8Array {
  const file = module.files.get(path);
  if (file === undefined) {
    throw invalid(module, path, `it has no ${path}`, { missing: [path] });
  }
  return textOf(module, path, file.bytes);
}

function requireSingleMarkdown(module: Checked): { path: string; bytes: Uint8Array } {
  const [first, ...others] = module.files;
  if (first === undefined || others.length > 0 || !first[0].endsWith(".md")) {
    const found = [...module.files.keys()].slice(0, 5);
    throw invalid(module, found[0] ?? "", "it must be exactly one .md file", {
      expected: "exactly one .md file",
      found,
    });
  }
  return { path: first[0], bytes: textOf(module, first[0], first[1].bytes) };
}

interface Head {
  readonly text: string;
  readonly fields: Fields;
}

async function requireFields(
  module: Checked,
  path: string,
  bytes: Uint8Array,
  names: readonly string[],
): Promise<Head> {
  const text = decodeText(bytes);
  if (text === null) {
    const error = "the file is not valid UTF-8";
    throw invalid(module, path, `${path}: ${error}`, { error });
  }
  const matter = await readFrontMatter(text);
  if (matter.kind === "invalid") {
    throw invalid(
      module,
      path,
      `the front matter of ${path} is not valid YAML: ${matter.message}`,
      {
        error: matter.message,
      },
    );
  }
  if (matter.kind !== "mapping") {
    const expected = matter.kind === "not_a_mapping"
      ? "front matter that is a mapping"
      : matter.kind === "unclosed"
      ? 'front matter closed by a line "---"'
      : 'front matter between lines "---" at the beginning';
    throw invalid(module, path, `${path} needs ${expected}`, { expected });
  }
  const missing = names.filter((name) => (matter.fields[name] ?? null) === null);
  if (missing.length > 0) {
    throw invalid(module, path, `the front matter of ${path} has no ${missing.join(", ")}`, {
      missing,
    });
  }
  for (const name of names) {
    const value = matter.fields[name];
    if (typeof value !== "string" || value.trim() === "") {
      throw invalid(module, path, `"${name}" in ${path} must be a non-empty string`, {
        field: name,
        expected: "non-empty string",
      });
    }
  }
  return { text, fields: matter.fields };
}

/** Whether a command has no head, and needs none because the configuration describes it. */
async function isDescribedOutside(module: Checked, bytes: Uint8Array): Promise<boolean> {
  const text = decodeText(bytes);
  return text !== null && (module.description ?? "").trim() !== "" &&
    (await readFrontMatter(text)).kind === "none";
}

function allowsBash(value: unknown): boolean {
  const entries = Array.isArray(value) ? value : [value];
  return entries.every((entry) => typeof entry === "string") &&
    entries.some((entry) => String(entry).includes("Bash("));
}

/** The one file of a module that is TOML, as one tool has it; null where it is anything else. */
function onlyToml(module: Checked): { readonly path: string; readonly text: string } | null {
  const [only, ...others] = module.files;
  if (only === undefined || others.length > 0 || !only[0].endsWith(".toml")) return null;
  const [path, { bytes }] = only;
  return { path, text: decodeText(textOf(module, path, bytes)) ?? "\0" };
}

function refuseToml(module: Checked, path: string, problem: string | null): void {
  if (problem !== null) throw invalid(module, path, `${path} ${problem}`, { error: problem });
}

async function checkCommand(module: Checked): Promise<void> {
  const only = onlyToml(module);
  if (only !== null) {
    refuseToml(module, only.path, await tomlCommandProblem(only.text));
    return;
  }
  const { path, bytes } = requireSingleMarkdown(module);
  const { text, fields }: Head = await isDescribedOutside(module, bytes)
    ? { text: decodeText(bytes) ?? "", fields: {} }
    : await requireFields(module, path, bytes, ["description"]);
  if (!text.includes("!bash") && !text.includes("!`bash`")) return;
  if (!allowsBash(fields["allowed-tools"])) {
    throw invalid(module, path, `${path} runs bash, so its allowed-tools must name Bash(…)`, {
      field: "allowed-tools",
      expected: "Bash(",
    });
  }
}

function checkServer(module: Checked): void {
  const [first, ...others] = module.files;
  if (first === undefined || others.length > 0 || !first[0].endsWith(".json")) {
    const found = [...module.files.keys()].slice(0, 5);
    throw invalid(module, found[0] ?? "", "it must be exactly one .json file", {
      expected: "exactly one .json file",
      found,
    });
  }
  const [path, { bytes }] = first;
  const server = readServer(decodeText(textOf(module, path, bytes)) ?? "");
  if (typeof server === "string") {
    throw invalid(module, path, `${path} ${server}`, { error: server });
  }
}

/** Scripts that hooks name and that their module does not have. */
function missingScripts(hooks: readonly Hook[], paths: readonly string[]): string[] {
  return scriptsOf(hooks.flatMap(everyCommand)).filter((path) => !paths.includes(path));
}

function everyCommand({ command, hosts }: Hook): string[] {
  const entries = Object.values(hosts).flatMap((host): Fields[] =>
    host?.entry === undefined ? [] : [host.entry]
  );
  return [...command === undefined ? [] : [command], ...entries.flatMap(commandsOf)];
}

function checkHooks(module: Checked): void {
  const paths = [...module.files.keys()];
  const path = hookFileOf(paths);
  const file = path === null ? undefined : module.files.get(path);
  if (path === null || file === undefined) {
    const expected = `${HOOK_FILE}, or exactly one .json file`;
    throw invalid(module, paths[0] ?? "", `it has no ${expected}`, {
      expected,
      found: paths.slice(0, 5),
    });
  }
  const hooks = readHooks(decodeText(textOf(module, path, file.bytes)) ?? "");
  if (typeof hooks === "string") {
    throw invalid(module, path, `${path} ${hooks}`, { error: hooks });
  }
  const missing = missingScripts(hooks, paths);
  if (missing.length > 0) {
    throw invalid(module, path, `${path} names ${list(missing)}, which it does not have`, {
      missing,
    });
  }
}

/** Checks a subagent; answers what its head says, nothing of one that is TOML. */
async function checkSubagent(module: Checked): Promise<Fields> {
  const only = onlyToml(module);
  if (only === null) {
    const { path, bytes } = requireSingleMarkdown(module);
    return (await requireFields(module, path, bytes, ["name", "description"])).fields;
  }
  refuseToml(module, only.path, await tomlAgentProblem(only.text));
  return {};
}

/** Throws when a module is not what its type demands; answers what the head of a subagent says, else nothing. */
export async function validateModule(module: Checked): Promise<Fields> {
  switch (module.type) {
    case "instructions":
      requireFile(module, "AGENTS.md");
      return {};
    case "skill":
      await requireFields(module, "SKILL.md", requireFile(module, "SKILL.md"), [
        "name",
        "description",
      ]);
      return {};
    case "prompt":
      requireSingleMarkdown(module);
      return {};
    case "subagent":
      return await checkSubagent(module);
    case "command":
      await checkCommand(module);
      return {};
    case "mcp_server":
      checkServer(module);
      return {};
    case "hook":
      checkHooks(module);
      return {};
  }
}
