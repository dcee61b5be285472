/** `init`: the skeleton of a config repo (PACK-54). Existing files are never overwritten. */

import { join } from "@std/path";
import { list as inWords } from "../../../base/text/words.ts";
import { configJsonSchema } from "../config/schema.ts";
import {
  type Act,
  type Asking,
  declare,
  flag,
  type Look,
  members,
  type Person,
} from "../declare/command.ts";
import { lines, nextActions, shownPath } from "../declare/show.ts";
import { commandLine } from "../engine/next_action.ts";
import { MANIFEST_GLOB } from "../engine/target_manifest.ts";
import { AgentpackError, configInvalid } from "../error.ts";
import type { Home } from "../identity.ts";
import { ignore, pathIn, type Twins, withPath, withPosix, writeFile } from "../io.ts";
import { type Scope, SCOPES, TARGET_NAMES, type TargetName } from "../names.ts";
import { type Answer, type Pack, viaGit } from "../pack.ts";
import { type BootstrapData, installOperators } from "./bootstrap.ts";
import { layOut } from "../../../base/text/table.ts";

/** `data` of `init`. */
export interface InitData extends Twins<"repo"> {
  /** Present with `git`. */
  readonly git?: { readonly initialized: boolean; readonly gitignore_updated: boolean };
  /** Present with `bootstrap`. */
  readonly bootstrap?: BootstrapData;
  readonly guided?: true;
  readonly targets?: readonly TargetName[];
  readonly scope?: Scope;
}

/** Refuses a guide without a person. Throws `E_TTY_REQUIRED`. */
function requireTerminal(pack: Pack): void {
  const { stdinIsTerminal, stdoutIsTerminal } = pack.system.terminal;
  if (stdinIsTerminal && stdoutIsTerminal) return;
  throw new AgentpackError("E_TTY_REQUIRED", "A guided init needs a terminal to ask on", {
    stdin_is_terminal: stdinIsTerminal,
    stdout_is_terminal: stdoutIsTerminal,
    hint: "Run it in a terminal, or without --guided",
  });
}

/** Refuses a guide whose answers would be in vain. Throws `E_TTY_REQUIRED`, `E_CONFIG_INVALID`. */
async function refuseGuide({ pack, home }: Pick<Look, "pack" | "home">): Promise<void> {
  requireTerminal(pack);
  if (await pack.system.files.stat(home.config) === null) return;
  throw configInvalid(`There is already a configuration "${home.config}"`, {
    path: home.config,
    hint: "Edit it, or run init without --guided",
  });
}

/** The file with the schema of `agentpack.yaml` that `init` puts beside it. */
const SCHEMA_FILE = "agentpack.schema.json";

function configText(prefix: string, targets: readonly TargetName[], scope: Scope): string {
  const entries = targets.map((name) => {
    const options = name === "codex"
      ? "\n    options:\n      codex_home: ~/.codex"
      : name === "export_dir"
      ? "\n    options:\n      root: export"
      : "\n    options: {}";
    return `  ${name}:\n    mode: files\n    scope: ${scope}${options}\n`;
  });
  return `# yaml-language-server: $schema=./${SCHEMA_FILE}
# What is deployed where. Modules are selected by the tags of a profile.
version: 1

profiles:
  default:
    include_tags: [base]

# user: for you in every project; project: in the one you stand in. With both a tool reads everything twice, but for
# modules with a metadata.scope of their own.
targets:
${entries.join("")}
# Add modules with: ${prefix} add TYPE local:PATH --tags base
modules: []
`;
}

/** The files of a new config repo besides its configuration; `prefix` is what people type before a command. */
const skeleton = (prefix: string): Readonly<Record<string, string>> => ({
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
allowed-tools: "Bash(${prefix} plan --json)"
---

Run \`${prefix} plan --json\` and summarise the changes.
`,
});

/** What a person answered to the questions of the guide. */
interface Guided {
  readonly targets: readonly TargetName[];
  readonly scope: Scope;
}

/** Makes what is missing of a config repo, on request as a git repository and with operator files. */
async function begin(
  call: Act,
  options: { readonly git: boolean; readonly bootstrap: boolean },
  guided: Guided | null,
): Promise<Answer<InitData> & { readonly next: readonly string[] }> {
  const { pack, home } = call;
  const { files } = pack.system;
  const { targets, scope } = guided ?? {
    targets: ["codex", "claude_code"] as const,
    scope: "user" as const,
  };
  const texts = {
    "agentpack.yaml": configText(pack.prefix, targets, scope),
    // Editors find it beside the configuration, in every clone and without a network.
    [SCHEMA_FILE]: `${JSON.stringify(await configJsonSchema(), null, 2)}\n`,
    ...skeleton(pack.prefix),
  };
  for (const [name, text] of Object.entries(texts)) {
    const path = pathIn(home.repo, name);
    const existing = await withPath("look at", path, () => files.stat(path));
    if (existing === null) await writeFile(files, path, text);
  }
  const git = options.git ? await makeGitRepository(pack, home) : null;
  // The consent to this command covers the operator files.
  const agreed = { ...call, approve: () => Promise.resolve() };
  const installed = options.bootstrap
    ? await installOperators(call, { scope: "both", adopt: false }, agreed)
    : null;
  return {
    data: {
      ...withPosix("repo", home.repo),
      ...(git === null ? {} : { git }),
      ...(installed === null ? {} : { bootstrap: installed.data }),
      ...(guided === null ? {} : { guided: true, targets, scope }),
    },
    warnings: installed?.warnings ?? [],
    next: [
      ["import"],
      ["add", "TYPE", "local:PATH", "--tags", "base"],
      ["preview", "--diff"],
    ].map((words) => commandLine(pack, call.selection, words)),
  };
}

async function makeGitRepository(pack: Pack, home: Home): Promise<NonNullable<InitData["git"]>> {
  const { files } = pack.system;
  const fresh = await files.stat(join(home.repo, ".git")) === null;
  if (fresh) await viaGit(home.repo, () => pack.git.at(home.repo).init(false));
  const updated = await ignore(files, home.repo, [MANIFEST_GLOB, ".DS_Store"]);
  return { initialized: fresh, gitignore_updated: updated };
}

const ASKED_TARGETS = TARGET_NAMES.filter((name) => name !== "export_dir");

/** Asks until the answer is one of the words; an empty answer is the default, the end of input no answer. */
async function askWords<T extends string>(
  person: Person | null,
  { what, words, fallback, most }: {
    readonly what: string;
    readonly words: readonly T[];
    readonly fallback: readonly T[];
    readonly most: number;
  },
): Promise<readonly T[]> {
  while (true) {
    const line = await person?.ask(`${what} (${words.join(", ")}) [${fallback.join(",")}]: `) ??
      null;
    if (line === null) throw new AgentpackError("E_USAGE", "The questions were not answered");
    const given = line.split(/[\s,]+/).filter((word) => word !== "");
    if (given.length === 0) return fallback;
    const known = words.filter((word) => given.includes(word));
    if (known.length === new Set(given).size && known.length <= most) return known;
  }
}

async function guide({ pack, home, person }: Asking): Promise<Guided> {
  await refuseGuide({ pack, home });
  const targets = await askWords(person, {
    what: "Which tools",
    words: ASKED_TARGETS,
    fallback: ["codex", "claude_code"],
    most: ASKED_TARGETS.length,
  });
  const needsProject = targets.every((name) => name !== "codex" && name !== "claude_code");
  const scopes = SCOPES.filter((scope) => scope !== "user" || !needsProject);
  const [fallback = "project"] = scopes;
  const [scope = fallback] = await askWords<Scope>(person, {
    what: "Where",
    words: scopes,
    fallback: [fallback],
    most: 1,
  });
  return { targets, scope };
}

/** `name: value` lines, aligned. */
function facts(pairs: readonly (readonly [string, string | number | null])[]): string {
  return layOut(pairs.map(([name, value]) => [`${name}:`, shownPath(String(value))]), 1)
    .filter((_, index) => pairs[index]?.[1] !== null).join("\n");
}

/** `init`. */
export const init = declare({
  path: ["init"],
  summary: "Make what is missing of a config repo; never overwrite anything.",
  options: {
    git: flag({ help: "Make it a git repository that ignores manifests" }),
    bootstrap: flag({ help: "Install the operator files, too" }),
    guided: flag({ help: "Ask which tools to set up, on a terminal" }),
  },
  examples: ["init --git", "init --guided"],
  changes: { asks: "first" },
  refuse: async (call, { guided }) => guided ? await refuseGuide(call) : undefined,
  prepare: async (call, { guided }) => guided ? await guide(call) : null,
  act: begin,
  answers: members<InitData>(
    "repo",
    "repo_posix",
    "git",
    "bootstrap",
    "guided",
    "targets",
    "scope",
  ),
  render: ({ data, next }) =>
    lines(
      `The config repo is ${data.repo}`,
      data.git?.initialized ? "It is a git repository now" : null,
      data.targets === undefined ? null : `Targets: ${inWords(data.targets)}, ${data.scope}`,
      data.bootstrap === undefined
        ? null
        : facts([["Operator files written", data.bootstrap.summary.create]]),
      nextActions(next),
    ),
});
