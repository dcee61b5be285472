/** Programs that users run in repositories: what is run, whether it was approved, and with which variables. */

export {
  type Approval,
  approvalName,
  approvalOf,
  approvalsPrefix,
  hashOf,
  type Invocation,
  lineOf,
  requireApproved,
  type SelectionWords,
  shownLine,
  startCode,
  timeLimitOf,
  trustLine,
  untrustedInvocation,
  usualLimit,
  vectorOf,
} from "./approval.ts";
export {
  environmentIn,
  environmentWith,
  type PassedVariables,
  passedVariables,
  variablesText,
} from "./environment.ts";
