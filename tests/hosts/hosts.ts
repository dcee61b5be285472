/**
 * The AI hosts that npm has, and how each is brought to start its servers without an account.
 *
 * @module
 */

import type { Host } from "../../src/machine/hosts/mod.ts";

/** How a host is tried. `URL` in its words stands for the stand-in of a model. */
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
