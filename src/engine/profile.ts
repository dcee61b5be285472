/** Engines by their names: those of the user file, and the one that is always there (ENGINE-2). */

import { AmofError } from "../base/error.ts";
import { defined } from "../base/object.ts";
import {
  ENGINE_KINDS,
  type EngineKind,
  type EngineSetting,
  type Settings,
} from "../state/settings/mod.ts";
import { parseDuration } from "../base/text/moment.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { didYouMean, list } from "../base/text/words.ts";

/** An engine with everything decided that its owner left open. */
export interface Profile {
  readonly name: string;
  readonly kind: EngineKind;
  /** A directory that this machine and all nodes see, absolute; null where the engine needs none. */
  readonly directory: string | null;
  /** What is handed to Slurm as it is: partition, account and quality of service, where they are named. */
  readonly slurm: { readonly partition?: string; readonly account?: string; readonly qos?: string };
  /** What kubectl is told, and what pods are made of; the image is named where the kind is Kubernetes. */
  readonly kubernetes: {
    readonly context?: string;
    readonly namespace?: string;
    readonly image?: string;
    readonly secret?: string;
    readonly queue?: string;
  };
  /** The program on the nodes, absolute; null for a copy of the running one. */
  readonly program: string | null;
  readonly parallel: number;
  readonly attempts: number;
  /** For one shard. */
  readonly seconds: number;
  readonly cpus: number;
  /** For one shard, in MiB; null for what the engine gives. */
  readonly memory: number | null;
  /** Absolute; null for the node's directory for temporary files. */
  readonly scratch: string | null;
  /** Where a node keeps mirrors, absolute; null for none. */
  readonly mirrors: string | null;
  /** Names of variables. */
  readonly env: readonly string[];
}

/** The engine that needs nothing but this machine. */
export const LOCAL = "local";

const PARALLEL = 4;
const ATTEMPTS = 3;
const SECONDS = 3_600;

/** The names of all engines there are, that of this machine first. */
export function engineNames({ engines }: Pick<Settings, "engines">): readonly string[] {
  return [LOCAL, ...Object.keys(engines)];
}

/** The engine of a name; throws `invalid_arguments` where there is none. */
export function profileOf({ engines }: Pick<Settings, "engines">, name: string): Profile {
  const setting: EngineSetting | undefined = name === LOCAL
    ? { kind: "local" }
    : Object.hasOwn(engines, name)
    ? engines[name]
    : undefined;
  if (setting === undefined) throw unknownEngine(engineNames({ engines }), name);
  const { partition, account, qos, context, namespace, image, secret, queue } = setting;
  return {
    name,
    kind: setting.kind,
    directory: setting.directory ?? null,
    slurm: defined({ partition, account, qos }),
    kubernetes: defined({ context, namespace, image, secret, queue }),
    program: setting.program ?? null,
    parallel: setting.parallel ?? PARALLEL,
    attempts: setting.attempts ?? ATTEMPTS,
    seconds: parseDuration(setting.time ?? "") ?? SECONDS,
    cpus: setting.cpus ?? 1,
    memory: setting.memory ?? null,
    scratch: setting.scratch ?? null,
    mirrors: setting.mirrors ?? null,
    env: setting.env ?? [],
  };
}

function unknownEngine(names: readonly string[], name: string): AmofError {
  const near = didYouMean(name, names);
  return new AmofError(
    "invalid_arguments",
    `Cannot find engine "${cleanLine(name, 60)}"${
      near === null ? "" : `; did you mean "${near}"?`
    }`,
    {
      hint: names.length === 1
        ? `Only a person adds one, below engines in the user file (kinds: ${
          list(ENGINE_KINDS, "or")
        }): amof config edit`
        : "See them: amof engine check",
      details: { engine: cleanLine(name, 60), available: names },
    },
  );
}
