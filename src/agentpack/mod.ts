/**
 * agentpack: deploys agents' assets (instructions, skills, prompts, commands) from a config repo into the
 * files that coding tools read (PACK-1 to PACK-59).
 *
 * Every command is one function from a {@linkcode Pack}, a {@linkcode Selection} and its options to an
 * {@linkcode Answer}; failures are {@linkcode AgentpackError}. Doors add the envelope, `--yes` and the rest.
 *
 * @module
 */

export {
  carryOut,
  deployCommand,
  type DeployData,
  deployPlan,
  shownDeployment,
} from "./command/deploy.ts";
export { bindingOf, planHash } from "./command/deploy_binding.ts";
export { PACK_COMMANDS, PACK_GROUPS } from "./command/table.ts";
export { configSchema } from "./config/schema.ts";
export {
  type Call,
  commandId,
  type PackCommand,
  type ToolSpec,
  wordsOf,
} from "./declare/command.ts";
export { type InputOf, longName, type Option, type Options } from "./declare/option.ts";
export { withWarnings } from "./declare/show.ts";
export { SELECTING_SCHEMAS } from "./declare/tool_facts.ts";
export { checkAdoption, type Deployment } from "./engine/deployment.ts";
export { withHomeLock } from "./engine/lock.ts";
export { AgentpackError, confirmRequired, toAgentpackError } from "./error.ts";
export { homeOf } from "./identity/home.ts";
export { TARGET_NAMES } from "./names.ts";
export { type Answer, type Approve, makePack, type Pack, type Selection } from "./pack.ts";
export { outputTable } from "./target/table.ts";
