/**
 * What the parts of the MCP door share: the program, the session, and which tools are offered.
 *
 * @module
 */

import type { App } from "../../pipeline/app.ts";
import type { ConfirmBy } from "../../base/policy/confirm_by.ts";
import { findCommand } from "../../pipeline/registry.ts";
import type { Session } from "../../pipeline/session.ts";
import type { Known } from "../../contract/mod.ts";
import type { Selection } from "./selection.ts";

/** The door of one client. */
export interface Door {
  readonly app: App;
  readonly session: Session;
  readonly selection: Selection;
  readonly confirmBy: ConfirmBy;
}

/** The command of a tool if this server offers it, else null. */
export function offered(door: Door, tool: string): Known | null {
  const command = findCommand(tool);
  return command !== null && door.selection.judge(command).offered ? command : null;
}
