/** `status` (PACK-32 to PACK-34). */

import { green, red, yellow } from "@std/fmt/colors";
import { compareBytes, firstDifference } from "../content.ts";
import {
  declare,
  DRY_RUN,
  EVERY_SELECTOR,
  flag,
  list,
  type Look,
  members,
  READS,
} from "../declare/command.ts";
import { changeCounts, isUnchanged, lines, nextActions, shownPath } from "../declare/show.ts";
import { prepareDeployment } from "../engine/deployment.ts";
import { type DriftItem, findDrift } from "../engine/differences.ts";
import { readJournal } from "../engine/journal.ts";
import { actionsFor, type NextAction, orderActions } from "../engine/next_action.ts";
import { fileKey, orphanWarnings } from "../engine/roots.ts";
import type { ChangeSummary, Plan } from "../engine/plan.ts";
import type { TargetName } from "../names.ts";
import { checkOperators } from "../operator/assets.ts";
import type { Answer } from "../pack.ts";

/** How many differences there are of each kind. */
interface DriftSummary {
  readonly modified: number;
  readonly missing: number;
  readonly extra: number;
}

/** `data` of `status`. */
interface StatusData {
  readonly profile: string;
  readonly targets: readonly TargetName[];
  readonly drift: readonly DriftItem[];
  readonly summary: DriftSummary;
  readonly summary_by_root: readonly {
    readonly target: TargetName;
    readonly root: string;
    readonly root_posix: string;
    readonly summary: DriftSummary;
  }[];
  /** Counts before the filter, with `only`. */
  readonly summary_total?: DriftSummary;
  /** What a deploy would do; a module that was never deployed is no drift, but it is pending. */
  readonly pending: ChangeSummary;
  readonly next_actions?: readonly string[];
  readonly next_actions_detailed?: readonly NextAction[];
}

/** Counts differences by kind. */
function summarizeDrift(items: readonly Pick<DriftItem, "kind">[]): DriftSummary {
  const count = (kind: DriftItem["kind"]) => items.filter((item) => item.kind === kind).length;
  return { modified: count("modified"), missing: count("missing"), extra: count("extra") };
}

function byRoot(items: readonly DriftItem[]): StatusData["summary_by_root"] {
  const roots = new Map<string, DriftItem[]>();
  for (const item of items) {
    if (item.root === undefined) continue;
    const key = `${item.target}\0${item.root}`;
    const group = roots.get(key) ?? [];
    group.push(item);
    roots.set(key, group);
  }
  return [...roots.values()].flatMap((group) => {
    const [first] = group;
    if (first?.root === undefined || first.root_posix === undefined) return [];
    const { target, root, root_posix } = first;
    return [{ target, root, root_posix, summary: summarizeDrift(group) }];
  }).sort((a, b) =>
    firstDifference(compareBytes(a.target, b.target), compareBytes(a.root_posix, b.root_posix))
  );
}

/** Who made files of ours differ: whoever edited them, or whoever changed the module. */
function notesOf({ changes }: Plan): ReadonlyMap<string, string> {
  const ours = changes.filter((change) => change.update_kind === "managed_update");
  return new Map(ours.map(({ target, path, locally_modified }) => [
    fileKey(target, path),
    locally_modified ? "edited since it was deployed" : "its module has changed",
  ]));
}

/** Where deployed files differ from what they should be, and what would help. */
async function examine(
  { pack, selection }: Look,
  { only }: { readonly only: readonly DriftItem["kind"][] },
): Promise<Answer<StatusData> & { readonly notes: ReadonlyMap<string, string> }> {
  const deployment = await prepareDeployment(pack, selection);
  const { session, plan } = deployment;
  const drift = await findDrift(deployment);
  const operators = await checkOperators(session);
  const items = only.length === 0
    ? drift.items
    : drift.items.filter((item) => only.includes(item.kind));
  const total = summarizeDrift(drift.items);
  const pending = plan.summary;
  const isPending = pending.create + pending.update + pending.delete > 0;
  const known = actionsFor(pack, selection);
  const differs = total.modified + total.missing > 0;
  const actions = orderActions([
    ...operators.actions,
    ...(drift.needsDeploy ? [known.deployApply] : []),
    ...(differs || isPending ? [known.previewDiff, known.deployApply] : []),
    ...(differs && drift.anyManifest ? [known.evolvePropose] : []),
    ...(total.extra > 0 ? [known.previewDiff] : []),
  ]);
  const interrupted = await readJournal(pack.system.files, session.home) === null
    ? []
    : ["An earlier change was cut short; the next change, or doctor --fix, takes it back first"];
  return {
    data: {
      profile: session.profile,
      targets: session.targets,
      drift: items,
      summary: summarizeDrift(items),
      summary_by_root: byRoot(items),
      ...(only.length === 0 ? {} : { summary_total: total }),
      pending,
      ...(actions.length === 0 ? {} : {
        next_actions: actions.map((action) => action.command),
        next_actions_detailed: actions,
      }),
    },
    warnings: [
      ...interrupted,
      ...deployment.warnings,
      ...drift.warnings,
      ...operators.warnings,
      ...await orphanWarnings(session),
    ],
    notes: notesOf(plan),
  };
}

const COLOURS = { missing: red, modified: yellow, extra: green } as const;

/** `status`. */
export const status = declare({
  path: ["status"],
  summary: "Show where deployed files differ from what they should be.",
  options: {
    only: list(["missing", "modified", "extra"], {
      help: "Only these kinds of difference",
      schema: {
        type: "array",
        items: { type: "string", enum: ["missing", "modified", "extra"] },
      },
    }),
    check: flag({ help: "Exit with 3 when something differs or a deploy would change something" }),
  },
  examples: ["status", "status --only missing,modified", "status --check --json"],
  look: examine,
  answers: members<StatusData>(
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
  render: ({ data, notes }) => {
    const { modified, missing, extra } = data.summary;
    return lines(
      data.drift.length === 0
        ? green("Deployed files are as they should be")
        : `${modified} modified, ${missing} missing, ${extra} extra`,
      data.drift.map(({ kind, target, path, key }) => {
        const note = key === undefined ? notes.get(fileKey(target, path)) : undefined;
        return `  ${COLOURS[kind](kind.padEnd(8))} ${target}  ${shownPath(path)}${
          key === undefined ? "" : `  ${shownPath(key)}`
        }${note === undefined ? "" : ` (${note})`}`;
      }),
      isUnchanged(data.pending) ? null : `A deploy would change: ${changeCounts(data.pending)}`,
      nextActions(data.next_actions),
    );
  },
  differs: ({ data }) => data.drift.length > 0 || !isUnchanged(data.pending),
  tools: [{
    name: "status",
    title: "Find drift",
    description:
      "Where deployed files differ from what they should be: missing, modified, extra. next_actions say what would help.",
    selecting: EVERY_SELECTOR,
    takes: ["only"],
    more: { dry_run: DRY_RUN },
    hints: READS,
  }],
});
