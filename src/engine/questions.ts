/** Which programs of engines only tell something, so that previews may start them. */

import type { ProcessRequest } from "../base/system/mod.ts";

/** Whether a program asks an engine how it stands. */
export function isEngineQuestion({ command, args }: ProcessRequest): boolean {
  switch (command) {
    case "squeue":
    case "sinfo":
    case "sacct":
      return true;
    case "kubectl": {
      const verb = args.find((word) => !word.startsWith("-"));
      return verb === "get" || verb === "version" || verb === "logs" || verb === "auth";
    }
    case "scontrol":
      return args[0] === "show";
    case "sbatch":
      return args[0] === "--test-only";
    default:
      return false;
  }
}
