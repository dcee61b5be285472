/**
 * A world that exists only in memory, for tests of logic that needs files, time and identifiers.
 *
 * Programs are answered by a script; a call the script does not expect throws, and
 * {@linkcode MemoryWorld.unusedPrograms} names what was scripted and never called.
 *
 * @module
 */

import { MemoryFiles, type Texts } from "./memory_files.ts";
import { processResult } from "./process_result.ts";
import type {
  HttpRequest,
  HttpResult,
  ProcessRequest,
  ProcessResult,
  System,
} from "../../src/base/system/mod.ts";

const ME = { pid: 4242, startedAt: "memory", bootId: "memory" };

/** How to make a {@linkcode MemoryWorld}. */
export interface MemoryOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Milliseconds since the epoch at which the clock stands. */
  readonly now?: number;
  /** Lines a person types. */
  readonly input?: readonly string[];
  /** Whether the streams are a terminal. */
  readonly terminal?: boolean;
  /** Answers by `command arg arg …`. */
  readonly programs?: Readonly<Record<string, Partial<ProcessResult>>>;
  /** Answers requests over HTTP; without it every request is unexpected. */
  readonly http?: (request: HttpRequest) => HttpResult;
}

/** The memory world and what can be seen of it. */
export interface MemoryWorld {
  readonly system: System;
  /** Every file with its text, as it is whenever it is asked for. */
  readonly files: Texts;
  readonly output: { out: string; err: string };
  /** Moves the clock forward. */
  advance(ms: number): void;
  /** Scripted programs that were never called. */
  unusedPrograms(): readonly string[];
}

/** Makes a world in memory. The clock starts at `now`, identifiers count up. */
export function memoryWorld(options: MemoryOptions = {}): MemoryWorld {
  const output = { out: "", err: "" };
  const input = [...options.input ?? []];
  const unused = new Set(Object.keys(options.programs ?? {}));
  const terminal = options.terminal ?? false;
  let now = options.now ?? Date.UTC(2026, 0, 2, 3, 4, 5);
  const disk = new MemoryFiles(() => now, ME.pid);
  for (const [path, text] of Object.entries(options.files ?? {})) disk.put(path, text);
  let ids = 0;

  const run = (request: ProcessRequest): Promise<ProcessResult> => {
    const line = [request.command, ...request.args].join(" ");
    const answer = options.programs?.[line];
    if (answer === undefined) throw new Error(`Unexpected program: ${line}`);
    unused.delete(line);
    const result = processResult(request, {
      ...(request.binary ? { bytes: new TextEncoder().encode(answer.stdout ?? "") } : {}),
      ...answer,
    });
    for (const stream of ["stdout", "stderr"] as const) {
      for (const text of result[stream].split("\n")) {
        if (text !== "") request.onLine?.(stream, text);
      }
    }
    return Promise.resolve(result);
  };

  const system: System = {
    files: disk.files,
    processes: {
      run,
      attach: () => Promise.resolve(0),
      detach: () => Promise.resolve({ ...ME, pid: ME.pid + 1 }),
      self: () => ["amof"],
      me: () => Promise.resolve(ME),
      endOrphans: () => Promise.resolve(),
      findMarked: () => Promise.resolve([]),
      endMarked: () => Promise.resolve(),
      isAlive: (identity) => Promise.resolve(identity.pid === ME.pid),
      signal: () => true,
    },
    clock: {
      now: () => now,
      sleep: (ms) => {
        now += ms;
        return Promise.resolve();
      },
    },
    ids: {
      uuid: () => `00000000-0000-4000-8000-${(++ids).toString(16).padStart(12, "0")}`,
      hex: (digits) => (++ids).toString(16).padStart(digits, "0"),
    },
    env: {
      get: (name) => options.env?.[name],
      names: () => Object.keys(options.env ?? {}),
      program: "amof",
      cwd: options.cwd ?? "/space",
      home: "/home/tester",
      user: "tester",
      platform: "linux",
      cpus: 2,
      hostname: () => "memory",
    },
    terminal: {
      stdinIsTerminal: terminal,
      stdoutIsTerminal: terminal,
      stderrIsTerminal: terminal,
      columns: 100,
      size: () => ({ columns: 100, rows: 24 }),
      out: (text) => void (output.out += text),
      err: (text) => void (output.err += text),
      ask(question) {
        output.err += question;
        return Promise.resolve(input.shift() ?? null);
      },
      input: () => new ReadableStream<Uint8Array>({ start: (controller) => controller.close() }),
      guardOutput: () => {},
      onInterrupt: () => () => {},
      onDisplay: () => () => {},
      keys: () => () => {},
    },
    http: {
      send(request) {
        const answer = options.http?.(request);
        if (answer === undefined) {
          throw new Error(`Unexpected request: ${request.method} ${request.url}`);
        }
        return Promise.resolve(answer);
      },
      forgo: () => {},
    },
    loopback: {
      isAllowed: () => true,
      listen: () => Promise.reject(new Error("Nothing listens in memory")),
      stateOf: () => "free" as const,
      holder: () => Promise.resolve(null),
      get: () => Promise.resolve(null),
    },
  };
  return {
    system,
    files: disk.texts,
    output,
    advance: (ms) => void (now += ms),
    unusedPrograms: () => [...unused],
  };
}
