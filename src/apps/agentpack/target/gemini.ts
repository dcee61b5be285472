/** Gemini CLI: its context files, commands, skills, subagents, MCP servers and hooks (PACK-23). */

import { hooks } from "./hooks.ts";
import {
  directoryIn,
  filesDirectory,
  instructionsFile,
  refusedAgent,
  rewritten,
  skillsDirectory,
} from "./layout.ts";
import { mcpServers } from "./mcp.ts";
import { givenDescription } from "../config/metadata.ts";
import { commandFrom, splitFrontMatter } from "../module/syntax.ts";
import type { OutputRule, Target } from "./target.ts";
import { type Fields, isObject } from "../../../base/object.ts";
import { list } from "../../../base/text/words.ts";
import { bytesOf, type Content, decodeText, encodeText } from "../content.ts";

// Subagents in the form of Gemini CLI, which loads none whose head has a member or a tool that it does not know (PACK-69).

/** The members of a head that it takes, of one that runs here. */
const TAKEN = [
  "kind",
  "name",
  "description",
  "display_name",
  "tools",
  "mcp_servers",
  "model",
  "temperature",
  "max_turns",
  "timeout_mins",
];

/** Its own tools, each with what others call the same. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  glob: ["Glob"],
  grep_search: ["Grep", "search_file_content"],
  read_file: ["Read"],
  read_many_files: [],
  list_directory: ["LS"],
  write_file: ["Write"],
  replace: ["Edit", "MultiEdit"],
  run_shell_command: ["Bash"],
  web_fetch: ["WebFetch"],
  google_web_search: ["WebSearch"],
  write_todos: ["TodoWrite"],
  activate_skill: ["Skill"],
  ask_user: ["AskUserQuestion"],
  read_mcp_resource: [],
  list_mcp_resources: [],
  get_internal_docs: [],
};

/** What a tool is called there; null for one that it does not have. */
function toolOf(name: string): string | null {
  const [, server, tool] = /^mcp__([A-Za-z0-9.:-]+)(?:__([\w.:*-]+))?$/.exec(name) ?? [];
  if (server !== undefined) return `mcp_${server}_${tool ?? "*"}`;
  if (/^(?:\*|mcp_\*|mcp_[A-Za-z0-9.:-]+_(?:\*|[\w.:-]*[A-Za-z0-9][\w.:-]*))$/.test(name)) {
    return name;
  }
  return Object.keys(TOOLS).find((own) => own === name || TOOLS[own]?.includes(name)) ?? null;
}

/** The names of a list, which may be written in one line with commas; null where it is neither. */
function namesIn(value: unknown): readonly string[] | null {
  const items: unknown = typeof value === "string" ? value.split(",") : value;
  return Array.isArray(items) && items.every((item) => typeof item === "string")
    ? items.map((item: string) => item.trim()).filter((item) => item !== "")
    : null;
}

/** Members by which a head holds its subagent back, and that have no form there. */
function heldBackBy(head: Fields): string[] {
  return ["disallowedTools", "readonly", "permissionMode"].filter((name) => {
    const value = head[name] ?? false;
    return value !== false && value !== "default";
  });
}

/** Whether a value of a head stands in it so that strict readers of YAML take it for what it is. */
function isStrict(head: string): boolean {
  return !/^[\w-]+:[ \t]+(?:[^"'|>[{\s][^\n]*:(?:\s|$)|\[[^\n]*\][ \t]*\S|[&*!%@`])/m.test(head);
}

/**
 * A subagent out of Markdown and what its head says: null bytes where it is in that form already, and what of it is
 * `lost`. A text says why there is none, to complete "it …".
 */
export function geminiAgent(
  content: Content,
  head: Fields,
): { readonly bytes: Uint8Array | null; readonly lost: readonly string[] } | string {
  const text = decodeText(bytesOf(content) ?? new Uint8Array());
  if (text === null) return "is not valid UTF-8";
  const { head: written, body } = splitFrontMatter(text);
  const isOwn = text.startsWith(written) && isStrict(written);
  // One that runs elsewhere is nobody else's form.
  if (head["kind"] === "remote" || "agent_card_url" in head || "agent_card_json" in head) {
    return isOwn ? { bytes: null, lost: [] } : "has a head that Gemini CLI does not read";
  }
  const { name } = head;
  if (typeof name !== "string" || !/^[a-z0-9_-]+$/.test(name)) {
    return `is called ${JSON.stringify(name)}, and a name has small letters, digits, - and _ there`;
  }
  const limits = heldBackBy(head);
  if (limits.length > 0) {
    return `is held back by ${list(limits, "and")}, which gemini does not know`;
  }
  const given = head["tools"] ?? null;
  const names = given === null ? [] : namesIn(given);
  if (names === null) return "has tools that are no list of names";
  const strange = names.filter((one) => toolOf(one) === null);
  if (strange.length > 0) {
    return `has the tools ${list(strange, "and")}, which gemini does not have`;
  }
  const tools = [...new Set(names.map((one) => toolOf(one) ?? one))];
  const model = head["model"];
  const isItsModel = typeof model === "string" &&
    /^(?:inherit$|gemini|auto|pro$|flash)/.test(model);
  const kept = Object.entries(head).flatMap(([member, value]): [string, unknown][] => {
    if (!TAKEN.includes(member) || value === null) return [];
    if (member === "tools") return [[member, tools]];
    return member === "model" && !isItsModel ? [] : [[member, value]];
  });
  const members = new Map(kept);
  const lost = Object.keys(head).filter((member) =>
    (head[member] ?? null) !== null && !members.has(member)
  );
  const isSame = isOwn && lost.length === 0 && kept.length === Object.keys(head).length &&
    (given === null || Array.isArray(given) && names.join() === tools.join());
  if (isSame) return { bytes: null, lost };
  const lines = kept.map(([member, value]) =>
    Array.isArray(value) && !value.some(isObject)
      ? `${member}:\n${value.map((item) => `  - ${JSON.stringify(item)}\n`).join("")}`
      : `${member}: ${JSON.stringify(value)}\n`
  );
  return { bytes: encodeText(`---\n${lines.join("")}---\n\n${body}`), lost };
}

/** The file that Gemini CLI reads in every session. */
const FILE = "GEMINI.md";

/** What a scope is called in the names of options. */
const WORD = { user: "user", project: "repo" } as const;

function context(scope: "user" | "project"): OutputRule {
  return instructionsFile(FILE, {
    ...directoryIn(scope, scope === "user" ? ".gemini" : ""),
    option: `write_${WORD[scope]}_gemini_md`,
    on: true,
  });
}

/** A command as Gemini CLI has it: what is TOML already as it is, Markdown rewritten. */
const commandFiles = rewritten("gemini", ({ module, path, name, bytes }) => {
  if (path.endsWith(".toml")) return { path: name, bytes, wayBack: { kind: "whole" } };
  const made = commandFrom(bytes, givenDescription(module.config));
  return typeof made === "string" ? made : {
    path: `${name.replace(/\.md$/, "")}.toml`,
    bytes: made.bytes,
    wayBack: { kind: "generated" },
  };
});

/** A subagent as Gemini CLI has it: one in its own form as it is, any other rewritten. */
const subagentFiles = rewritten("gemini", ({ module, path, name, bytes }) => {
  if (path.endsWith(".toml")) return "is TOML, which Codex alone takes";
  const made = geminiAgent(bytes, module.head);
  if (typeof made === "string") return made;
  // It may bring servers of its own.
  const refused = "mcp_servers" in module.head ? refusedAgent(module) : null;
  if (refused !== null) return refused;
  return {
    path: name,
    bytes: made.bytes ?? bytes,
    wayBack: { kind: made.bytes === null ? "whole" : "generated" },
    lost: made.lost,
  };
});

/** What is off by default, so that existing setups keep their output. */
function besidesContext(scope: "user" | "project"): OutputRule[] {
  const below = (name: string) => ({
    ...directoryIn(scope, `.gemini/${name}`),
    option: `write_${WORD[scope]}_${name}`,
    on: false,
  });
  const own = directoryIn(scope, ".gemini");
  const commands = below("commands");
  return [
    {
      type: "command",
      ...commands,
      output: `${commands.rootName}/<name>.toml`,
      scanExtras: true,
      assets: { kind: "files", suffix: ".toml" },
      render: commandFiles,
    },
    skillsDirectory(below("skills")),
    { ...filesDirectory("subagent", below("agents")), render: subagentFiles },
    mcpServers("gemini", { ...own, option: `write_${WORD[scope]}_mcp` }),
    hooks("gemini", { ...own, option: `write_${WORD[scope]}_hooks` }),
  ];
}

/** The target. */
export const gemini: Target = {
  name: "gemini",
  rules: [
    context("user"),
    context("project"),
    ...besidesContext("user"),
    ...besidesContext("project"),
  ],
};
