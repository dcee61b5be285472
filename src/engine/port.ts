/** What an engine can do for this program, whichever it is: run one plan as an array of shards (ENGINE-1). */

import {
  ENGINE_KINDS,
  type EngineKind,
  type EngineSetting,
  type Settings,
} from "../state/settings/mod.ts";
import type { ShardLine } from "./shard/line.ts";
import { AmofError } from "../base/error.ts";
import { defined } from "../base/object.ts";
import { parseDuration } from "../base/text/moment.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { didYouMean, list, meantText } from "../base/text/words.ts";
import { USUAL_VARIABLES } from "../runs/changing.ts";
import type { Environment } from "../base/system/mod.ts";

// Engines by their names: those of the user file, and the one that is always there (ENGINE-2).

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
export const LOCAL_ENGINE = "local";

const PARALLEL = 4;

const ATTEMPTS = 3;

const SECONDS = 3_600;

/** The names of all engines there are, that of this machine first. */
export function engineNames({ engines }: Pick<Settings, "engines">): readonly string[] {
  return [LOCAL_ENGINE, ...Object.keys(engines)];
}

/** The engine of a name; throws `invalid_arguments` where there is none. */
export function profileOf({ engines }: Pick<Settings, "engines">, name: string): Profile {
  const setting: EngineSetting | undefined = name === LOCAL_ENGINE
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
  return new AmofError(
    "invalid_arguments",
    `Cannot find engine "${cleanLine(name, 60)}"${meantText(didYouMean(name, names))}`,
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

/** What is sent once. */
export interface Submission {
  /** The id of the run, which is the name of the array on the engine as well. */
  readonly run: string;
  readonly profile: Profile;
  /** The sealed plan: an absolute path on this machine, and the hash that shards are told. */
  readonly plan: { readonly path: string; readonly sha256: string };
  /** The fingerprint of the key the plan is signed with (PLAN-2). */
  readonly key: string;
  /** Indexes 0 … shards − 1. */
  readonly shards: number;
  /** Where the engine may keep what it needs on this machine, absolute. */
  readonly directory: string;
}

/** Where an array is: enough to find it from another process. */
export interface Handle {
  readonly engine: EngineKind;
  /** What the engine calls it. */
  readonly ref: string;
}

/** How one shard stands; the last three never change any more. */
export type ShardState = "waiting" | "running" | "succeeded" | "failed" | "cancelled";

/** Why a shard stands so, where its state does not say it. */
export type ShardReason =
  | "exit"
  | "timeout"
  | "memory"
  | "evicted"
  | "node"
  | "vanished"
  | "waits"
  /** The engine will never begin it. */
  | "unstartable";

/** One shard as the engine sees it. */
export interface ShardView {
  readonly index: number;
  readonly state: ShardState;
  readonly reason: ShardReason | null;
  readonly exitCode: number | null;
  /** Where it runs or ran, or null. */
  readonly node: string | null;
  /** The engine's own word for why it waits, or was never begun, or null. */
  readonly note: string | null;
}

/** What an engine has, and whether it may be used. */
export interface Limits {
  /** The largest number of shards of one array. */
  readonly shards: number;
  /** The longest plan, compressed, in bytes; absent where it may be as long as it likes. */
  readonly planBytes?: number;
  /** What is there, for people: `Slurm 22.05.8, 3 nodes, 12 processors`. */
  readonly found: string;
  /** What keeps it from being used, each with what to do; empty where nothing does. */
  readonly problems: readonly { readonly message: string; readonly fix: string }[];
}

/** How a cancellation ended. */
export interface Cancelled {
  /** Whether it is sure that nothing of the array runs any more. */
  readonly confirmed: boolean;
  /** Nodes that could not be asked. */
  readonly unreachable: readonly string[];
  /** What shards told while they were ended, where the engine keeps nothing of it. */
  readonly told: readonly ShardLine[];
}

/** What shards have told since it was last asked. */
export interface Collector {
  next(): AsyncIterable<ShardLine>;
}

/**
 * An engine. Every call may be repeated: who crashed in between repeats it. Calls that cannot reach the engine throw
 * `engine_unavailable`.
 */
export interface Engine {
  /** Looks whether it is there and may be used, and how much it takes. Changes nothing but a file it tries to write. */
  probe(profile: Profile): Promise<Limits>;
  /** Brings everything there, so that nothing runs yet. Throws `engine_conflict` where another array has the name. */
  prepare(submission: Submission): Promise<Handle>;
  /** Lets it run. */
  start(submission: Submission, handle: Handle): Promise<void>;
  /** The array of a submission, or null where the engine knows none. */
  find(submission: Submission): Promise<Handle | null>;
  /**
   * How all shards stand, again and again until all are final or the signal aborts. Shards that the engine has
   * forgotten are judged by what they left.
   */
  watch(
    submission: Submission,
    handle: Handle,
    signal: AbortSignal,
  ): AsyncIterable<readonly ShardView[]>;
  /** Reads what shards tell, of all their starts. Who asks for a new one reads everything again. */
  collect(submission: Submission): Collector;
  /** Ends everything of the array that waits or runs, and waits for that. */
  cancel(submission: Submission, handle: Handle): Promise<Cancelled>;
  /** Removes what the engine keeps of an array that is over and collected. */
  remove(submission: Submission, handle: Handle): Promise<void>;
}

/** Whether a shard is over. */
export function isFinal({ state }: Pick<ShardView, "state">): boolean {
  return state === "succeeded" || state === "failed" || state === "cancelled";
}

/** Makes it; `look` is the command by which a person sees what is there. */
export function otherPlan(run: string, where: string, look?: string): AmofError {
  return new AmofError(
    "engine_conflict",
    `Cannot start the array of run ${run.slice(0, 8)}: ${where} has something else under its name`,
    {
      ...(look === undefined ? {} : { hint: `Look at it: ${look}` }),
      details: { run_id: run },
    },
  );
}

// How a shard is started, as arguments of this program (SHARD-1).

/** What differs from engine to engine and from shard to shard; the last two may be names of shell variables there. */
interface ShardPlacement {
  /** Where the plan lies for the shard. */
  readonly plan: string;
  /** Where its lines go, or null for standard output alone. */
  readonly results: string | null;
  /** The file that its end is written into in few bytes; absent for none. */
  readonly summary?: string;
  readonly index: string;
  readonly start: string;
}

/** The arguments behind the program's name. */
export function shardArguments(
  { run, plan, key, shards, profile }: Submission,
  { plan: path, results, summary, index, start }: ShardPlacement,
): readonly string[] {
  return [
    "shard",
    "run",
    "--run",
    run,
    "--plan",
    path,
    "--sha256",
    plan.sha256,
    "--key",
    key,
    "--index",
    index,
    "--of",
    String(shards),
    "--begun",
    start,
    "--attempts",
    String(profile.attempts),
    ...(results === null ? [] : ["--results", results]),
    ...(summary === undefined ? [] : ["--summary", summary]),
    ...(profile.scratch === null ? [] : ["--scratch", profile.scratch]),
    // Written down by a version that knew of none, it is absent.
    ...((profile.mirrors ?? null) === null ? [] : ["--mirrors", profile.mirrors ?? ""]),
  ];
}

// What shards get of the environment of whoever submits: a list, never all of it (ENGINE-5).

/** What git cannot do without where a remote asks who it is. */
const OF_GIT = ["SSH_AUTH_SOCK", "GIT_CONFIG_GLOBAL", "GIT_SSH_COMMAND", "NO_COLOR"] as const;

/** A shard keeps nothing: where amof does here means nothing there. */
const USUAL = USUAL_VARIABLES.filter((name) => name !== "AMOF_HOME");

/** Marks what an array has started where its engine is not the one that ends all of it: the value is its run. */
export const ARRAY_VARIABLE = "AMOF_ARRAY";

/** The variables of a shard that are set here; nothing of git asks a person there. */
export function passedOn(
  env: Pick<Environment, "get">,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const values = [...USUAL, ...OF_GIT, ...names].map((name) => [name, env.get(name)] as const);
  return { ...defined(Object.fromEntries(values)), GIT_TERMINAL_PROMPT: "0" };
}
