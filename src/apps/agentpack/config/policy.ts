/**
 * `agentpack.org.yaml`: what an organisation demands of a config repo (PACK-58). Only the policy
 * commands read it, and what would deploy MCP servers (PACK-65); everything else must behave as if it did not exist.
 */

import { join } from "@std/path";
import type { output } from "zod";
import type { ZodNamespace } from "../../../contract/mod.ts";
import type { Files } from "../../../base/system/mod.ts";
import { firstIssue } from "../../../base/text/issues.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";
import { didYouMean, list } from "../../../base/text/words.ts";
import { rootCause } from "../../../base/error.ts";
import { AgentpackError } from "../error.ts";
import { readUtf8 } from "../io.ts";
import { MODULE_TYPES } from "../names.ts";

const SUPPORTED = [1];

/** The members of each section; a rule that nobody knows must not pass for one that is kept. */
function sections(z: ZodNamespace) {
  const names = z.array(z.string()).nullish();
  const types = z.array(z.enum(MODULE_TYPES)).nullish();
  return {
    policy_pack: {
      source: z.string().describe("Where shared rules come from: local:PATH or git:URL#ref=…"),
    },
    distribution_policy: {
      required_targets: names.describe("Targets that must be configured"),
      required_modules: names.describe("Modules, by id, that must be configured and enabled"),
    },
    supply_chain_policy: {
      allowed_git_remotes: names.describe(
        "Hosts with paths that git sources may come from, such as github.com/example; any when empty",
      ),
      forbidden_types: types.describe("Types of modules that may not be used"),
      local_types: types.describe("Types of modules that may not come from a git source"),
      require_lockfile: z.boolean().nullish().describe(
        "Whether the lockfile must pin every enabled module with a git source",
      ),
    },
  };
}

function build(z: ZodNamespace) {
  const { policy_pack, distribution_policy, supply_chain_policy } = sections(z);
  return z.strictObject({
    version: z.literal(1),
    policy_pack: z.strictObject(policy_pack).nullish(),
    distribution_policy: z.strictObject(distribution_policy).nullish(),
    supply_chain_policy: z.strictObject(supply_chain_policy).nullish(),
  });
}

/** The type of the schema, which only its own construction can spell. */
type PolicySchema = ReturnType<typeof build>;

/** The schema of `agentpack.org.yaml`. */
export function policySchema(z: ZodNamespace): PolicySchema {
  return build(z);
}

/** The governance configuration. */
export type Policy = output<PolicySchema>;

/** A member that nobody knows, with the one that was probably meant; null where there is none. */
function unknownMember(z: ZodNamespace, document: unknown): string | null {
  const known: Readonly<Record<string, object>> = sections(z);
  const problem = (value: unknown, members: readonly string[], where: string) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return null;
    const key = Object.keys(value).find((name) => !members.includes(name));
    if (key === undefined) return null;
    const near = didYouMean(key, members);
    const said = `${where}"${cleanLine(key, 60)}" is unknown`;
    return near === null
      ? `${said}; it takes ${list(members)}`
      : `${said}; did you mean "${near}"?`;
  };
  return problem(document, ["version", ...Object.keys(known)], "") ??
    Object.entries(document ?? {}).map(([name, value]) =>
      problem(value, Object.keys(known[name] ?? {}), `${name}.`)
    ).find((found) => found !== null) ?? null;
}

/** Where the governance configuration of a repo is. */
export function policyPath(repo: string): string {
  return join(repo, "agentpack.org.yaml");
}

/** Where the pinned policy pack of a repo is recorded. */
export function policyLockPath(repo: string): string {
  return join(repo, "agentpack.org.lock.json");
}

/** Reads the governance configuration. Throws `E_POLICY_CONFIG_*`. */
export async function loadPolicy(files: Files, repo: string): Promise<Policy> {
  const path = policyPath(repo);
  const read = await readUtf8(files, path);
  if (read === null) {
    throw new AgentpackError("E_POLICY_CONFIG_MISSING", `There is no "${path}"`, {
      path,
      hint: "Nothing is checked until there is one: write the file to begin",
    });
  }
  const refuse = (error: string) =>
    new AgentpackError("E_POLICY_CONFIG_INVALID", `Cannot use "${path}": ${error}`, {
      path,
      error,
    });
  if (read === "invalid") throw refuse("it is not valid UTF-8");
  let document: unknown;
  try {
    const { parse } = await import("@std/yaml");
    document = parse(read.text, { schema: "core" });
  } catch (error) {
    throw refuse(rootCause(error));
  }
  const z = await import("../../../contract/zod.ts");
  // A later version may have another shape, so its number is looked at first.
  const versioned = z.looseObject({ version: z.int() }).safeParse(document);
  if (versioned.success && !SUPPORTED.includes(versioned.data.version)) {
    const { version } = versioned.data;
    throw new AgentpackError(
      "E_POLICY_CONFIG_UNSUPPORTED_VERSION",
      `Cannot use "${path}" of version ${version}: this program reads version ${
        SUPPORTED.join(", ")
      }`,
      { path, version, supported: SUPPORTED },
    );
  }
  const unknown = unknownMember(z, document);
  if (unknown !== null) throw refuse(unknown);
  const shape = build(z).safeParse(document);
  if (shape.success) return shape.data;
  throw refuse(firstIssue(shape.error, document));
}
