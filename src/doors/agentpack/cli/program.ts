/** `amof agentpack`: the command line of agentpack, which has options, envelopes and exit codes of its own. */

import { EXIT } from "../../../base/error.ts";
import { PACK_EXAMPLES, PACK_SUMMARY } from "./about.ts";
import { program } from "../../../pipeline/line/program.ts";

/** `amof agentpack`. */
export const agentpackProgram = program({
  path: ["agentpack"],
  group: "Agents",
  summary: PACK_SUMMARY,
  examples: PACK_EXAMPLES.map((example) => `agentpack ${example}`),
  input: () => ({}),
  delegate: {
    run: async (...line) => await (await import("./main.ts")).runAgentpack(...line),
    grammar: async () => (await import("./grammar.ts")).PACK_GRAMMAR,
  },
  main: () => Promise.resolve(EXIT.ok),
});
