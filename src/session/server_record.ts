/**
 * The record a control plane leaves about itself, `<root>/.amof/server.pid` (WORKSPACE-2).
 *
 * @module
 */

import { join } from "@std/path";
import { fieldsOf } from "../object.ts";
import type { System } from "../system/mod.ts";

/** Where the record lies, relative to the control repository. */
export const RECORD_FILE = ".amof/server.pid";

/** A record is a few lines; anything larger is something else. */
const MAX_BYTES = 16 * 1024;

/** What a record says. Its token is not read. */
export interface ServerRecord {
  readonly pid: number;
  /** Milliseconds since the epoch; null where it is missing or no time. */
  readonly startedAt: number | null;
  readonly host: string | null;
  readonly port: number | null;
  readonly version: string | null;
  readonly bootId: string | null;
}

/** What was found: a record, nothing, or a file that is no record. */
export type FoundRecord = ServerRecord | "absent" | "unreadable";

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" && value.length <= 200 ? value : null;
}

/** The record in a text; null when it is none. */
function parseRecord(content: string): ServerRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return null;
  }
  const { pid, started_at, host, port, version, boot_id } = fieldsOf(value);
  // 0 and 1 are never a server, and negative numbers mean groups.
  if (!Number.isSafeInteger(pid) || Number(pid) < 2) return null;
  const started = Date.parse(text(started_at) ?? "");
  const isPort = Number.isSafeInteger(port) && Number(port) > 0 && Number(port) < 65_536;
  return {
    pid: Number(pid),
    startedAt: Number.isNaN(started) ? null : started,
    host: text(host),
    port: isPort ? Number(port) : null,
    version: text(version),
    bootId: text(boot_id),
  };
}

/** Reads the record of a control repository. */
export async function readRecord(system: System, root: string): Promise<FoundRecord> {
  const path = join(root, RECORD_FILE);
  const facts = await system.files.stat(path);
  if (facts === null) return "absent";
  if (facts.kind !== "file" || facts.size > MAX_BYTES) return "unreadable";
  const content = await system.files.readText(path);
  return content === null ? "absent" : parseRecord(content) ?? "unreadable";
}
