/** `amof agentpack`: the command line of agentpack, which has options, envelopes and exit codes of its own. */

import { EXIT } from "../../../base/error.ts";
import type { System } from "../../../base/system/mod.ts";
import { PACK_EXAMPLES, PACK_SUMMARY } from "./about.ts";
import { program } from "../../../pipeline/line/program.ts";

/** Runs agentpack's command line, which is loaded only now; `prefix` is how the user calls it. */
export async function agentpackCommandLine(
  system: System,
  argv: readonly string[],
  prefix: string,
): Promise<number> {
  const { runAgentpack } = await import("./main.ts");
  return await runAgentpack(system, argv, prefix);
}

/** `amof agentpack`. */
export const agentpackProgram = program({
  path: ["agentpack"],
  summary: PACK_SUMMARY,
  examples: PACK_EXAMPLES.map((example) => `agentpack ${example}`),
  input: () => ({}),
  delegate: (system, argv) => agentpackCommandLine(system, argv, "amof agentpack"),
  main: () => Promise.resolve(EXIT.ok),
});
