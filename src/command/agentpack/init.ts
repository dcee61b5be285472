/**
 * `init` (PACK-54).
 *
 * @module
 */

import {
  AgentpackError,
  init as initOf,
  requireTerminal,
  type Scope,
  SCOPES,
  TARGET_NAMES,
  type TargetName,
} from "../../agentpack/mod.ts";
import { list as inWords } from "../../text/words.ts";
import { type Call, declare } from "./command.ts";
import { flag } from "./option.ts";
import { facts, lines } from "./show.ts";

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
export const init = declare({
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
    return await initOf(call.pack, call.selection, { git, bootstrap, guided: answers });
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
