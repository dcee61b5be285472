/**
 * What follows an answer about a release: rows 8 to 11 of NEXT-5.
 *
 * @module
 */

import { type Case, release, RUN } from "../_support.ts";

/** Rows 8 to 11 of NEXT-5. */
export const AFTER_RELEASE: readonly Case[] = [
  {
    that: "offers beta for an alpha",
    given: release({ stage: "alpha" }),
    ids: ["release_promote_beta", "release_validate"],
  },
  {
    that: "offers a release candidate for a beta",
    given: release({ stage: "beta" }),
    ids: ["release_promote_rc", "release_validate", "release_log"],
  },
  {
    that: "offers stable for a release candidate",
    given: release({ stage: "rc" }),
    ids: ["release_promote_stable", "release_validate", "release_log"],
  },
  {
    that: "offers the checks, and no promotion that they would refuse",
    given: release({ stage: "rc", ready: { stage: "stable", ok: false, errors: 1 } }),
    ids: ["release_validate", "release_log"],
  },
  {
    that: "offers the promotion of what is ready",
    given: release({ stage: "rc", ready: { stage: "stable", ok: true, errors: 0 } }),
    ids: ["release_promote_stable", "release_validate", "release_log"],
  },
  {
    that: "offers the history for a stable release",
    given: release({ stage: "stable", commits_since_tag: 0 }),
    ids: ["release_log"],
  },
  {
    that: "offers an alpha for a stable release with new commits",
    given: release({ stage: "stable", commits_since_tag: 4 }),
    ids: ["release_log", "release_bump_alpha"],
  },
  {
    that: "offers no new alpha for one that has new commits",
    given: release({ stage: "alpha", commits_since_tag: 4 }),
    ids: ["release_promote_beta", "release_validate"],
  },
  {
    that: "reads the stage from the version when it is not named",
    given: release({ version: "v2.0.0-beta.3" }),
    ids: ["release_promote_rc", "release_validate", "release_log"],
  },
  {
    that: "offers the history for a version of no known stage",
    given: release({ version: "2.0.0-nightly.3" }),
    ids: ["release_log"],
  },
  {
    that:
      "offers the checks first when the control repository is dirty, which no push of an ecosystem commits",
    given: release({ stage: "alpha", dirty: true }),
    ids: ["release_validate", "release_promote_beta"],
  },
  {
    that: "offers the checks of a stable release that stand in the way of the next",
    given: release({
      stage: "stable",
      dirty: true,
      ready: { stage: "stable", ok: false, errors: 2 },
    }),
    ids: ["release_validate", "release_log"],
  },
  {
    that: "offers the checks early when versions drift",
    given: release({ stage: "rc", version_drift: true }),
    ids: ["release_validate", "release_promote_stable", "release_log"],
  },
  {
    that: "offers the status after checks that failed",
    given: release({ ok: false, stage: "rc" }, "amof_release_validate"),
    ids: ["release_status"],
  },
  ...([["alpha", "beta"], ["beta", "rc"], ["rc", "stable"]] as const).map(([stage, next]) => ({
    that: `offers ${next} after the checks of an ${stage} passed`,
    given: release({ ok: true, stage }, "amof_release_validate"),
    ids: [`release_promote_${next}`, "release_status", "release_log"],
  })),
  {
    that: "offers no promotion after the checks of a stable release",
    given: release({ ok: true, stage: "stable" }, "amof_release_validate"),
    ids: ["release_status", "release_log"],
  },
  ...["amof_release_bump", "amof_release_promote"].flatMap((tool) => [
    {
      that: `offers history and status after an executed ${tool}`,
      given: release({}, tool),
      ids: ["release_log", "release_status"],
    },
    {
      that: `offers status and checks after a dry run of ${tool}`,
      given: { ...release({}, tool), phase: "preview" } as const,
      ids: ["release_status", "release_validate"],
    },
  ]),
  {
    that: "offers the promotion of what was released",
    given: {
      tool: "amof_get_run_status",
      at: "release",
      data: {
        run_id: RUN,
        ecosystem: "",
        action: "release_promote",
        status: "success",
        result: { tag: "v1.1.0-beta.1", ready: { stage: "rc", ok: true } },
      },
    },
    ids: ["release_promote_rc", "summarize_run", "get_run_logs"],
  },
  {
    that: "offers what follows a release where nothing is in its way",
    given: release({ stage: "rc", ready: { stage: "stable", ok: true } }, "amof_release_bump"),
    ids: ["release_promote_stable", "release_log", "release_status"],
  },
  ...([
    ["amof_release_bump", "release_promote_stable", "release_log", "release_status"],
    ["amof_release_promote", "release_log", "release_status"],
  ] as const).map(([tool, ...others]) => ({
    that: `offers the push of what is only here first after ${tool}`,
    given: release(
      { stage: "rc", ready: { stage: "stable", ok: true }, unpushed: ["v1.0.0-rc.1"] },
      tool,
    ),
    ids: ["release_push" as const, ...others],
  })),
  ...["amof_release_bump", "amof_release_promote"].map((tool) => ({
    that: `offers the checks where they would refuse what follows the release of ${tool}`,
    given: release({ stage: "rc", ready: { stage: "stable", ok: false } }, tool),
    ids: ["release_validate", "release_log", "release_status"],
  })),
  ...([[true, "release_promote_stable"], [false, "release_validate"]] as const).map((
    [ok, id],
  ) => ({
    that: `offers ${id} after a push, as the checks say`,
    given: release({ stage: "rc", ready: { stage: "stable", ok } }, "amof_release_push"),
    ids: [id, "release_status", "release_log"],
  })),
  {
    that: "offers no promotion behind checks of the stage that it has already",
    given: release({ ok: true, stage: "beta", target_stage: "beta" }, "amof_release_validate"),
    ids: ["release_status", "release_log"],
  },
  {
    that: "offers the status after the history, which does not say what could follow",
    given: release(
      { releases: [{ tag: "v1.1.0-alpha.2" }, { tag: "v1.0.0" }] },
      "amof_release_log",
    ),
    ids: ["release_status"],
  },
  {
    that: "offers only the status after the history of a stable release",
    given: release({ releases: [{ tag: "v1.0.0" }] }, "amof_release_log"),
    ids: ["release_status"],
  },
  {
    that: "offers to make the first release after a history of none",
    given: release({ releases: [], total: 0, has_remote: true }, "amof_release_log"),
    ids: ["release_init"],
  },
];
