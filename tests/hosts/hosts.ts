/**
 * The AI hosts that npm has, and how each is brought to start its servers without an account.
 *
 * @module
 */

import type { Host } from "../../src/machine/hosts/mod.ts";
import type { Wish } from "./model.ts";

/** How a host is tried. `URL` in its words stands for the stand-in of a model, `PROJECT` for where it works. */
export interface Trial {
  readonly host: Host;
  /** The package of npm. */
  readonly npm: string;
  /** Its program, below `node_modules`. */
  readonly program: string;
  /** What makes it connect. */
  readonly start: readonly string[];
  /** What has to be said before, each a command line. */
  readonly before?: readonly (readonly string[])[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files of its home that it needs besides, before amof is installed. */
  readonly files?: Readonly<Record<string, string>>;
}

const CODEX_MODEL = [
  "-c",
  'model_providers.it={name="it",base_url="URL",wire_api="responses",request_max_retries=0,stream_max_retries=0}',
  "-c",
  'model_provider="it"',
  "-c",
  'model="it"',
];

/** The trials. */
export const TRIALS: readonly Trial[] = [
  {
    host: "claude-code",
    npm: "@anthropic-ai/claude-code",
    program: ".bin/claude",
    start: ["mcp", "list"],
  },
  {
    host: "codex",
    npm: "@openai/codex",
    program: ".bin/codex",
    start: ["exec", "--skip-git-repo-check", ...CODEX_MODEL, "hello"],
  },
  {
    host: "gemini",
    npm: "@google/gemini-cli",
    program: ".bin/gemini",
    start: ["mcp", "list"],
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
  },
  {
    host: "copilot",
    npm: "@github/copilot",
    program: ".bin/copilot",
    start: ["-p", "hello"],
    env: {
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: "URL",
      COPILOT_MODEL: "gpt-4o",
    },
  },
  { host: "qwen", npm: "@qwen-code/qwen-code", program: ".bin/qwen", start: ["mcp", "list"] },
  { host: "opencode", npm: "opencode-ai", program: ".bin/opencode", start: ["mcp", "list"] },
  // The package that all systems share may come before those of single ones.
  {
    host: "kilo",
    npm: "@kilocode/cli-linux-x64",
    program: "@kilocode/cli-linux-x64/bin/kilo",
    start: ["mcp", "list"],
  },
  {
    host: "cline",
    npm: "cline",
    program: ".bin/cline",
    before: [["auth", "-p", "openai", "-k", "none", "-m", "gpt-4o", "-b", "URL"]],
    start: ["-P", "openai-compatible", "--json", "say hello to me"],
  },
  {
    host: "amp",
    npm: "@sourcegraph/amp",
    program: ".bin/amp",
    start: ["mcp", "doctor"],
    env: { AMP_API_KEY: "none", AMP_URL: "URL" },
  },
  {
    host: "continue",
    npm: "@continuedev/cli",
    program: ".bin/cn",
    start: ["-p", "hello"],
    files: {
      ".continue/config.yaml": `# mine
name: Local Config
version: 1.0.0
schema: v1
models:
  - name: it
    provider: openai
    model: gpt-4o
    apiBase: URL
    apiKey: none
`,
    },
  },
  { host: "mcporter", npm: "mcporter", program: ".bin/mcporter", start: ["list"] },
];

/** How a host is asked what it has. */
export interface Listing extends Omit<Trial, "start" | "before"> {
  /** The target of agentpack that writes for it. */
  readonly target: string;
  /** What makes it tell what it has, each a command line. */
  readonly asks: readonly (readonly string[])[];
  /** Types of the target that this program has no use for: another one of its family takes them. */
  readonly others?: readonly string[];
}

/** The package and program of a host. */
function programOf(host: Host): Pick<Trial, "host" | "npm" | "program" | "env"> {
  const found = TRIALS.find((trial) => trial.host === host);
  if (found === undefined) throw new Error(`Nobody tries ${host}`);
  const { npm, program, env = {} } = found;
  return { host, npm, program, env };
}

/** The hosts for which agentpack writes. */
export const LISTINGS: readonly Listing[] = [
  {
    ...programOf("claude-code"),
    target: "claude_code",
    env: { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: "URL" },
    asks: [["-p", "--output-format", "stream-json", "--verbose", "hello"]],
  },
  {
    ...programOf("codex"),
    target: "codex",
    files: { ".codex/config.toml": '[projects."PROJECT"]\ntrust_level = "trusted"\n' },
    asks: [
      ["debug", "prompt-input", "hello"],
      // As after a person has trusted the hooks.
      ["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", ...CODEX_MODEL, "hello"],
    ],
  },
  {
    ...programOf("gemini"),
    target: "gemini",
    env: {
      ...programOf("gemini").env,
      GEMINI_API_KEY: "none",
      GOOGLE_GEMINI_BASE_URL: "URL",
    },
    files: {
      ".gemini/settings.json": '{ "security": { "auth": { "selectedType": "gemini-api-key" } } }\n',
    },
    asks: [["skills", "list"], ["mcp", "list"], ["-p", "/quokka-four"]],
  },
  {
    ...programOf("copilot"),
    target: "vscode",
    asks: [["skill", "list"], ["instruction", "list"], ["-p", "hello", "--trust-folder"]],
    // The editor has these.
    others: ["prompt", "mcp_server"],
  },
];

/** How a model in a host is made to call tools. */
export interface Caller extends Trial {
  /** What the model has to call for one tool of amof: some hosts have it search first. */
  readonly calls: (tool: string, args: Wish["args"]) => readonly Wish[];
}

const plainly: Caller["calls"] = (tool, args) => [{ tool, args }];

/** A host of npm whose model the stand-in can be. */
function callerOf(host: Host, start: Trial["start"], more: Partial<Caller> = {}): Caller {
  const found = programOf(host);
  return { ...found, start, calls: plainly, ...more, env: { ...found.env, ...more.env } };
}

const COMPATIBLE = JSON.stringify({
  provider: {
    it: {
      npm: "@ai-sdk/openai-compatible",
      name: "it",
      options: { baseURL: "URL", apiKey: "none" },
      models: { "gpt-4o": {} },
    },
  },
});

/** The hosts whose model can be a stand-in. */
export const CALLERS: readonly Caller[] = [
  callerOf("claude-code", ["-p", "--allowedTools", "mcp__amof", "--", "push"], {
    env: { ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: "BASE" },
    calls: (tool, args) => [
      { tool: "ToolSearch", args: () => ({ query: `select:mcp__amof__${tool}` }) },
      { tool, args },
    ],
  }),
  callerOf("codex", [
    "exec",
    "--skip-git-repo-check",
    ...CODEX_MODEL,
    "-c",
    'mcp_servers.amof.default_tools_approval_mode="approve"',
    "push",
  ]),
  callerOf("gemini", ["--yolo", "-m", "gemini-2.5-flash", "-p", "push"], {
    env: { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: "BASE" },
    files: {
      ".gemini/settings.json": '{ "security": { "auth": { "selectedType": "gemini-api-key" } } }\n',
    },
  }),
  callerOf("copilot", ["-p", "push", "--allow-all-tools"]),
  callerOf("qwen", ["--yolo", "-p", "push"], {
    env: { OPENAI_API_KEY: "none", OPENAI_BASE_URL: "URL", OPENAI_MODEL: "gpt-4o" },
    calls: (tool, args) => [
      { tool: "tool_search", args: () => ({ query: `select:mcp__amof__${tool}` }) },
      {
        tool: "tool_call",
        args: async (told) => ({ name: `mcp__amof__${tool}`, arguments: await args(told) }),
      },
    ],
  }),
  callerOf("opencode", ["run", "-m", "it/gpt-4o", "push"], {
    env: { OPENCODE_CONFIG_CONTENT: COMPATIBLE },
  }),
  callerOf("kilo", ["run", "--auto", "-m", "it/gpt-4o", "push"], {
    env: { KILO_CONFIG_CONTENT: COMPATIBLE },
  }),
  callerOf(
    "cline",
    ["--auto-approve", "true", "-P", "openai-compatible", "--json", "push my work"],
    {
      before: [["auth", "-p", "openai", "-k", "none", "-m", "gpt-4o", "-b", "URL"]],
    },
  ),
  callerOf("continue", ["--auto", "-p", "push"], {
    files: TRIALS.find(({ host }) => host === "continue")?.files ?? {},
  }),
];
