// Covers readOnly(): every method of Files and Processes either only reads or is refused before anything
// reaches the wrapped world.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { memoryWorld } from "../../../support/memory.ts";
import type { Files, Processes, ProcessRequest, System } from "../../../../src/base/system/mod.ts";
import { readOnly, ReadOnlyViolation } from "../../../../src/base/system/read_only.ts";
import { realFiles } from "../../../../src/base/system/real/files.ts";
import { realProcesses } from "../../../../src/base/system/real/processes.ts";

// A method added to an interface must be sorted in here, or this file does not type-check.
const FILES: Readonly<Record<keyof Files, "reads" | "writes">> = {
  readText: "reads",
  readBytes: "reads",
  readPiece: "reads",
  exists: "reads",
  stat: "reads",
  lstat: "reads",
  list: "reads",
  tree: "reads",
  stamps: "reads",
  areAbsent: "reads",
  isLocal: "reads",
  realPath: "reads",
  readLink: "reads",
  isWritable: "reads",
  isReadOnly: "reads",
  watch: "reads",
  // A directory that nobody else sees, and that is gone afterwards.
  scratch: "reads",
  write: "writes",
  create: "writes",
  append: "writes",
  makeDirectory: "writes",
  rename: "writes",
  remove: "writes",
  removeTree: "writes",
  hash: "reads",
  copy: "writes",
  duplicate: "writes",
  link: "writes",
  symlink: "writes",
  flushDirectory: "writes",
  lock: "writes",
};

const PROCESSES: Readonly<Record<keyof Processes, "reads" | "writes">> = {
  run: "writes",
  attach: "writes",
  detach: "writes",
  self: "reads",
  me: "reads",
  isAlive: "reads",
  endOrphans: "writes",
  findMarked: "reads",
  endMarked: "writes",
  signal: "writes",
};

type Method = (...args: readonly unknown[]) => unknown;

const request = (...args: readonly string[]): ProcessRequest => ({ command: "git", args });

/** A read-only world over one that only remembers which of its methods were reached. */
function watched(): { system: System; reached: string[] } {
  const reached: string[] = [];
  const spy = (names: object) =>
    Object.fromEntries(
      Object.keys(names).map((name) => [name, () => {
        reached.push(name);
        return Promise.resolve("answer");
      }]),
    );
  const system: System = {
    ...memoryWorld().system,
    files: spy(FILES) as unknown as Files,
    processes: spy(PROCESSES) as unknown as Processes,
  };
  return { system: readOnly(system, (asked) => asked.args[0] === "status"), reached };
}

async function attempt(method: Method, ...args: readonly unknown[]): Promise<unknown> {
  try {
    return await method(...args);
  } catch (error) {
    return error;
  }
}

const PARTS:
  readonly (readonly ["files" | "processes", Readonly<Record<string, "reads" | "writes">>])[] = [
    ["files", FILES],
    ["processes", PROCESSES],
  ];

for (const [part, methods] of PARTS) {
  for (const [name, kind] of Object.entries(methods)) {
    if (kind === "writes") {
      Deno.test(`readOnly() refuses ${part}.${name}() and reaches nothing`, async () => {
        const { system, reached } = watched();
        const method = (system[part] as unknown as Record<string, Method>)[name];
        assert(method !== undefined);
        const args = name === "run"
          ? [request("push")]
          : name === "detach"
          ? [["amof"], {}]
          : ["/a", "/b"];
        const answer = await attempt(method, ...args);
        assert(answer instanceof ReadOnlyViolation, String(answer));
        assertEquals(reached, []);
      });
    } else {
      Deno.test(`readOnly() passes ${part}.${name}() on`, async () => {
        const { system, reached } = watched();
        const method = (system[part] as unknown as Record<string, Method>)[name];
        assert(method !== undefined);
        assertEquals(await attempt(method, "/a"), "answer");
        assertEquals(reached, [name]);
      });
    }
  }
}

Deno.test("readOnly() is checked for every method that the real world has", () => {
  assertEquals(Object.keys(realFiles).sort(), Object.keys(FILES).sort());
  assertEquals(Object.keys(realProcesses).sort(), Object.keys(PROCESSES).sort());
});

Deno.test("readOnly() passes a program on that only reads", async () => {
  const { system, reached } = watched();
  assertEquals<unknown>(await system.processes.run(request("status")), "answer");
  assertEquals(reached, ["run"]);
});

Deno.test("readOnly() says what was tried", async () => {
  const { system } = watched();
  const write = await attempt(() => system.files.write("/space/file", "x"));
  assertStringIncludes(String(write), 'Cannot write "/space/file"');
  const run = await attempt(() => system.processes.run(request("push", "origin")));
  assertStringIncludes(String(run), 'run "git push origin"');
});

Deno.test("readOnly() leaves clock, identifiers, environment and terminal as they are", () => {
  const { system } = memoryWorld();
  const wrapped = readOnly(system, () => false);
  for (const part of ["clock", "ids", "env", "terminal"] as const) {
    assertEquals<unknown>(wrapped[part], system[part]);
  }
});

Deno.test("readOnly() over files keeps them readable and unchanged", async () => {
  const { system, files } = memoryWorld({ files: { "/a": "text" } });
  const wrapped = readOnly(system, () => false);
  await attempt(() => wrapped.files.remove("/a"));
  assertEquals([await wrapped.files.readText("/a"), files.size], ["text", 1]);
});

Deno.test("readOnly() passes requests on that only ask, and refuses all others", async () => {
  const sent: string[] = [];
  const { system } = memoryWorld({
    http: ({ method, access }) => {
      sent.push(`${method} ${access}`);
      return { answered: true, status: 200, headers: {}, body: "", cut: null };
    },
  });
  const wrapped = readOnly(system, () => false);
  const send = (method: "GET" | "POST" | "PUT" | "DELETE", access: "read" | "write") =>
    attempt(() =>
      wrapped.http.send({
        method,
        access,
        url: "https://example.invalid/things",
        headers: {},
        timeoutMs: 1_000,
        maxBytes: 1_000,
      })
    );
  await send("GET", "read");
  await send("POST", "read");
  assertEquals(sent, ["GET read", "POST read"]);
  for (const method of ["GET", "POST", "PUT", "DELETE"] as const) {
    assert(await send(method, "write") instanceof ReadOnlyViolation, method);
  }
  // What such a method says of itself does not count.
  for (const method of ["PUT", "DELETE"] as const) {
    assert(await send(method, "read") instanceof ReadOnlyViolation, method);
  }
  assertStringIncludes(
    String(await send("DELETE", "write")),
    'Cannot send DELETE "https://example.invalid/things"',
  );
  assertEquals(sent.length, 2);
});
