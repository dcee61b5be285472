/**
 * Whether entries that make tools run programs may be deployed (PACK-65). What comes from elsewhere has to be
 * allowed in the configuration, and an organisation can forbid it altogether.
 */

import type { Policy } from "../config/policy.ts";
import type { ModuleType } from "../names.ts";
import type { DesiredEntry, DesiredFile } from "./desired.ts";

/** What the policy and the modules say about programs. */
export interface Refusals {
  readonly policy: Policy | null;
  /** Modules from elsewhere that may run programs. */
  readonly allowed: ReadonlySet<string>;
}

/** Why the policy does not want a module of a type, or null. */
export function forbiddenBy(
  policy: Policy | null,
  type: ModuleType,
  isRemote: boolean,
): string | null {
  const { forbidden_types: forbidden, local_types: local } = policy?.supply_chain_policy ?? {};
  if (forbidden?.includes(type)) return `agentpack.org.yaml forbids modules of type ${type}`;
  return isRemote && local?.includes(type)
    ? `agentpack.org.yaml forbids modules of type ${type} from a git source`
    : null;
}

/** Whether a file belongs to hooks, which run it or what reads it. */
export function isProgram({ origins }: DesiredFile): boolean {
  return origins.some(({ moduleType }) => moduleType === "hook");
}

/** Why an entry, or a file that belongs to one, will not be deployed, or null. */
export function refusalOf(
  entry: Pick<DesiredEntry, "origins" | "remote" | "moduleIds">,
  { policy, allowed }: Refusals,
): string | null {
  const forbidden = entry.origins.map(({ moduleType }) =>
    forbiddenBy(policy, moduleType, entry.remote !== null)
  ).find((reason) => reason !== null);
  if (forbidden !== undefined) return forbidden;
  if (entry.remote === null || entry.moduleIds.every((id) => allowed.has(id))) return null;
  return `it comes from ${entry.remote}; metadata.allow_remote_program: true of the module allows it`;
}
