/**
 * Whether entries that make tools run programs may be deployed (PACK-65): what comes from elsewhere needs a word of
 * the configuration, and an organisation can forbid it altogether.
 */

import { basename } from "@std/path";
import { allowsRemoteProgram } from "../config/metadata.ts";
import { loadPolicy, type Policy } from "../config/policy.ts";
import { AgentpackError } from "../error.ts";
import type { ModuleType } from "../names.ts";
import { compareBytes } from "../bytes.ts";
import { count } from "../../../base/text/words.ts";
import type { Desired, DesiredEntry, DesiredFile } from "./desired.ts";
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
  { entries, files }: Desired,
): Promise<Refusals> {
  const allowed = new Set(modules.filter(allowsRemoteProgram).map(({ id }) => id));
  if (entries.length === 0 && !files.some(isProgram)) return { policy: null, allowed };
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

/** A change as far as it can be refused. */
interface Refusable {
  readonly path: string;
  readonly refused?: string;
  readonly entries?: readonly {
    readonly key: string;
    readonly module_ids: readonly string[];
    readonly refused?: string;
  }[];
}

/** Refuses changes with entries that are not allowed. Throws `E_PROGRAM_NOT_ALLOWED`. */
export function checkPrograms(changes: readonly Refusable[]): void {
  const refused = changes.flatMap(({ path, entries, refused: whole }) => [
    ...(entries ?? []).flatMap(({ key, module_ids, refused }) =>
      refused === undefined ? [] : [{ path, key, module_ids, reason: refused }]
    ),
    ...(whole === undefined ? [] : [{ path, key: basename(path), reason: whole }]),
  ]).sort((a, b) => compareBytes(a.key, b.key));
  const [first] = refused;
  if (first === undefined) return;
  throw new AgentpackError(
    "E_PROGRAM_NOT_ALLOWED",
    `${
      count(refused.length, "change")
    } would run what is not allowed; "${first.key}": ${first.reason}`,
    { entries: refused.slice(0, 20) },
  );
}
