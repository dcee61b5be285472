/** What the declarations of all commands about campaigns have in common. */

import { onlyTyped, type ZodNamespace } from "../../contract/mod.ts";

/** They are about one campaign, by its name. */
export const CAMPAIGN = {
  toolset: "exec",
  mcp: "asked for",
  scope: "ecosystem",
  next: "campaign",
  positionals: ["campaign"],
} as const;

/** The same of those that talk to remotes or engines: the campaign keeps others away, and no workspace is taken. */
export const CAMPAIGN_WORK = { ...CAMPAIGN, locks: {}, openWorld: true } as const;

/** The same of those that run the program: typing one of them is the consent to it. */
export const CAMPAIGN_RUN = {
  ...CAMPAIGN_WORK,
  safety: "dangerous-write",
  confirm: "simple",
  typed: true,
  asks: { deed: "run", will: "start a program in clones of repositories" },
  inline: "attended",
} as const;

/** The member that says which campaign is meant. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export function campaignInput(z: ZodNamespace) {
  return { campaign: z.string().min(1).describe("Which campaign") };
}

/** The member that says how what programs print is shown. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export function outputInput(z: ZodNamespace) {
  return {
    output: onlyTyped(
      z.enum(["group", "stream", "none"]).optional().describe(
        "By repository, as it comes, or not at all; group",
      ),
    ),
  };
}
