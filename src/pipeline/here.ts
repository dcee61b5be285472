/** `.` in a selection: the repository where the caller stands, by its name. */

import type { Fields } from "../base/object.ts";
import { meansAll } from "../contract/all_tickets.ts";
import type { Command } from "../contract/mod.ts";
import { Git } from "../git/mod.ts";
import { findWorkspace } from "../workspace/mod.ts";
import { namedHere, saysHere } from "../workspace/selection/mod.ts";
import { allAreas, namedInAny, scopeManifest } from "../workspace/tickets/mod.ts";
import type { App } from "./app.ts";
import type { Caller, Target } from "./context.ts";

/**
 * The input with the name in place of every `.` of a selection, before anything is bound to the call (SELECT-7): a worker
 * and whoever spends a token stand elsewhere.
 */
export async function namingHere(
  { system }: App,
  { door, signal }: Caller,
  { command, target, input }: {
    readonly command: Command;
    readonly target: Target;
    readonly input: Fields;
  },
): Promise<Fields> {
  const { root, ecosystem, ticket } = target;
  const { repos } = input;
  if (ecosystem === "" || !Array.isArray(repos) || !repos.some(saysHere)) return input;
  const z = await import("../contract/zod.ts");
  if (!Object.hasOwn(command.input(z).shape, "only")) return input;
  const git = new Git(system, signal);
  if (meansAll(input)) {
    const { areas } = await allAreas({ system, git, ...target });
    return { ...input, repos: await namedInAny({ system, door }, areas, repos) };
  }
  const manifest = await scopeManifest({ system, ...target });
  const { directory } = await findWorkspace({ system, git, ticket }, root, manifest);
  return {
    ...input,
    repos: await namedHere({ system, door }, { manifest, workspace: directory }, repos),
  };
}
