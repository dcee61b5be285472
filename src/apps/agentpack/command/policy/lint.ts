/** `policy lint`: whether a config repo keeps to what an organisation demands of it (PACK-58). Needs no network. */

import { basename } from "@std/path";
import { count } from "../../../../base/text/words.ts";
import { type Config, loadConfig, type ModuleConfig } from "../../config/config.ts";
import { type LockfileState, readLockfile } from "../../config/lockfile.ts";
import { loadPolicy, type Policy, policyLockPath, policyPath } from "../../config/policy.ts";
import { covers, packSource, readPolicyLock } from "../../config/select.ts";
import { declare, type Look, members } from "../../declare/command.ts";
import { shownPath } from "../../declare/show.ts";
import { AgentpackError } from "../../error.ts";
import { rootCause } from "../../../../base/error.ts";
import { forbiddenBy } from "../../engine/programs.ts";
import { detectProject, type Home, machineId } from "../../identity.ts";
import { type Twins, withPosix } from "../../io.ts";
import { composeModule } from "../../module/compose.ts";
import type { Answer, Pack } from "../../pack.ts";
import { usableLockfile } from "../../source/resolve.ts";

interface PolicyIssue {
  readonly rule:
    | "module_invalid"
    | "required_target"
    | "required_module"
    | "git_remote_not_allowed"
    | "lockfile_required"
    | "lockfile_invalid"
    | "policy_pack_not_locked"
    | "type_forbidden";
  readonly message: string;
  readonly module_id?: string;
  readonly target?: string;
}

/** `data` of `policy lint` when nothing was found. */
interface PolicyLintData extends Twins<"root"> {
  readonly issues: readonly PolicyIssue[];
  readonly summary: { readonly violations: number };
}

/** Where something comes from, by the configuration or by a lockfile, which has the last word. */
interface Remote {
  readonly id: string;
  readonly url: string;
  readonly lockfile: string | null;
}

/** The remote that the lock of the policy pack names; none where it was pinned from a local path, or not at all. */
function lockedPackUrls(locked: Readonly<Record<string, unknown>> | null): string[] {
  const source = locked?.["resolved_source"];
  const url = source !== null && typeof source === "object" && "url" in source ? source.url : null;
  return typeof url === "string" ? [url] : [];
}

/** The remotes that lockfiles pin, whatever the configuration says: a deploy follows those. */
async function lockedRemotes(pack: Pack, home: Home, state: LockfileState): Promise<Remote[]> {
  const locked = state.kind === "usable" ? state.lockfile.modules : [];
  return [
    ...locked.flatMap(({ id, resolved_source: { git } }) =>
      git ? [{ id, url: git.url, lockfile: basename(home.lockfile) }] : []
    ),
    ...lockedPackUrls(await readPolicyLock(pack, home)).map((url) => ({
      id: "policy_pack",
      url,
      lockfile: basename(policyLockPath(home.repo)),
    })),
  ];
}

function remoteIssues(
  policy: Policy,
  config: Config,
  path: string,
  locked: readonly Remote[],
): PolicyIssue[] {
  const allowed = policy.supply_chain_policy?.allowed_git_remotes ?? [];
  if (allowed.length === 0) return [];
  const configured = config.modules.flatMap(({ id, source }): Remote[] =>
    source.kind === "git" ? [{ id, url: source.url, lockfile: null }] : []
  );
  const pack = packSource(policy, path);
  if (pack?.kind === "git") configured.push({ id: "policy_pack", url: pack.url, lockfile: null });
  const said = new Set(configured.map(({ id, url }) => `${id}\0${url}`));
  return [...configured, ...locked.filter(({ id, url }) => !said.has(`${id}\0${url}`))]
    .filter(({ url }) => !allowed.some((entry) => covers(entry, url)))
    .map(({ id, url, lockfile }) => ({
      rule: "git_remote_not_allowed",
      module_id: id,
      message: lockfile === null
        ? `"${id}" comes from "${url}", which allowed_git_remotes does not cover`
        : `${lockfile} takes "${id}" from "${url}", which allowed_git_remotes does not cover`,
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

/** Modules of types that are not wanted, or not from elsewhere. */
function typeIssues(policy: Policy, config: Config): PolicyIssue[] {
  return config.modules.filter(({ enabled }) => enabled).flatMap(({ id, type, source }) => {
    const reason = forbiddenBy(policy, type, source.kind === "git");
    return reason === null
      ? []
      : [{ rule: "type_forbidden" as const, module_id: id, message: `"${id}": ${reason}` }];
  });
}

function lockfileIssues(policy: Policy, config: Config, state: LockfileState): PolicyIssue[] {
  const { allowed_git_remotes: allowed, require_lockfile: required } = policy.supply_chain_policy ??
    {};
  // A lockfile that cannot be read cannot be checked.
  if (state.kind === "broken" && (required === true || (allowed ?? []).length > 0)) {
    return [{ rule: "lockfile_invalid", message: state.error.message }];
  }
  const wanted = config.modules.filter(({ enabled, source }) => enabled && source.kind === "git");
  if (required !== true || wanted.length === 0) return [];
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
  { pack, selection, home }: Look,
  modules: readonly ModuleConfig[],
  state: LockfileState,
): Promise<PolicyIssue[]> {
  const { lockfile } = usableLockfile(state, []);
  const shop = {
    pack,
    home,
    lockfile,
    project: await detectProject(pack, selection.project),
    machineId: machineId(pack.system.env, selection.machine),
  };
  const issues: PolicyIssue[] = [];
  // The content of git sources is known only after a fetch, which a check in CI must not need.
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
async function check(call: Look): Promise<Answer<PolicyLintData>> {
  const { pack, home } = call;
  const policy = await loadPolicy(pack.system.files, home.repo);
  const config = await loadConfig(pack.system.files, home.config);
  const state = await readLockfile(pack.system.files, home.lockfile);
  const locked = await lockedRemotes(pack, home, state);
  const issues = [
    ...await moduleIssues(call, config.modules, state),
    ...distributionIssues(policy, config),
    ...typeIssues(policy, config),
    ...remoteIssues(policy, config, policyPath(home.repo), locked),
    ...lockfileIssues(policy, config, state),
    ...await packIssues(pack, home, policy),
  ];
  const data = {
    ...withPosix("root", home.repo),
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
    "Only the policy commands, and plans with MCP servers, read agentpack.org.yaml: distribution_policy, supply_chain_policy and policy_pack.",
  options: {},
  examples: ["policy lint --json", "--repo . policy lint"],
  look: check,
  answers: members<PolicyLintData>("root", "root_posix", "issues", "summary"),
  render: ({ data }) => `${shownPath(data.root)} keeps to its policy`,
});
