/**
 * Every kind of journaled step, by name: what a later process needs to settle what an earlier one left.
 *
 * @module
 */

import { ARCHIVE_OPERATIONS } from "../archive/mod.ts";
import { scaffoldEcosystem } from "../ecosystem/mod.ts";
import { WORKSPACE_OPERATIONS } from "../workspace/mod.ts";
import { RELEASE_OPERATIONS, TRAIN_OPERATIONS } from "../release/mod.ts";
import { TICKET_OPERATIONS } from "../ticket/mod.ts";
import { UNDO_OPERATIONS } from "../undo/mod.ts";
import { type OperationTable, operationTable } from "../steps/mod.ts";

/** The operations of all domains. */
export const OPERATIONS: OperationTable = operationTable([
  ...WORKSPACE_OPERATIONS,
  scaffoldEcosystem,
  ...TICKET_OPERATIONS,
  ...ARCHIVE_OPERATIONS,
  ...RELEASE_OPERATIONS,
  ...TRAIN_OPERATIONS,
  ...UNDO_OPERATIONS,
]);
