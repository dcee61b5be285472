/** What `amof spin deploy` and `amof spin destroy` have in common: all but their names and what they ask (SPIN-2, SPIN-6). */

import { join } from "@std/path";
import { loadManifest, type Manifest } from "../../workspace/manifest/mod.ts";
import { ticketSlug } from "../../workspace/tickets/changing.ts";
import {
  type CommandContext,
  type ExecuteContext,
  type Mutation,
  mutation,
  type Preview,
  type Rendered,
  type Result,
  type ZodNamespace,
} from "../../contract/mod.ts";
import { recheck } from "../../base/policy/changes.ts";
import { isSame } from "../../base/policy/consent.ts";
import type { EnvironmentRecord } from "../../state/store/mod.ts";
import { keyValues } from "../../base/text/table.ts";
import { count, duration, list } from "../../base/text/words.ts";
import { type Provisioner, readProvisioner, requireProvisioner } from "./provisioner.ts";
import {
  environmentOf,
  type EnvironmentState,
  type EnvironmentView,
  runName,
  type SpinAction,
} from "./record.ts";
import { failureOf, runScript, type VariableNames, variableNames } from "./script.ts";
import { AmofError } from "../../base/error.ts";

/** Long enough for most clouds, short enough that a script which hangs is noticed the same hour. */
const DEFAULT_TIMEOUT_S = 1_800;
const LONGEST_TIMEOUT_S = 86_400;
/** The one provisioner that is called with the ecosystem's name instead of its directory (SPIN-2). */
const CALLED_BY_NAME = "k3d";

/** What is said to who asks for an engine: there is none for environments (SPIN-10). */
const NO_ENGINE = Object.fromEntries(
  ["engine", "shards"].map((flag) => [
    flag,
    "No engine makes environments: run it where their credentials are, without the flag",
  ]),
);

function spinInput(z: ZodNamespace) {
  return z.strictObject({
    timeout: z.int().min(1).max(LONGEST_TIMEOUT_S).default(DEFAULT_TIMEOUT_S)
      .describe("Seconds it may take"),
  });
}

/** Everything a confirmation is bound to. Of variables only the names. */
interface SpinFacts {
  readonly action: SpinAction;
  readonly provisioner: string;
  /** Relative to the control repository. */
  readonly script: string;
  readonly script_sha256: string;
  /** Of all files of the provisioner; what an approval is for. */
  readonly hash: string;
  readonly files: number;
  readonly approved: boolean;
  readonly argument: string;
  readonly environment: VariableNames;
  readonly timeout_s: number;
  readonly estimated_seconds: number | null;
  readonly execute_hint: string;
  readonly current: EnvironmentView;
}

interface SpinData {
  readonly action: string;
  readonly ecosystem: string;
  /** The ticket whose environment it is; absent for that of the base workspace. */
  readonly ticket?: string;
  readonly provisioner: string;
  readonly script: string;
  readonly hash: string;
  readonly state: EnvironmentState;
  /** Of the script; null when it was not run. */
  readonly script_exit: number | null;
  /** The last lines of the script; empty when all went well. */
  readonly log_tail: readonly string[];
}

/** What the script is called with; the name is another one for each ticket, and one that clusters take. */
function argumentOf(ctx: CommandContext, provisioner: string): string {
  const { ecosystem, ticket } = ctx;
  const name = ticket === null ? ecosystem : ticketSlug(ecosystem, ticket).replaceAll("_", "-");
  return provisioner === CALLED_BY_NAME ? name : join(ctx.root, "ecosystems", ctx.ecosystem);
}

/** Whose environment it is: `shop`, `PROJ-1 of shop`. */
function whose({ ecosystem, ticket }: Pick<CommandContext, "ecosystem" | "ticket">): string {
  return ticket === null ? ecosystem : `${ticket} of ${ecosystem}`;
}

/** The words that a command about this environment needs besides. */
function scopeWords({ ticket }: Pick<CommandContext, "ticket">): string {
  return ticket === null ? "" : ` --ticket ${ticket}`;
}

function detailsOf(facts: SpinFacts): string {
  const { current, environment, estimated_seconds: estimate } = facts;
  return keyValues([
    ["Provisioner", facts.provisioner],
    ["Runs", `${facts.script} ${facts.action} ${facts.argument}`],
    [
      "Hash",
      `${facts.hash.slice(0, 16)}… of ${count(facts.files, "file")}, ${
        facts.approved ? "approved" : "not approved"
      }`,
    ],
    ["Gets", environment.passed.join(", ")],
    ["Not set here", environment.missing.join(", ")],
    ["Time limit", duration(facts.timeout_s)],
    ["Expected", estimate === null ? "unknown, no earlier run" : duration(estimate)],
    ["Now", current.detail],
  ]);
}

/** What differs between what is there and what would be run, for the preview; empty when nothing does. */
function cautions(facts: SpinFacts): string[] {
  const { deployed } = facts.current;
  if (deployed === null || isSame(deployed.hash, facts.hash)) return [];
  return [
    deployed.provisioner === facts.provisioner
      ? "The provisioner has changed since the deploy"
      : `It was deployed with ${deployed.provisioner}, not with ${facts.provisioner}`,
  ];
}

/** The error of a provisioner nobody has approved; `before` is how many other contents of it were. */
function untrusted(ecosystem: string, provisioner: Provisioner, before: number): AmofError {
  const { script, hash, name } = provisioner;
  return new AmofError(
    "provisioner_untrusted",
    before > 0
      ? `Cannot run ${script}: it changed since it was approved on this machine`
      : `Cannot run ${script}: nobody has approved it on this machine`,
    {
      hint: `A person reads it and approves it in a terminal: amof -e ${ecosystem} spin trust`,
      details: { provisioner: name, script, hash, changed: before > 0 },
    },
  );
}

/** Makes the preview of either command. */
async function previewSpin(
  ctx: CommandContext,
  action: SpinAction,
  input: { readonly timeout: number },
): Promise<Preview<SpinFacts, SpinData>> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const { provisioner } = await readProvisioner(ctx, await requireProvisioner(ctx, manifest));
  const store = await ctx.store();
  const approved = store.trust.find(ctx.root, provisioner.name, provisioner.hash) !== null;
  const current = await environmentOf(ctx);
  const facts: SpinFacts = {
    action,
    provisioner: provisioner.name,
    script: provisioner.script,
    script_sha256: provisioner.scriptHash,
    hash: provisioner.hash,
    files: provisioner.files.length,
    approved,
    argument: argumentOf(ctx, provisioner.name),
    environment: variableNames(ctx, manifest),
    timeout_s: input.timeout,
    estimated_seconds: store.runs.typicalSeconds(ctx.root, ctx.ecosystem, runName(action)),
    execute_hint: `amof -e ${ctx.ecosystem} spin ${action}${scopeWords(ctx)}`,
    current,
  };
  const failure = approved
    ? null
    : untrusted(ctx.ecosystem, provisioner, store.trust.count(ctx.root, provisioner.name));
  const notes = [...cautions(facts), ...(failure === null ? [] : [failure.message])];
  return {
    facts,
    ...(ctx.ticket === null ? {} : {
      subject: {
        name: `the environment of ${ctx.ticket}`,
        typed: { what: "ticket", value: ctx.ticket },
      },
    }),
    summary: `Would ${action} ${whose(ctx)} with ${provisioner.name}.`,
    effects: [`Run ${facts.script} ${action} ${facts.argument}`, ...notes],
    details: [detailsOf(facts), ...cautions(facts).map((note) => `⚠ ${note}`)],
    ...(action === "destroy"
      ? { irreversible: "What the provisioner removes cannot be brought back." }
      : {}),
    current: current.detail,
    alternatives: [
      `Read the script first: ${facts.script}`,
      `See what is known: amof -e ${ctx.ecosystem} spin status${scopeWords(ctx)}`,
    ],
    ...(failure === null ? {} : {
      settled: {
        data: data(ctx, action, provisioner, { state: current.state, exit: null, tail: [] }),
        failure,
      },
    }),
  };
}

function data(
  ctx: CommandContext,
  action: SpinAction,
  provisioner: Provisioner,
  { state, exit, tail }: {
    readonly state: EnvironmentState;
    readonly exit: number | null;
    readonly tail: readonly string[];
  },
): SpinData {
  return {
    action: runName(action),
    ecosystem: ctx.ecosystem,
    ...(ctx.ticket === null ? {} : { ticket: ctx.ticket }),
    provisioner: provisioner.name,
    script: provisioner.script,
    hash: provisioner.hash,
    state,
    script_exit: exit,
    log_tail: tail,
  };
}

/** Notes how an action ended; for one that never began, what there was before. */
function settle(
  ctx: ExecuteContext,
  { before, record, begun, failed }: {
    readonly before: EnvironmentRecord | null;
    readonly record: EnvironmentRecord;
    readonly begun: boolean;
    readonly failed: boolean;
  },
): void {
  const { environments } = ctx.records;
  if (!begun) {
    if (before === null) environments.remove(ctx);
    else environments.set(ctx, before);
    return;
  }
  const changedAt = ctx.system.clock.now();
  const { action, provisioner, hash } = record;
  const deployed = action === "destroy" ? null : { at: changedAt, provisioner, hash };
  environments.set(
    ctx,
    failed
      ? { ...record, outcome: "failed", changedAt }
      : { ...record, outcome: "done", changedAt, deployed },
  );
}

/** Runs what was previewed, and keeps record of it. */
async function executeSpin(
  ctx: ExecuteContext,
  action: SpinAction,
  facts: SpinFacts,
): Promise<Result<SpinData>> {
  const { runId } = ctx;
  if (runId === null) throw new TypeError("Cannot run a provisioner outside of a run");
  const manifest: Manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  const contents = await readProvisioner(ctx, facts.provisioner);
  const { provisioner } = contents;
  const store = await ctx.store();
  // The bytes just read will run, so they are compared with what was previewed and approved.
  recheck(
    { fingerprint: facts.hash },
    { fingerprint: provisioner.hash },
    `${provisioner.script} changed after the preview; nothing was done`,
  );
  if (store.trust.find(ctx.root, provisioner.name, provisioner.hash) === null) {
    throw untrusted(ctx.ecosystem, provisioner, 0);
  }
  const before = store.environments.get(ctx);
  const record: EnvironmentRecord = {
    action,
    outcome: "begun",
    runId,
    changedAt: ctx.system.clock.now(),
    provisioner: provisioner.name,
    hash: provisioner.hash,
    deployed: before?.deployed ?? null,
  };
  const end = await runScript(ctx, manifest, contents, {
    runId,
    action,
    argument: facts.argument,
    timeoutSeconds: facts.timeout_s,
    onStart: () => ctx.records.environments.set(ctx, record),
  });
  const failure = failureOf(ctx, { action, provisioner, timeout: facts.timeout_s }, end);
  settle(ctx, { before, record, begun: end.result.startError === null, failed: failure !== null });
  const { state } = await environmentOf(ctx);
  const tail = failure === null ? [] : end.tail;
  return {
    data: data(ctx, action, provisioner, { state, exit: end.result.exitCode, tail }),
    ...(failure === null ? {} : { failure }),
  };
}

/** Renders the answer of either command. */
function renderSpin(action: SpinAction, data: SpinData): Rendered {
  const done = action === "deploy" ? "Deployed" : "Destroyed";
  const well = data.script_exit === 0 && data.log_tail.length === 0;
  return {
    summary: well
      ? `${done} ${whose({ ticket: null, ...data })} with ${data.provisioner}.`
      : `Failed to ${action} ${whose({ ticket: null, ...data })} with ${data.provisioner}.`,
    details: [
      keyValues([["Script", data.script], ["Environment", data.state]]),
      ...(data.log_tail.length === 0
        ? []
        : ["", "Last lines:", ...data.log_tail.map((line) => `  ${line}`)]),
    ],
  };
}

/** What both help pages say. */
const DESCRIPTION = `Runs provisioners/NAME/spin.sh of the manifest's provisioner with ${
  list(["deploy", "destroy"], "or")
}, as a run with a log. The script gets a reduced environment, and runs only if a person has approved its contents on this machine (amof spin trust).`;

/** Declares one of both commands by what only it says. */
export function spinCommand(
  action: SpinAction,
  own: Pick<
    Mutation,
    "name" | "path" | "next" | "title" | "summary" | "confirm" | "asks" | "examples"
  >,
): Mutation {
  return mutation({
    ...own,
    toolset: "spin",
    scope: "ecosystem",
    description: DESCRIPTION,
    safety: "dangerous-write",
    runs: runName(action),
    locks: "scope",
    openWorld: true,
    inTicket: "its workspace",
    instead: NO_ENGINE,
    input: spinInput,
    preview: (ctx, input) => previewSpin(ctx, action, input),
    undo: {
      irreversible: "what happens in the environment",
    },
    execute: (ctx, _input, facts) => executeSpin(ctx, action, facts),
    render: (data) => renderSpin(action, data),
  });
}
