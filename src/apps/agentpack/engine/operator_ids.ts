/** The module ids under which `bootstrap` records the files it installs (PACK-57). */

/** The skill that tells an agent how to use this tool. */
export const OPERATOR_SKILL = "skill:agentpack-operator";

/** The skill that tells an agent how to work on many repositories. */
export const AMOF_SKILL = "skill:amof";

/** The commands for Claude Code, without their prefix `ap-`. */
export const OPERATOR_COMMANDS = [
  "doctor",
  "update",
  "preview",
  "plan",
  "diff",
  "deploy",
  "status",
  "explain",
  "evolve",
] as const;

const IDS: readonly string[] = [
  OPERATOR_SKILL,
  AMOF_SKILL,
  ...OPERATOR_COMMANDS.map((name) => `command:ap-${name}`),
];

/**
 * Whether a managed file is an operator asset: all its modules are, and no configured module has one of
 * their ids. Deploys leave such files and their entries alone.
 */
export function isOperatorFile(
  moduleIds: readonly string[],
  configured: ReadonlySet<string>,
): boolean {
  return moduleIds.length > 0 &&
    moduleIds.every((id) => IDS.includes(id) && !configured.has(id));
}
