/** Programs that were started, and how the runtime starts them. */

import { defined } from "../../object.ts";
import type { ProcessRequest } from "../mod.ts";

/** What a program prints to. */
export type StreamName = "stdout" | "stderr";

/** How a program ended. */
export interface Ended {
  /** 128 + n where signal n ended it. */
  readonly code: number;
  readonly signal: string | null;
}

/** What a program reads. */
export interface Input {
  /** Whether it still reads. */
  write(bytes: Uint8Array): Promise<boolean>;
  close(): Promise<void>;
}

/** A program that was started. */
export interface Child {
  readonly pid: number;
  /** Resolves when it has ended, whoever holds its streams open. */
  readonly status: Promise<Ended>;
  /** Null where it has none. */
  readonly input: Input | null;
  /** Hands on what it prints to a stream, until that ends or is abandoned. The bytes are written over afterwards. */
  read(name: StreamName, heard: (bytes: Uint8Array) => void): Promise<void>;
  /** Gives up on streams that somebody else holds open. */
  abandon(): void;
}

/** What a program is started by. */
export type StartRequest = Pick<
  ProcessRequest,
  "command" | "args" | "cwd" | "env" | "clearEnv" | "stdin"
>;

/** The environment of a request, as the runtime wants it. */
export function environment(
  request: Pick<ProcessRequest, "env" | "clearEnv">,
): { env: Record<string, string>; clearEnv: boolean } {
  const overrides = Object.entries(request.env ?? {});
  const set = Object.fromEntries(
    overrides.filter((entry): entry is [string, string] => entry[1] !== null),
  );
  const removed = overrides.filter(([name, value]) =>
    value === null && Deno.env.get(name) !== undefined
  );
  if (request.clearEnv || removed.length === 0) {
    return { env: set, clearEnv: request.clearEnv ?? false };
  }
  const inherited = Deno.env.toObject();
  for (const [name] of removed) delete inherited[name];
  return { env: { ...inherited, ...set }, clearEnv: true };
}

/** What a program of the runtime reads. */
export function inputOf(stream: WritableStream<Uint8Array>): Input {
  const writer = stream.getWriter();
  return {
    write: (bytes) => writer.write(bytes).then(() => true, () => false),
    close: () => writer.close().catch(() => {}),
  };
}

/** Starts a program; with `detached` it leads a process group of its own. Throws where that is not possible. */
export function startedByRuntime(request: StartRequest, detached: boolean): Child {
  const child = new Deno.Command(request.command, {
    args: [...request.args],
    ...environment(request),
    ...defined({ cwd: request.cwd }),
    ...(detached ? { detached } : {}),
    stdin: request.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const readers = { stdout: child.stdout.getReader(), stderr: child.stderr.getReader() };
  return {
    pid: child.pid,
    status: child.status,
    input: request.stdin === undefined ? null : inputOf(child.stdin),
    async read(name, heard) {
      for (;;) {
        // An abandoned stream ends here; what was read so far is the answer.
        const { value } = await readers[name].read().catch(() => ({ value: undefined }));
        if (value === undefined) return;
        heard(value);
      }
    },
    abandon() {
      for (const reader of Object.values(readers)) void reader.cancel().catch(() => {});
    },
  };
}
