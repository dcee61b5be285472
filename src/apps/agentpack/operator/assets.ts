/**
 * The files that teach an agent to use this tool: two skills, and commands for Claude Code
 * (PACK-57). Each carries the version it came with, so that outdated ones are noticed.
 */

import { join } from "@std/path";
import { bytesOf, decodeText, encodeText } from "../content.ts";
import { userHome } from "../io.ts";
import type { TargetName } from "../names.ts";
import { codexHome } from "../target/codex.ts";
import { booleanOption, type TargetPlace, writesIn } from "../target/target.ts";
import { actionsFor, type NextAction } from "../engine/next_action.ts";
import { loadSession, type Session } from "../engine/session.ts";
import { AMOF_SKILL, OPERATOR_COMMANDS, OPERATOR_SKILL } from "../engine/target_manifest.ts";
import type { Fields } from "../../../base/object.ts";
import { amofSkill, MARK } from "../../skill/skill.ts";
import { composeModule } from "../module/compose.ts";
import { readFrontMatter } from "../module/syntax.ts";
import type { Pack, Selection } from "../pack.ts";

/** What stands before the version in every operator file. */
const MARKER = `${MARK}:`;

/** One file to install. */
export interface OperatorFile {
  readonly target: TargetName;
  readonly scope: "user" | "project";
  readonly root: string;
  readonly path: string;
  readonly moduleId: string;
  readonly bytes: Uint8Array;
}

type CommandName = typeof OPERATOR_COMMANDS[number];

/**
 * For each command: what it is for, the words to run, and what to do with the answer. The words are all that the
 * command may run without asking, so that nothing that looks can deploy.
 */
const COMMANDS: Readonly<
  Record<CommandName, readonly [purpose: string, words: string, then: string]>
> = {
  doctor: [
    "Check the agentpack setup of this machine and project",
    "doctor --json",
    "Report every root with issues and every warning. Offer the commands in `data.next_actions`; do not run them unasked.",
  ],
  update: [
    "Refresh the lockfile and the checkouts of git modules",
    "update --yes --json",
    "Report which steps ran and how many modules were fetched.",
  ],
  preview: [
    "Show what a deploy would change, with diffs",
    "preview --diff --json",
    "Summarise `data.plan.summary`, then the diffs in `data.diff.files`. Point out every change with `locally_modified`.",
  ],
  plan: [
    "Show what a deploy would change",
    "plan --json",
    "List creates, updates and deletes. Point out every `adopt_update`: it would overwrite a file that is not managed.",
  ],
  diff: [
    "Show the differences between what is deployed and what is configured",
    "diff --json",
    "Summarise the changes per target.",
  ],
  deploy: [
    "Deploy the configured assets after the user agreed to the plan",
    "deploy --json",
    "Show the plan and ask. Only when the user agrees run `deploy --apply --yes --json`, which is not allowed beforehand and so asks for permission; add `--adopt` only if the user said that the listed files may be overwritten.",
  ],
  status: [
    "Show where deployed files differ from what is configured",
    "status --json",
    "Summarise `data.summary` and `data.pending`, and offer the commands in `data.next_actions`.",
  ],
  explain: [
    "Explain which module and which overlay each change comes from",
    "explain plan --json",
    "For each change name the modules and the layer that decides.",
  ],
  evolve: [
    "Turn edits of deployed files into a proposal for the config repo",
    "evolve propose --dry-run --json",
    "Show the candidates and what was skipped with the reason. Only when the user agrees run `evolve propose --yes --json`, which asks for permission, and name the branch it made.",
  ],
};

function commandText(name: CommandName, prefix: string, version: string): string {
  const [purpose, words, then] = COMMANDS[name];
  return `---
description: ${JSON.stringify(purpose)}
allowed-tools: ${JSON.stringify(`Bash(${prefix} ${words})`)}
${MARKER} ${JSON.stringify(version)}
---

Run \`${prefix} ${words}\` and read the JSON object it prints.

If \`ok\` is false, report \`errors[0].code\` and its message, and follow \`errors[0].details.next_actions\` only
after asking. Otherwise:

${then}
`;
}

function skillText(prefix: string, version: string): string {
  return `---
name: agentpack-operator
description: ${
    JSON.stringify(
      "Deploys and maintains agent assets (instructions, skills, prompts, commands) with agentpack. Use it when asked to deploy, check, roll back or change them.",
    )
  }
${MARKER} ${JSON.stringify(version)}
---

# Operating agentpack

agentpack renders modules of a config repo into the files that coding tools read. Always pass \`--json\`: the
answer is one object with \`ok\`, \`data\`, \`warnings\` and \`errors\`. Decide by \`errors[0].code\`, never by texts.

1. Look first: \`${prefix} status --json\`, then \`${prefix} preview --diff --json\`.
2. Show the user what would change. Name files with \`locally_modified\`: a deploy discards those edits.
   \`${prefix} evolve propose --dry-run --json\` shows which of them can be kept.
3. Deploy only after the user agreed: \`${prefix} deploy --apply --yes --json\`. \`E_ADOPT_CONFIRM_REQUIRED\` means
   that files would be overwritten which agentpack does not own; ask before adding \`--adopt\`.
4. Undo with \`${prefix} rollback --to SNAPSHOT_ID --yes --json\`; the id is in the answer of the deploy.
5. \`${prefix} doctor --json\` explains what is wrong with a setup.

Never edit deployed files as a way to change them for good: edit the module in the config repo, or an overlay
(\`${prefix} overlay edit MODULE_ID\`), and deploy.
`;
}

/** The texts of our own skills by their module ids. */
function operatorSkills(
  { prefix, version }: { readonly prefix: string; readonly version: string },
): readonly (readonly [moduleId: string, text: string])[] {
  return [
    [OPERATOR_SKILL, skillText(prefix, version)],
    [AMOF_SKILL, amofSkill(version).text],
  ];
}

/** The operator files of a target in one scope; none for targets that have no place for them. */
export function operatorFiles(
  target: TargetName,
  place: TargetPlace,
  scope: "user" | "project",
  about: { readonly prefix: string; readonly version: string },
): OperatorFile[] {
  if (!writesIn(place, scope)) return [];
  const skills = (root: string) =>
    operatorSkills(about).map(([moduleId, text]): OperatorFile => ({
      target,
      scope,
      root,
      path: join(root, moduleId.slice("skill:".length), "SKILL.md"),
      moduleId,
      bytes: encodeText(text),
    }));
  if (target === "codex") {
    const above = scope === "user" ? codexHome(place) : join(place.projectRoot, ".codex");
    return skills(join(above, "skills"));
  }
  if (target !== "claude_code") return [];
  const above = join(scope === "user" ? userHome(place.env) : place.projectRoot, ".claude");
  const commands = OPERATOR_COMMANDS.map((name): OperatorFile => ({
    target,
    scope,
    root: join(above, "commands"),
    path: join(above, "commands", `ap-${name}.md`),
    moduleId: `command:ap-${name}`,
    bytes: encodeText(commandText(name, about.prefix, about.version)),
  }));
  const option = scope === "user" ? "write_user_skills" : "write_repo_skills";
  const withSkill = booleanOption(place.options, option, false);
  return withSkill ? [...commands, ...skills(join(above, "skills"))] : commands;
}

/** The version an operator file says it came with, or null. */
export function operatorVersion(text: string): string | null {
  const line = text.split("\n").find((line) => line.includes(MARKER));
  if (line === undefined) return null;
  const value = line.slice(line.indexOf(MARKER) + MARKER.length).trim().replace(/-->$/, "");
  return value.trim().replace(/^["']|["']$/g, "") || null;
}

/** Looks for the operator files of the selected targets in every scope that is switched on. */
export async function checkOperators(
  session: Session,
): Promise<{ readonly warnings: readonly string[]; readonly actions: readonly NextAction[] }> {
  const { pack, selection } = session;
  const warnings: string[] = [];
  const actions: NextAction[] = [];
  for (const target of session.targets) {
    const place = session.places.get(target);
    if (place === undefined) continue;
    for (const scope of ["user", "project"] as const) {
      const findings = new Map<string, string[]>();
      for (const file of operatorFiles(target, place, scope, pack)) {
        const bytes = await pack.system.files.readBytes(file.path);
        const version = bytes === null ? null : operatorVersion(decodeText(bytes) ?? "");
        if (version === pack.version) continue;
        const what = bytes === null ? "missing" : version === null ? "unversioned" : "outdated";
        findings.set(what, [...findings.get(what) ?? [], file.path]);
      }
      for (const [what, paths] of findings) {
        const more = paths.length > 1 ? ` and ${paths.length - 1} more` : "";
        warnings.push(`operator assets ${what} (${target}/${scope}): ${paths[0]}${more}`);
      }
      if (findings.size > 0) actions.push(actionsFor(pack, selection).bootstrap(target, scope));
    }
  }
  return { warnings, actions };
}

/** What a skill is called, says of itself and consists of. */
export interface Skill {
  /** Without the type: `tidy` of `skill:tidy`. */
  readonly id: string;
  /** The head of SKILL.md, with a name and a description. */
  readonly head: Fields;
  /** Bytes by path, SKILL.md among them. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

const PREFIX = "skill:";

async function skillOf(
  moduleId: string,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<Skill | null> {
  const text = decodeText(files.get("SKILL.md") ?? new Uint8Array());
  const matter = await readFrontMatter(text ?? "");
  return matter.kind === "mapping"
    ? { id: moduleId.slice(PREFIX.length), head: matter.fields, files }
    : null;
}

/** The skill that tells of agentpack itself. */
export async function operatorSkill(
  { prefix, version }: Pick<Pack, "prefix" | "version">,
): Promise<Skill | null> {
  const text = encodeText(skillText(prefix, version));
  return await skillOf(OPERATOR_SKILL, new Map([["SKILL.md", text]]));
}

/**
 * The skills of the selected profile with their overlays, sorted by id. One that cannot be composed, or has a
 * file too large to be held in memory, is left out. Throws what is wrong with configuration or lockfile.
 */
export async function configuredSkills(pack: Pack, selection: Selection): Promise<Skill[]> {
  const session = await loadSession(pack, selection);
  const modules = session.modules.filter(({ type }) => type === "skill");
  const found = await Promise.all(modules.map(async (module) => {
    try {
      const composed = await composeModule(session, module);
      const read = [...composed.files].map(([path, { bytes }]) => [path, bytesOf(bytes)] as const);
      const held = read.flatMap(([path, bytes]) => bytes === null ? [] : [[path, bytes] as const]);
      return held.length < read.length ? null : await skillOf(module.id, new Map(held));
    } catch {
      // `doctor` and `plan` say what is wrong with it.
      return null;
    }
  }));
  return found.filter((skill) => skill !== null);
}
