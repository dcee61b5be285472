/**
 * `schema`: what the answers look like, for machines (PACK-40).
 *
 * The lists of fields are checked against the types they describe.
 *
 * @module
 */

import { declare } from "../declare/command.ts";
import { lines } from "../declare/show.ts";
import type { ModuleData } from "./add.ts";
import type { BootstrapData } from "./bootstrap.ts";
import type { DeployData } from "./deploy.ts";
import type { DoctorData } from "./doctor.ts";
import type { EvolveRestoreData } from "./evolve_restore.ts";
import type { ExplainPlanData, ExplainStatusData } from "./explain.ts";
import type { FetchData } from "./fetch.ts";
import type { ImportData } from "./import.ts";
import type { InitData } from "./init.ts";
import type { LockData } from "./lock.ts";
import type { OrphansData } from "./orphans_list.ts";
import type { OverlayEditData } from "./overlay_edit.ts";
import type { OverlayPathData } from "./overlay_path.ts";
import type { OverlayRebaseData } from "./overlay_rebase.ts";
import type { PlanData } from "./plan.ts";
import type { PolicyAuditData } from "./policy_audit.ts";
import type { PolicyLintData } from "./policy_lint.ts";
import type { PolicyLockData } from "./policy_lock.ts";
import type { PreviewData } from "./preview.ts";
import type { RecordData } from "./record.ts";
import type { RemoteData } from "./remote_set.ts";
import type { RollbackData, RollbackPlanData } from "./rollback.ts";
import type { ScoreData } from "./score.ts";
import type { SnapshotsData } from "./snapshots_list.ts";
import type { PruneData } from "./snapshots_prune.ts";
import type { StatusData } from "./status.ts";
import type { SyncData } from "./sync.ts";
import type { UpdateData } from "./update.ts";

/** `data` of `schema`. */
export interface SchemaData {
  readonly envelope: {
    readonly schema_version: 1;
    readonly fields: readonly string[];
    readonly error_item: readonly string[];
  };
  readonly commands: Readonly<Record<string, { readonly data_fields: readonly string[] }>>;
  readonly path_conventions: readonly string[];
}

function fields<D>(
  ...names: readonly (keyof D & string)[]
): { readonly data_fields: readonly string[] } {
  return { data_fields: names };
}

/** The members of `data`, by command. */
const DATA: SchemaData["commands"] = {
  add: fields<ModuleData>("module_id", "manifest", "manifest_posix"),
  bootstrap: fields<BootstrapData>(
    "applied",
    "reason",
    "snapshot_id",
    "targets",
    "scope",
    "changes",
    "summary",
  ),
  deploy: fields<DeployData>(
    "applied",
    "reason",
    "snapshot_id",
    "profile",
    "targets",
    "changes",
    "summary",
  ),
  diff: fields<PlanData>("profile", "targets", "changes", "summary"),
  doctor: fields<DoctorData>(
    "machine_id",
    "roots",
    "gitignore_fixes",
    "findings",
    "next_actions",
  ),
  "evolve.propose": {
    data_fields: [
      "created",
      "reason",
      "candidates",
      "skipped",
      "summary",
      "branch",
      "scope",
      "files",
      "files_posix",
      "committed",
      "worktree",
    ],
  },
  "evolve.restore": fields<EvolveRestoreData>("restored", "summary", "reason"),
  "explain.plan": fields<ExplainPlanData>("profile", "targets", "changes"),
  "explain.status": fields<ExplainStatusData>("profile", "targets", "drift"),
  fetch: fields<FetchData>("store", "store_posix", "git_modules_fetched"),
  import: fields<ImportData>(
    "applied",
    "reason",
    "repo",
    "repo_posix",
    "home_root",
    "home_root_posix",
    "project",
    "plan",
    "summary",
    "conflicts",
    "next_actions",
  ),
  init: fields<InitData>(
    "repo",
    "repo_posix",
    "git",
    "bootstrap",
    "guided",
    "targets",
    "scope",
  ),
  lock: fields<LockData>("lockfile", "lockfile_posix", "modules"),
  "orphans.list": fields<OrphansData>("applied", "orphans"),
  "orphans.remove": fields<OrphansData>("applied", "snapshot_id", "orphans"),
  "overlay.edit": fields<OverlayEditData>(
    "module_id",
    "scope",
    "overlay_kind",
    "overlay_dir",
    "overlay_dir_posix",
    "created",
    "sparse",
    "materialized",
    "patches_dir",
    "project",
    "machine_id",
    "project_id",
  ),
  "overlay.path": fields<OverlayPathData>(
    "module_id",
    "scope",
    "overlay_dir",
    "overlay_dir_posix",
  ),
  "overlay.rebase": fields<OverlayRebaseData>(
    "module_id",
    "scope",
    "overlay_dir",
    "overlay_dir_posix",
    "dry_run",
    "sparsify",
    "report",
  ),
  plan: fields<PlanData>("profile", "targets", "changes", "summary"),
  preview: fields<PreviewData>("profile", "targets", "plan", "diff"),
  "policy.audit": fields<PolicyAuditData>("root", "root_posix", "modules", "policy_pack"),
  "policy.lint": fields<PolicyLintData>("root", "root_posix", "issues", "summary"),
  "policy.lock": fields<PolicyLockData>(
    "lockfile",
    "lockfile_posix",
    "source",
    "resolved_version",
    "sha256",
  ),
  "remote.set": fields<RemoteData>("repo", "repo_posix", "remote", "url"),
  record: fields<RecordData>("path", "path_posix", "recorded_at", "machine_id"),
  remove: fields<ModuleData>("module_id", "manifest", "manifest_posix"),
  rollback: fields<RollbackData & RollbackPlanData>(
    "rolled_back_to",
    "event_snapshot_id",
    "reason",
    "changes",
  ),
  schema: fields<SchemaData>("envelope", "commands", "path_conventions"),
  score: fields<ScoreData>("modules", "read_stats"),
  "snapshots.list": fields<SnapshotsData>("snapshots"),
  "snapshots.prune": fields<PruneData>("removed", "kept"),
  status: fields<StatusData>(
    "profile",
    "targets",
    "drift",
    "summary",
    "summary_by_root",
    "summary_total",
    "pending",
    "next_actions",
    "next_actions_detailed",
  ),
  sync: fields<SyncData>("repo", "repo_posix", "remote", "branch", "rebase", "commands"),
  update: fields<UpdateData>(
    "lockfile",
    "lockfile_posix",
    "store",
    "store_posix",
    "git_modules_fetched",
    "steps",
  ),
};

/** The answer's parts of every command. */
export function schemaData(): SchemaData {
  return {
    envelope: {
      schema_version: 1,
      fields: [
        "schema_version",
        "ok",
        "command",
        "command_id",
        "command_path",
        "version",
        "data",
        "warnings",
        "errors",
      ],
      error_item: ["code", "message", "details"],
    },
    commands: DATA,
    path_conventions: [
      "Paths are absolute and in the notation of the platform",
      "A field x with a path has a twin x_posix with forward slashes",
      "Paths in preview's diff are relative to their root",
    ],
  };
}

/** `schema`. */
export const schema = declare({
  path: ["schema"],
  summary: "Describe the JSON envelope and the data of every command.",
  options: {},
  examples: ["schema --json"],
  look: () => Promise.resolve({ data: schemaData(), warnings: [] }),
  render: ({ data }) =>
    lines(
      `Envelope: ${data.envelope.fields.join(", ")}`,
      `Errors: ${data.envelope.error_item.join(", ")}`,
      "",
      Object.entries(data.commands).map(([name, command]) =>
        `${name}: ${command.data_fields.join(", ")}`
      ),
      "",
      data.path_conventions,
    ),
});
