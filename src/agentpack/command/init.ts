/**
 * `init`: the skeleton of a config repo (PACK-54). Existing files are never overwritten.
 *
 * @module
 */

import { join } from "@std/path";
import { AgentpackError, configInvalid } from "../error.ts";
import { withHomeLock } from "../engine/lock.ts";
import { MANIFEST_GLOB } from "../engine/target_manifest.ts";
import { type Home, homeOf } from "../identity/home.ts";
import { pathIn, posix, withPath, writeFile } from "../io.ts";
import type { Scope, TargetName } from "../names.ts";
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
