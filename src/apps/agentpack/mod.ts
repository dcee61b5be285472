/**
 * agentpack: deploys agents' assets (instructions, skills, prompts, commands) from a config repo into the
 * files that coding tools read (PACK-1 to PACK-67).
 *
 * Every command is a declaration with what it looks at and what it changes; {@linkcode look} and
 * {@linkcode act} run it. Failures are {@linkcode AgentpackError}. Doors add the envelope, `--yes` and the rest.
 */

export { bindingOf, deploy, planHash } from "./command/deploy.ts";
export { PACK_COMMANDS, PACK_GROUPS } from "./command/table.ts";
export { configJsonSchema, hookJsonSchema, policyJsonSchema } from "./config/schema.ts";
export {
  type Act,
  commandId,
  type InputOf,
  isChange,
  longName,
  type Option,
  type Options,
  type PackCommand,
  type Person,
  SELECTING_SCHEMAS,
  type ToolSpec,
  wordsOf,
} from "./declare/command.ts";
export { act, inspect, lookOf, type PackContext, settle } from "./declare/run.ts";
export { warningsForPeople, withWarnings } from "./declare/show.ts";
export { checkAdoption } from "./engine/deployment.ts";
export type { Change } from "./engine/plan.ts";
export type { DriftItem } from "./engine/differences.ts";
export { BY_CHANGE, BY_DRIFT, review } from "./engine/review.ts";
export { configuredSkills, operatorSkill, type Skill } from "./operator/assets.ts";
export { AgentpackError, confirmRequired, toAgentpackError } from "./error.ts";
export { safePoints } from "./interrupt.ts";
export { TARGET_NAMES } from "./names.ts";
export { type Answer, makePack, type Selection } from "./pack.ts";
export { outputTable } from "./target/table.ts";
