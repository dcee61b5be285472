// Covers RealHelpers: a helper answers what starting the program in the ordinary way answers, or leaves it to that.

import { assert, assertEquals } from "@std/assert";
import fc, { anyCharacter } from "fast-check";
import { join } from "@std/path";
import type { Helpers, ProcessRequest, ProcessResult } from "../../../../../src/base/system/mod.ts";
import { realProcesses } from "../../../../../src/base/system/real/processes.ts";
import { temporaryDirectory } from "../../../_support.ts";
import { eventually, test } from "./_support.ts";

/** Says what lies in the directory it runs in, and ends as is written there. */
const TELL = 'pwd -P; cat out; cat err >&2; exit "$(cat code)"';

/** How many programs run at once; what is more waits for one of them. */
const JOBS = 2;

type Shell = Omit<ProcessRequest, "command" | "args">;

const request = (script: string, of: Shell): ProcessRequest => ({
  command: "sh",
  args: ["-c", script],
  ...of,
});

/** Work with helpers, which are let go at its end. */
async function helped(work: (helpers: Helpers) => Promise<void>): Promise<void> {
  const helpers = realProcesses.helpers(JOBS);
  assert(helpers !== null);
  try {
    await work(helpers);
  } finally {
    await helpers.close();
  }
}

const untimed = ({ durationMs: _, ...result }: ProcessResult) => result;

/** Puts the directory of a program together that {@linkcode TELL} tells of. */
async function place(directory: string, says: {
  readonly out: Uint8Array;
  readonly err: string;
  readonly code: number;
}): Promise<void> {
  await Deno.mkdir(directory, { recursive: true });
  await Deno.writeFile(join(directory, "out"), says.out);
  await Deno.writeTextFile(join(directory, "err"), says.err);
  await Deno.writeTextFile(join(directory, "code"), String(says.code));
}

test("helpers answer what the ordinary way answers, whatever a program says", async () => {
  await using root = await temporaryDirectory();
  let made = 0;
  const name = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 12 })
    .filter((text) => !/[\0\/\n]/.test(text) && !/^\.*$/.test(text) && text.isWellFormed());
  const says = fc.record({
    name: fc.oneof(name, fc.constantFrom("-n", "a b", "$(exit)", "'\"`\\", "Á ç с", "~", "x ")),
    out: fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.constant(new Uint8Array(70_000).fill(0x0a)),
      fc.constant(new TextEncoder().encode("no newline at its end")),
      fc.constant(new TextEncoder().encode(`\nfirst\r\n${"long ".repeat(9_000)}\n\nlast\n`)),
    ),
    err: fc.string({ maxLength: 50 }),
    code: fc.constantFrom(0, 0, 0, 1, 2, 125, 126, 127, 128, 129, 143, 255),
  });
  await helped(async (helpers) => {
    await fc.assert(
      fc.asyncProperty(fc.array(says, { minLength: 1, maxLength: 4 }), async (places) => {
        const asked = await Promise.all(places.map(async (each) => {
          const cwd = join(root.path, String(++made), each.name);
          await place(cwd, each);
          const how = request(TELL, { cwd, binary: true });
          const heard = { by: new Map<string, string>(), ordinary: new Map<string, string>() };
          const hearing = (way: keyof typeof heard) => ({
            ...how,
            onLine: (stream: string, line: string) => {
              heard[way].set(stream, `${heard[way].get(stream) ?? ""}${line}\n`);
            },
          });
          const [by, ordinary] = [
            await helpers.run(hearing("by")),
            await realProcesses.run(hearing("ordinary")),
          ];
          return [by, ordinary, heard] as const;
        }));
        for (const [by, ordinary, heard] of asked) {
          if (by !== null) {
            assertEquals(untimed(by), untimed(ordinary));
            assertEquals(heard.by, heard.ordinary);
          }
          // From there on a code may mean a signal.
          assertEquals(by === null, ordinary.exitCode > 125 && ordinary.exitCode !== 128);
        }
      }),
      { numRuns: 10 },
    );
  });
});

test("where a helper cannot answer, the program is run in the ordinary way", async () => {
  await using root = await temporaryDirectory();
  const here = root.path;
  const big = "head -c 100000 /dev/zero";
  const cases: readonly ProcessRequest[] = [
    request("kill -9 $$", { cwd: here }),
    request("exit 0", { cwd: join(here, "gone") }),
    request(big, { cwd: here, maxOutputBytes: 1_000 }),
    request(`${big} >&2`, { cwd: here, maxOutputBytes: 1_000 }),
    request("cat", { cwd: here, stdin: "input" }),
    request("pwd", { cwd: `${here}/a\n/..` }),
    request("pwd", {}),
    { command: "amof-no-such-program", args: [], cwd: here },
  ];
  for (const each of cases) {
    await helped(async (helpers) => {
      assertEquals(await helpers.run(each), null, JSON.stringify(each));
      const [by, ordinary] = await Promise.all([
        realProcesses.run({ ...each, helpers }),
        realProcesses.run(each),
      ]);
      assertEquals(untimed(by), untimed(ordinary));
    });
  }
});

test("a helper goes on with the next after one that it could not answer", async () => {
  await using root = await temporaryDirectory();
  await helped(async (helpers) => {
    const results: (string | undefined)[] = [];
    for (const name of ["a", "b", "c", "d"]) {
      const cwd = join(root.path, name);
      if (name !== "b") await place(cwd, { out: new Uint8Array([65]), err: "", code: 0 });
      if (name === "c") await Deno.writeTextFile(join(cwd, "kill"), "");
      const how = request("if [ -e kill ]; then kill -9 $PPID; fi; cat out", { cwd });
      results.push((await helpers.run(how))?.stdout);
    }
    assertEquals(results, ["A", undefined, undefined, "A"]);
  });
});

test("a call that waits for another is answered, whatever becomes of that one", async () => {
  await using root = await temporaryDirectory();
  const kinds = ["plain", "killed", "too much", "slow"];
  const script = `case "\${PWD##*/}" in
    killed) mkdir once && kill -9 $PPID ;; "too much") head -c 9000 /dev/zero ;; slow) sleep 600 ;;
  esac; pwd -P`;
  for (const kind of kinds) await Deno.mkdir(join(root.path, kind));
  for (const first of kinds) {
    await helped(async (helpers) => {
      const ask = (name: string, more: Partial<ProcessRequest> = {}) =>
        realProcesses.run({
          ...request(script, { cwd: join(root.path, name), maxOutputBytes: 5_000, ...more }),
          helpers,
        });
      const calls = await Promise.all([
        ask(first, { timeoutMs: first === "slow" ? 500 : 60_000 }),
        ...Array.from({ length: helpers.lanes - 1 }, () => ask("plain")),
      ]);
      const [one, ...others] = calls;
      assertEquals([one?.timedOut, one?.truncated], [first === "slow", first === "too much"]);
      for (const other of others) {
        assertEquals([other.exitCode, other.stdout], [0, `${join(root.path, "plain")}\n`]);
      }
    });
  }
});

test("a time limit, a silence and a cancellation end what a helper runs, with all it started", async () => {
  await using root = await temporaryDirectory();
  for (const why of ["timedOut", "stalledMs", "cancelled"] as const) {
    await helped(async (helpers) => {
      const abort = new AbortController();
      const script = "echo begun; sleep 600 & echo $! > pid; wait";
      const how = request(script, {
        cwd: root.path,
        signal: abort.signal,
        ...(why === "timedOut" ? { timeoutMs: 3_000 } : {}),
        ...(why === "stalledMs" ? { silenceMs: 3_000 } : {}),
      });
      const running = helpers.run(how);
      let pid = 0;
      await eventually(async () => {
        const text = await Deno.readTextFile(join(root.path, "pid")).catch(() => "");
        pid = Number(/^(\d+)\n$/.exec(text)?.[1] ?? 0);
        return pid > 0;
      }, "the program has begun");
      if (why === "cancelled") abort.abort();
      const result = await running;
      assertEquals([result?.[why], result?.signal, result?.exitCode, result?.stdout], [
        why === "stalledMs" ? 3_000 : true,
        "SIGTERM",
        143,
        "begun\n",
      ]);
      await eventually(() => isGone(pid), "what it started is gone");
      await Deno.remove(join(root.path, "pid"));
    });
  }
});

/** Whether no process has that number, or only one that nobody has collected yet. */
async function isGone(pid: number): Promise<boolean> {
  const { stdout } = await realProcesses.run({
    command: "ps",
    args: ["-o", "stat=", "-p", String(pid)],
  });
  return /^\s*(?:Z.*)?$/.test(stdout);
}

test("programs of helpers see the environment that was asked for, and no input", async () => {
  await using root = await temporaryDirectory();
  const env = { AMOF_GIVEN: "it's $HOME; `x`", HOME: null };
  const how = request('cat; env | grep -v "^_=" | sort', { cwd: root.path, env });
  await helped(async (helpers) => {
    const [by, ordinary] = [await helpers.run(how), await realProcesses.run(how)];
    const lines = (result: ProcessResult | null) =>
      result?.stdout.split("\n").filter((line) => !/^(?:PWD|OLDPWD|SHLVL)=/.test(line));
    assertEquals(lines(by), lines(ordinary));
    assert(lines(by)?.includes(`AMOF_GIVEN=${env.AMOF_GIVEN}`));
  });
});

test("no helper is left when they are let go", async () => {
  await using root = await temporaryDirectory();
  let pid = 0;
  await helped(async (helpers) => {
    const result = await helpers.run(request("echo $PPID", { cwd: root.path }));
    pid = Number(result?.stdout);
    assert(!await isGone(pid));
  });
  assert(await isGone(pid));
});
