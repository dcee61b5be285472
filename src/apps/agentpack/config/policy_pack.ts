/**
 * The policy pack of an organisation: where it comes from, whether that is allowed, what was pinned
 * (PACK-58).
 */

import { rootCause } from "../../../base/error.ts";
import { AgentpackError } from "../error.ts";
import type { Home } from "../identity/home.ts";
import { readUtf8 } from "../io.ts";
import type { Pack } from "../pack.ts";
import { gitSourceProblem, type ModuleSource } from "./config.ts";
import { type Policy, policyLockPath } from "./policy.ts";
import { parseSource } from "./source.ts";

/**
 * A remote as it is compared: `host/path` in lower case, without scheme, user, port and `.git`. The user must not
 * hold what ends a host, or `https://bad.example#@good.example/x` would pass for the good one.
 */
function comparable(url: string): string {
  return url.trim().toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, "")
    .replace(/^[^@/?#\\]*@/, "")
    .replace(/^([^/:]+):(?:\d+\/)?/, "$1/")
    .replace(/(?:\.git)?\/*$/, "");
}

/** Whether an entry of the allowlist covers a remote: as a whole, or up to a `/`. */
export function covers(entry: string, url: string): boolean {
  const allowed = comparable(entry);
  const remote = comparable(url);
  return allowed !== "" && (remote === allowed || remote.startsWith(`${allowed}/`));
}

/** Where the policy pack comes from, or null. Throws `E_POLICY_CONFIG_INVALID`. */
export function packSource(policy: Policy, path: string): ModuleSource | null {
  const text = policy.policy_pack?.source;
  if (text === undefined) return null;
  const refuse = (error: string) =>
    new AgentpackError(
      "E_POLICY_CONFIG_INVALID",
      `Cannot use the policy pack "${text}": ${error}`,
      {
        path,
        error,
      },
    );
  let source: ModuleSource;
  try {
    source = parseSource(text);
  } catch (error) {
    throw refuse(rootCause(error));
  }
  const problem = source.kind === "git" ? gitSourceProblem(source) : null;
  if (problem !== null) throw refuse(problem);
  return source;
}

/** What `policy lock` recorded, or null. */
export async function readPolicyLock(
  pack: Pack,
  home: Home,
): Promise<Readonly<Record<string, unknown>> | null> {
  const read = await readUtf8(pack.system.files, policyLockPath(home.repo));
  if (read === null || read === "invalid") return null;
  try {
    const value = (JSON.parse(read.text) as { policy_pack?: unknown } | null)?.policy_pack;
    return value !== null && typeof value === "object" ? { ...value } : null;
  } catch {
    return null;
  }
}

/** The remote that the lock of the policy pack names; none where it was pinned from a local path, or not at all. */
export function lockedPackUrls(locked: Readonly<Record<string, unknown>> | null): string[] {
  const source = locked?.["resolved_source"];
  const url = source !== null && typeof source === "object" && "url" in source ? source.url : null;
  return typeof url === "string" ? [url] : [];
}
