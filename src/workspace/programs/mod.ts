/** Programs that users run in repositories: what is run, whether it was approved, and with which variables. */

export {
  type Approval,
  approvalOf,
  requireApproved,
  trustLine,
  untrustedDeed,
} from "./approval.ts";
export {
  approvalName,
  approvalsPrefix,
  type Deed,
  hashOf,
  lineOf,
  type SelectionWords,
  shownLine,
  startCode,
  timeLimitOf,
  usualLimit,
  vectorOf,
} from "./deed.ts";
export {
  environmentIn,
  environmentWith,
  type PassedVariables,
  passedVariables,
  variablesText,
} from "./environment.ts";
