/** The record a server leaves about itself, `<root>/.amof/server.pid`, and the file with its token (SERVER-2). */

import { join } from "@std/path";
import { sha256 } from "../../base/hash.ts";
import { fieldsOf } from "../../base/object.ts";
import type { Layout } from "../../state/store/mod.ts";
import { type ProcessIdentity, type System, timestamp } from "../../base/system/mod.ts";

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
  /** Whether the name localhost leads to it and to no other program. */
  readonly localhost: boolean;
  readonly version: string | null;
  readonly bootId: string | null;
  /** When the process started, as the machine tells it; only compared for equality. */
  readonly processStart: string | null;
  /** What the server says of itself when it is asked for its health. */
  readonly instance: string | null;
}

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
  const fields = fieldsOf(value);
  const { pid, started_at, host, port, version, boot_id, process_start, instance } = fields;
  // 0 and 1 are never a server, and negative numbers mean groups.
  if (!Number.isSafeInteger(pid) || Number(pid) < 2) return null;
  const started = Date.parse(text(started_at) ?? "");
  const isPort = Number.isSafeInteger(port) && Number(port) > 0 && Number(port) < 65_536;
  return {
    pid: Number(pid),
    startedAt: Number.isNaN(started) ? null : started,
    host: text(host),
    port: isPort ? Number(port) : null,
    localhost: fields["localhost"] === true,
    version: text(version),
    bootId: text(boot_id),
    processStart: text(process_start),
    instance: text(instance),
  };
}

/** Reads the record of a control repository. */
export async function readServerRecord(
  system: System,
  root: string,
): Promise<ServerRecord | "absent" | "unreadable"> {
  const path = join(root, RECORD_FILE);
  const facts = await system.files.stat(path);
  if (facts === null) return "absent";
  if (facts.kind !== "file" || facts.size > MAX_BYTES) return "unreadable";
  const content = await system.files.readText(path);
  return content === null ? "absent" : parseRecord(content) ?? "unreadable";
}

/** Where the token of the server of a control repository lies: below the user's own files, never in a repository. */
export function tokenFile(layout: Layout, root: string): string {
  return join(layout.state, "servers", `${sha256(root).slice(0, 16)}.token`);
}

/** Where the page lies that leads a browser to a link: programs of others see what another is started with. */
export function signInFile(layout: Layout, root: string): string {
  return join(layout.state, "servers", `${sha256(root).slice(0, 16)}.html`);
}

/** A server that has begun to listen. */
interface Listening {
  readonly process: ProcessIdentity;
  readonly host: string;
  readonly port: number;
  readonly localhost: boolean;
  readonly version: string;
  readonly instance: string;
  readonly tokenFile: string;
}

/** Puts files of a running server out of the sight of git. */
async function hideFolder(system: System, root: string): Promise<void> {
  const ignore = join(root, ".amof", ".gitignore");
  if (await system.files.lstat(ignore) === null) await system.files.write(ignore, "*\n");
}

/** Writes down who listens where. */
export async function writeRecord(system: System, root: string, server: Listening): Promise<void> {
  await hideFolder(system, root);
  const record = {
    pid: server.process.pid,
    started_at: timestamp(system.clock.now()),
    process_start: server.process.startedAt,
    boot_id: server.process.bootId,
    host: server.host,
    port: server.port,
    localhost: server.localhost,
    version: server.version,
    instance: server.instance,
    token_file: server.tokenFile,
  };
  await system.files.write(join(root, RECORD_FILE), `${JSON.stringify(record, null, 2)}\n`, {
    mode: 0o600,
  });
}

/** Removes the record of a process with the files that go with it; leaves that of any other alone. */
export async function removeRecord(
  system: System,
  layout: Layout,
  root: string,
  pid: number,
): Promise<void> {
  const record = await readServerRecord(system, root);
  if (typeof record === "string" || record.pid !== pid) return;
  await system.files.remove(join(root, RECORD_FILE));
  await system.files.remove(tokenFile(layout, root));
  await system.files.remove(signInFile(layout, root));
}

/** Writes down in place of a record why a process could not become the server, for whoever started it. */
export async function writeFailure(
  system: System,
  root: string,
  pid: number,
  failed: string,
): Promise<void> {
  // The record of a server that runs stays.
  if (await readServerRecord(system, root) !== "absent") return;
  await system.files.write(join(root, RECORD_FILE), `${JSON.stringify({ pid, failed })}\n`);
}
