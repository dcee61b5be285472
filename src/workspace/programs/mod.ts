/** Programs that users run in repositories: what is run, whether it was approved, and with which variables. */

export {
  type Approval,
  approvalOf,
  requireApproved,
  trustLine,
  untrustedInvocation,
} from "./approval.ts";
export {
  approvalName,
  approvalsPrefix,
  hashOf,
  type Invocation,
  lineOf,
  type SelectionWords,
  shownLine,
  startCode,
  timeLimitOf,
  usualLimit,
  vectorOf,
} from "./invocation.ts";
export {
  environmentIn,
  environmentWith,
  type PassedVariables,
  passedVariables,
  variablesText,
} from "./environment.ts";
