/** `policy audit`: what the lockfiles pin (PACK-58). Needs no network. */

import { table } from "../../../../base/text/table.ts";
import { compareBytes } from "../../content.ts";
import { requireLockfile } from "../../config/lockfile.ts";
import { readPolicyLock } from "../../config/select.ts";
import { declare, members } from "../../declare/command.ts";
import { MODULE_COLUMN, shownPath } from "../../declare/show.ts";
import { type Twins, withPosix } from "../../io.ts";
import type { Answer } from "../../pack.ts";

/** `data` of `policy audit`. */
interface PolicyAuditData extends Twins<"root"> {
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

/** `policy audit`. */
export const policyAudit = declare({
  path: ["policy", "audit"],
  summary: "List what the lockfiles pin.",
  options: {},
  examples: ["policy audit --json"],
  async look({ pack, home }): Promise<Answer<PolicyAuditData>> {
    const { modules } = await requireLockfile(pack.system.files, home.lockfile);
    return {
      data: {
        ...withPosix("root", home.repo),
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
  },
  answers: members<PolicyAuditData>("root", "root_posix", "modules", "policy_pack"),
  render: ({ data }) =>
    table(
      [MODULE_COLUMN, "type", "version", "sha256"],
      data.modules.map((one) => [
        shownPath(one.id),
        one.type,
        one.resolved_version.slice(0, 12),
        one.sha256.slice(0, 12),
      ]),
    ),
});
