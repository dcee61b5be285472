/** `amof spin deploy`: makes the environment of an ecosystem by its provisioner (SPIN-2, SPIN-6). */

import type { Mutation } from "../../contract/mod.ts";
import { spinCommand } from "./action.ts";

/** The command. */
export const spinDeploy: Mutation = spinCommand("deploy", {
  name: "amof_spin_deploy",
  path: ["spin", "deploy"],
  title: "Deploy environment",
  summary: "Make an environment with the provisioner.",
  confirm: "preview",
  asks: { deed: "deploy", will: "change the environment" },
  examples: ["spin deploy", "spin deploy --dry-run", "spin deploy --ticket PROJ-123"],
});
