/**
 * Codex: instructions, prompts as skills, skills, subagents, MCP servers and hooks (PACK-23).
 *
 * `write_agents_skills` is off by default: only newer Codex versions read skills from `.agents/skills`, and existing
 * setups keep their output.
 */

import { join, resolve } from "@std/path";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { bytesOf, decodeText, encodeText } from "../content.ts";
import { givenDescription, skillDirectory } from "../config/metadata.ts";
import { expandTilde, userHome } from "../io.ts";
import { agentFrom, descriptionIn, splitFrontMatter } from "../module/syntax.ts";
import { hooks } from "./hooks.ts";
import {
  directoryIn,
  instructionsFile,
  refusedAgent,
  rewritten,
  singleFiles,
  skillsDirectory,
} from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import { directoryOption, type OutputRule, type Target, type TargetPlace } from "./target.ts";
import type { Fields } from "../../../base/object.ts";

/** The option `codex_home`, else the variable `CODEX_HOME`, else `~/.codex`. */
export function codexHome(place: TargetPlace): string {
  const { env } = place;
  const variable = env.get("CODEX_HOME") ?? "";
  return directoryOption(place, "codex_home") ??
    (variable.trim() === ""
      ? join(userHome(env), ".codex")
      : resolve(env.cwd, expandTilde(variable, env)));
}

/** Codex's own directory of the user, or one in it. */
function inHome(
  name = "",
): Pick<OutputRule, "scope" | "rootName" | "root"> & { readonly rootOption: string } {
  return {
    scope: "user",
    rootName: name === "" ? "<codex_home>" : `<codex_home>/${name}`,
    root: (place) => join(codexHome(place), name),
    rootOption: "codex_home",
  };
}

/** What the head of a subagent limits it by and Codex would not. */
function limitsOf(head: Fields): string[] {
  return ["tools", "disallowedTools", "readonly", "permissionMode"].filter((name) =>
    (head[name] ?? null) !== null
  );
}

/** A subagent as Codex has it: what is TOML already as it is, Markdown rewritten. */
const subagentFiles = rewritten("codex", ({ module, path, name, bytes }) => {
  if (path.endsWith(".toml")) {
    // It may bring servers and a sandbox of its own.
    return refusedAgent(module) ?? { path: name, bytes, wayBack: { kind: "whole" } };
  }
  const made = agentFrom(bytes, module.head);
  return typeof made === "string" ? made : {
    path: `${name.replace(/\.md$/, "")}.toml`,
    bytes: made.bytes,
    wayBack: { kind: "generated" },
    lost: limitsOf(module.head),
  };
});

/** What a person may be told about a prompt in one line. */
const MOST = 200;

/**
 * A prompt as a skill, which is what Codex has in its place: it is called by `$NAME`, or taken when its description fits.
 */
const promptSkills = rewritten("codex", ({ module, name, bytes }, all) => {
  const text = decodeText(bytesOf(bytes) ?? new Uint8Array());
  if (text === null) return "is not valid UTF-8";
  const { head, body } = splitFrontMatter(text);
  const directory = name.replace(/\.md$/, "");
  const same = all.find((one) => one.type === "skill" && skillDirectory(one) === directory);
  if (same !== undefined) {
    return `would be a skill of the name of "${same.id}"; metadata.output gives another one`;
  }
  const first = body.split("\n").map((line) => cleanLine(line.replace(/^#+\s+/, ""), MOST).trim())
    .find((line) => line !== "");
  const described = descriptionIn(head) ?? givenDescription(module.config) ?? first ?? directory;
  const called = directory.slice(directory.lastIndexOf("/") + 1);
  const made = `---\nname: ${JSON.stringify(called)}\ndescription: ${
    JSON.stringify(described)
  }\n---\n\n`;
  const filled = [...new Set(body.match(/\$(?:ARGUMENTS|[1-9])\b/g) ?? [])];
  return {
    path: `${directory}/SKILL.md`,
    bytes: encodeText(made + body),
    wayBack: head === ""
      ? { kind: "below_header", header: encodeText(made) }
      : { kind: "generated" },
    lost: filled,
  };
});

/** Subagents, off by default, so that existing setups keep their output. */
function subagents(
  ground: Pick<OutputRule, "scope" | "option" | "rootName" | "root" | "rootOption">,
): OutputRule {
  return {
    type: "subagent",
    on: false,
    output: `${ground.rootName}/<name>.toml`,
    scanExtras: true,
    assets: { kind: "files", suffix: ".toml" },
    render: subagentFiles,
    ...ground,
  };
}

/** The target. */
export const codex: Target = {
  name: "codex",
  always: ["instructions", "skill"],
  options: ["codex_home"],
  rules: [
    instructionsFile("AGENTS.md", { ...inHome(), option: "write_agents_global", on: true }),
    instructionsFile("AGENTS.md", {
      ...directoryIn("project"),
      option: "write_agents_repo_root",
      on: true,
    }),
    {
      type: "prompt",
      ...inHome("skills"),
      option: "write_prompt_skills",
      on: true,
      unless: "write_user_prompts",
      output: "<codex_home>/skills/<name>/SKILL.md",
      scanExtras: true,
      // What people wrote for older versions becomes a skill once it is imported.
      formerRoot: inHome("prompts").root,
      assets: { kind: "files", suffix: ".md" },
      render: promptSkills,
    },
    // What versions of Codex without skills read.
    {
      type: "prompt",
      ...inHome("prompts"),
      option: "write_user_prompts",
      on: false,
      output: "<codex_home>/prompts/<file>",
      scanExtras: true,
      render: singleFiles(""),
    },
    skillsDirectory({ ...inHome("skills"), option: "write_user_skills", on: true }),
    skillsDirectory({
      ...directoryIn("project", ".codex/skills"),
      option: "write_repo_skills",
      on: true,
    }),
    skillsDirectory({
      ...directoryIn("user", ".agents/skills"),
      option: "write_agents_skills",
      on: false,
    }),
    skillsDirectory({
      ...directoryIn("project", ".agents/skills"),
      option: "write_agents_skills",
      on: false,
    }),
    subagents({ ...inHome("agents"), option: "write_user_agents" }),
    subagents({ ...directoryIn("project", ".codex/agents"), option: "write_repo_agents" }),
    hooks("codex", { ...inHome(), option: "write_user_hooks" }),
    hooks("codex", { ...directoryIn("project", ".codex"), option: "write_repo_hooks" }),
    mcpServers("codex", { ...inHome(), option: "write_user_mcp" }),
    mcpServers("codex", { ...directoryIn("project", ".codex"), option: "write_repo_mcp" }),
  ],
};
