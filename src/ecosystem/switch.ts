/**
 * `amof ecosystem switch`: chooses the ecosystem later calls mean (amof.md §3.4, tool 5).
 *
 * Over MCP it moves the session; on the command line the choice is remembered for the control repository.
 *
 * @module
 */

import { sha256 } from "../policy/fingerprint.ts";
import { navigation } from "../spec/mod.ts";
import { requireEcosystem } from "./discover.ts";
import { hasWorkspace } from "./list.ts";

/** The name under which the choice for a control repository is remembered. */
export function choiceSetting(root: string): string {
  return `ecosystem:${sha256(root).slice(0, 16)}`;
}

interface SwitchData {
  readonly [field: string]: unknown;
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
  toolset: "ecosystem",
  scope: "global",
  title: "Switch ecosystem",
  summary: "Choose the ecosystem that later calls mean.",
  positionals: ["ecosystem"],
  examples: ["ecosystem switch demo"],
  input: (z) =>
    z.strictObject({
      ecosystem: z.string().optional().describe("Name of the ecosystem"),
      name: z.string().optional().meta({ description: "The older name of it", deprecated: true }),
    }).refine((input) => (input.ecosystem ?? input.name ?? "") !== "", {
      path: ["ecosystem"],
      message: "is required",
    }),
  async run(ctx, input) {
    const name = input.ecosystem ?? input.name ?? "";
    await requireEcosystem(ctx.system, ctx.root, name);
    ctx.session.enter({ scope: "ecosystem", ecosystem: name });
    if (ctx.door === "cli") ctx.settings.set(choiceSetting(ctx.root), name);
    // One must be able to go where something has to be put right.
    const installed = await hasWorkspace(ctx, name);
    return { data: { active_ecosystem: name, scope: "ecosystem", installed } };
  },
  render: (data: SwitchData) => ({
    summary: `Switched to ${data.active_ecosystem}.`,
    ...(data.installed === false ? { details: "It has no workspace yet." } : {}),
  }),
});
