/** What starting and restarting the server answer, and what the commands that start and end it declare. */

import type { Rendered } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { keyValues } from "../../base/text/table.ts";
import { baseOf, pagesBase } from "./address.ts";
import type { ServerRecord } from "./record.ts";

/** Typing one is the consent to it. */
export const SERVER = {
  toolset: "server",
  scope: "server",
  next: "server_changed",
  about: "server",
  safety: "safe-write",
  confirm: "simple",
  typed: true,
} as const;

/** A server that runs. */
export interface ServerData {
  readonly pid: number;
  readonly url: string;
  /** Where its pages are, for a person who signs in; null where that name leads to another program, too. */
  readonly pages: string | null;
  /** Whether this call started it. */
  readonly started: boolean;
  /** Where its token lies, which only the user can read. */
  readonly token_file: string;
}

/** The data of a record. */
export function serverData(
  record: ServerRecord,
  tokenFile: string,
  started: boolean,
): ServerData {
  const { pid, host, port, localhost } = record;
  const url = host === null || port === null ? "" : baseOf({ host, port });
  const pages = localhost && port !== null ? pagesBase(port) : null;
  return { pid, url, pages, started, token_file: tokenFile };
}

/** What is said about it; `done` is what was. */
export function renderServer(data: ServerData, done: string): Rendered {
  return {
    summary: data.started
      ? `${done} the server as process ${data.pid}.`
      : `Found the server running as process ${data.pid}; nothing to do.`,
    details: keyValues([
      ["Address", cleanLine(data.url)],
      ["Pages", data.pages],
      ["MCP", `${cleanLine(data.url)}/mcp`],
      ["Token", data.token_file],
    ]),
  };
}
