/**
 * `policy lint`: whether a config repo keeps to what an organisation demands of it (PACK-58). Needs no
 * network.
 *
 * @module
 */

import { count } from "../../text/words.ts";
import { type Config, loadConfig, type ModuleConfig } from "../config/config.ts";
import { readLockfile } from "../config/lockfile.ts";
import { loadPolicy, type Policy, policyPath } from "../config/policy.ts";
import { covers, packSource, readPolicyLock } from "../config/policy_pack.ts";
import { declare, type Look, members } from "../declare/command.ts";
import { shownPath } from "../declare/show.ts";
import { AgentpackError, rootCause } from "../error.ts";
import { type Home } from "../identity/home.ts";
import { machineId } from "../identity/machine.ts";
import { detectProject } from "../identity/project.ts";
import { posix } from "../io.ts";
import { composeModule } from "../module/compose.ts";
import type { Answer, Pack, Selection } from "../pack.ts";
import { usableLockfile } from "../source/resolve.ts";

/** Something that the policy forbids. */
export interface PolicyIssue {
  readonly rule:
    | "module_invalid"
    | "required_target"
    | "required_module"
    | "git_remote_not_allowed"
    | "lockfile_required"
    | "policy_pack_not_locked";
  readonly message: string;
  readonly module_id?: string;
  readonly target?: string;
}

/** `data` of `policy lint` when nothing was found. */
export interface PolicyLintData {
  readonly root: string;
  readonly root_posix: string;
  readonly issues: readonly PolicyIssue[];
  readonly summary: { readonly violations: number };
}

function remoteIssues(policy: Policy, config: Config, path: string): PolicyIssue[] {
  const allowed = policy.supply_chain_policy?.allowed_git_remotes ?? [];
  if (allowed.length === 0) return [];
  const sources = config.modules.flatMap(({ id, source }) =>
    source.kind === "git" ? [{ id, url: source.url }] : []
  );
  const pack = packSource(policy, path);
  if (pack?.kind === "git") sources.push({ id: "policy_pack", url: pack.url });
  return sources.filter(({ url }) => !allowed.some((entry) => covers(entry, url))).map((
    { id, url },
  ) => ({
    rule: "git_remote_not_allowed",
    module_id: id,
    message: `"${id}" comes from "${url}", which allowed_git_remotes does not cover`,
  }));
}

function distributionIssues(policy: Policy, config: Config): PolicyIssue[] {
  const { required_targets, required_modules } = policy.distribution_policy ?? {};
  const targets = new Set<string>(config.targets.keys());
  const modules = new Set(config.modules.filter(({ enabled }) => enabled).map(({ id }) => id));
  return [
    ...(required_targets ?? []).filter((target) => !targets.has(target)).map((target) => ({
      rule: "required_target" as const,
      target,
      message: `The target "${target}" is required and not configured`,
    })),
    ...(required_modules ?? []).filter((id) => !modules.has(id)).map((id) => ({
      rule: "required_module" as const,
      module_id: id,
      message: `The module "${id}" is required and not configured, or not enabled`,
    })),
  ];
}

async function lockfileIssues(
  pack: Pack,
  home: Home,
  policy: Policy,
  config: Config,
): Promise<PolicyIssue[]> {
  const wanted = config.modules.filter(({ enabled, source }) => enabled && source.kind === "git");
  if (policy.supply_chain_policy?.require_lockfile !== true || wanted.length === 0) return [];
  const state = await readLockfile(pack.system.files, home.lockfile);
  const locked = state.kind === "usable" ? state.lockfile.modules : [];
  return wanted.flatMap(({ id, source }) => {
    const found = locked.find((entry) => entry.id === id)?.resolved_source.git;
    if (source.kind !== "git" || found?.url === source.url) return [];
    return [{
      rule: "lockfile_required" as const,
      module_id: id,
      message: `The lockfile does not pin "${id}" to "${source.url}"`,
    }];
  });
}

async function packIssues(pack: Pack, home: Home, policy: Policy): Promise<PolicyIssue[]> {
  const source = policy.policy_pack?.source;
  if (source === undefined) return [];
  const locked = await readPolicyLock(pack, home);
  return locked?.["source"] === source ? [] : [{
    rule: "policy_pack_not_locked",
    message: `The policy pack "${source}" is not pinned; run policy lock`,
  }];
}

/** Modules that could not be deployed: missing front matter, tools that a command uses without naming them. */
async function moduleIssues(
  pack: Pack,
  selection: Selection,
  home: Home,
  modules: readonly ModuleConfig[],
): Promise<PolicyIssue[]> {
  const { lockfile } = usableLockfile(await readLockfile(pack.system.files, home.lockfile), []);
  const shop = {
    pack,
    home,
    lockfile,
    project: await detectProject(pack, selection.project),
    machineId: machineId(pack.system.env, selection.machine),
  };
  const issues: PolicyIssue[] = [];
  // What git sources hold is known only after a fetch, which a check in CI must not need.
  for (
    const module of modules.filter(({ enabled, source }) => enabled && source.kind === "local")
  ) {
    try {
      await composeModule(shop, module);
    } catch (error) {
      issues.push({ rule: "module_invalid", module_id: module.id, message: rootCause(error) });
    }
  }
  return issues;
}

/** Checks a config repo. Throws `E_POLICY_VIOLATIONS` with everything that was found, `E_POLICY_CONFIG_*`. */
async function check({ pack, selection, home }: Look): Promise<Answer<PolicyLintData>> {
  const policy = await loadPolicy(pack.system.files, home.repo);
  const config = await loadConfig(pack.system.files, home.config);
  const issues = [
    ...await moduleIssues(pack, selection, home, config.modules),
    ...distributionIssues(policy, config),
    ...remoteIssues(policy, config, policyPath(home.repo)),
    ...await lockfileIssues(pack, home, policy, config),
    ...await packIssues(pack, home, policy),
  ];
  const data = {
    root: home.repo,
    root_posix: posix(home.repo),
    issues,
    summary: { violations: issues.length },
  };
  if (issues.length === 0) return { data, warnings: [] };
  throw new AgentpackError(
    "E_POLICY_VIOLATIONS",
    `The config repo breaks its policy in ${count(issues.length, "place")}: ${
      issues.map((issue) => issue.message).join("; ")
    }`,
    data,
  );
}

/** `policy lint`. */
export const policyLint = declare({
  path: ["policy", "lint"],
  summary: "Check the config repo against agentpack.org.yaml, for CI.",
  description:
    "Only the policy commands read agentpack.org.yaml: distribution_policy, supply_chain_policy and policy_pack.",
  options: {},
  examples: ["policy lint --json", "--repo . policy lint"],
  look: check,
  answers: members<PolicyLintData>("root", "root_posix", "issues", "summary"),
  render: ({ data }) => `${shownPath(data.root)} keeps to its policy`,
});
