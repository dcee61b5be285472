/**
 * `policy lint`, `policy lock` and `policy audit` (PACK-58): whether a config repo keeps to what an
 * organisation demands of it. Linting and auditing need no network.
 *
 * @module
 */

import { compareBytes } from "../bytes.ts";
import {
  type Config,
  gitSourceProblem,
  loadConfig,
  type ModuleConfig,
  type ModuleSource,
} from "../config/config.ts";
import { readLockfile, requireLockfile } from "../config/lockfile.ts";
import { loadPolicy, type Policy, policyLockPath, policyPath } from "../config/policy.ts";
import { AgentpackError, rootCause } from "../error.ts";
import { withHomeLock } from "../engine/lock.ts";
import { type Home, homeOf } from "../identity/home.ts";
import { detectProject } from "../identity/project.ts";
import { machineId } from "../identity/machine.ts";
import { posix, readUtf8, writeFile } from "../io.ts";
import { composeModule } from "../module/compose.ts";
import type { Answer, Pack, Selection } from "../pack.ts";
import { resolveUpstream, usableLockfile } from "../source/resolve.ts";
import { hashTree, treeHash } from "../source/tree.ts";
import { count } from "../../text/words.ts";
import { formatNanos, nowNanos } from "../time.ts";
import { parseSource } from "./module.ts";

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

/** `data` of `policy lock`. */
export interface PolicyLockData {
  readonly lockfile: string;
  readonly lockfile_posix: string;
  readonly source: string;
  readonly resolved_version: string;
  readonly sha256: string;
}

/** `data` of `policy audit`. */
export interface PolicyAuditData {
  readonly root: string;
  readonly root_posix: string;
  readonly modules: readonly {
    readonly id: string;
    readonly type: string;
    readonly resolved_source: unknown;
    readonly resolved_version: string;
    readonly sha256: string;
  }[];
  /** What `policy lock` recorded, or null. */
  readonly policy_pack: unknown;
}

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
function covers(entry: string, url: string): boolean {
  const allowed = comparable(entry);
  const remote = comparable(url);
  return allowed !== "" && (remote === allowed || remote.startsWith(`${allowed}/`));
}

/** Where the policy pack comes from, or null. Throws `E_POLICY_CONFIG_INVALID`. */
function packSource(policy: Policy, path: string): ModuleSource | null {
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
export async function policyLint(
  pack: Pack,
  selection: Selection,
): Promise<Answer<PolicyLintData>> {
  const home = homeOf(pack.system.env, selection.repo);
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

async function readPolicyLock(
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

/** Pins the policy pack. Throws `E_POLICY_CONFIG_*`, also when none is configured or its remote is not allowed. */
export async function policyLock(
  pack: Pack,
  selection: Selection,
): Promise<Answer<PolicyLockData>> {
  const { files, clock } = pack.system;
  const home = homeOf(pack.system.env, selection.repo);
  return await withHomeLock(pack.system, home, async (held) => {
    const policy = await loadPolicy(files, home.repo);
    const path = policyPath(home.repo);
    const text = policy.policy_pack?.source ?? "";
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
    const facts = await hashTree(files, upstream.root);
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
        lockfile,
        lockfile_posix: posix(lockfile),
        source: text,
        resolved_version: pinned.resolved_version,
        sha256: pinned.sha256,
      },
      warnings: held.warnings,
    };
  });
}

/** What the lockfiles pin. Throws `E_LOCKFILE_*`. */
export async function policyAudit(
  pack: Pack,
  selection: Selection,
): Promise<Answer<PolicyAuditData>> {
  const home = homeOf(pack.system.env, selection.repo);
  const { modules } = await requireLockfile(pack.system.files, home.lockfile);
  return {
    data: {
      root: home.repo,
      root_posix: posix(home.repo),
      modules: modules.map(({ id, type, resolved_source, resolved_version, sha256 }) => ({
        id,
        type,
        resolved_source,
        resolved_version,
        sha256,
      })).sort((a, b) => compareBytes(a.id, b.id)),
      policy_pack: await readPolicyLock(pack, home),
    },
    warnings: [],
  };
}
