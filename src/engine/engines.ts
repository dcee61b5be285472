/** The engine of each kind, and which of their programs only tell something, so that previews may start them. */

import { AmofError } from "../base/error.ts";
import type { EngineKind } from "../state/settings/mod.ts";
import type { ProcessRequest, System } from "../base/system/mod.ts";
import { KubernetesEngine } from "./kubernetes/engine.ts";
import { LocalEngine } from "./local/engine.ts";
import type { Engine, Limits } from "./port.ts";
import type { Profile } from "./profile.ts";
import { SlurmEngine } from "./slurm/engine.ts";

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

const ENGINES: Readonly<Record<EngineKind, (system: System) => Engine>> = {
  local: (system) => new LocalEngine(system),
  kubernetes: (system) => new KubernetesEngine(system),
  slurm: (system) => new SlurmEngine(system),
};

/** The engine of a kind. */
export function engineOf(system: System, kind: EngineKind): Engine {
  return ENGINES[kind](system);
}

/** What the engine of a profile has; throws `engine_unavailable` with what mends it where something is missing. */
export async function requireEngine(system: System, profile: Profile): Promise<Limits> {
  const limits = await engineOf(system, profile.kind).probe(profile);
  const [problem] = limits.problems;
  if (problem === undefined) return limits;
  throw new AmofError(
    "engine_unavailable",
    `Cannot use engine "${profile.name}": ${problem.message}`,
    { hint: problem.fix, details: { engine: profile.name, problems: limits.problems } },
  );
}
