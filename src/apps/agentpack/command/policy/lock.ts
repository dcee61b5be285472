/** `policy lock`: pins the policy pack (PACK-58). */

import type { ModuleConfig, ModuleSource } from "../../config/config.ts";
import { loadPolicy, type Policy, policyLockPath, policyPath } from "../../config/policy.ts";
import { covers, packSource } from "../../config/select.ts";
import { declare, members } from "../../declare/command.ts";
import { shownPath } from "../../declare/show.ts";
import { AgentpackError } from "../../error.ts";
import { type Twins, withPosix, writeFile } from "../../io.ts";
import type { Answer } from "../../pack.ts";
import { hashUpstream, resolveUpstream } from "../../source/resolve.ts";
import { treeHash } from "../../source/tree.ts";
import { formatNanos, nowNanos } from "../../names.ts";

/** `data` of `policy lock`. */
interface PolicyLockData extends Twins<"lockfile"> {
  readonly source: string;
  readonly resolved_version: string;
  readonly sha256: string;
}

/** Where the policy pack comes from, which has to be configured and allowed. */
function requireAllowed(policy: Policy, path: string): ModuleSource {
  const source = packSource(policy, path);
  if (source === null) {
    throw new AgentpackError("E_POLICY_CONFIG_INVALID", "No policy_pack is configured", {
      path,
      error: "policy_pack is missing",
    });
  }
  const allowed = policy.supply_chain_policy?.allowed_git_remotes ?? [];
  if (
    source.kind === "git" && allowed.length > 0 &&
    !allowed.some((entry) => covers(entry, source.url))
  ) {
    throw new AgentpackError(
      "E_POLICY_CONFIG_INVALID",
      `The policy pack comes from "${source.url}", which allowed_git_remotes does not cover`,
      { path, error: "policy_pack is not allowed" },
    );
  }
  return source;
}

/** `policy lock`. */
export const policyLock = declare({
  path: ["policy", "lock"],
  summary: "Pin the policy pack in agentpack.org.lock.json.",
  options: {},
  examples: ["policy lock --yes"],
  changes: { asks: "first" },
  async refuse({ pack, home }) {
    requireAllowed(await loadPolicy(pack.system.files, home.repo), policyPath(home.repo));
  },
  async act({ pack, home }): Promise<Answer<PolicyLockData>> {
    const { files, clock } = pack.system;
    const policy = await loadPolicy(files, home.repo);
    const text = policy.policy_pack?.source ?? "";
    const source = requireAllowed(policy, policyPath(home.repo));
    const module: ModuleConfig = {
      id: "policy_pack",
      type: "instructions",
      enabled: true,
      tags: [],
      targets: [],
      source,
      metadata: {},
    };
    const upstream = await resolveUpstream(pack, home, module, { lockfile: null });
    const facts = await hashUpstream(files, upstream);
    const pinned = {
      source: text,
      resolved_source: upstream.source,
      resolved_version: upstream.source.kind === "git" ? upstream.source.commit : "local",
      sha256: treeHash(facts),
      file_manifest: facts,
    };
    const lockfile = policyLockPath(home.repo);
    await writeFile(
      files,
      lockfile,
      `${
        JSON.stringify(
          { version: 1, generated_at: formatNanos(nowNanos(clock)), policy_pack: pinned },
          null,
          2,
        )
      }\n`,
    );
    return {
      data: {
        ...withPosix("lockfile", lockfile),
        source: text,
        resolved_version: pinned.resolved_version,
        sha256: pinned.sha256,
      },
      warnings: [],
    };
  },
  answers: members<PolicyLockData>(
    "lockfile",
    "lockfile_posix",
    "source",
    "resolved_version",
    "sha256",
  ),
  render: ({ data }) => `Pinned ${shownPath(data.source)} at ${data.resolved_version}`,
});
