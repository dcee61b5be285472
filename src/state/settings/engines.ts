/**
 * Engines that a person has named in the user file: where work runs that is too much for one machine (ENGINE-2).
 *
 * Only the person who owns the machine writes them; ecosystems and callers choose one by its name.
 */

import { isAbsolute } from "@std/path";
import { type Fields, isObject } from "../../base/object.ts";
import { shownValue } from "../../base/text/sanitize.ts";
import { parseDuration } from "../../base/text/moment.ts";
import { didYouMean, list } from "../../base/text/words.ts";

/** Kinds of engines. */
export const ENGINE_KINDS = ["local", "slurm", "kubernetes"] as const;
/** One of {@linkcode ENGINE_KINDS}. */
export type EngineKind = typeof ENGINE_KINDS[number];

/** One engine as the user file has it. What is absent has the values of {@linkcode profileOf}. */
export interface EngineSetting {
  readonly kind: EngineKind;
  /** A directory that this machine and all nodes see, absolute; only for Slurm, where there must be one. */
  readonly directory?: string;
  readonly partition?: string;
  readonly account?: string;
  readonly qos?: string;
  /** The context of kubectl; its current one when absent. */
  readonly context?: string;
  /** The namespace; that of the context when absent. */
  readonly namespace?: string;
  /** The image of the shards, with amof and git in it; only for Kubernetes, where there must be one. */
  readonly image?: string;
  /** The name of a secret that shards find in /credentials. */
  readonly secret?: string;
  /** The queue of Kueue that lets the Job begin. */
  readonly queue?: string;
  /** The program on the nodes, absolute; a copy of the running one when absent. */
  readonly program?: string;
  /** At most so many shards at once. */
  readonly parallel?: number;
  /** How often a shard is begun at most, after failures of the engine. */
  readonly attempts?: number;
  /** How long a shard may take: `90s`, `10m`, `2h`. */
  readonly time?: string;
  readonly cpus?: number;
  /** For a shard, in MiB. */
  readonly memory?: number;
  /** Where clones lie while work goes on, absolute; the node's directory for temporary files when absent. */
  readonly scratch?: string;
  /** Where a node keeps mirrors of remotes, absolute; not for Kubernetes, whose pods keep nothing. None when absent. */
  readonly mirrors?: string;
  /** Names of variables that shards get from whoever submits. */
  readonly env?: readonly string[];
}

/** What an engine must be called, and names of Slurm: nothing that a program could take for an option. */
export const ENGINE_NAME: RegExp = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

/** What a member must be: what is wrong with a value, or null, and the same for editors in JSON Schema. */
interface Check {
  readonly problem: (value: unknown) => string | null;
  readonly schema: Readonly<Record<string, unknown>>;
}

function checked(
  isRight: (value: unknown) => boolean,
  what: string,
  schema: Check["schema"] = { type: "string", minLength: 1 },
): Check {
  return {
    problem: (value) => isRight(value) ? null : `must be ${what}, not ${shownValue(value)}`,
    schema,
  };
}

function matching(pattern: RegExp, what: string, schema?: Check["schema"]): Check {
  return checked((value) => typeof value === "string" && pattern.test(value), what, schema);
}

function whole(most: number): Check {
  return checked(
    (value) => typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most,
    `a whole number from 1 to ${most}`,
    { type: "integer", minimum: 1 },
  );
}

const absolute = checked(
  (value) => typeof value === "string" && isAbsolute(value) && !/[\n\r\0%]/.test(value),
  "an absolute path without %",
);

const name = matching(ENGINE_NAME, "a name of letters, digits, - _ and .", {
  type: "string",
  pattern: ENGINE_NAME.source,
});

const context = matching(/^[^\s-][^\n\r\0]{0,199}$/, "the name of a context of kubectl");

const label = matching(/^[a-z0-9](?:[-a-z0-9.]{0,61}[a-z0-9])?$/, "a name as Kubernetes has them");

const image = matching(/^[a-z0-9][^\s]{0,299}$/, "an image, best with its digest");

const duration = checked(
  (value) => typeof value === "string" && parseDuration(value) !== null,
  "a time such as 90s, 10m or 2h",
);

const variables = checked(
  (value) =>
    Array.isArray(value) && value.every((one) => typeof one === "string" && VARIABLE.test(one)),
  "a list of names of variables",
  { type: "array", items: { type: "string", minLength: 1 } },
);

const kind = checked(
  (value) => ENGINE_KINDS.some((one) => one === value),
  list(ENGINE_KINDS, "or"),
  { enum: ENGINE_KINDS },
);

const COMMON: Readonly<Record<string, Check>> = {
  kind,
  program: absolute,
  parallel: whole(1_000),
  attempts: whole(10),
  time: duration,
  cpus: whole(1_024),
  memory: whole(16_777_216),
  scratch: absolute,
  env: variables,
};

/** What each kind takes besides. */
const OWN: Readonly<Record<EngineKind, Readonly<Record<string, Check>>>> = {
  local: { mirrors: absolute },
  slurm: { mirrors: absolute, directory: absolute, partition: name, account: name, qos: name },
  kubernetes: { context, namespace: label, image, secret: label, queue: label },
};

/** What a kind cannot do without. */
const NEEDED: Readonly<
  Record<EngineKind, { readonly member: string; readonly message: string } | null>
> = {
  local: null,
  slurm: { member: "directory", message: "needs a directory that all nodes see" },
  kubernetes: { member: "image", message: "needs an image with amof and git in it" },
};

/** What is wrong with an entry of the user file, or with one of its members; null where nothing is. */
type Problem = { readonly member: string | null; readonly message: string } | null;

function wrong(message: string, member: string | null = null): Problem {
  return { member, message };
}

function memberProblem(value: Fields, checks: Readonly<Record<string, Check>>): Problem {
  for (const [member, content] of Object.entries(value)) {
    const check = Object.hasOwn(checks, member) ? checks[member] : undefined;
    if (check === undefined) {
      const near = didYouMean(member, Object.keys(checks));
      return wrong(near === null ? "there is no such member" : `did you mean "${near}"?`, member);
    }
    const problem = check.problem(content);
    if (problem !== null) return wrong(problem, member);
  }
  return null;
}

function schemaOf(
  called: RegExp,
  members: readonly (readonly [string, Check])[],
  more: Fields = {},
): Fields {
  return {
    type: "object",
    propertyNames: { pattern: called.source },
    additionalProperties: {
      type: "object",
      additionalProperties: false,
      ...more,
      properties: Object.fromEntries(members.map(([member, { schema }]) => [member, schema])),
    },
  };
}

/** What is wrong with one engine of the user file, or null. */
export function engineProblem(called: string, value: unknown): Problem {
  if (!ENGINE_NAME.test(called)) return wrong("must be one word of letters, digits, - _ and .");
  if (called === "local") {
    return wrong('is always there: give another name to an engine of kind "local"');
  }
  if (!isObject(value)) return wrong(`must be an engine with a kind, not ${shownValue(value)}`);
  const kindProblem = kind.problem(value["kind"]);
  if (kindProblem !== null) return wrong(kindProblem, "kind");
  const problem = memberProblem(value, { ...COMMON, ...OWN[value["kind"] as EngineKind] });
  if (problem !== null) return problem;
  const needed = NEEDED[value["kind"] as EngineKind];
  return needed !== null && value[needed.member] === undefined ? wrong(needed.message) : null;
}

/** The members in JSON Schema, for editors. */
export function enginesSchema(): Fields {
  const members = [COMMON, ...Object.values(OWN)].flatMap((each) => Object.entries(each));
  return schemaOf(ENGINE_NAME, members, { required: ["kind"] });
}

// Git hosts that a person has told the limits of in the user file: how much amof may ask of them (PLAN-4).

/** What one host takes; what is absent is as amof knows it. */
export interface HostSetting {
  /** Connections at once. */
  readonly concurrent?: number;
  /** Requests in a minute. */
  readonly per_minute?: number;
}

/** What hosts are called: as in addresses, without a port. */
const HOST_NAME: RegExp = /^(?:\[[0-9a-f:]{2,45}\]|[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)$/;

function limit(maximum: number): Check {
  return { ...whole(maximum), schema: { type: "integer", minimum: 1, maximum } };
}

const LIMITS: Readonly<Record<string, Check>> = {
  concurrent: limit(1_000),
  per_minute: limit(1_000_000),
};

/** What is wrong with one host of the user file, or null. */
export function hostProblem(called: string, value: unknown): Problem {
  if (!HOST_NAME.test(called)) {
    return wrong("must be a host as addresses have it, in lower case and without a port");
  }
  if (!isObject(value)) {
    return wrong(`must be a host with its limits, not ${shownValue(value)}`);
  }
  return memberProblem(value, LIMITS);
}

/** The members in JSON Schema, for editors. */
export function hostsSchema(): Fields {
  return schemaOf(HOST_NAME, Object.entries(LIMITS));
}
