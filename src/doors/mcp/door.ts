/** What the parts of the MCP door share: the program, the session, and which tools are offered. */

import type { App } from "../../pipeline/app.ts";
import type { ConfirmBy } from "../../base/policy/confirm_by.ts";
import { findCommand } from "../../pipeline/registry.ts";
import type { Session } from "../../pipeline/session.ts";
import type { Known } from "../../contract/mod.ts";
import type { Selection } from "./selection.ts";

/** The door of one client, or of all that have no session. */
export interface Door {
  readonly app: App;
  /** The session of a call: the client's own, or one that this call has for itself. */
  session(): Session;
  readonly selection: Selection;
  readonly confirmBy: ConfirmBy;
  /** Whether forms are asked for where a client declares them. */
  readonly forms: boolean;
}

/** The command of a tool if this server offers it, else null. */
export function offered(door: Door, tool: string): Known | null {
  const command = findCommand(tool);
  return command !== null && door.selection.judge(command).offered ? command : null;
}
