/**
 * What work on mirrors needs of a command.
 *
 * @module
 */

import type { ExecuteContext } from "../../contract/mod.ts";

/** The part of a command's context that mirrors are made and kept with. */
export type MirrorTools = Pick<
  ExecuteContext,
  "system" | "git" | "layout" | "report" | "signal" | "store"
>;
