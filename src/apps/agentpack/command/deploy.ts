/** `deploy`: shows the plan, or carries it out under the lock of the home (PACK-36, PACK-47). */

import {
  type Act,
  declare,
  DRY_RUN,
  EVERY_SELECTOR,
  flag,
  type Look,
  members,
  MUST_SAY_YES,
  READS,
} from "../declare/command.ts";
import {
  changeCounts,
  changeLine,
  diffText,
  isUnchanged,
  lines,
  shownPath,
} from "../declare/show.ts";
import { applyDeployment, checkAdoption, prepareDeployment } from "../engine/deployment.ts";
import { REVIEW_KINDS, type ReviewedDirectory, reviewPlan } from "../engine/review.ts";
import { type FileDiff, fileDiffs } from "../engine/differences.ts";
import type { Answer, Pack, Selection } from "../pack.ts";
import { inPieces, type Pause } from "../../../base/async/pool.ts";
import { canonicalHash } from "../../../base/policy/fingerprint.ts";
import { detectProject, homeOf, machineId } from "../identity.ts";
import { safePoint } from "../interrupt.ts";
import { type PlanData, planData } from "./plan.ts";
import { basename } from "@std/path";
import { AgentpackError } from "../error.ts";
import { compareBytes } from "../content.ts";
import { count } from "../../../base/text/words.ts";

/** `data` of `deploy`. */
export interface DeployData extends PlanData {
  readonly applied: boolean;
  /** The id of the snapshot, when something was applied. */
  readonly snapshot_id?: string;
  /** Why nothing was applied although it was asked for. */
  readonly reason?: "no_changes";
}

/** What a deploy would change, with what changes inside the files where it was asked to carry it out. */
async function planned({ pack, selection }: Look, apply: boolean): Promise<Deployed> {
  const deployment = await prepareDeployment(pack, selection);
  const data = { applied: false, ...planData(deployment) };
  if (!apply) return { data, warnings: deployment.warnings };
  const { files, warnings } = await fileDiffs(deployment);
  return { data, warnings: [...deployment.warnings, ...warnings], files };
}

/** A change as far as it can be refused. */
interface Refusable {
  readonly path: string;
  readonly refused?: string;
  readonly entries?: readonly {
    readonly key: string;
    readonly module_ids: readonly string[];
    readonly refused?: string;
  }[];
}

/** Refuses changes with entries that are not allowed. Throws `E_PROGRAM_NOT_ALLOWED`. */
function checkPrograms(changes: readonly Refusable[]): void {
  const refused = changes.flatMap(({ path, entries, refused: whole }) => [
    ...(entries ?? []).flatMap(({ key, module_ids, refused }) =>
      refused === undefined ? [] : [{ path, key, module_ids, reason: refused }]
    ),
    ...(whole === undefined ? [] : [{ path, key: basename(path), reason: whole }]),
  ]).sort((a, b) => compareBytes(a.key, b.key));
  const [first] = refused;
  if (first === undefined) return;
  throw new AgentpackError(
    "E_PROGRAM_NOT_ALLOWED",
    `${
      count(refused.length, "change")
    } would run what is not allowed; "${first.key}": ${first.reason}`,
    { entries: refused.slice(0, 20) },
  );
}

/**
 * Plans under the lock, asks for approval, and carries out what was planned (PACK-36). Approval comes first,
 * then the adopt check, then the check for nothing to do. Throws `E_ADOPT_CONFIRM_REQUIRED`, `E_PLAN_STALE`,
 * `E_IO_*`.
 */
async function carryOut(
  { pack, selection, held, approve }: Act,
  adopt: boolean,
): Promise<Deployed> {
  const deployment = await prepareDeployment(pack, selection);
  const data = planData(deployment);
  await approve({ applied: false, ...data });
  checkPrograms(data.changes);
  if (!adopt) checkAdoption(data.changes);
  const { snapshotId, warnings } = await applyDeployment(held, deployment);
  return {
    data: snapshotId === null
      ? { applied: false, reason: "no_changes", ...data }
      : { applied: true, snapshot_id: snapshotId, ...data },
    warnings: [...deployment.warnings, ...warnings],
  };
}

/** An answer with the diffs that a person is shown before the question. */
type Deployed = Answer<DeployData> & { readonly files?: readonly FileDiff[] };

/** Of longer lists nobody reads every line: what can lose something comes first, below counts by directory. */
const MANY = 20;

function directoryLine({ target, directory, ...counts }: ReviewedDirectory): string {
  const said = REVIEW_KINDS.flatMap((kind) => {
    const found = counts[kind];
    return found === undefined ? [] : [`${found} ${kind}`];
  });
  return `  ${target}  ${shownPath(directory)}/  ${said.join(", ")}`;
}

/** The changes as a list, then inside the files. */
function planText(
  { changes, summary }: Pick<DeployData, "changes" | "summary">,
  files: readonly FileDiff[],
): string {
  const long = changes.length > MANY ? reviewPlan(changes, MANY) : null;
  return lines(
    changeCounts(summary),
    long === null ? null : ["", ...long.without([]).map(directoryLine), ""],
    (long?.ordered ?? changes).map(changeLine),
    files.length === 0 ? null : `\n${diffText(files)}`,
  );
}

function rendered({ data, files }: Deployed): string {
  if (data.applied) {
    return data.changes.length === 0
      ? `Every file was as it should be; they are managed from now on: snapshot ${data.snapshot_id}`
      : lines(`Deployed: snapshot ${data.snapshot_id}`, data.changes.map(changeLine));
  }
  return data.reason === "no_changes" ? "Nothing to change" : planText(data, files ?? []);
}

/** `deploy`. */
export const deploy = declare({
  path: ["deploy"],
  summary: "Show what a deploy would change; with --apply, carry it out.",
  description:
    "Files that were there before are never overwritten without --adopt. Every deploy leaves a snapshot that rollback can bring back.",
  options: {
    apply: flag({ help: "Carry the plan out" }),
    adopt: flag({
      help: "Overwrite existing files that are not managed",
      schema: {
        type: "boolean",
        default: false,
        description: "Allow overwriting existing unmanaged files (adopt updates).",
      },
    }),
  },
  examples: ["deploy", "deploy --apply", "deploy --apply --adopt --yes --json"],
  changes: { flag: "apply", asks: "late" },
  look: (call, { apply }) => planned(call, apply),
  act: (call, { adopt }) => carryOut(call, adopt),
  answers: members<DeployData>(
    "applied",
    "reason",
    "snapshot_id",
    "profile",
    "targets",
    "changes",
    "summary",
  ),
  render: rendered,
  refuse(_, { adopt }, planned) {
    if (planned !== null) checkPrograms(planned.data.changes);
    if (!adopt && planned !== null) checkAdoption(planned.data.changes);
  },
  isIdle: ({ data }) => isUnchanged(data.summary),
  tools: [{
    name: "deploy",
    title: "Plan a deploy and get a token",
    description:
      "Step 1 of a deploy: the plan, and a confirm_token for deploy_apply. Show the plan to the person first. Writes nothing.",
    selecting: EVERY_SELECTOR,
    takes: [],
    more: { dry_run: DRY_RUN },
    hints: { ...READS, idempotent: false },
  }, {
    name: "deploy_apply",
    title: "Apply a reviewed deploy",
    description:
      "Step 2 of a deploy: writes exactly the plan that deploy showed. Needs its confirm_token, the same arguments, and yes=true once the person has agreed.",
    selecting: EVERY_SELECTOR,
    takes: ["adopt"],
    more: {
      dry_run: {
        ...DRY_RUN,
        description:
          "Force dry-run behavior (do not apply even if this tool is the apply variant).",
      },
      confirm_token: {
        type: "string",
        description: "Token returned by the deploy tool; binds the apply to the reviewed plan.",
      },
      yes: MUST_SAY_YES,
    },
    required: ["yes", "confirm_token"],
    fixed: { apply: true },
    hints: { reads: false, destroys: true, idempotent: false, openWorld: true },
  }],
});

/** The resolved inputs that select a plan: whatever was left out or written otherwise, they are the same. */
interface Binding {
  readonly repo: string;
  readonly profile: string;
  readonly target: string;
  readonly machine: string;
  readonly project: string;
}

/** What a call is bound to, without a look at the configuration. At most two git processes. */
export async function bindingOf(pack: Pack, selection: Selection): Promise<Binding> {
  const { env } = pack.system;
  return {
    repo: homeOf(env, selection.repo).repo,
    profile: selection.profile ?? "default",
    target: selection.target ?? "all",
    machine: machineId(env, selection.machine),
    project: (await detectProject(pack, selection.project)).root,
  };
}

/**
 * The hash that binds a confirmation to a planned deploy (PACK-47): to the resolved inputs that select the
 * plan, and to everything the plan says, each change with its hashes.
 */
export async function planHash(pack: Pack, binding: Binding, data: object): Promise<string> {
  const pause: Pause = () => safePoint(pack.system.files);
  return await inPieces(canonicalHash({ binding, data }), pause);
}
