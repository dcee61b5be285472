/** `amof spin destroy`: removes the environment of an ecosystem by its provisioner (SPIN-2, SPIN-6). */

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
export const spinDestroy = mutation({
  name: "amof_spin_destroy",
  path: ["spin", "destroy"],
  toolset: "spin",
  scope: "ecosystem",
  about: "environment",
  removes: "for good",
  title: "Destroy environment",
  summary: "Remove the environment of an ecosystem with its provisioner.",
  description: SPIN_DESCRIPTION,
  safety: "dangerous-write",
  confirm: "type",
  asks: { deed: "destroy", will: "remove the environment" },
  runs: runName("destroy"),
  exclusive: true,
  locks: "scope",
  openWorld: true,
  inTicket: true,
  instead: NO_ENGINE,
  examples: ["spin destroy", "-e shop spin destroy --confirm-name shop"],
  input: spinInput,
  preview: (ctx, input) => previewSpin(ctx, "destroy", input),
  lasts: "what happens in the environment",
  execute: (ctx, _input, facts) => executeSpin(ctx, "destroy", facts),
  render: (data) => renderSpin("destroy", data),
});
