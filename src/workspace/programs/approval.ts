/** Which invocations a person has approved to be run for somebody else on this machine (EXEC-7). */

import { AmofError } from "../../base/error.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { recheck } from "../../base/policy/changes.ts";
import { shellWord } from "../../base/text/words.ts";
import { sha256 } from "../../base/hash.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import type { ProcessResult } from "../../base/system/mod.ts";
import { parseDuration } from "../../base/text/moment.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

/** How long a program may take that nobody waits for at a terminal, in seconds. */
const UNATTENDED_LIMIT_S = 1_800;

/** The words that select repositories, as they were given. */
export interface SelectionWords {
  readonly repos: readonly string[];
  readonly tags: readonly string[];
  readonly only: readonly string[];
}

/** What is to be run, and where it may be. */
export interface Invocation {
  /** The task it is, or null. */
  readonly task: string | null;
  /** Program and arguments, or null for a shell line. */
  readonly argv: readonly string[] | null;
  /** A line for `sh -c`, or null for a program. */
  readonly shell: string | null;
  /** Arguments behind those of the task. */
  readonly more: readonly string[];
  /** Names of variables it gets besides the usual ones where it does not get all. */
  readonly env: readonly string[];
  /** The words that select its repositories; an approval is bound to them. */
  readonly selection: SelectionWords;
  /** The engine it runs on, in clones of its own; null for the workspace. */
  readonly engine: string | null;
}

/** Program and arguments as they are started. */
export function vectorOf({ argv, shell, more }: Invocation): readonly [string, readonly string[]] {
  if (shell === null) return [argv?.[0] ?? "", [...(argv ?? []).slice(1), ...more]];
  // The arguments are handed over as such, so that none of them is read as a part of the line.
  return ["sh", more.length === 0 ? ["-c", shell] : ["-c", `${shell} "$@"`, "sh", ...more]];
}

/** What is started as a person would type it: `make test`, `sh -c 'a | b'`. */
export function lineOf(invocation: Invocation): string {
  const [program, args] = vectorOf(invocation);
  return [program, ...args].map(shellWord).join(" ");
}

/** What is started, short and clean, for messages. */
export function shownLine(invocation: Invocation): string {
  return cleanLine(invocation.shell === null ? lineOf(invocation) : invocation.shell, 60);
}

/** The hash that an approval is for: of everything that decides what runs where with what (EXEC-7). */
export function hashOf(ecosystem: string, invocation: Invocation): string {
  const { task, argv, shell, more, env, selection, engine } = invocation;
  const { repos, tags, only } = selection;
  return sha256(canonicalJson({
    ecosystem,
    task,
    argv,
    shell,
    more,
    env: env.toSorted(),
    selection: { repos, tags, only },
    // Without an engine the hash stays the one from before there were engines.
    engine: engine ?? undefined,
  }));
}

/** How the names begin under which approvals are kept; none of a provisioner does, because it has no slash. */
export function approvalsPrefix(ecosystem: string): string {
  return `exec/${ecosystem}/`;
}

/** Under which name approvals of it are kept: those of one task, or of one line, belong together. */
export function approvalName(
  ecosystem: string,
  invocation: Pick<Invocation, "task"> & { readonly line: string },
): string {
  return `${approvalsPrefix(ecosystem)}${
    invocation.task === null ? `line/${invocation.line}` : `task/${invocation.task}`
  }`;
}

/** The time limit of a call that names none, in seconds; null where a person waits for it at a terminal. */
export function usualLimit({ door }: Pick<CommandContext, "door">): number | null {
  return door === "cli" ? null : UNATTENDED_LIMIT_S;
}

/** A time limit as it is written, in seconds; throws `invalid_arguments`. */
export function timeLimitOf(text: string): number {
  const limit = parseDuration(text);
  if (limit !== null) return limit;
  throw new AmofError("invalid_arguments", `Cannot use the time limit "${cleanLine(text, 40)}"`, {
    hint: "Write seconds, or 90s, 10m, 1h30m, up to a week",
  });
}

/** The exit code that shells give for a program that could not be started. */
export function startCode({ startError }: Pick<ProcessResult, "startError">): number {
  return startError === "not_found" ? 127 : 126;
}

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
 * Throws unless a call that nobody typed is about what was previewed, and a person has approved that.
 * `confirmation_stale`: it is something else by now. `task_untrusted`: nobody has approved it any more.
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
