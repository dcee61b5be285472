/**
 * Whether entries that make tools run programs may be deployed (PACK-65): what comes from elsewhere needs a word of
 * the configuration, and an organisation can forbid it altogether.
 *
 * @module
 */

import { allowsRemoteProgram } from "../config/metadata.ts";
import { loadPolicy, type Policy } from "../config/policy.ts";
import { AgentpackError } from "../error.ts";
import type { ModuleType } from "../names.ts";
import { compareBytes } from "../bytes.ts";
import { count } from "../../text/words.ts";
import type { DesiredEntry } from "./desired.ts";
import type { Change } from "./plan.ts";
import type { Session } from "./session.ts";

/** What the policy and the modules say about programs. */
export interface Refusals {
  readonly policy: Policy | null;
  /** Modules from elsewhere that may run programs. */
  readonly allowed: ReadonlySet<string>;
}

/** Reads what is allowed, for a run that would write entries. Throws `E_POLICY_CONFIG_*` for a policy that is broken. */
export async function loadRefusals(
  { pack, home, modules }: Session,
  entries: readonly DesiredEntry[],
): Promise<Refusals> {
  const allowed = new Set(modules.filter(allowsRemoteProgram).map(({ id }) => id));
  if (entries.length === 0) return { policy: null, allowed };
  try {
    return { policy: await loadPolicy(pack.system.files, home.repo), allowed };
  } catch (error) {
    if (error instanceof AgentpackError && error.code === "E_POLICY_CONFIG_MISSING") {
      return { policy: null, allowed };
    }
    throw error;
  }
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

/** Why an entry will not be deployed, or null. */
export function refusalOf(entry: DesiredEntry, { policy, allowed }: Refusals): string | null {
  const forbidden = entry.origins.map(({ moduleType }) =>
    forbiddenBy(policy, moduleType, entry.remote !== null)
  ).find((reason) => reason !== null);
  if (forbidden !== undefined) return forbidden;
  if (entry.remote === null || entry.moduleIds.every((id) => allowed.has(id))) return null;
  return `it comes from ${entry.remote}; metadata.allow_remote_program: true of the module allows it`;
}

/** Refuses changes with entries that are not allowed. Throws `E_PROGRAM_NOT_ALLOWED`. */
export function checkPrograms(changes: readonly Pick<Change, "path" | "entries">[]): void {
  const refused = changes.flatMap(({ path, entries }) =>
    (entries ?? []).flatMap(({ key, module_ids, refused }) =>
      refused === undefined ? [] : [{ path, key, module_ids, reason: refused }]
    )
  ).sort((a, b) => compareBytes(a.key, b.key));
  const [first] = refused;
  if (first === undefined) return;
  throw new AgentpackError(
    "E_PROGRAM_NOT_ALLOWED",
    `${
      count(refused.length, "entry", "entries")
    } would run what is not allowed; "${first.key}": ${first.reason}`,
    { entries: refused.slice(0, 20) },
  );
}
