/**
 * One answer for each form that answers have (ANSWER-6), through the real pipeline and both doors, in a world in memory:
 * a push whose preview and result are given.
 *
 * @module
 */

import type { Fields } from "../../src/base/object.ts";
import { chooseColors } from "../../src/doors/cli/colors.ts";
import { writeOutcome } from "../../src/doors/cli/render.ts";
import { readGlobalFlags } from "../../src/pipeline/line/flags.ts";
import { type App, makeApp } from "../../src/pipeline/app.ts";
import { nobody } from "../../src/pipeline/consent/approver.ts";
import type { ConfirmBy } from "../../src/base/policy/mode.ts";
import type { Outcome } from "../../src/pipeline/envelope.ts";
import { carryOut } from "../../src/pipeline/pipeline.ts";
import { push } from "../../src/commands/push/push.ts";
import { AmofError } from "../../src/base/error.ts";
import { renderText } from "../../src/doors/mcp/result.ts";
import { listRuns } from "../../src/commands/runs/list.ts";
import type { Command, Mutation, Preview, Result } from "../../src/contract/mod.ts";
import { Session } from "../../src/pipeline/session.ts";
import { layoutOf } from "../../src/base/system/layout.ts";
import { openStore } from "../../src/state/store/open.ts";
import { memoryWorld } from "../support/memory.ts";

const HEAD = "3f0c6f4e8a394a579d0f2f6f6f7f8a903f0c6f4e";

const PREVIEW: Preview<Fields, Fields> = {
  facts: { repos_affected: ["api", "web"], repos: [{ name: "api", ahead: 2, head: HEAD }] },
  summary: "Would push 2 repos.",
  effects: [
    "api  feature/PROJ-123 → origin  (2 commits ahead)",
    "web  feature/PROJ-123 → origin  (1 commit ahead, new branch)",
  ],
  irreversible: "Others can fetch pushed commits at once; a revert leaves them in the history.",
  current: "2 repos ahead with 3 commits, 0 held back",
  alternatives: ["Look at the state first: amof status"],
};

const row = (name: string, commits: number, fields: Fields = {}): Fields => ({
  name,
  result: "pushed",
  branch: "feature/PROJ-123",
  commits,
  commit: HEAD,
  detail: "origin/feature/PROJ-123",
  code: null,
  fix: null,
  ...fields,
});

const PUSHED: Result<Fields> = {
  data: { outcome: "success", repos: [row("api", 2), row("web", 1)] },
};

const PARTLY: Result<Fields> = {
  data: {
    outcome: "partial",
    repos: [
      row("api", 2),
      row("web", 0, { result: "failed", detail: "rejected (fetch first)", code: "git_failed" }),
    ],
  },
  failure: new AmofError(
    "partial_failure",
    'Pushed 1 of 2 repos; "web" failed: rejected (fetch first)',
    { hint: "Fix the cause, then repeat: amof push" },
  ),
};

const UNREACHABLE = new AmofError(
  "remote_unreachable",
  'Cannot push "web": fatal: unable to access the remote: Could not resolve host: example.com',
  {
    hint: "Check the network, then repeat: amof push",
    details: {
      repo: "web",
      kind: "network",
      exit_code: 128,
      stderr_tail: [
        "warning: the proxy did not answer",
        "fatal: unable to access the remote: Could not resolve host: example.com"],
    },
  },
);

/** A push with a given preview and result; `at once` instead of as a run. */
function pushing(result: Result<Fields> | AmofError, fields: Partial<Mutation> = {}): Mutation {
  return {
    ...push,
    preview: () => result instanceof AmofError ? Promise.reject(result) : Promise.resolve(PREVIEW),
    execute: () => result instanceof AmofError ? Promise.reject(result) : Promise.resolve(result),
    ...fields,
  };
}

function atOnce(result: Result<Fields> | AmofError): Mutation {
  const { runs: _runs, ...command } = pushing(result, { confirm: "none", locks: null });
  return command;
}

/** An answer to be shown. */
interface Template {
  readonly name: string;
  readonly command: Command;
  readonly args?: Fields;
  readonly confirmBy?: ConfirmBy;
  /** Spend the token that the first answer carries. */
  readonly confirms?: boolean;
}

const EXECUTE = { mode: "execute" };
const TEMPLATES: readonly Template[] = [
  { name: "success", command: atOnce(PUSHED), args: EXECUTE },
  { name: "error", command: atOnce(UNREACHABLE), args: EXECUTE },
  { name: "confirmation", command: pushing(PUSHED), args: EXECUTE },
  { name: "confirmation_type", command: pushing(PUSHED, { confirm: "type" }), args: EXECUTE },
  { name: "confirmation_human", command: pushing(PUSHED), args: EXECUTE, confirmBy: "human" },
  { name: "long_running", command: pushing(PUSHED), args: EXECUTE, confirms: true },
  { name: "partial", command: atOnce(PARTLY), args: EXECUTE },
  { name: "empty", command: listRuns },
  { name: "preview", command: pushing(PUSHED), args: { mode: "plan" } },
  { name: "refused", command: pushing(PUSHED), args: { mode: "ask" } },
];

/** Where an answer is read. */
type Reader = "mcp" | "cli" | "terminal";

async function answer(template: Template, reader: Reader): Promise<string> {
  const door = reader === "mcp" ? "mcp" : "cli";
  const { system, output } = memoryWorld({
    files: {
      "/space/.git/HEAD": "ref: refs/heads/main\n",
      "/space/.git/worktrees/demo/gitdir": "/space/worktrees/demo/.git\n",
      "/space/.git/worktrees/demo/HEAD": "ref: refs/heads/workspace/demo\n",
      "/space/worktrees/demo/.git": "gitdir: /space/.git/worktrees/demo\n",
      "/space/ecosystems/demo/ecosystem.yaml": "name: demo\nrepos: []\n",
    },
  });
  const store = openStore(":memory:");
  const app: App = {
    ...makeApp(system, layoutOf(system.env), { root: "/space", jobs: null }),
    store: () => Promise.resolve(store),
  };
  const session = new Session({
    id: "sess_0123456789ab",
    owner: "golden",
    mode: door === "cli" ? "execute" : "ask",
    maxMode: "execute",
    ecosystem: "demo",
  });
  const call = (args: Fields) =>
    carryOut(app, {
      command: template.command,
      args,
      session,
      door,
      client: "golden/1",
      signal: new AbortController().signal,
      report: { log: () => {}, progress: () => {} },
      approver: nobody,
      confirmBy: template.confirmBy ?? "token",
      offers: (command) => door === "cli" || command.mcp !== "never",
    });
  let outcome: Outcome = await call(template.args ?? {});
  if (template.confirms) outcome = await call({ ...template.args, confirm: true });
  store.close();
  if (door === "mcp") {
    const envelope = JSON.stringify(outcome.envelope, null, 2);
    return `${renderText(outcome, session.mode)}\n\n--- structured content\n${envelope}\n`;
  }
  const flags = readGlobalFlags({ color: "never" });
  chooseColors(system.terminal, system.env, flags.color);
  const isTerminal = reader === "terminal";
  const terminal = {
    ...system.terminal,
    stdoutIsTerminal: isTerminal,
    stderrIsTerminal: isTerminal,
    columns: 60,
  };
  writeOutcome(terminal, outcome, { ...flags, nextSteps: true });
  return `exit ${outcome.exit}\n--- standard output\n${output.out}--- standard error\n${output.err}`;
}

/** The templates as each door shows them, by file name. */
export async function templateFiles(): Promise<[string, string][]> {
  const files: [string, string][] = [];
  for (const template of TEMPLATES) {
    for (const reader of ["mcp", "cli", "terminal"] as const) {
      // Where a person types the command, nobody else has to be asked.
      if (reader !== "mcp" && template.confirmBy === "human") continue;
      files.push([`templates/${template.name}.${reader}.txt`, await answer(template, reader)]);
    }
  }
  return files;
}
