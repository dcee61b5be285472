/**
 * `amof exec trust`: a person approves what may be run in repositories for somebody else, or takes it back (EXEC-7).
 *
 * It exists only on the command line. Whoever comes in over MCP may run what a person has approved, and can approve
 * nothing.
 */

import {
  type CommandContext,
  type InputOf,
  mutation,
  type Preview,
  type Result,
  type ZodNamespace,
} from "../../../contract/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { isSame } from "../../../base/policy/consent.ts";
import { blocks } from "../../../base/text/parts.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { keyValues } from "../../../base/text/table.ts";
import { count } from "../../../base/text/words.ts";
import {
  type Approval,
  approvalOf,
  type Invocation,
  lineOf,
  type SelectionWords,
  trustLine,
} from "../../../workspace/programs/mod.ts";
import { loadManifest } from "../../../workspace/manifest/mod.ts";
import { SELECTION_FLAGS, selectionInput } from "../../selection/mod.ts";
import { invocationOf, lineInvocation, requireTask } from "../invocation/plan.ts";

const trustInput = (z: ZodNamespace) =>
  z.strictObject({
    task: z.string().optional().describe("A task of the manifest"),
    command: z.array(z.string()).optional().describe("A program and its arguments instead"),
    shell: z.string().min(1).optional().describe("A line for sh -c instead"),
    env: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of a variable"))
      .optional().describe("It also gets these variables"),
    ...selectionInput(z),
    engine: z.string().min(1).optional().describe("On this engine, in fresh clones"),
    hash: z.string().regex(/^[0-9a-fA-F]{64}$/, "must be 64 hexadecimal digits").optional()
      .describe("Approve only if the hash is this one"),
    revoke: z.boolean().default(false).describe("Take back every approval of it"),
  });

type TrustInput = InputOf<ReturnType<typeof trustInput>>;

interface TrustFacts {
  readonly task: string | null;
  /** What is run, as a person would type it; null where an approval of a task is taken back. */
  readonly line: string | null;
  readonly selection: SelectionWords | null;
  readonly env: readonly string[];
  /** Under which name approvals of it are kept. */
  readonly name: string;
  /** Null when an approval is taken back. */
  readonly hash: string | null;
  /** How many approvals of the same task or line there are already. */
  readonly approvals: number;
}

interface TrustData {
  readonly task: string | null;
  readonly line: string | null;
  readonly hash: string | null;
  readonly approved: boolean;
  /** How many approvals were taken back. */
  readonly revoked: number;
}

/** What the input names; a task whose approvals are taken back may be gone from the manifest. */
async function namedInvocation(ctx: CommandContext, input: TrustInput): Promise<Invocation> {
  const { task, command, shell, revoke } = input;
  const given = [task, command, shell].filter((value) => value !== undefined).length;
  if (given !== 1 || command?.[0] === "") {
    throw new AmofError(
      "invalid_arguments",
      given > 1
        ? "Cannot approve several things at once: name a task, a program or a shell line"
        : "Cannot approve nothing: no task or program was named",
      { hint: "Name a task: amof exec trust TASK\nName a program: amof exec trust -- PROGRAM" },
    );
  }
  if (task === undefined) {
    return lineInvocation({ argv: command ?? null, shell: shell ?? null }, input);
  }
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  if (revoke && !manifest.tasks.some(({ name }) => name === task)) {
    return { ...lineInvocation({ argv: [], shell: null }, {}), task };
  }
  const narrowing = [input.repos, input.tags, input.only, input.env].some((words) =>
    words !== undefined
  );
  if (narrowing) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot approve task "${
        cleanLine(task, 60)
      }" for other repositories or variables than it names`,
      { hint: "Write them into the task in the manifest\nSee it: amof tasks" },
    );
  }
  return invocationOf(requireTask(manifest, task), { engine: input.engine ?? null });
}

function where({ repos, tags, only }: SelectionWords): string {
  const parts = [
    ...repos.length === 0 ? [] : [repos.join(", ")],
    ...tags.length === 0 ? [] : [`tagged ${tags.join(", ")}`],
    ...only.length === 0 ? [] : [`only ${only.join(", ")}`],
  ];
  return parts.length === 0 ? "every repository" : parts.join("; ");
}

function dataOf(invocation: Invocation, fields: Omit<TrustData, "task" | "line">): TrustData {
  return {
    task: invocation.task,
    line: invocation.argv?.length === 0 ? null : lineOf(invocation),
    ...fields,
  };
}

/** The answer where nobody can have read what would be approved: no consent and no token makes up for that. */
function unseen(ctx: CommandContext, invocation: Invocation, hash: string): Result<TrustData> {
  return {
    data: dataOf(invocation, { hash, approved: false, revoked: 0 }),
    failure: new AmofError(
      "task_untrusted",
      "Cannot approve it: nobody at a terminal has seen what would be approved",
      {
        hint: `Do it in a terminal, or name the hash of what you have read: ${
          trustLine(ctx.ecosystem, invocation, ["--hash", "HEX", "--yes"])
        }`,
        details: { task: invocation.task, hash },
      },
    ),
  };
}

function previewApproval(
  ctx: CommandContext,
  invocation: Invocation,
  approval: Approval,
  expected: string | undefined,
): Preview<TrustFacts, TrustData> {
  const { hash, name, approved, others } = approval;
  if (expected !== undefined && !isSame(expected.toLowerCase(), hash)) {
    throw new AmofError(
      "task_untrusted",
      `Cannot approve it: its hash is ${hash}, not the one that was named`,
      {
        hint: `See what would be approved: ${trustLine(ctx.ecosystem, invocation, ["--dry-run"])}`,
        details: { task: invocation.task, hash },
      },
    );
  }
  const { selection, env, task } = invocation;
  const line = lineOf(invocation);
  return {
    facts: { task, line, selection, env, name, hash, approvals: others },
    summary: `Would let AI hosts run ${
      task === null ? cleanLine(line, 40) : `task ${cleanLine(task, 40)}`
    }.`,
    effects: [`Approve ${cleanLine(line, 300)} with hash ${hash}`],
    details: blocks(
      keyValues([
        ["Task", task],
        ["Runs", cleanLine(line, 1_000)],
        ["In", where(selection)],
        ["On engine", invocation.engine],
        [
          "Gets",
          env.length === 0 ? "the usual variables" : `the usual variables and ${env.join(", ")}`,
        ],
        ["Hash", hash],
        ["Approved before", others === 0 ? "never" : count(others, "other version")],
      ]),
      "It runs with your rights, and what it reads in the repositories, such as a Makefile or a package.json, is no part of the approval: whoever may write there decides what it does.",
    ),
    current: approved ? "It is approved" : "It is not approved",
    alternatives: ["See what is approved: amof exec trust --list"],
    ...(approved
      ? { settled: { data: dataOf(invocation, { hash, approved: true, revoked: 0 }) } }
      : expected === undefined && !ctx.system.terminal.stdinIsTerminal
      ? { settled: unseen(ctx, invocation, hash) }
      : {}),
  };
}

function previewRevocation(
  invocation: Invocation,
  approval: Approval,
): Preview<TrustFacts, TrustData> {
  const approvals = approval.others + (approval.approved ? 1 : 0);
  const data = dataOf(invocation, { hash: null, approved: false, revoked: 0 });
  const { task, line } = data;
  const what = cleanLine(task === null ? line ?? "" : `task ${task}`, 40);
  return {
    facts: { task, line, selection: null, env: [], name: approval.name, hash: null, approvals },
    summary: `Would take back ${count(approvals, "approval")} of ${what}.`,
    effects: [`Forget ${count(approvals, "approval")} of ${what}`],
    current: `${count(approvals, "version")} of it ${approvals === 1 ? "is" : "are"} approved`,
    alternatives: ["Leave it: an approval covers only what it was given for"],
    ...(approvals === 0 ? { settled: { data } } : {}),
  };
}

/** The command. */
export const execTrust = mutation({
  name: "amof_exec_trust",
  path: ["exec", "trust"],
  toolset: "exec",
  scope: "ecosystem",
  mcp: "never",
  next: [],
  title: "Approve command",
  summary: "Approve a task or a program that AI hosts may run in repositories of this machine.",
  description:
    "An approval covers exactly what would be run: the words, the names of variables, the words that select repositories, and the ecosystem. A person gives it in a terminal; over MCP it does not exist. Without a terminal, as in CI, --hash must say what was read. On the command line nothing needs an approval.",
  safety: "dangerous-write",
  confirm: "preview",
  asks: { deed: "approval", will: "let AI hosts run this on this machine" },
  idempotent: true,
  positionals: ["task"],
  behind: "command",
  flags: SELECTION_FLAGS,
  examples: [
    "exec trust test",
    "exec trust --tag backend -- make test",
    "exec trust test --revoke",
  ],
  input: trustInput,
  async preview(ctx, input: TrustInput) {
    const invocation = await namedInvocation(ctx, input);
    const approval = await approvalOf(ctx, invocation);
    return input.revoke
      ? previewRevocation(invocation, approval)
      : previewApproval(ctx, invocation, approval, input.hash);
  },
  execute(ctx, _input: TrustInput, { task, line, name, hash }) {
    if (hash === null) {
      const revoked = ctx.records.trust.revoke(ctx.root, name);
      return Promise.resolve({ data: { task, line, hash, approved: false, revoked } });
    }
    // The hash of the preview is approved, not that of the manifest as it is now.
    ctx.records.trust.approve(ctx.root, name, {
      hash,
      approvedAt: ctx.system.clock.now(),
      approvedBy: ctx.caller.name,
    });
    return Promise.resolve({ data: { task, line, hash, approved: true, revoked: 0 } });
  },
  render({ task, line, hash, approved, revoked }: TrustData) {
    const what = cleanLine(task === null ? line ?? "" : `task ${task}`, 40);
    if (approved) {
      return {
        summary: `Approved ${what} on this machine.`,
        details: keyValues([["Hash", hash]]),
      };
    }
    return {
      summary: revoked === 0
        ? `Found no approval of ${what}.`
        : `Took back ${count(revoked, "approval")} of ${what}.`,
    };
  },
});
