/** How modes bind agentpack's tools: where they stand beside amof's, and where a server was started with a mode. */

import { AgentpackError } from "../../../apps/agentpack/mod.ts";
import type { Mode } from "../../../base/policy/mode.ts";
import type { Modes } from "../../mcp/features.ts";

/** The modes of a server that was started with these flags and has no tool to change them; null without any. */
export function fixedModes(mode: Mode | null, max: Mode | null): Modes | null {
  const current = mode ?? max;
  return current === null ? null : { current: () => current, max: current, settable: false };
}

/** How a change goes on from a mode in which it is refused. */
function wayOn({ max, settable }: Modes): string {
  if (!settable) return "Whoever starts the server chooses the mode: amof mcp serve --mode execute";
  const preview = 'Preview it: amof_set_mode(mode="plan")';
  switch (max) {
    case "execute":
      return `${preview}; carry it out: amof_set_mode(mode="execute")`;
    case "plan":
      return `${preview}; carrying it out is not allowed here`;
    case "ask":
      return "Only whoever starts the server can allow more: amof mcp serve --max-mode";
  }
}

/** The refusal of a change in mode ask. */
export function modeRefused(tool: string, id: string, modes: Modes): AgentpackError {
  return new AgentpackError(
    "E_MODE_INSUFFICIENT",
    `Cannot run "${id}": it changes files, and the mode is ask`,
    {
      command: id,
      tool,
      mode: "ask",
      mode_required: "execute",
      preview_mode: "plan",
      max_mode: modes.max,
      hint: wayOn(modes),
    },
    modes.settable && modes.max !== "ask" ? {} : { next: ["ask_the_person"] },
  );
}
