/** `amof spin destroy`: removes the environment of an ecosystem by its provisioner (SPIN-2, SPIN-6). */

import type { Mutation } from "../../contract/mod.ts";
import { spinCommand } from "./action.ts";

/** The command. */
export const spinDestroy: Mutation = spinCommand("destroy", {
  name: "amof_spin_destroy",
  path: ["spin", "destroy"],
  next: "removed",
  title: "Destroy environment",
  summary: "Remove the environment with the provisioner.",
  confirm: "type",
  asks: { deed: "destroy", will: "remove the environment" },
  examples: ["spin destroy", "-e shop spin destroy --confirm-name shop"],
});
