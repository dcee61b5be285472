/**
 * `init`: the skeleton of a config repo (PACK-54). Existing files are never overwritten.
 *
 * @module
 */

import { join } from "@std/path";
import { list as inWords } from "../../text/words.ts";
import { type Call, declare } from "../declare/command.ts";
import { flag } from "../declare/option.ts";
import { facts, lines } from "../declare/show.ts";
import { withHomeLock } from "../engine/lock.ts";
import { MANIFEST_GLOB } from "../engine/target_manifest.ts";
import { AgentpackError, configInvalid } from "../error.ts";
import { type Home, homeOf } from "../identity/home.ts";
import { pathIn, posix, withPath, writeFile } from "../io.ts";
import { type Scope, SCOPES, TARGET_NAMES, type TargetName } from "../names.ts";
import { type Answer, type Pack, type Selection, viaGit } from "../pack.ts";
import { bootstrap, type BootstrapData } from "./bootstrap.ts";

/** `data` of `init`. */
export interface InitData {
  readonly repo: string;
  readonly repo_posix: string;
  /** Present with `git`. */
  readonly git?: { readonly initialized: boolean; readonly gitignore_updated: boolean };
  /** Present with `bootstrap`. */
  readonly bootstrap?: BootstrapData;
  readonly guided?: true;
  readonly targets?: readonly TargetName[];
  readonly scope?: Scope;
}

/** How to begin. */
export interface InitOptions {
  readonly git: boolean;
  readonly bootstrap: boolean;
  /** What a person answered to the guide's questions; null without a guide. */
  readonly guided: { readonly targets: readonly TargetName[]; readonly scope: Scope } | null;
}

/** Refuses a guide without a person. Throws `E_TTY_REQUIRED`; call it before asking anything. */
export function requireTerminal(pack: Pack): void {
  const { stdinIsTerminal, stdoutIsTerminal } = pack.system.terminal;
  if (stdinIsTerminal && stdoutIsTerminal) return;
  throw new AgentpackError("E_TTY_REQUIRED", "A guided init needs a terminal to ask on", {
    stdin_is_terminal: stdinIsTerminal,
    stdout_is_terminal: stdoutIsTerminal,
    hint: "Run it in a terminal, or without --guided",
  });
}

function configText(targets: readonly TargetName[], scope: Scope): string {
  const entries = targets.map((name) => {
    const options = name === "codex"
      ? "\n    options:\n      codex_home: ~/.codex"
      : name === "export_dir"
      ? "\n    options:\n      root: export"
      : "\n    options: {}";
    return `  ${name}:\n    mode: files\n    scope: ${scope}${options}\n`;
  });
  return `# What is deployed where. Modules are selected by the tags of a profile.
version: 1

profiles:
  default:
    include_tags: [base]

targets:
${entries.join("")}
# Add modules with: add TYPE local:PATH --tags base
modules: []
`;
}

const SKELETON: Readonly<Record<string, string>> = {
  "modules/instructions/base/AGENTS.md": `# Working agreement

- Read the code before changing it, and keep changes small.
- Run the tests before saying that something works.
`,
  "modules/prompts/draftpr.md":
    `Draft a pull request description for the changes on this branch: what changes and why, how it was tested, what
a reviewer should look at first.
`,
  "modules/claude-commands/ap-plan.md": `---
description: "Show what agentpack would deploy"
allowed-tools: "Bash(agentpack plan*)"
---

Run \`agentpack plan --json\` and summarise the changes.
`,
};

/** Makes what is missing of a config repo, on request as a git repository and with operator files. */
export async function init(
  pack: Pack,
  selection: Selection,
  options: InitOptions,
): Promise<Answer<InitData>> {
  const { files } = pack.system;
  const home = homeOf(pack.system.env, selection.repo);
  if (options.guided !== null) {
    requireTerminal(pack);
    if (await files.stat(home.config) !== null) {
      throw configInvalid(`There is already a configuration "${home.config}"`, {
        path: home.config,
        hint: "Edit it, or run init without --guided",
      });
    }
  }
  const { targets, scope } = options.guided ?? {
    targets: ["codex", "claude_code"] as const,
    scope: "both" as const,
  };
  const warnings: string[] = [];
  const git = await withHomeLock(pack.system, home, async (held) => {
    warnings.push(...held.warnings);
    const texts = { "agentpack.yaml": configText(targets, scope), ...SKELETON };
    for (const [name, text] of Object.entries(texts)) {
      const path = pathIn(home.repo, name);
      const existing = await withPath("look at", path, () => files.stat(path));
      if (existing === null) await writeFile(files, path, text);
    }
    return options.git ? await makeGitRepository(pack, home) : null;
  });
  const installed = options.bootstrap
    ? await bootstrap(pack, selection, {
      scope: "both",
      dryRun: false,
      adopt: false,
      approve: () => Promise.resolve(),
    })
    : null;
  return {
    data: {
      repo: home.repo,
      repo_posix: posix(home.repo),
      ...(git === null ? {} : { git }),
      ...(installed === null ? {} : { bootstrap: installed.data }),
      ...(options.guided === null ? {} : { guided: true, targets, scope }),
    },
    warnings: [...warnings, ...installed?.warnings ?? []],
  };
}

async function makeGitRepository(pack: Pack, home: Home): Promise<NonNullable<InitData["git"]>> {
  const { files } = pack.system;
  const fresh = await files.stat(join(home.repo, ".git")) === null;
  if (fresh) await viaGit(home.repo, () => pack.git.init(home.repo, false));
  const path = join(home.repo, ".gitignore");
  const text = await files.readText(path) ?? "";
  const present = text.split(/\r?\n/);
  const missing = [MANIFEST_GLOB, ".DS_Store"].filter((line) => !present.includes(line));
  if (missing.length > 0) {
    const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
    await writeFile(files, path, `${before}${missing.join("\n")}\n`);
  }
  return { initialized: fresh, gitignore_updated: missing.length > 0 };
}

const ASKED_TARGETS = TARGET_NAMES.filter((name) => name !== "export_dir");

/** Asks until the answer is one of the words; an empty answer is the default, the end of input no answer. */
async function askWords<T extends string>(
  call: Call,
  what: string,
  words: readonly T[],
  fallback: readonly T[],
  most: number,
): Promise<readonly T[]> {
  while (true) {
    const line = await call.ask?.(`${what} (${words.join(", ")}) [${fallback.join(",")}]: `) ??
      null;
    if (line === null) throw new AgentpackError("E_USAGE", "The questions were not answered");
    const given = line.split(/[\s,]+/).filter((word) => word !== "");
    if (given.length === 0) return fallback;
    const known = words.filter((word) => given.includes(word));
    if (known.length === new Set(given).size && known.length <= most) return known;
  }
}

async function guide(call: Call): Promise<{ targets: readonly TargetName[]; scope: Scope }> {
  requireTerminal(call.pack);
  const targets = await askWords(
    call,
    "Which tools",
    ASKED_TARGETS,
    ["codex", "claude_code"],
    ASKED_TARGETS.length,
  );
  const needsProject = targets.every((name) => name !== "codex" && name !== "claude_code");
  const scopes = SCOPES.filter((scope) => scope !== "user" || !needsProject);
  const [scope = "both"] = await askWords<Scope>(call, "Where", scopes, ["both"], 1);
  return { targets, scope };
}

/** `init`. */
export const initCommand = declare({
  path: ["init"],
  summary: "Make what is missing of a config repo; never overwrite anything.",
  options: {
    git: flag({ help: "Make it a git repository that ignores manifests" }),
    bootstrap: flag({ help: "Install the operator files, too" }),
    guided: flag({ help: "Ask which tools to set up, on a terminal" }),
  },
  examples: ["init --git", "init --guided"],
  changes: () => ({ id: "init", asks: "first" }),
  async run(call, { git, bootstrap, guided }) {
    const answers = guided ? await guide(call) : null;
    return await init(call.pack, call.selection, { git, bootstrap, guided: answers });
  },
  render: ({ data }) =>
    lines(
      `The config repo is ${data.repo}`,
      data.git?.initialized ? "It is a git repository now" : null,
      data.targets === undefined ? null : `Targets: ${inWords(data.targets)}, ${data.scope}`,
      data.bootstrap === undefined
        ? null
        : facts([["Operator files written", data.bootstrap.summary.create]]),
      "Next: add a module, then preview --diff",
    ),
});
