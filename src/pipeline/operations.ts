/** Every kind of journaled step, by name: what a later process needs to settle what an earlier one left. */

import { ARCHIVE_OPERATIONS } from "../commands/archive/operations.ts";
import { scaffoldEcosystem } from "../commands/ecosystem/create/scaffold.ts";
import { WORKSPACE_OPERATIONS } from "../workspace/changing.ts";
import { RELEASE_OPERATIONS } from "../commands/release/operations.ts";
import { TRAIN_OPERATIONS } from "../commands/release/train/operations.ts";
import { TICKET_OPERATIONS } from "../commands/ticket/steps/branch.ts";
import { type OperationTable, operationTable } from "../runs/steps/mod.ts";
import { WINGS } from "./wings.ts";

/** The operations of all domains. */
export const OPERATIONS: OperationTable = operationTable([
  ...WORKSPACE_OPERATIONS,
  scaffoldEcosystem,
  ...TICKET_OPERATIONS,
  ...ARCHIVE_OPERATIONS,
  ...RELEASE_OPERATIONS,
  ...TRAIN_OPERATIONS,
  ...(await Promise.all(WINGS.map(({ operations }) => operations?.() ?? []))).flat(),
]);
