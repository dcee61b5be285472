/**
 * Which box an agent gets: how much of the network it has (BOX-8), and where none may be left out.
 */

import { findMaker, type Network } from "../../machine/box/mod.ts";
import type { CommandContext } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { suspectNames } from "../../workspace/seals/mod.ts";
import type { EngineAgentSpec } from "./engine/plan.ts";
import type { AgentRepo } from "./look.ts";
import { untrustedClones } from "../exec/invocation/facts.ts";

/** How much of the network a box gets, asked for or as usual (BOX-8). */
export function networkOf({ settings }: CommandContext, asked: Network | null): Network {
  const most = settings.boxNetwork;
  if (asked === "full" && most === "none") {
    throw new AmofError(
      "box_unavailable",
      "Cannot give the box the network: the setting box_network says that none ever gets it",
      { hint: "A person may change that: amof config set box_network ask" },
    );
  }
  return asked ?? (most === "full" ? "full" : "none");
}

/** Why nothing would box it on this machine, where this machine is the engine; null where something does. */
export async function whyUnboxed(
  { system }: CommandContext,
  { kind }: Pick<EngineAgentSpec, "kind">,
  network: Network,
): Promise<string | null> {
  if (kind !== "local") return null;
  const maker = await findMaker(system, network);
  return maker.kind === "none" ? maker.reason : null;
}

/**
 * Throws `clone_untrusted` where a clone of the ticket waits for a look: without a box, git would run what stands
 * there with all rights of a person who has not seen it (SEAL-8). No process.
 */
export async function refuseUntrusted(
  ctx: CommandContext,
  { line, repos }: {
    /** What would be run, as it is shown. */
    readonly line: string;
    readonly repos: readonly AgentRepo[];
  },
): Promise<void> {
  const places = await Promise.all(repos.map(async ({ name, directory }) => {
    const suspects = await ctx.git.at(directory, name).suspects();
    return { name, untrusted: suspects === null ? [] : suspectNames(suspects) };
  }));
  const error = untrustedClones(line, places, { selects: false });
  if (error !== null) throw error;
}
