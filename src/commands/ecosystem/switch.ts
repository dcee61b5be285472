/**
 * `amof ecosystem switch`: chooses the ecosystem later calls mean (WORKSPACE-3, SESSION-2).
 *
 * Over MCP it moves the session; on the command line the choice is remembered for the control repository.
 */

import { navigation } from "../../contract/mod.ts";
import { hasWorkspace } from "../../workspace/mod.ts";
import { choiceSetting, formerChoiceSetting, requireEcosystem } from "./discover.ts";

interface SwitchData {
  readonly active_ecosystem: string;
  readonly scope: string;
  /** Whether it has a workspace; null when its manifest cannot be read. */
  readonly installed: boolean | null;
}

/** `amof ecosystem switch`. */
export const switchEcosystem = navigation({
  name: "amof_switch_ecosystem",
  aliases: ["amof_use_ecosystem"],
  path: ["ecosystem", "switch"],
  moves: true,
  remembers: true,
  toolset: "ecosystem",
  scope: "global",
  next: "switched",
  title: "Switch ecosystem",
  summary: "Choose the ecosystem that later calls mean.",
  positionals: ["ecosystem"],
  examples: ["ecosystem switch demo"],
  input: (z) =>
    z.strictObject({
      ecosystem: z.string().optional().describe("Its name"),
      name: z.string().optional().meta({ description: "The older name of it", deprecated: true }),
    }).refine((input) => (input.ecosystem ?? input.name ?? "") !== "", {
      path: ["ecosystem"],
      message: "is required",
    }),
  async run(ctx, input) {
    const name = input.ecosystem ?? input.name ?? "";
    await requireEcosystem(ctx.system, ctx.root, name);
    ctx.session.enter({ scope: "ecosystem", ecosystem: name });
    if (ctx.door === "cli") {
      const former = ctx.remembered.get(choiceSetting(ctx.root));
      if (former !== null && former !== name) {
        ctx.remembered.set(formerChoiceSetting(ctx.root), former);
      }
      ctx.remembered.set(choiceSetting(ctx.root), name);
    }
    // An ecosystem with a broken manifest can be chosen as well, so that it can be repaired.
    const installed = await hasWorkspace(ctx, name);
    return { data: { active_ecosystem: name, scope: "ecosystem", installed } };
  },
  render: (data: SwitchData) => ({
    summary: `Switched to ${data.active_ecosystem}.`,
    ...(data.installed === false ? { details: "It has no workspace yet." } : {}),
  }),
});
