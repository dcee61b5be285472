/** `amof spin deploy`: makes the environment of an ecosystem by its provisioner (SPIN-2, SPIN-6). */

import { mutation } from "../../contract/mod.ts";
import {
  executeSpin,
  NO_ENGINE,
  previewSpin,
  renderSpin,
  SPIN_DESCRIPTION,
  spinInput,
} from "./action.ts";
import { runName } from "./record.ts";

/** The command. */
export const spinDeploy = mutation({
  name: "amof_spin_deploy",
  path: ["spin", "deploy"],
  toolset: "spin",
  scope: "ecosystem",
  about: "environment",
  title: "Deploy environment",
  summary: "Make the environment of an ecosystem with its provisioner.",
  description: SPIN_DESCRIPTION,
  safety: "dangerous-write",
  confirm: "preview",
  asks: { deed: "deploy", will: "change the environment" },
  runs: runName("deploy"),
  exclusive: true,
  locks: "scope",
  openWorld: true,
  inTicket: true,
  instead: NO_ENGINE,
  examples: ["spin deploy", "spin deploy --dry-run", "spin deploy --ticket PROJ-123"],
  input: spinInput,
  preview: (ctx, input) => previewSpin(ctx, "deploy", input),
  lasts: "what happens in the environment",
  execute: (ctx, _input, facts) => executeSpin(ctx, "deploy", facts),
  render: (data) => renderSpin("deploy", data),
});
