/**
 * The engine of each kind.
 *
 * @module
 */

import type { EngineKind } from "../settings/mod.ts";
import type { System } from "../system/mod.ts";
import { KubernetesEngine } from "./kubernetes/engine.ts";
import { LocalEngine } from "./local/engine.ts";
import type { Engine } from "./port.ts";
import { SlurmEngine } from "./slurm/engine.ts";

const ENGINES: Readonly<Record<EngineKind, (system: System) => Engine>> = {
  local: (system) => new LocalEngine(system),
  kubernetes: (system) => new KubernetesEngine(system),
  slurm: (system) => new SlurmEngine(system),
};

/** The engine of a kind. */
export function engineOf(system: System, kind: EngineKind): Engine {
  return ENGINES[kind](system);
}
