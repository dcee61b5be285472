/**
 * Cursor: one rule file per instructions module, with a generated header (PACK-23, PACK-25); commands, skills,
 * subagents, MCP servers and hooks, of a project and of a user.
 *
 * `metadata.cursor` of a module may set `description`, `globs` and `alwaysApply`; globs never stand next to
 * `alwaysApply: true`, unless a `header` that says so is given word for word. `file` is where the rule stands.
 */

import { jsonIn } from "../../../base/object.ts";
import { withoutMark } from "../content.ts";
import type { ModuleConfig } from "../config/config.ts";
import { toolSettings } from "../config/metadata.ts";
import { fsKey } from "../identity.ts";
import type { ComposedModule } from "../module/compose.ts";
import { withFinalNewline } from "../module/syntax.ts";
import { hooks } from "./hooks.ts";
import {
  directoryIn,
  filesDirectory,
  instructionsOf,
  ruleFile,
  skillsDirectory,
} from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import type { OutputRule, Rendering, Target } from "./target.ts";
import { splitLines } from "../../../base/text/diff/unified.ts";

interface Head {
  readonly text: string;
  /** Whether it is the text of `metadata.cursor.header`, below which the module stands as it is. */
  readonly given: boolean;
  readonly warning: string | null;
}

function globsOf(value: unknown): string[] {
  if (typeof value === "string") return splitGlobs(value);
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.filter((glob): glob is string => typeof glob === "string")
    .map((glob) => glob.trim()).filter((glob) => glob !== "");
}

/** The block at the head of a rule file, with the empty line below it. */
function headOf(module: ModuleConfig): Head {
  const settings = toolSettings(module, "cursor");
  const described = settings["description"];
  const globs = globsOf(settings["globs"]);
  const always = settings["alwaysApply"];
  const facts = {
    description: typeof described === "string" ? described : `agentpack: ${module.id}`,
    globs,
    alwaysApply: typeof always === "boolean" ? always : globs.length === 0,
  };
  const header = settings["header"];
  if (typeof header === "string" && splitRule(header).head === header) {
    const written = ruleFacts(header);
    if (sameFacts(written, facts)) return { text: header, given: true, warning: null };
  }
  const dropped = facts.alwaysApply && globs.length > 0;
  return {
    text: ruleHead(facts),
    given: false,
    warning: dropped
      ? `The module "${module.id}" always applies in Cursor, so its globs are left out`
      : null,
  };
}

function rules(modules: readonly ComposedModule[]): Rendering {
  const warnings: string[] = [];
  const files = modules.map((module) => {
    const { text, given, warning } = headOf(module.config);
    if (warning !== null) warnings.push(warning);
    const body = instructionsOf(module);
    const { file } = toolSettings(module.config, "cursor");
    const path = typeof file === "string" ? file : `${fsKey(module.config.id)}.mdc`;
    return ruleFile(module, path, text, given ? body : withFinalNewline(body));
  });
  return { files, warnings };
}

/**
 * What Cursor has besides rules, in a project and for a user alike: prompts are its commands, plain Markdown without a
 * head. All of it is off by default, so that existing setups keep their output.
 */
function besidesRules(scope: "user" | "project"): OutputRule[] {
  const option = (name: string) => `write_${scope === "user" ? "user_" : ""}${name}`;
  const below = (name: string) => ({
    ...directoryIn(scope, `.cursor/${name}`),
    option: option(name),
    on: false,
  });
  const own = directoryIn(scope, ".cursor");
  return [
    filesDirectory("prompt", below("commands")),
    skillsDirectory(below("skills")),
    filesDirectory("subagent", below("agents")),
    mcpServers("cursor", { ...own, option: option("mcp") }),
    hooks("cursor", { ...own, option: option("hooks") }),
  ];
}

/** The target. Rules for all projects are settings of the program, which no file holds. */
export const cursor: Target = {
  name: "cursor",
  rules: [
    {
      type: "instructions",
      ...directoryIn("project", ".cursor/rules"),
      option: "write_rules",
      on: true,
      output: "<project>/.cursor/rules/<fs_key>.mdc",
      scanExtras: true,
      assets: { kind: "rules", suffix: ".mdc" },
      render: rules,
    },
    ...besidesRules("project"),
    ...besidesRules("user"),
  ],
};

// A rule file of Cursor: a head that says when the rule applies, and the rule below it (PACK-25). Cursor reads the
// head line by line and not as YAML, in which `globs: *.ts` would mean something else; so does this.

/** What the head of a rule says; what it leaves out is empty or false. */
interface RuleFacts {
  readonly description: string;
  readonly globs: readonly string[];
  readonly alwaysApply: boolean;
}

function isFence(line: string | undefined): boolean {
  return line?.trimEnd() === "---";
}

/** Cuts a rule file behind its head and the empty line below that; the head is empty where there is none. */
export function splitRule(text: string): { readonly head: string; readonly body: string } {
  const lines = splitLines(text);
  const end = isFence(withoutMark(lines[0] ?? ""))
    ? lines.findIndex((line, at) => at > 0 && isFence(line))
    : -1;
  const cut = end < 0 ? 0 : lines[end + 1]?.trim() === "" ? end + 2 : end + 1;
  return { head: lines.slice(0, cut).join(""), body: lines.slice(cut).join("") };
}

function unquoted(text: string): string {
  if (/^'.*'$/.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  if (!/^".*"$/.test(text)) return text;
  return String(jsonIn(text) ?? text.slice(1, -1));
}

/** Globs out of one text: separated by commas, but for those inside braces. */
export function splitGlobs(text: string): string[] {
  const globs: string[] = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "{") depth++;
    if (char === "}" && depth > 0) depth--;
    if (char === "," && depth === 0) globs.push("");
    else globs.push(`${globs.pop() ?? ""}${char}`);
  }
  return cleanGlobs(globs);
}

function cleanGlobs(globs: readonly string[]): string[] {
  return globs.map((glob) => unquoted(glob.trim()).trim()).filter((glob) => glob !== "");
}

function globsIn([first = "", ...below]: readonly string[]): string[] {
  if (first === "") return cleanGlobs(below.map((line) => line.replace(/^-\s*/, "")));
  const text = [first, ...below].join(" ");
  const flow = /^\[(.*)\]$/.exec(text)?.[1];
  if (flow === undefined) return splitGlobs(unquoted(text));
  const list = jsonIn(text);
  return Array.isArray(list) ? cleanGlobs(list.map(String)) : splitGlobs(flow);
}

/** What a head says. */
export function ruleFacts(head: string): RuleFacts {
  const fields = new Map<string, string[]>();
  let last: string[] = [];
  for (const line of splitLines(head).slice(1)) {
    if (isFence(line)) break;
    const [, name, value] = /^([A-Za-z]\w*):(?:\s+(.*))?$/.exec(line.trimEnd()) ?? [];
    if (name !== undefined) {
      last = [value?.trim() ?? ""];
      fields.set(name, last);
    } else if (line.trim() !== "") last.push(line.trim());
  }
  const described = fields.get("description") ?? [];
  const lines = /^[>|][+-]?$/.test(described[0] ?? "") ? described.slice(1) : described;
  return {
    description: unquoted(lines.join(" ").trim()),
    globs: globsIn(fields.get("globs") ?? []),
    alwaysApply: /^true$/i.test(fields.get("alwaysApply")?.[0] ?? ""),
  };
}

/** The head that says this, with the empty line below it. Globs are left out where the rule always applies. */
export function ruleHead({ description, globs, alwaysApply }: RuleFacts): string {
  return [
    "---",
    `description: ${JSON.stringify(description)}`,
    `globs: ${JSON.stringify(alwaysApply ? [] : globs)}`,
    `alwaysApply: ${alwaysApply}`,
    "---",
    "",
    "",
  ].join("\n");
}

/** Whether two heads say the same. */
export function sameFacts(a: RuleFacts, b: RuleFacts): boolean {
  return a.description === b.description && a.alwaysApply === b.alwaysApply &&
    a.globs.length === b.globs.length && a.globs.every((glob, at) => glob === b.globs[at]);
}
