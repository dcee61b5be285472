/** Which modules and targets a call is about (PACK-5). */

import { fieldsOf, jsonIn } from "../../../base/object.ts";
import { didYouMean, few, list, meantText } from "../../../base/text/words.ts";
import { compareBytes } from "../content.ts";
import { AgentpackError, configInvalid } from "../error.ts";
import { isTargetName, type ModuleType, TARGET_NAMES, type TargetName } from "../names.ts";
import { type Config, gitSourceProblem, type ModuleConfig, type ModuleSource } from "./config.ts";
import { rootCause } from "../../../base/error.ts";
import type { Home } from "../identity.ts";
import { readUtf8 } from "../io.ts";
import type { Pack } from "../pack.ts";
import { type Policy, policyLockPath } from "./policy.ts";

/** The error for an id that no module has. */
export function noModule(id: string, ids: readonly string[]): AgentpackError {
  const near = didYouMean(id, ids) ?? didYouMean(id, ids.map((one) => nameOf(one)));
  const meant = ids.find((one) => one === near || nameOf(one) === near);
  return configInvalid(
    `There is no module "${id}"${meant === undefined ? "" : `; did you mean "${meant}"?`}`,
    {
      module_id: id,
      available: [...ids].sort(compareBytes).slice(0, 50),
      hint: ids.length === 0
        ? "agentpack.yaml has no modules; make one with add TYPE SOURCE"
        : `agentpack.yaml has ${few([...ids].sort(compareBytes), 8)}`,
    },
  );
}

/** The part of an id behind its type. */
function nameOf(id: string): string {
  return id.slice(id.indexOf(":") + 1);
}

/** A warning about a module that a filter names and nobody configured: nothing would be found, without a word. */
export function filterWarnings({ modules }: Config, id: string | undefined): string[] {
  const ids = modules.map((module) => module.id);
  return id === undefined || ids.includes(id) ? [] : [noModule(id, ids).message];
}

/** The modules a profile selects, sorted by id. Throws `E_CONFIG_INVALID` for an unknown profile. */
export function selectModules(config: Config, profileName: string): ModuleConfig[] {
  const profile = config.profiles.get(profileName);
  if (profile === undefined) {
    const available = [...config.profiles.keys()].sort(compareBytes);
    throw configInvalid(
      `Unknown profile "${profileName}"${meantText(didYouMean(profileName, available))}`,
      {
        profile: profileName,
        available,
        hint: `Use ${list(available, "or")}`,
      },
    );
  }
  return config.modules.filter((module) =>
    module.enabled && !profile.excludeModules.includes(module.id) &&
    (profile.includeModules.includes(module.id) ||
      module.tags.some((tag) => profile.includeTags.includes(tag)))
  ).sort((a, b) => compareBytes(a.id, b.id));
}

/**
 * The configured targets that a filter leaves, sorted by name.
 *
 * Throws `E_TARGET_UNSUPPORTED` for an unknown name, `E_CONFIG_INVALID` for one that is not configured.
 */
export function selectTargets(config: Config, filter: string): TargetName[] {
  if (filter === "all") return [...config.targets.keys()].sort(compareBytes);
  if (!isTargetName(filter)) {
    const near = didYouMean(filter, TARGET_NAMES);
    const meant = near === null ? "" : `; did you mean "${near}"?`;
    throw new AgentpackError("E_TARGET_UNSUPPORTED", `Unknown target "${filter}"${meant}`, {
      target: filter,
      allowed: ["all", ...TARGET_NAMES],
      hint: `Use ${list(["all", ...TARGET_NAMES], "or")}`,
    });
  }
  if (!config.targets.has(filter)) {
    const configured = [...config.targets.keys()].sort(compareBytes);
    throw configInvalid(`The target "${filter}" is not configured`, {
      target: filter,
      configured,
      hint: `Add "${filter}" below "targets" in agentpack.yaml${
        configured.length === 0 ? "" : `, or use ${list(configured, "or")}`
      }`,
    });
  }
  return [filter];
}

// The policy pack of an organisation: where it comes from, whether that is allowed, what was pinned (PACK-58).

function usage(message: string): AgentpackError {
  return new AgentpackError("E_USAGE", message);
}

/** Reads a source as it is given on the command line. Throws `E_USAGE`. */
export function parseSource(text: string): ModuleSource {
  if (text.startsWith("local:") && text.length > "local:".length) {
    return { kind: "local", path: text.slice("local:".length) };
  }
  if (!text.startsWith("git:") || text.length === "git:".length) {
    throw usage(`Unknown source "${text}": write local:<path> or git:<url>#ref=…&subdir=…`);
  }
  const rest = text.slice("git:".length);
  const hash = rest.indexOf("#");
  const url = hash < 0 ? rest : rest.slice(0, hash);
  const options = new Map<string, string>();
  for (const part of hash < 0 ? [] : rest.slice(hash + 1).split("&")) {
    const [name = "", ...value] = part.split("=");
    if (!["ref", "subdir", "shallow"].includes(name)) {
      throw usage(`Unknown option "${name}" of a git source: ref, subdir and shallow are known`);
    }
    options.set(name, value.join("="));
  }
  const shallow = options.get("shallow") ?? "true";
  if (shallow !== "true" && shallow !== "false") {
    throw usage(`The option shallow of a git source is true or false, not "${shallow}"`);
  }
  return {
    kind: "git",
    url,
    ref: options.get("ref") ?? "main",
    subdir: options.get("subdir") ?? "",
    shallow: shallow === "true",
  };
}

function lastPart(path: string): string {
  return path.replace(/[\\/]+$/, "").split(/[\\/:]/).pop() ?? "";
}

/** The id of a module that is given none: its type and the last part of where it comes from. */
export function derivedId(type: ModuleType, source: ModuleSource): string {
  if (source.kind === "local") {
    const name = lastPart(source.path);
    const dot = name.lastIndexOf(".");
    return `${type}:${dot > 0 ? name.slice(0, dot) : name}`;
  }
  const subdir = lastPart(source.subdir);
  return `${type}:${subdir === "" ? lastPart(source.url).replace(/\.git$/, "") : subdir}`;
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
  const value = fieldsOf(jsonIn(read.text))["policy_pack"];
  return value !== null && typeof value === "object" ? { ...value } : null;
}
