/**
 * `policy lint`, `policy lock` and `policy audit` (PACK-58).
 *
 * @module
 */

import { policyAudit, policyLint, policyLock } from "../../agentpack/mod.ts";
import { table } from "../../text/table.ts";
import { declare } from "./command.ts";
import { shownPath } from "./show.ts";

/** `policy lint`. */
export const lint = declare({
  path: ["policy", "lint"],
  summary: "Check the config repo against agentpack.org.yaml, for CI.",
  description:
    "Only the policy commands read agentpack.org.yaml: distribution_policy, supply_chain_policy and policy_pack.",
  options: {},
  examples: ["policy lint --json", "--repo . policy lint"],
  run: ({ pack, selection }) => policyLint(pack, selection),
  render: ({ data }) => `${shownPath(data.root)} keeps to its policy`,
});

/** `policy lock`. */
export const lock = declare({
  path: ["policy", "lock"],
  summary: "Pin the policy pack in agentpack.org.lock.json.",
  options: {},
  examples: ["policy lock --yes"],
  changes: () => ({ id: "policy lock", asks: "first" }),
  run: ({ pack, selection }) => policyLock(pack, selection),
  render: ({ data }) => `Pinned ${shownPath(data.source)} at ${data.resolved_version}`,
});

/** `policy audit`. */
export const audit = declare({
  path: ["policy", "audit"],
  summary: "List what the lockfiles pin.",
  options: {},
  examples: ["policy audit --json"],
  run: ({ pack, selection }) => policyAudit(pack, selection),
  render: ({ data }) =>
    table(
      ["module", "type", "version", "sha256"],
      data.modules.map((one) => [
        shownPath(one.id),
        one.type,
        one.resolved_version.slice(0, 12),
        one.sha256.slice(0, 12),
      ]),
    ),
});
