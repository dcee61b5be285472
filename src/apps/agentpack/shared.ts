/** Hooks and MCP servers as a module says them: one JSON object for all coding tools. */

import { type Fields, isObject, jsonIn } from "../../base/object.ts";
import { withoutMark } from "./content.ts";
import { didYouMean, list } from "../../base/text/words.ts";
import { isTargetName, TARGET_NAMES, type TargetName } from "./names.ts";
import type { Trouble } from "../../state/entries/types.ts";
import { AgentpackError } from "./error.ts";

// Hooks as a module says them: one JSON object for all coding tools, with the scripts that they run beside it (PACK-67).

/** The tools that run hooks. */
export const HOOK_HOSTS = ["claude_code", "codex", "cursor", "gemini"] as const;
/** One of {@linkcode HOOK_HOSTS}. */
export type HookHost = typeof HOOK_HOSTS[number];

/** When hooks run, in words of no tool, with the word of each tool; null where it knows none. */
export const HOOK_EVENTS = {
  session_start: {
    claude_code: "SessionStart",
    codex: "SessionStart",
    cursor: "sessionStart",
    gemini: "SessionStart",
  },
  session_end: {
    claude_code: "SessionEnd",
    codex: "SessionEnd",
    cursor: "sessionEnd",
    gemini: "SessionEnd",
  },
  prompt: {
    claude_code: "UserPromptSubmit",
    codex: "UserPromptSubmit",
    cursor: "beforeSubmitPrompt",
    gemini: "BeforeAgent",
  },
  before_tool: {
    claude_code: "PreToolUse",
    codex: "PreToolUse",
    cursor: "preToolUse",
    gemini: "BeforeTool",
  },
  after_tool: {
    claude_code: "PostToolUse",
    codex: "PostToolUse",
    cursor: "postToolUse",
    gemini: "AfterTool",
  },
  stop: { claude_code: "Stop", codex: "Stop", cursor: "stop", gemini: "AfterAgent" },
  subagent_stop: {
    claude_code: "SubagentStop",
    codex: "SubagentStop",
    cursor: "subagentStop",
    gemini: null,
  },
  before_compact: {
    claude_code: "PreCompact",
    codex: "PreCompact",
    cursor: "preCompact",
    gemini: "PreCompress",
  },
  notification: { claude_code: "Notification", codex: null, cursor: null, gemini: "Notification" },
} as const satisfies Record<string, Readonly<Record<HookHost, string | null>>>;

/** An event in words of no tool. */
export type HookEvent = keyof typeof HOOK_EVENTS;

const EVENT_NAMES = Object.keys(HOOK_EVENTS) as HookEvent[];

/** Stands in commands for the directory that the module's scripts are deployed to. */
export const DIRECTORY = "{{dir}}";

interface HookOfHost {
  /** Its own event. */
  readonly event?: string;
  /** Its own matcher; null for none. */
  readonly matcher?: string | null;
  /** Its entry, word for word. */
  readonly entry?: Fields;
}

/** One hook. */
export interface Hook {
  readonly event?: HookEvent;
  /** For what it runs, in the words of the tools: most often names of their tools. */
  readonly matcher?: string;
  readonly command?: string;
  /** How long it may take, in seconds. */
  readonly timeout?: number;
  /** What single tools have otherwise; null leaves the hook out of one. */
  readonly hosts: Partial<Readonly<Record<HookHost, HookOfHost | null>>>;
}

/** The file that says which hooks a module has, among its scripts. */
export const HOOK_FILE = "hook.json";

const MEMBERS = ["event", "matcher", "command", "timeout", "hosts"];
const HOST_MEMBERS = ["event", "matcher", "entry"];

/** The path of the file that says which hooks a module has; null where it has none. */
export function hookFileOf(paths: readonly string[]): string | null {
  if (paths.includes(HOOK_FILE)) return HOOK_FILE;
  const [only, ...others] = paths;
  return only !== undefined && others.length === 0 && only.endsWith(".json") ? only : null;
}

/** Reads the file of a module; a text says why it cannot be used, to complete "it …". */
export function readHooks(text: string): readonly Hook[] | string {
  const raw = jsonIn(withoutMark(text));
  if (raw === undefined) return "is not valid JSON";
  if (!isObject(raw) || !Array.isArray(raw["hooks"])) return 'holds no list "hooks"';
  const stranger = Object.keys(raw).find((key) => key !== "hooks" && key !== "$schema");
  if (stranger !== undefined) return `has the unknown member ${JSON.stringify(stranger)}`;
  const all: readonly unknown[] = raw["hooks"];
  if (all.length === 0) return "has no hooks";
  const hooks: Hook[] = [];
  for (const [index, one] of all.entries()) {
    const problem = isObject(one) ? problemOf(one) : "is no object";
    if (problem !== null) return `cannot use hook ${index + 1}, which ${problem}`;
    hooks.push({ hosts: {}, ...one as Partial<Hook> });
  }
  return hooks;
}

function unknownMember(raw: Fields, members: readonly string[], besides = ""): string | null {
  const unknown = Object.keys(raw).find((key) => !members.includes(key));
  if (unknown === undefined) return null;
  const near = didYouMean(unknown, members);
  return `has the unknown member ${JSON.stringify(unknown)}; ${
    near === null ? `it takes ${list(members)}${besides}` : `did you mean "${near}"?`
  }`;
}

function problemOf(raw: Fields): string | null {
  const { event, matcher, command, timeout, hosts = {} } = raw;
  const unknown = unknownMember(raw, MEMBERS);
  if (unknown !== null) return unknown;
  if (event !== undefined && !EVENT_NAMES.some((name) => name === event)) {
    const near = typeof event === "string" ? didYouMean(event, EVENT_NAMES) : null;
    return `has the event ${JSON.stringify(event)}, which is none of ${list(EVENT_NAMES)}${
      near === null ? "; one that a single tool knows goes into hosts" : `; did you mean "${near}"?`
    }`;
  }
  if (matcher !== undefined && typeof matcher !== "string") return "has a matcher that is no text";
  if (command !== undefined && (typeof command !== "string" || command.trim() === "")) {
    return "has a command that is no text, or an empty one";
  }
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0)) {
    return "has a timeout that is no number of seconds";
  }
  if (!isObject(hosts)) return "has hosts that are no object";
  for (const [name, host] of Object.entries(hosts)) {
    if (!HOOK_HOSTS.some((one) => one === name)) {
      return `names ${JSON.stringify(name)} in hosts, which is none of ${list(HOOK_HOSTS)}`;
    }
    const problem = host === null ? null : hostProblem(host, raw);
    if (problem !== null) return `has hosts.${name} that ${problem}`;
  }
  const own = Object.values(hosts).filter((host) => host !== null);
  if (event === undefined && own.length === 0) return "has no event";
  if (command === undefined && own.length === 0) return "has no command";
  return null;
}

function hostProblem(host: unknown, hook: Fields): string | null {
  if (!isObject(host)) return "is neither an object nor null";
  const unknown = unknownMember(host, HOST_MEMBERS);
  if (unknown !== null) return unknown;
  const { event, matcher, entry } = host;
  if (event !== undefined && (typeof event !== "string" || !/^\w[\w-]*$/.test(event))) {
    return "has an event that is no word";
  }
  if (event === undefined && hook["event"] === undefined) return "has no event";
  if (matcher !== undefined && matcher !== null && typeof matcher !== "string") {
    return "has a matcher that is neither a text nor null";
  }
  if (entry !== undefined && !isObject(entry)) return "has an entry that is no object";
  return entry === undefined && hook["command"] === undefined ? "has no command or entry" : null;
}

/** The scripts of their module that commands name, as paths in it. */
export function scriptsOf(commands: readonly string[]): string[] {
  return commands.flatMap((command) =>
    [...command.matchAll(/\{\{dir\}\}\/([\w.@+/-]+)/g)].map(([, path = ""]) => path)
  );
}

/** The text of a module's file. */
export function hooksText(hook: Hook): string {
  const { hosts, ...rest } = hook;
  const one = { ...rest, ...(Object.keys(hosts).length === 0 ? {} : { hosts }) };
  return `${JSON.stringify({ hooks: [one] }, null, 2)}\n`;
}

// An MCP server as a module says it: one JSON object for all coding tools (PACK-63).

/** How a server is reached: a program that is started, or an address. */
const TRANSPORTS = ["stdio", "http", "sse"] as const;
/** One of {@linkcode TRANSPORTS}. */
export type Transport = typeof TRANSPORTS[number];

/** An MCP server. */
export interface McpServer {
  readonly type: Transport;
  /** The program, of stdio servers. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The address, of the others. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What one tool has besides, word for word; null leaves a member out. */
  readonly hosts: Partial<Readonly<Record<TargetName, Fields>>>;
}

const SERVER_MEMBERS = ["type", "command", "args", "env", "cwd", "url", "headers", "hosts"];

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((one) => typeof one === "string");
}

/** Reads the file of a module; a text says why it cannot be used, to complete "it …". */
export function readServer(text: string): McpServer | string {
  const raw = jsonIn(withoutMark(text));
  if (raw === undefined) return "is not valid JSON";
  if (!isObject(raw)) return "holds no JSON object";
  const unknown = unknownMember(
    raw,
    SERVER_MEMBERS,
    "; what one tool has besides goes into hosts",
  );
  return unknown ?? serverProblem(raw) ?? serverOf(raw);
}

function serverProblem(raw: Fields): string | null {
  const { type, command, args, env, cwd, url, headers, hosts } = raw;
  if (type !== undefined && !TRANSPORTS.some((one) => one === type)) {
    return `has another type than ${list(TRANSPORTS, "or")}`;
  }
  if ((typeof command === "string") === (typeof url === "string")) {
    return "needs either a command or a url";
  }
  if (command === "" || url === "") return "has an empty command or url";
  if (type !== undefined && (type === "stdio") !== (typeof command === "string")) {
    return "has a type that does not fit its command or url";
  }
  if (
    args !== undefined && !(Array.isArray(args) && args.every((one) => typeof one === "string"))
  ) {
    return "has args that are no list of texts";
  }
  if (env !== undefined && !isTexts(env)) return "has an env that does not map names to texts";
  if (headers !== undefined && !isTexts(headers)) {
    return "has headers that do not map names to texts";
  }
  if (cwd !== undefined && typeof cwd !== "string") return "has a cwd that is no text";
  const isRemote = typeof url === "string";
  const misplaced = isRemote ? [args, env, cwd] : [headers];
  if (misplaced.some((one) => one !== undefined)) {
    return isRemote
      ? "has args, env or cwd, which only a command takes"
      : "has headers, which only a url takes";
  }
  if (hosts === undefined) return null;
  if (!isObject(hosts)) return "has hosts that are no object";
  const stranger = Object.keys(hosts).find((name) => !isTargetName(name));
  if (stranger !== undefined) {
    return `names ${JSON.stringify(stranger)} in hosts, which is none of ${list(TARGET_NAMES)}`;
  }
  return Object.values(hosts).every(isObject) ? null : "has hosts whose members are no objects";
}

/** The server that members which were checked describe. */
function serverOf(raw: Fields): McpServer {
  const { hosts, type, ...rest } = raw;
  const transport = type ?? (typeof raw["command"] === "string" ? "stdio" : "http");
  return { ...rest, type: transport, hosts: hosts ?? {} } as McpServer;
}

/** The text of a module's file. */
export function serverText(server: McpServer): string {
  const { hosts, type, ...rest } = server;
  const isUsual = type === "stdio" || type === "http";
  return `${
    JSON.stringify(
      {
        ...(isUsual ? {} : { type }),
        ...rest,
        ...(Object.keys(hosts).length === 0 ? {} : { hosts }),
      },
      null,
      2,
    )
  }\n`;
}

/** The error for a shared file that cannot be used. */
export function sharedFileError(path: string, { problem, line }: Trouble): AgentpackError {
  const where = line === null ? path : `${path}:${line}`;
  return new AgentpackError(
    "E_SHARED_FILE_INVALID",
    `Cannot edit "${where}": ${problem}; it was left as it is`,
    { path, line, error: problem },
  );
}
