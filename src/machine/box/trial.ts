/** Tries whether this system can make a box (BOX-5). */

import type { ProcessRequest, System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { trialArguments } from "./bubblewrap.ts";
import type { Network } from "./plan.ts";

/** What makes boxes here, or why nothing does. */
export type Maker =
  | {
    readonly kind: "bubblewrap";
    /** The processor, as `uname -m` names it. */
    readonly machine: string;
    /** Whether `env` can give programs back what an interrupt usually does. */
    readonly resets: boolean;
  }
  | { readonly kind: "seatbelt" }
  | { readonly kind: "none"; /** As the end of a sentence. */ readonly reason: string };

/** How long a trial may take. */
const TRIAL_MS = 10_000;

/** Lets a program hear of interrupts although what starts it does not. */
export const RESET: readonly string[] = ["env", "--default-signal=INT,QUIT"];

/** The program that tells that a box was made, and the machine's kind. */
const WITNESS: readonly string[] = ["uname", "-m"];

function trial(command: string, args: readonly string[]): ProcessRequest {
  return { command, args, timeoutMs: TRIAL_MS, maxOutputBytes: 10_000 };
}

const SEATBELT_TRIAL = ["-p", "(version 1)(allow default)", ...WITNESS];

/** Whether a request is a trial, which changes nothing. */
export function isBoxTrial({ command, args }: ProcessRequest): boolean {
  if (command === "sandbox-exec") return args.join("\n") === SEATBELT_TRIAL.join("\n");
  const all = [[], RESET].flatMap((before) =>
    (["none", "full"] as const).map((network) =>
      [...trialArguments(network), "--", ...before, ...WITNESS].join("\n")
    )
  );
  return command === "bwrap" && all.includes(args.join("\n"));
}

function whyNot(text: string): string {
  const line = cleanLine(text.trim().split("\n").at(-1) ?? "", 200);
  return /namespace|uid map|gid map|setgroups|Operation not permitted/i.test(line)
    ? `this system, or the container around it, lets programs make no namespaces of their own (${line})`
    : line === ""
    ? "bubblewrap does not work here and does not say why"
    : `bubblewrap does not work here (${line})`;
}

async function tryBubblewrap({ processes }: System, network: Network): Promise<Maker> {
  let reason = "";
  for (const resets of [true, false]) {
    const before = resets ? RESET : [];
    const result = await processes.run(
      trial("bwrap", [...trialArguments(network), "--", ...before, ...WITNESS]),
    );
    if (result.startError !== null) {
      return { kind: "none", reason: "bubblewrap is not installed" };
    }
    if (result.exitCode === 0) return { kind: "bubblewrap", machine: result.stdout.trim(), resets };
    reason = result.timedOut ? "bubblewrap did not come to an end here" : whyNot(result.stderr);
  }
  return { kind: "none", reason };
}

/** Tries it once. Runs on a world that refuses changes, too. */
export async function findMaker(system: System, network: Network): Promise<Maker> {
  switch (system.env.platform) {
    case "linux":
      return await tryBubblewrap(system, network);
    case "darwin": {
      const result = await system.processes.run(trial("sandbox-exec", SEATBELT_TRIAL));
      return result.exitCode === 0
        ? { kind: "seatbelt" }
        : { kind: "none", reason: "sandbox-exec does not work here" };
    }
    case "windows":
      return { kind: "none", reason: "there is none for Windows" };
  }
}
