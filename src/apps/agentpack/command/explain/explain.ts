/** `explain plan`, `explain diff` and `explain status` (PACK-51). */

import {
  choiceArgument,
  declare,
  EVERY_SELECTOR,
  type Look,
  members,
  READS,
} from "../../declare/command.ts";
import type { Answer } from "../../pack.ts";
import { pathBelow } from "../../../../base/paths.ts";
import type { ModuleConfig } from "../../config/config.ts";
import { skillDirectory } from "../../config/metadata.ts";
import { changeLine, lines, shownPath } from "../../declare/show.ts";
import { type Deployment, prepareDeployment } from "../../engine/deployment.ts";
import type { DesiredFile } from "../../engine/desired.ts";
import type { Change } from "../../engine/plan.ts";
import { fileKey, rootOf } from "../../engine/roots.ts";
import { type ComposedModule, composeModule } from "../../module/compose.ts";
import type { ModuleType, OverlayKind, OverlayScope, TargetName } from "../../names.ts";
import { safePoint } from "../../interrupt.ts";
import { keyOf } from "../../../../state/entries/types.ts";
import { type DriftItem, findDrift } from "../../engine/differences.ts";

/** `data` of `explain status`. */
export interface ExplainStatusData {
  readonly profile: string;
  readonly targets: readonly TargetName[];
  readonly drift: readonly {
    readonly kind: DriftItem["kind"];
    readonly target: TargetName;
    readonly path: string;
    readonly path_posix: string;
    readonly expected: string | null;
    readonly actual: string | null;
    readonly modules: readonly string[];
  }[];
}

/** The drift of managed files with the modules they come from; unmanaged files are not looked for. */
async function explainStatus(
  { pack, selection }: Look,
): Promise<Answer<ExplainStatusData>> {
  const deployment = await prepareDeployment(pack, selection);
  const { session, managed, desired } = deployment;
  const drift = await findDrift(deployment);
  const isManaged = (item: DriftItem) => managed.files.has(fileKey(item.target, item.path));
  const items = managed.files.size === 0 ? drift.items : drift.items.filter(isManaged);
  const wanted = new Map(desired.files.map((file) => [fileKey(file.target, file.path), file]));
  return {
    data: {
      profile: session.profile,
      targets: session.targets,
      drift: items.map((item) => {
        const key = fileKey(item.target, item.path);
        const { kind, target, path, path_posix, expected, actual } = item;
        const recorded = managed.files.get(key)?.moduleIds ?? [];
        const ids = recorded.length > 0 ? recorded : wanted.get(key)?.moduleIds ?? [];
        return { kind, target, path, path_posix, expected, actual, modules: ids };
      }),
    },
    warnings: [...deployment.warnings, ...drift.warnings],
  };
}

/** What differs and where it comes from, for a person. */
function renderStatus({ drift }: ExplainStatusData): string {
  return drift.length === 0 ? "Deployed files are as they should be" : lines(
    drift.map((item) =>
      `  ${item.kind}  ${item.target}  ${shownPath(item.path)}  ${item.modules.join(", ")}`
    ),
  );
}

interface ExplainedModule {
  readonly module_id: string;
  /** Capitalised; null when the module is no longer configured. */
  readonly module_type: typeof TYPE_NAMES[ModuleType] | null;
  /** The highest layer that holds the file. */
  readonly layer: OverlayScope | "upstream" | "missing" | null;
  /** The file inside the module. */
  readonly module_path: string | null;
  /** The overlay that decides, when one does. */
  readonly overlay_kind: OverlayKind | null;
  readonly overlay_dir: string | null;
}

/** `data` of `explain plan` and `explain diff`. */
export interface ExplainPlanData {
  readonly profile: string;
  readonly targets: readonly TargetName[];
  readonly changes: readonly {
    readonly op: Change["op"];
    readonly target: TargetName;
    readonly path: string;
    readonly path_posix: string;
    readonly modules: readonly ExplainedModule[];
  }[];
}

const TYPE_NAMES = {
  instructions: "Instructions",
  skill: "Skill",
  prompt: "Prompt",
  command: "Command",
  subagent: "Subagent",
  mcp_server: "McpServer",
  hook: "Hook",
} as const satisfies Record<ModuleType, string>;

/** For each change of a plan, which module and which layer it comes from. */
async function explainPlan(
  { pack, selection }: Look,
): Promise<Answer<ExplainPlanData>> {
  const deployment = await prepareDeployment(pack, selection);
  const { session, desired, plan } = deployment;
  const wanted = new Map(desired.files.map((file) => [fileKey(file.target, file.path), file]));
  const changes: ExplainPlanData["changes"][number][] = [];
  for (const change of plan.changes) {
    await safePoint(pack.system.files);
    const { op, target, path, path_posix } = change;
    const file = wanted.get(fileKey(target, path));
    const modules = await modulesOf(deployment, change, file);
    changes.push({ op, target, path, path_posix, modules });
  }
  return {
    data: { profile: session.profile, targets: session.targets, changes },
    warnings: deployment.warnings,
  };
}

/** The modules of a change that writes `file`, or deletes what is none any more. */
async function modulesOf(
  deployment: Deployment,
  change: Change,
  file: DesiredFile | undefined,
): Promise<ExplainedModule[]> {
  const { desired, managed, shared } = deployment;
  if (file !== undefined) {
    return file.origins.map((origin) =>
      explained(
        origin.moduleId,
        origin.moduleType,
        origin.modulePath,
        desired.modules.get(origin.moduleId),
      )
    );
  }
  const entries = shared.find((one) => one.change === change)?.desired ?? [];
  const keys = new Set(change.entries?.map(({ key }) => key));
  const origins = entries.filter(({ shared, name }) => keys.has(keyOf(shared, name)))
    .flatMap((entry) => entry.origins);
  const gone = (change.entries ?? []).filter(({ op }) => op === "delete")
    .flatMap(({ module_ids }) => module_ids);
  if (change.entries !== undefined) {
    const former: ExplainedModule[] = [];
    for (const id of gone) former.push(await formerModule(deployment, change, id));
    return [
      ...origins.map(({ moduleId, moduleType, modulePath }) =>
        explained(moduleId, moduleType, modulePath, desired.modules.get(moduleId))
      ),
      ...former,
    ];
  }
  const owner = managed.files.get(fileKey(change.target, change.path));
  const modules: ExplainedModule[] = [];
  for (const id of owner?.moduleIds ?? []) modules.push(await formerModule(deployment, change, id));
  return modules;
}

/** A module whose file would be deleted: still configured, or gone. */
async function formerModule(
  { session, desired }: Deployment,
  change: Change,
  id: string,
): Promise<ExplainedModule> {
  const config = session.config.modules.find((module) => module.id === id);
  if (config === undefined) return explained(id, null, null, undefined);
  const composed = desired.modules.get(id) ??
    await composeModule(session, config).catch(() => undefined);
  const root = rootOf(session.roots, change.target, change.path)?.root;
  const below = root === undefined ? null : pathBelow(root, change.path);
  return explained(id, config.type, pathInModule(config, below, composed), composed);
}

/** The file of a module that an output was made of, as far as its name tells. */
function pathInModule(
  config: ModuleConfig,
  below: string | null,
  composed: ComposedModule | undefined,
): string | null {
  if (config.type === "instructions") return "AGENTS.md";
  if (below === null) return null;
  if (config.type === "skill") {
    const directory = skillDirectory(config);
    const start = below.indexOf(`${directory}/`);
    return start < 0 ? null : below.slice(start + directory.length + 1);
  }
  // Some targets rename the file, but the module has only one.
  const [only] = composed?.files.keys() ?? [];
  return only ?? below.slice(below.lastIndexOf("/") + 1);
}

function explained(
  id: string,
  type: ModuleType | null,
  path: string | null,
  composed: ComposedModule | undefined,
): ExplainedModule {
  const layer = composed === undefined || path === null
    ? null
    : composed.files.get(path)?.layer ?? "missing";
  const overlay = composed?.overlays.find((overlay) => overlay.scope === layer);
  return {
    module_id: id,
    module_type: type === null ? null : TYPE_NAMES[type],
    layer,
    module_path: path,
    overlay_kind: overlay?.kind ?? null,
    overlay_dir: overlay?.directory ?? null,
  };
}

function origin(module: ExplainPlanData["changes"][number]["modules"][number]): string {
  const facts = [module.layer, module.module_path].filter((fact) => fact !== null);
  return `      ${module.module_id}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
}

/** Where each change comes from, for a person. */
function renderPlan({ changes }: ExplainPlanData): string {
  return changes.length === 0
    ? "Nothing would change"
    : changes.map((change) => lines(changeLine(change), change.modules.map(origin))).join("\n");
}

/** `explain`. */
export const explain = declare({
  path: ["explain"],
  variant: "kind",
  summary: "Say which module and which layer each change or difference comes from.",
  options: {
    kind: choiceArgument(["plan", "diff", "status"], {
      help: "What to explain",
      schema: {
        type: "string",
        enum: ["plan", "diff", "status"],
        description: "Maps to `agentpack explain <kind> --json`.",
      },
    }),
  },
  examples: ["explain plan", "explain status --json"],
  look: (call, { kind }): Promise<Answer<ExplainPlanData | ExplainStatusData>> =>
    kind === "status" ? explainStatus(call) : explainPlan(call),
  answers: {
    plan: members<ExplainPlanData>("profile", "targets", "changes"),
    status: members<ExplainStatusData>("profile", "targets", "drift"),
  },
  render: ({ data }) => "changes" in data ? renderPlan(data) : renderStatus(data),
  tools: [{
    name: "explain",
    title: "Explain a plan or drift",
    description: "For each change or difference: the module, overlay layer and source file.",
    selecting: EVERY_SELECTOR,
    takes: ["kind"],
    required: ["kind"],
    hints: READS,
  }],
});
