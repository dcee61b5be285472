/** The commands of the registry and those of a control plane that this program does not have, for rules about tools. */

import { type Command, mutation } from "../../src/contract/mod.ts";
import { COMMANDS } from "./loaded.ts";

function ofControlPlane(name: string): Command {
  return mutation({
    name,
    path: [name],
    toolset: "server",
    scope: "server",
    safety: "safe-write",
    confirm: "none",
    next: "server_changed",
    title: name,
    summary: name,
    examples: [],
    input: (z) => z.strictObject({}),
    preview: () =>
      Promise.resolve({
        facts: {},
        summary: name,
        effects: [],
        current: name,
        alternatives: [],
      }),
    execute: () => Promise.resolve({ data: {} }),
    render: () => ({ summary: name }),
  });
}

/** Every tool that rules speak of, by its name. */
export const TOOLS: ReadonlyMap<string, Command> = new Map(
  [
    ...COMMANDS,
    ...["amof_server_start", "amof_server_stop", "amof_server_restart"].map(ofControlPlane),
  ].map((command) => [command.name, command]),
);
