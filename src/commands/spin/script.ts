/**
 * Runs the script of a provisioner: exactly the bytes that were approved, with little around them.
 *
 * The bytes that were hashed are written into a directory of the run's own, and that copy runs. What happens
 * to the files of the control repository meanwhile no longer matters.
 */

import type { RunId } from "../../base/ids.ts";
import { basename, join } from "@std/path";
import { AmofError, type ProgramExit, reasonOf } from "../../base/error.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { requireTicketWorkspace } from "../../workspace/tickets/mod.ts";
import { ticketVariables } from "../../workspace/tickets/changing.ts";
import { isFinal, RUN_VARIABLE, runMark } from "../../runs/mod.ts";
import type { CommandContext, ExecuteContext } from "../../contract/mod.ts";
import type { ProcessResult } from "../../base/system/mod.ts";
import type { Provisioner, ProvisionerContents } from "./provisioner.ts";
import type { SpinAction } from "./record.ts";
import { sha256 } from "../../base/hash.ts";
import { USUAL_VARIABLES } from "../../runs/changing.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { stripUnsafe } from "../../base/text/sanitize.ts";
import { duration } from "../../base/text/words.ts";

// The environment of a provisioner: a few harmless variables, what amof tells it, and what the manifest
// names (SPIN-5). Nothing else of the caller's environment reaches it.

/** A shorter value cannot be told from ordinary text. */
const SHORTEST_SECRET = 4;

/** Which variables a provisioner gets: names only. */
export interface VariableNames {
  /** Those that are set and passed on, sorted. */
  readonly passed: readonly string[];
  /** Those the manifest names and the caller does not have. */
  readonly missing: readonly string[];
}

/** Which of the caller's variables are passed on. */
export function variableNames(ctx: CommandContext, manifest: Manifest): VariableNames {
  const isSet = (name: string) => ctx.system.env.get(name) !== undefined;
  const wanted = [...new Set([...USUAL_VARIABLES, ...manifest.provisionerEnv])];
  return {
    passed: wanted.filter(isSet).sort(),
    missing: manifest.provisionerEnv.filter((name) => !isSet(name)).toSorted(),
  };
}

/** The directory that stays with an environment from its deploy to its destroy. */
function stateDirectory(ctx: CommandContext): string {
  const { root, ecosystem, ticket } = ctx;
  // No ecosystem has a name with "@"; ids that differ in case share their lock, and so their directory.
  const name = ticket === null ? ecosystem : `${ecosystem}@${ticket.toLowerCase()}`;
  return join(ctx.layout.data, "environments", sha256(root).slice(0, 16), name);
}

/** The whole environment of a provisioner. What amof says about the run cannot be overridden. */
function variables(
  ctx: CommandContext,
  manifest: Manifest,
  run: {
    readonly id: string;
    readonly action: SpinAction;
    /** The provisioner's real directory, absolute. */
    readonly directory: string;
    /** What is told of the ticket whose environment it is, by name; nothing in the base workspace. */
    readonly ticket: Readonly<Record<string, string>>;
  },
): Record<string, string> {
  const passed = variableNames(ctx, manifest).passed.map((name) =>
    [name, ctx.system.env.get(name) ?? ""] as const
  );
  return {
    ...Object.fromEntries(passed),
    ...run.ticket,
    AMOF_ACTION: run.action,
    AMOF_DRY_RUN: "0",
    AMOF_ECOSYSTEM: ctx.ecosystem,
    AMOF_ECOSYSTEM_DIR: join(ctx.root, "ecosystems", ctx.ecosystem),
    AMOF_PROVISIONER_DIR: run.directory,
    AMOF_ROOT: ctx.root,
    AMOF_STATE_DIR: stateDirectory(ctx),
    [RUN_VARIABLE]: run.id,
  };
}

/** The forms in which a value may turn up in output. */
function formsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const encoded = new TextEncoder().encode(value).toBase64();
  return [value, ...lines, encodeURIComponent(value), encoded, JSON.stringify(value).slice(1, -1)];
}

/** What hides the values of the variables the manifest names, and whatever else looks like a secret. */
export function masker(ctx: CommandContext, manifest: Manifest): (line: string) => string {
  const usual = new Set(USUAL_VARIABLES.map((name) => ctx.system.env.get(name)));
  const secrets = manifest.provisionerEnv.filter((name) => !USUAL_VARIABLES.includes(name))
    .map((name) => ctx.system.env.get(name) ?? "")
    // A variable that only repeats a harmless one, such as the home directory, hides nothing.
    .filter((value) => !usual.has(value))
    .flatMap(formsOf).filter((form) => form.length >= SHORTEST_SECRET);
  const longestFirst = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return (line) => {
    let text = stripUnsafe(line);
    for (const secret of longestFirst) text = text.replaceAll(secret, "***");
    return maskSecrets(text);
  };
}

/** How long the script may take to obey; shorter than whoever cancels the run waits for its worker. */
const GRACE_MS = 3_000;
/** How many of its last lines an error carries (SPIN-7, SPIN-8). */
const TAIL_LINES = 10;
const TAIL_LINE_LENGTH = 500;

/** How a script ended. */
interface ScriptEnd {
  readonly result: ProcessResult;
  /** Its last lines, masked. */
  readonly tail: readonly string[];
}

interface ScriptCall {
  readonly runId: RunId;
  readonly action: SpinAction;
  readonly argument: string;
  readonly timeoutSeconds: number;
  /** Called when all is ready, right before the script starts. */
  readonly onStart: () => void;
}

function copies(ctx: ExecuteContext): string {
  return join(ctx.layout.state, "provisioners");
}

/** Removes the copies of runs that were killed before they could do it themselves. */
async function removeStale(ctx: ExecuteContext): Promise<void> {
  const { runs } = await ctx.store();
  for (const { name } of await ctx.system.files.list(copies(ctx))) {
    const run = runs.get(name);
    if (run === null || isFinal(run.status)) {
      await ctx.system.files.removeTree(join(copies(ctx), name));
    }
  }
}

/** Writes the approved bytes below a directory that looks like the control repository; answers where the script is. */
async function copyOut(
  ctx: ExecuteContext,
  runId: RunId,
  { provisioner, bytes }: ProvisionerContents,
): Promise<string> {
  const directory = join(copies(ctx), runId, "provisioners", basename(provisioner.directory));
  for (const file of provisioner.files) {
    await ctx.system.files.write(join(directory, file.path), bytes.get(file.path) ?? "", {
      mode: file.executable ? 0o700 : 0o600,
    });
  }
  return join(directory, "spin.sh");
}

/** The argument vector: the script itself when it says by what it is run, else `bash` (SPIN-2). */
function vector(script: string, { provisioner, bytes }: ProvisionerContents): [string, string[]] {
  const content = bytes.get("spin.sh");
  const runs = provisioner.files.some((file) => file.path === "spin.sh" && file.executable) &&
    content?.[0] === 0x23 && content[1] === 0x21;
  return runs ? [script, []] : ["bash", [script]];
}

/** What a script is told of the ticket whose environment it is about (TICKET-15). */
async function ticketFacts(
  { system, root, ecosystem, ticket }: ExecuteContext,
  manifest: Manifest,
): Promise<Readonly<Record<string, string>>> {
  if (ticket === null) return {};
  const found = await requireTicketWorkspace(system, root, manifest, ticket);
  return ticketVariables({ root, ecosystem, ...found });
}

/**
 * Runs the script to its end, with every line in the log of the run. Ends its whole tree when the time is up
 * or the run is cancelled, also what ignores a polite request or left its process group.
 */
export async function runScript(
  ctx: ExecuteContext,
  manifest: Manifest,
  contents: ProvisionerContents,
  call: ScriptCall,
): Promise<ScriptEnd> {
  const { files, processes } = ctx.system;
  const { runId, action, argument } = call;
  const mask = masker(ctx, manifest);
  const tail: string[] = [];
  await removeStale(ctx);
  await files.makeDirectory(stateDirectory(ctx), { mode: 0o700 });
  try {
    const script = await copyOut(ctx, runId, contents);
    const [command, before] = vector(script, contents);
    call.onStart();
    const result = await processes.run({
      command,
      args: [...before, action, argument],
      cwd: ctx.root,
      env: variables(ctx, manifest, {
        id: runId,
        action,
        directory: contents.provisioner.directory,
        ticket: await ticketFacts(ctx, manifest),
      }),
      clearEnv: true,
      ownGroup: true,
      graceMs: GRACE_MS,
      timeoutMs: call.timeoutSeconds * 1_000,
      signal: ctx.signal,
      maxOutputBytes: 1,
      onLine(stream, line) {
        const text = mask(line);
        ctx.report.log(stream === "stderr" ? "warn" : "info", text, { stream });
        tail.push(text.slice(0, TAIL_LINE_LENGTH));
        if (tail.length > TAIL_LINES) tail.shift();
      },
    });
    if (result.timedOut || result.cancelled) await processes.endMarked(runMark(runId));
    return { result, tail };
  } finally {
    await files.removeTree(join(copies(ctx), runId)).catch((error: unknown) =>
      // The result of the script is not changed by this failure; the next run removes the copy.
      ctx.report.log("warn", `The copy of the script could not be removed: ${reasonOf(error)}`)
    );
  }
}

/** Why a script did not end well, or null when it did. */
export function failureOf(
  ctx: ExecuteContext,
  { action, provisioner, timeout }: {
    readonly action: SpinAction;
    readonly provisioner: Provisioner;
    readonly timeout: number;
  },
  { result, tail }: ScriptEnd,
): AmofError | null {
  const { script } = provisioner;
  const hint = ctx.runId === null
    ? {}
    : { hint: `See its log: amof runs logs ${ctx.runId.slice(0, 8)}` };
  const details = {
    provisioner: provisioner.name,
    script,
    exit_code: result.exitCode,
    log_tail: tail,
  };
  if (result.startError !== null) {
    return new AmofError(
      "subprocess_failed",
      result.startError === "not_found"
        ? `Cannot start ${script}: the program that runs it is not installed`
        : `Cannot start ${script}: the system does not let its copy run`,
      {
        hint: result.startError === "not_found"
          ? "Check its first line, or install bash"
          : `Check that programs may run from ${ctx.layout.state}`,
        details: { ...details, cause: result.startError },
      },
    );
  }
  if (result.cancelled) {
    return new AmofError(
      "cancelled",
      `The ${action} was cancelled; what ${script} had done until then stays as it is`,
      { ...hint, details },
    );
  }
  if (result.timedOut) {
    return new AmofError(
      "timeout",
      `${script} was ended after ${duration(timeout)}; what it had done until then stands`,
      {
        hint: `Allow it more: amof -e ${ctx.ecosystem} spin ${action} --timeout ${
          Math.max(2 * Math.round(timeout), 10)
        }`,
        details,
      },
    );
  }
  if (result.exitCode === 0) return null;
  return new AmofError(
    "subprocess_failed",
    `${script} ${action} ended with exit status ${result.exitCode}`,
    // The command ends as the script did, so that whoever called it can tell one end from another.
    { ...hint, details, exit: result.exitCode as ProgramExit },
  );
}
