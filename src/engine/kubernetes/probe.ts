/**
 * Looks whether a Kubernetes cluster can be used (ENGINE-6).
 *
 * @module
 */

import { memberAt } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { Limits } from "../port.ts";
import type { Profile } from "../profile.ts";
import { kubectl, objectIn } from "./call.ts";

/** What one array may have: more would have to be counted and limited in other ways. */
const MOST_SHARDS = 1_000;
/** What a ConfigMap holds at most, in bytes. */
const MOST_PLAN = 1_048_576;
/** The first version with limits for each index of a Job. */
const OLDEST = 29;

/** What the cluster of a profile has, and whether we may use it. Throws `engine_unavailable` where nobody answers. */
export async function limitsOf(system: System, profile: Profile): Promise<Limits> {
  const version = objectIn(await kubectl(system, profile, ["version", "-o", "json"]));
  const minor = String(memberAt(version, ["serverVersion", "minor"]) ?? "");
  const name = String(
    memberAt(version, ["serverVersion", "gitVersion"]) ?? "of an unknown version",
  );
  const problems: Limits["problems"][number][] = [];
  if (Number.parseInt(minor, 10) < OLDEST) {
    problems.push({
      message: `The cluster is ${cleanLine(name, 40)}; Jobs that can be divided need 1.${OLDEST}`,
      fix: "Use a newer cluster",
    });
  }
  for (const verb of ["create", "get", "list", "patch", "delete"]) {
    const kind = verb === "list" ? "pods" : "jobs.batch";
    const { code, out } = await kubectl(system, profile, ["auth", "can-i", verb, kind]);
    // Where nobody tells, the call itself will.
    if (code !== 0 && out.trim() === "no") {
      problems.push({
        message: `You may not ${verb} ${kind} there`,
        fix: "Ask whoever runs the cluster, or name another namespace in the user file",
      });
    }
  }
  const place = profile.kubernetes.namespace ?? "the default namespace";
  return {
    shards: MOST_SHARDS,
    planBytes: MOST_PLAN,
    found: `Kubernetes ${cleanLine(name, 40)}, ${place}`,
    problems,
  };
}
