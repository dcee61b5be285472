/** Which invocations a person has approved to be run for somebody else on this machine (EXEC-7). */

import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { recheck } from "../../base/policy/recheck.ts";
import { shellWord } from "../../base/text/words.ts";
import { approvalName, hashOf, type Invocation, lineOf, shownLine } from "./invocation.ts";

/** What is known about the approval of an invocation. */
export interface Approval {
  /** What an approval is for. */
  readonly hash: string;
  /** Under which name approvals of it are kept. */
  readonly name: string;
  readonly approved: boolean;
  /** How many other contents of the same task or line are approved. */
  readonly others: number;
}

/** Looks an approval up. */
export async function approvalOf(ctx: CommandContext, invocation: Invocation): Promise<Approval> {
  const { trust } = await ctx.store();
  const hash = hashOf(ctx.ecosystem, invocation);
  const name = approvalName(ctx.ecosystem, { task: invocation.task, line: lineOf(invocation) });
  const approved = trust.find(ctx.root, name, hash) !== null;
  return { hash, name, approved, others: trust.count(ctx.root, name) - (approved ? 1 : 0) };
}

/** The command by which a person approves an invocation: `amof -e shop exec trust test`; `more` are flags of it. */
export function trustLine(
  ecosystem: string,
  invocation: Invocation,
  more: readonly string[] = [],
): string {
  const { task, argv, shell, env, selection } = invocation;
  const line = ["amof", "-e", shellWord(ecosystem), "exec", "trust"];
  const where = invocation.engine === null ? [] : ["--engine", shellWord(invocation.engine)];
  if (task !== null) return [...line, shellWord(task), ...where, ...more].join(" ");
  const flags = [
    ["--repo", selection.repos],
    ["--tag", selection.tags],
    ["--only", selection.only],
    ["--env", env],
  ] as const;
  line.push(...where);
  for (const [flag, values] of flags) {
    for (const value of values) line.push(flag, shellWord(value));
  }
  const what = shell === null
    ? ["--", ...(argv ?? []).map(shellWord)]
    : ["--shell", shellWord(shell)];
  return [...line, ...more, ...what].join(" ");
}

/** The error of an invocation that nobody has approved, or only with another content. */
export function untrustedInvocation(
  ecosystem: string,
  invocation: Invocation,
  approval: Approval,
): AmofError {
  const what = invocation.task === null
    ? `"${shownLine(invocation)}"`
    : `task "${invocation.task}"`;
  const changed = approval.others > 0;
  const found = !changed
    ? "nobody has approved it on this machine"
    : invocation.task === null
    ? "it was approved for other repositories or variables"
    : "it changed since it was approved on this machine";
  return new AmofError("task_untrusted", `Cannot run ${what}: ${found}`, {
    hint: `A person reads it and approves it in a terminal: ${trustLine(ecosystem, invocation)}`,
    details: { task: invocation.task, hash: approval.hash, changed },
  });
}

/**
 * Throws unless a call that nobody typed is about what was previewed, and a person has approved that: `confirmation_stale`
 * where it is something else by now, `task_untrusted` where nobody has approved it any more.
 */
export async function requireApproved(
  ctx: CommandContext,
  invocation: Invocation,
  hash: string,
): Promise<void> {
  if (ctx.door === "cli") return;
  const approval = await approvalOf(ctx, invocation);
  recheck(
    { fingerprint: hash },
    { fingerprint: approval.hash },
    "What would be run changed after the preview; nothing was done",
  );
  if (!approval.approved) throw untrustedInvocation(ctx.ecosystem, invocation, approval);
}
