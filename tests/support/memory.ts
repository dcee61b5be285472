/**
 * A world that exists only in memory, for tests of logic that needs files, time and identifiers.
 *
 * Programs are answered by a script; a call the script does not expect throws, and
 * {@linkcode MemoryWorld.unusedPrograms} names what was scripted and never called.
 *
 * @module
 */

import { sha256 } from "../../src/hash.ts";
import { processResult } from "./process_result.ts";
import { dirname } from "@std/path";
import type {
  Files,
  HttpRequest,
  HttpResult,
  ProcessRequest,
  ProcessResult,
  System,
} from "../../src/system/mod.ts";

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
  /** Every file with its text. */
  readonly files: Map<string, string>;
  readonly output: { out: string; err: string };
  /** Moves the clock forward. */
  advance(ms: number): void;
  /** Scripted programs that were never called. */
  unusedPrograms(): readonly string[];
}

function memoryFiles(files: Map<string, string>): Files {
  const directories = new Set<string>(["/"]);
  const locked = new Set<string>();
  const remember = (path: string) => {
    for (let at = path; !directories.has(at); at = dirname(at)) directories.add(at);
  };
  for (const path of files.keys()) remember(dirname(path));
  const info = (path: string) => {
    const text = files.get(path);
    if (text !== undefined) {
      const size = new TextEncoder().encode(text).length;
      return { kind: "file" as const, size, mode: 0o644, modifiedMs: null };
    }
    return directories.has(path)
      ? { kind: "directory" as const, size: 0, mode: 0o755, modifiedMs: null }
      : null;
  };
  const below = (path: string) => (name: string) => name === path || name.startsWith(`${path}/`);
  const toText = (content: string | Uint8Array) =>
    typeof content === "string" ? content : new TextDecoder().decode(content);
  const put = (path: string, content: string | Uint8Array) => {
    remember(dirname(path));
    files.set(path, toText(content));
  };
  return {
    readText: (path) => Promise.resolve(files.get(path) ?? null),
    readBytes: (path) => {
      const text = files.get(path);
      return Promise.resolve(text === undefined ? null : new TextEncoder().encode(text));
    },
    readPiece(path, from, most) {
      const text = files.get(path);
      const bytes = text === undefined ? null : new TextEncoder().encode(text);
      return Promise.resolve(bytes?.subarray(from, from + most) ?? null);
    },
    append(path, content) {
      put(path, (files.get(path) ?? "") + content);
      return Promise.resolve();
    },
    stat: (path) => Promise.resolve(info(path)),
    exists: (path) => Promise.resolve(info(path) !== null),
    lstat: (path) => Promise.resolve(info(path)),
    realPath: (path) => Promise.resolve(info(path) === null ? null : path),
    readLink: () => Promise.resolve(null),
    list(path) {
      const names = [...files.keys(), ...directories]
        .filter((name) => name !== path && dirname(name) === path)
        .sort();
      return Promise.resolve(names.map((name) => ({
        name: name.slice(path === "/" ? 1 : path.length + 1),
        kind: info(name)?.kind ?? "other",
      })));
    },
    write(path, content) {
      put(path, content);
      return Promise.resolve();
    },
    create(path, content) {
      if (info(path) !== null) {
        return Promise.reject(Object.assign(new Error(`File exists: ${path}`), { code: "EEXIST" }));
      }
      put(path, content);
      return Promise.resolve();
    },
    makeDirectory(path) {
      const fresh = !directories.has(path);
      remember(path);
      return Promise.resolve(fresh);
    },
    scratch: () => Promise.reject(new Error("Nothing in memory needs a scratch directory")),
    rename(from, to) {
      for (const name of [...files.keys()].filter(below(from))) {
        put(to + name.slice(from.length), files.get(name) ?? "");
        files.delete(name);
      }
      for (const name of [...directories].filter(below(from))) {
        directories.delete(name);
        remember(to + name.slice(from.length));
      }
      return Promise.resolve();
    },
    remove(path) {
      const existed = info(path) !== null;
      const full = [...files.keys(), ...directories].some((name) =>
        name !== path && below(path)(name)
      );
      if (full) return Promise.reject(new Error(`DirectoryNotEmpty: ${path}`));
      files.delete(path);
      directories.delete(path);
      return Promise.resolve(existed);
    },
    removeTree(path) {
      const existed = info(path) !== null;
      for (const name of [...files.keys()].filter(below(path))) files.delete(name);
      for (const name of [...directories].filter(below(path))) directories.delete(name);
      return Promise.resolve(existed);
    },
    hash: (path) => Promise.resolve(files.has(path) ? sha256(files.get(path) ?? "") : null),
    copy: () => Promise.reject(new Error("The memory world copies no large files")),
    duplicate: () => Promise.reject(new Error("The memory world copies no large files")),
    link: () => Promise.resolve(false),
    symlink: () => Promise.reject(new Error("The memory world has no symbolic links")),
    watch: () => () => {},
    isReadOnly: () => Promise.resolve(false),
    isWritable: (path) => Promise.resolve(info(path) !== null),
    flushDirectory: () => Promise.resolve(),
    lock(path) {
      if (locked.has(path)) return Promise.resolve(null);
      locked.add(path);
      put(path, `${ME.pid}\n`);
      return Promise.resolve({
        release() {
          if (locked.delete(path)) put(path, "");
          return Promise.resolve();
        },
      });
    },
  };
}

/** Makes a world in memory. The clock starts at `now`, identifiers count up. */
export function memoryWorld(options: MemoryOptions = {}): MemoryWorld {
  const files = new Map(Object.entries(options.files ?? {}));
  const output = { out: "", err: "" };
  const input = [...options.input ?? []];
  const unused = new Set(Object.keys(options.programs ?? {}));
  const terminal = options.terminal ?? false;
  let now = options.now ?? Date.UTC(2026, 0, 2, 3, 4, 5);
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
    files: memoryFiles(files),
    processes: {
      run,
      helpers: () => null,
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
    files,
    output,
    advance: (ms) => void (now += ms),
    unusedPrograms: () => [...unused],
  };
}
