/** Which programs of engines only tell something, so that previews may start them. */

import type { EngineKind } from "../state/settings/mod.ts";
import type { ProcessRequest } from "../base/system/mod.ts";

const ALWAYS = () => true;
const OF_KUBECTL: ReadonlySet<string | undefined> = new Set(["get", "version", "logs", "auth"]);

/** The programs of each kind of engine, with the arguments that make them a question. */
const QUESTIONS: Readonly<
  Record<EngineKind, Readonly<Record<string, (args: readonly string[]) => boolean>>>
> = {
  local: {},
  slurm: {
    squeue: ALWAYS,
    sinfo: ALWAYS,
    sacct: ALWAYS,
    scontrol: ([verb]) => verb === "show",
    sbatch: ([first]) => first === "--test-only",
  },
  kubernetes: {
    kubectl: (args) => OF_KUBECTL.has(args.find((word) => !word.startsWith("-"))),
  },
};

/** Whether a program asks an engine how it stands. */
export function isEngineQuestion({ command, args }: ProcessRequest): boolean {
  return Object.values(QUESTIONS).some((programs) =>
    Object.hasOwn(programs, command) && programs[command]?.(args) === true
  );
}
