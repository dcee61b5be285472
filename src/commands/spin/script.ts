/**
 * Runs the script of a provisioner: exactly the bytes that were approved, with little around them.
 *
 * The bytes that were hashed are written into a directory of the run's own, and that copy runs. What happens
 * to the files of the control repository meanwhile no longer matters.
 */

import type { RunId } from "../../base/ids.ts";
import { basename, join } from "@std/path";
import { reasonOf } from "../../base/error.ts";
import type { Manifest } from "../../workspace/manifest/mod.ts";
import { requireTicketWorkspace } from "../../workspace/tickets/mod.ts";
import { ticketVariables } from "../../workspace/tickets/changing.ts";
import { isFinal, runMark } from "../../runs/mod.ts";
import type { ExecuteContext } from "../../contract/mod.ts";
import type { ProcessResult } from "../../base/system/mod.ts";
import type { ProvisionerContents } from "./provisioner.ts";
import type { SpinAction } from "./record.ts";
import { masker, stateDirectory, variables } from "./variables.ts";

/** How long the script may take to obey; shorter than whoever cancels the run waits for its worker. */
const GRACE_MS = 3_000;
/** How many of its last lines an error carries (SPIN-7, SPIN-8). */
const TAIL_LINES = 10;
const TAIL_LINE_LENGTH = 500;

/** How a script ended. */
export interface ScriptEnd {
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
async function sweep(ctx: ExecuteContext): Promise<void> {
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
async function toldOf(
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
  await sweep(ctx);
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
        ticket: await toldOf(ctx, manifest),
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
