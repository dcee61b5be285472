/** Which arguments of a tool its list shows: every word of it is paid for in every conversation (MCP-9). */

import {
  type Command,
  isDeprecated,
  isNetworked,
  isOnlyTyped,
  isUnlisted,
} from "../contract/mod.ts";

/**
 * Members that are accepted without being listed: a token has a plainer way, `amof_confirm`, a mode makes no
 * difference to a command that changes nothing, a dry run is what mode plan is, few inputs of other commands than those
 * have to be typed for, who needs more time is told so by the error, and what costs more processes is for whoever reads
 * the documents.
 */
function isKnownAnyway(name: string, command: Command): boolean {
  const acts = command.kind === "mutation" || command.kind === "redeem";
  return name === "confirmation_token" || (name === "mode" && !acts) ||
    (name === "confirm_name" && command.confirm !== "type") ||
    (name === "timeout" && isNetworked(command)) ||
    ((name === "dry_run" || name === "long") && command.extra !== true);
}

/**
 * Members of the usual tools that select repositories and are accepted without being listed: the description has their
 * tags, and the names in its answer can be given to all others. An install usually takes all.
 */
function unlistedSelection(command: Command): readonly string[] {
  if (command.extra === true) return [];
  const isPart = command.kind !== "mutation" || command.inWorkspace === true;
  return isPart ? ["tags"] : ["repos", "tags", "only"];
}

/** The names of those members of an input, as a schema or as JSON Schema, that are listed. */
export function listedMembers(
  members: Readonly<Record<string, unknown>>,
  command: Command,
): readonly string[] {
  const silent = Object.hasOwn(members, "only") ? unlistedSelection(command) : [];
  return Object.entries(members).filter(([name, member]) =>
    !silent.includes(name) && !isKnownAnyway(name, command) &&
    !(isUnlisted(member) && command.extra !== true) && !isDeprecated(member) &&
    !isOnlyTyped(member)
  ).map(([name]) => name);
}
