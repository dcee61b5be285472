/**
 * What binds a confirmation to a planned deploy (PACK-47).
 *
 * @module
 */

import { inPieces, type Pause } from "../../../base/async/piecemeal.ts";
import { canonicalHash } from "../../../base/policy/fingerprint.ts";
import { homeOf } from "../identity/home.ts";
import { machineId } from "../identity/machine.ts";
import { detectProject } from "../identity/project.ts";
import { safePoint } from "../interrupt.ts";
import type { Pack, Selection } from "../pack.ts";

/** The resolved inputs that select a plan: whatever was left out or written otherwise, they are the same. */
interface Binding {
  readonly repo: string;
  readonly profile: string;
  readonly target: string;
  readonly machine: string;
  readonly project: string;
}

/** What a call is bound to, without a look at the configuration. At most two git processes. */
export async function bindingOf(pack: Pack, selection: Selection): Promise<Binding> {
  const { env } = pack.system;
  return {
    repo: homeOf(env, selection.repo).repo,
    profile: selection.profile ?? "default",
    target: selection.target ?? "all",
    machine: machineId(env, selection.machine),
    project: (await detectProject(pack, selection.project)).root,
  };
}

/**
 * The hash that binds a confirmation to a planned deploy (PACK-47): to the resolved inputs that select the
 * plan, and to everything the plan says, each change with its hashes.
 */
export async function planHash(pack: Pack, binding: Binding, data: object): Promise<string> {
  const pause: Pause = () => safePoint(pack.system.files);
  return await inPieces(canonicalHash({ binding, data }), pause);
}
