/** The record a server leaves about itself, `<root>/.amof/server.pid`, and the file with its token (SERVER-2). */

import { join } from "@std/path";
import { sha256 } from "../../base/hash.ts";
import { fieldsOf, jsonIn } from "../../base/object.ts";
import type { Layout } from "../../state/store/mod.ts";
import {
  type ProcessIdentity,
  type ProcessRequest,
  type System,
  timestamp,
} from "../../base/system/mod.ts";
import { unlisted, type ZodNamespace } from "../../contract/mod.ts";

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
  const value = jsonIn(content);
  if (value === undefined) return null;
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

// How the server of a control repository stands: by its record, the process that names, and what answers there.

/** What was found. */
export type ServerState =
  | { readonly state: "none" | "unreadable" }
  /** The record of a process that has ended. */
  | { readonly state: "stale"; readonly record: ServerRecord }
  | {
    readonly state: "running";
    readonly record: ServerRecord;
    /** Whether the server of the record answers at its address. */
    readonly healthy: boolean;
    /** Whether the process is certainly the one that wrote the record (SERVER-4). */
    readonly proven: boolean;
  };

/** Whether the very server of a record answers at its address. */
async function isHealthy(system: System, record: ServerRecord): Promise<boolean> {
  const { host, port, instance } = record;
  // A record may lie in a repository of others: it leads nowhere but to this machine.
  if (port === null || instance === null || (host !== "127.0.0.1" && host !== "::1")) return false;
  return (await probe(system, { host, port })).instance === instance;
}

/** Looks at the record of a control repository and at what it says. */
export async function serverState(system: System, root: string): Promise<ServerState> {
  const record = await readServerRecord(system, root);
  if (record === "absent") return { state: "none" };
  if (record === "unreadable") return { state: "unreadable" };
  const { pid, bootId, processStart } = record;
  const identity = { pid, bootId, startedAt: processStart };
  if (!await system.processes.isAlive(identity)) return { state: "stale", record };
  const healthy = await isHealthy(system, record);
  // Numbers of processes are used again. Where the platform tells no start times, its own answer must do.
  const told = (await system.processes.me()).startedAt !== null;
  const proven = told ? processStart !== null && bootId !== null : healthy;
  return { state: "running", record, healthy, proven };
}

// What there is at an address of this machine, also for a process that has given up the network: it asks another one
// of this program.

/** The words behind the program's own name that make it look at an address. */
export const PROBE_COMMAND = "server-probe";
/** Where a server tells whether it is well; the only route that asks for no token. */
export const HEALTH_PATH = "/api/v1/health";
/** A server that is well answers at once, also on a busy machine. */
const HEALTH_MS = 2_000;
/** How long looking through another process may take. */
const PROBE_MS = 15_000;

interface Probed {
  /** Whether a server could listen there. */
  readonly port: "free" | "taken" | "refused";
  /** What the server that answers there says of itself; null when none is well. */
  readonly instance: string | null;
}

function instanceIn(body: string): string | null {
  const { instance } = fieldsOf(jsonIn(body));
  return typeof instance === "string" ? instance : null;
}

/** Looks at an address with the network of this process. */
export async function probeAddress(
  { loopback }: Pick<System, "loopback">,
  { host, port }: Address,
): Promise<Probed> {
  const state = loopback.stateOf(host, port);
  if (state !== "taken") return { port: state, instance: null };
  const answer = await loopback.get(host, port, HEALTH_PATH, HEALTH_MS);
  return { port: state, instance: answer?.status === 200 ? instanceIn(answer.body) : null };
}

/** Whether a request runs this program to look at an address, which changes nothing. */
export function isProbe({ args }: ProcessRequest): boolean {
  const at = args.length - 5;
  return args[at] === PROBE_COMMAND && args[at + 1] === "--host" && args[at + 3] === "--port";
}

/** Looks at an address. */
export async function probe(system: System, address: Address): Promise<Probed> {
  if (system.loopback.isAllowed()) return await probeAddress(system, address);
  const [command = "", ...args] = system.processes.self();
  const { stdout } = await system.processes.run({
    command,
    args: [...args, PROBE_COMMAND, "--host", address.host, "--port", String(address.port)],
    timeoutMs: PROBE_MS,
  });
  const { port, instance } = fieldsOf(jsonIn(stdout));
  return {
    port: port === "free" || port === "taken" ? port : "refused",
    instance: typeof instance === "string" ? instance : null,
  };
}

// Where a server is to listen, as calls say it.

/** Where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where a server listens unless it is told otherwise (SERVER-1). */
export const DEFAULT_ADDRESS: Address = { host: "127.0.0.1", port: 8000 };

/** An address as the beginning of a URL. */
export function baseOf({ host, port }: Address): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The members of an input that say where a server listens. */
// deno-lint-ignore explicit-module-boundary-types -- the inferred type is what callers extend
export const addressInput = (z: ZodNamespace) => ({
  host: unlisted(
    z.enum(["127.0.0.1", "localhost", "::1"]).optional().describe(
      "Only this machine can be named (127.0.0.1)",
    ),
  ),
  port: unlisted(z.int().min(0).max(65_535).optional().describe("0: any free one (8000)")),
});

/** What a call says, else what stands for it. */
export function addressOf(
  input: { readonly host?: string | undefined; readonly port?: number | undefined },
  otherwise: Address,
): Address {
  const { host = otherwise.host, port = otherwise.port } = input;
  // A name can be made to lead elsewhere.
  return { host: host === "localhost" ? "127.0.0.1" : host, port };
}

/** The beginning of the addresses of pages: passkeys need a name, so it is never a number. */
export function pagesBase(port: number): string {
  return `http://localhost:${port}`;
}
