/**
 * The conditions under which actions are offered, on answers that meet them and answers that do not (NEXT-4).
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { Fields } from "../../../../src/base/object.ts";
import { type Condition, holds } from "../../../../src/pipeline/suggest/conditions.ts";
import { repo, RUN, situation } from "./_support.ts";

const TRUTHS: Readonly<Record<Condition, readonly [Fields, Fields]>> = {
  "status.has_unpushed": [
    { repos: [repo({}), repo({ unpushed: true })] },
    {
      repos: [
        repo({ mode: "RO", unpushed: true }),
        repo({ unpushed: true, in_progress: "rebase" }),
        repo({ status: "NO_BASE", unpushed: true, branch: "main", base_branch: "main" }),
        repo({
          status: "NO_BASE+UNPUSHED",
          unpushed: true,
          branch: "feature/T-1",
          upstream: "origin/feature/T-1",
          behind: null,
        }),
      ],
    },
  ],
  "status.has_dirty": [
    { repos: [repo({ dirty: true, branch: "main", base_branch: "main" })] },
    {
      repos: [
        repo({ mode: "RO", dirty: true }),
        repo({ dirty: true, conflicts: 1 }),
        repo({ status: "DIRTY+BEHIND", dirty: true }),
        repo({ dirty: true, secret_files: [".env"] }),
      ],
    },
  ],
  "status.is_merged": [
    { repos: [repo({ status: "DIRTY+MERGED" })] },
    { repos: [repo({ mode: "RO", status: "MERGED" }), repo({ status: "UNPUSHED" })] },
  ],
  "status.goes_beyond_merged": [
    { repos: [repo({ status: "DIRTY+MERGED", dirty: true, landed: "a1" })] },
    { repos: [repo({ status: "MERGED", landed: "a1" }), repo({ status: "DIRTY", dirty: true })] },
  ],
  "status.has_missing": [{ repos: [repo({ status: "MISSING" })] }, {
    repos: [repo({}), repo({ status: "MISSING", needs: [{ problem: "moved", fix: "mv a b" }] })],
  }],
  "status.has_wrong_branch": [
    { repos: [repo({ status: "WRONG_BRANCH+DIRTY" })] },
    { repos: [repo({ status: "DIRTY" })] },
  ],
  "workspace.not_installed": [{ installed: false }, { installed: true }],
  "workspace.no_active_ticket": [
    { workspace: { active_ticket: null } },
    { workspace: { active_ticket: "A-1" } },
  ],
  "workspace.no_tickets": [
    { workspace: { ticket_count: 0 } },
    { workspace: { ticket_count: 1 }, tickets: [{}] },
  ],
  "run.running": [{ run_id: RUN, status: "running" }, { run_id: RUN, status: "queued" }],
  "run.success": [{ run_id: RUN, status: "success" }, { status: "success" }],
  "run.failed": [{ run_id: RUN, status: "failed" }, { run_id: RUN, status: "cancelled" }],
  "release.stage_alpha": [{ stage: "alpha" }, { version: "1.0.0" }],
  "release.stage_beta": [{ tag: "v1.0.0-beta.2" }, { tag: "v1.0.0-beta-2" }],
  "release.stage_rc": [{ version: "1.0.0-rc" }, { stage: "alpha", version: "1.0.0-rc.1" }],
  "release.stage_stable": [{ version: "v1.0.0" }, { version: "1.0" }],
  "release.dirty": [{ dirty: true }, { dirty: "yes" }],
  "release.version_drift": [{ version_drift: true }, {}],
  "release.has_unpushed": [{ unpushed: ["v1.0.0"] }, { unpushed: [] }],
  "release.has_unreleased": [{ commits_since_tag: 1 }, { commits_since_tag: 0 }],
  "campaign.has_unapproved": [
    { counts: { changed: 2, approved: 1 } },
    { shapes: [{ approved: true }], campaigns: [{ state: "closed", changed: 2, approved: 1 }] },
  ],
  "campaign.has_unpushed": [
    { result: { approved: ["4e8c1d7a03b2"], repos: ["api"] } },
    { shapes: [{ approved: true, repos: ["api"], pushed: 1 }], later: 0 },
  ],
  "campaign.has_undone": [{ counts: { failed: 1 } }, { counts: { failed: 0 } }],
  "campaign.is_merged": [
    { counts: { changed: 0, failed: 0, merged: 1 } },
    { counts: { changed: 0, failed: 0, merged: 0 } },
  ],
  "campaign.was_pushed": [{ repos: [{ result: "pushed" }] }, { repos: [{ result: "moved" }] }],
  "server.running": [{ running: true }, {}],
  "server.stopped": [{ running: false }, {}],
  "manifest.invalid": [{ valid: false }, { valid: true }],
};

for (const [name, [yes, no]] of Object.entries(TRUTHS)) {
  Deno.test(`holds() tells when ${name}`, () => {
    const condition = name as Condition;
    const given = { tool: "amof_agent_stats" };
    assertEquals(holds(condition, situation({ ...given, data: yes })), true);
    assertEquals(holds(condition, situation({ ...given, data: no })), false);
    assertEquals(holds(condition, situation(given)), false);
  });
}
