/**
 * `amof spin status`: what is known about the environment of an ecosystem, and what would act on it.
 *
 * It says what amof did from this machine; it does not ask the environment itself.
 */

import { loadManifest } from "../../workspace/manifest/mod.ts";
import { AmofError } from "../../base/error.ts";
import { durationSeconds } from "../../runs/mod.ts";
import { type CommandContext, query } from "../../contract/mod.ts";
import { timestamp } from "../../base/system/mod.ts";
import { blocks } from "../../base/text/parts.ts";
import { keyValues, table } from "../../base/text/table.ts";
import { duration } from "../../base/text/words.ts";
import { readProvisioner, requireProvisioner } from "./provisioner.ts";
import { environmentOf, type EnvironmentView, runName, type SpinAction } from "./record.ts";

const LAST_RUNS = 5;

interface SpinRun {
  readonly run_id: string;
  readonly action: string;
  readonly status: string;
  readonly created_at: string;
  readonly duration_s: number | null;
}

interface ProvisionerView {
  readonly name: string;
  readonly script: string;
  readonly hash: string;
  readonly approved: boolean;
}

interface SpinStatusData {
  readonly environment: EnvironmentView;
  /** Null when it cannot be used; `problem` says why. */
  readonly provisioner: ProvisionerView | null;
  readonly problem: string | null;
  readonly estimated_seconds: Readonly<Record<SpinAction, number | null>>;
  readonly runs: readonly SpinRun[];
  /** The environments of tickets, beside that of the base workspace; absent where there are none. */
  readonly tickets?: readonly (Pick<EnvironmentView, "state" | "detail" | "changed_at"> & {
    readonly ticket_id: string;
  })[];
}

async function provisionerOf(
  ctx: CommandContext,
): Promise<Pick<SpinStatusData, "provisioner" | "problem">> {
  const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
  try {
    const { provisioner } = await readProvisioner(ctx, await requireProvisioner(ctx, manifest));
    const { name, script, hash } = provisioner;
    const approved = (await ctx.store()).trust.find(ctx.root, name, hash) !== null;
    return { provisioner: { name, script, hash, approved }, problem: null };
  } catch (error) {
    // An environment may stand whose provisioner is gone; that must not hide what is known about it.
    if (!(error instanceof AmofError)) throw error;
    return { provisioner: null, problem: error.message };
  }
}

async function runsOf(ctx: CommandContext): Promise<SpinRun[]> {
  const { runs } = await ctx.store();
  const { root, ecosystem, ticket } = ctx;
  return (["deploy", "destroy"] as const).flatMap((action) =>
    runs.list({ root, ecosystem, ticket, action: runName(action), limit: LAST_RUNS })
  ).sort((a, b) => b.createdAt - a.createdAt).slice(0, LAST_RUNS).map((run) => ({
    run_id: run.runId,
    action: run.action,
    status: run.reason ?? run.status,
    created_at: timestamp(run.createdAt),
    duration_s: durationSeconds(run),
  }));
}

/** The environments of tickets, as the base workspace tells of them. */
async function ofTickets(ctx: CommandContext): Promise<Pick<SpinStatusData, "tickets">> {
  if (ctx.ticket !== null) return {};
  const { environments } = await ctx.store();
  const ids = environments.tickets(ctx.root, ctx.ecosystem);
  if (ids.length === 0) return {};
  return {
    tickets: await Promise.all(ids.map(async (ticket) => {
      const { state, detail, changed_at } = await environmentOf({ ...ctx, ticket });
      return { ticket_id: ticket, state, detail, changed_at };
    })),
  };
}

/** What helps where the last run did not end well. */
function waysOn({ run_id: run }: EnvironmentView): string[] {
  return [
    ...(run === null ? [] : [`See its log: amof runs logs ${run.slice(0, 8)}`]),
    "Then deploy again: amof spin deploy",
    "Or destroy what is there: amof spin destroy",
  ];
}

function approval(provisioner: ProvisionerView): string {
  return `${provisioner.script} (${provisioner.hash.slice(0, 16)}…), ${
    provisioner.approved ? "approved" : "not approved: amof spin trust"
  }`;
}

/** The command. */
export const spinStatus = query({
  name: "amof_spin_status",
  path: ["spin", "status"],
  toolset: "spin",
  mcp: "asked for",
  scope: "ecosystem",
  inTicket: "its workspace",
  next: "environment",
  title: "Environment status",
  summary: "Show what is known about the environment, its provisioner and its last runs.",
  description:
    "Tells what amof did from this machine. Where a deploy or destroy failed, was cancelled or cut off, the state is uncertain: look at the log, then repeat it or destroy.",
  examples: ["spin status", "-e shop spin status --json"],
  input: () => ({}),
  async run(ctx) {
    const store = await ctx.store();
    const typical = (action: SpinAction) =>
      store.runs.typicalSeconds(ctx.root, ctx.ecosystem, runName(action));
    const data: SpinStatusData = {
      environment: await environmentOf(ctx),
      ...await provisionerOf(ctx),
      estimated_seconds: { deploy: typical("deploy"), destroy: typical("destroy") },
      runs: await runsOf(ctx),
      ...await ofTickets(ctx),
    };
    return { data };
  },
  render({ environment, provisioner, problem, runs, tickets = [] }, _input, say) {
    const { deployed } = environment;
    return {
      summary: environment.state === "none"
        ? "Found no deployment from this machine."
        : `Found the environment ${environment.state}.`,
      details: blocks(
        keyValues([
          ["State", environment.detail],
          ["Since", environment.changed_at === null ? null : say.time(environment.changed_at)],
          [
            "Deployed",
            deployed === null ? null : `${say.time(deployed.at)} with ${deployed.provisioner}`,
          ],
          ["Provisioner", provisioner === null ? null : approval(provisioner)],
          ["Problem", problem],
        ]),
        environment.state === "uncertain" ? waysOn(environment) : null,
        ...(tickets.length === 0 ? [] : [
          table(
            ["ticket", "environment", "since"],
            tickets.map(({ ticket_id, detail, changed_at }) => [
              ticket_id,
              detail,
              changed_at === null ? null : say.time(changed_at),
            ]),
          ),
        ]),
        ...(runs.length === 0 ? [] : [
          table(
            ["run", "action", "status", "started", "took"],
            runs.map((run) => [
              run.run_id.slice(0, 8),
              run.action,
              run.status,
              say.time(run.created_at),
              run.duration_s === null ? "" : duration(run.duration_s),
            ]),
          ),
        ]),
      ),
    };
  },
});
