/**
 * `agentpack.org.yaml`: what an organisation demands of a config repo (PACK-58). Only the policy
 * commands read it; everything else must behave as if it did not exist.
 *
 * @module
 */

import { join } from "@std/path";
import type { output } from "zod";
import type { ZodNamespace } from "../../contract/mod.ts";
import type { Files } from "../../system/mod.ts";
import { firstIssue } from "../../text/issues.ts";
import { AgentpackError, rootCause } from "../error.ts";
import { readUtf8 } from "../io.ts";

const SUPPORTED = [1];

function build(z: ZodNamespace) {
  const names = z.array(z.string()).nullish();
  return z.looseObject({
    version: z.int(),
    policy_pack: z.looseObject({ source: z.string() }).nullish(),
    distribution_policy: z.looseObject({ required_targets: names, required_modules: names })
      .nullish(),
    supply_chain_policy: z.looseObject({
      allowed_git_remotes: names,
      require_lockfile: z.boolean().nullish(),
    }).nullish(),
  });
}

/** The governance configuration. */
export type Policy = output<ReturnType<typeof build>>;

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
  const z = await import("../../contract/zod.ts");
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
  const shape = build(z).safeParse(document);
  if (shape.success) return shape.data;
  throw refuse(firstIssue(shape.error, document));
}
