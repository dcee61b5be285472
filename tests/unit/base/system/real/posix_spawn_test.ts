// Covers startedByLibrary(): what the C library starts is given, says and ends as what the runtime starts; and what others hold open.

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { fromFileUrl, join } from "@std/path";
import type { ProcessRequest, ProcessResult } from "../../../../../src/base/system/mod.ts";
import { realProcesses } from "../../../../../src/base/system/real/processes.ts";
import { temporaryDirectory } from "../../../_support.ts";
import { shell, test } from "./_support.ts";

/** Says what lies in the directory it runs in and what it is given, and ends as is written there. */
const TELL = `#!/bin/sh
pwd -P; cat; cat out; cat err >&2; for argument; do printf '%s\\0' "$argument"; done
env | grep -v '^_=' | sort; [ ! -e signal ] || kill -"$(cat signal)" $$
exit "$(cat code)"
`;

/** How it ended and what it said, but for what differs between any two runs. */
const told = ({ durationMs: _duration, command: _command, ...result }: ProcessResult) => result;

test("what the C library starts does and says what it does when the runtime starts it", async () => {
  await using root = await temporaryDirectory();
  let made = 0;
  const text = fc.string({ unit: "binary", maxLength: 12 })
    .filter((value) => !value.includes("\0") && value.isWellFormed());
  const place = fc.record({
    args: fc.array(fc.oneof(text, fc.constantFrom("", "-x", "--", "a b", "'\"`$\\", "Á ç с")), {
      maxLength: 4,
    }),
    stdin: fc.option(fc.oneof(text, fc.constant("line\n".repeat(40_000))), { nil: undefined }),
    env: fc.dictionary(fc.constantFrom("ONE", "TWO", "HOME", "LANG"), fc.option(text), {
      noNullPrototype: true,
    }),
    clearEnv: fc.boolean(),
    out: fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.constant(new TextEncoder().encode(`\nfirst\r\n${"long ".repeat(9_000)}\n\nlast`)),
    ),
    err: fc.string({ maxLength: 50 }),
    code: fc.constantFrom(0, 0, 1, 2, 126, 127, 128, 143, 255),
    signal: fc.constantFrom(undefined, undefined, "KILL", "TERM", "PIPE"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 4 }), async (places) => {
      await Promise.all(places.map(async ({ out, err, code, signal, env, clearEnv, ...given }) => {
        const cwd = join(root.path, `${++made} Á`);
        await Deno.mkdir(cwd);
        await Deno.writeFile(join(cwd, "out"), out);
        await Deno.writeTextFile(join(cwd, "err"), err);
        await Deno.writeTextFile(join(cwd, "code"), String(code));
        if (signal !== undefined) await Deno.writeTextFile(join(cwd, "signal"), signal);
        await Deno.writeTextFile(join(cwd, "tell"), TELL, { mode: 0o755 });
        const PATH = Deno.env.get("PATH") ?? "";
        const run = async (command: string) => {
          const lines: string[] = [];
          const result = await realProcesses.run({
            ...given,
            command,
            cwd,
            clearEnv,
            env: { ...env, PATH, LC_ALL: "C" },
            ownGroup: made % 2 === 0,
            binary: true,
            maxOutputBytes: 100_000,
            onLine: (stream, line) => lines.push(`${stream} ${line}`),
          } as ProcessRequest);
          return { ...told(result), lines: lines.sort() };
        };
        // What a path means from a directory, the runtime is left to find out.
        assertEquals(await run(join(cwd, "tell")), await run("./tell"));
      }));
    }),
    { numRuns: 15 },
  );
});

test("a program in a group of its own leads it from the beginning", async () => {
  const { stdout } = await shell("echo $$; ps -o pgid= -o sid= -p $$", { ownGroup: true });
  const [pid = "", ...rest] = stdout.trim().split(/\s+/);
  assertEquals(rest, [pid, pid]);
  const other = await shell("ps -o pgid= -p $$ -p $PPID");
  const [one, two] = other.stdout.trim().split(/\s+/);
  assertEquals(one, two);
});

test("each program gets the variables as they are when it is started", async () => {
  const script = 'echo "${AMOF_UNIT_ONE-none} ${AMOF_UNIT_TWO-none}"';
  const said = async () => (await shell(script)).stdout;
  try {
    assertEquals(await said(), "none none\n");
    Deno.env.set("AMOF_UNIT_ONE", "1");
    assertEquals(await said(), "1 none\n");
    Deno.env.set("AMOF_UNIT_ONE", "another");
    Deno.env.set("AMOF_UNIT_TWO", "2");
    assertEquals(await said(), "another 2\n");
    Deno.env.delete("AMOF_UNIT_ONE");
    assertEquals(await said(), "none 2\n");
  } finally {
    Deno.env.delete("AMOF_UNIT_ONE");
    Deno.env.delete("AMOF_UNIT_TWO");
  }
});

test("many programs at once are each told apart", async () => {
  const numbers = Array.from({ length: 60 }, (_, index) => index);
  const results = await Promise.all(
    numbers.map((index) => shell(`cat; echo ${index} >&2; exit ${index}`, { stdin: `${index}` })),
  );
  assertEquals(
    results.map(({ stdout, stderr, exitCode }) => [stdout, stderr, exitCode]),
    numbers.map((index) => [`${index}`, `${index}\n`, index]),
  );
});

test("a program that has ended is not waited for where another holds its streams", async () => {
  // It reads nothing, and holds what the program was to read and what it prints.
  const script = "exec 3<&0; echo said; sleep 600 & echo $!";
  const { stdout, exitCode } = await shell(script, { stdin: "x".repeat(1_000_000) });
  const [said, pid] = stdout.split("\n");
  try {
    assertEquals([said, exitCode], ["said", 0]);
  } finally {
    Deno.kill(Number(pid), "SIGKILL");
  }
});

test("a program that is not where it was last found is looked for again", async () => {
  await using root = await temporaryDirectory();
  const PATH = ["first", "second"].map((name) => join(root.path, name)).join(":");
  for (const name of ["first", "second"]) {
    await Deno.mkdir(join(root.path, name));
    const file = join(root.path, name, "program");
    await Deno.writeTextFile(file, `#!/bin/sh\necho ${name}\n`, { mode: 0o755 });
  }
  const run = () => realProcesses.run({ command: "program", args: [], env: { PATH } });
  assertEquals((await run()).stdout, "first\n");
  await Deno.remove(join(root.path, "first", "program"));
  assertEquals((await run()).stdout, "second\n");
  await Deno.remove(join(root.path, "second", "program"));
  assertEquals((await run()).startError, "not_found");
});

/** Runs a script of the runtime beside the module of processes, started by a shell's words that end with it. */
async function apart(script: string, words: string): Promise<ProcessResult> {
  const module = fromFileUrl(
    import.meta.resolve("../../../../../src/base/system/real/processes.ts"),
  );
  const program = `const { realProcesses } = await import(${JSON.stringify(module)}); ${script}`;
  return await realProcesses.run({
    command: "sh",
    args: ["-c", `${words} "$0" eval --ext=ts "$1"`, Deno.execPath(), program],
  });
}

test("no descriptor is left behind, whatever becomes of a program", async () => {
  const cases: readonly ProcessRequest[] = [
    { command: "true", args: [], stdin: "x".repeat(100_000) },
    { command: "amof-no-such-program", args: [], stdin: "" },
    { command: "/etc/passwd", args: [] },
    { command: "sh", args: ["-c", "exit 0"], cwd: "/no/such/directory" },
    { command: "sh", args: ["-c", "kill -9 $$"], stdin: "" },
  ];
  const script = `
    const all = async () => {
      for (const each of ${JSON.stringify(cases)}) await realProcesses.run(each);
      return [...Deno.readDirSync("/proc/self/fd")].length;
    };
    const before = await all();
    console.log(await all() - before);
  `;
  const { stdout, stderr } = await apart(script, "exec");
  assertEquals([stdout, stderr], ["0\n", ""]);
}, "linux");

test(
  "whoever starts this program decides what its programs are given, and they are waited for",
  async () => {
    const script = `
    const args = ["-c", 'printf %s "$ODD" | od -An -tx1; exit 3'];
    const { stdout, exitCode } = await realProcesses.run({ command: "sh", args });
    console.log(stdout.trim(), exitCode);
  `;
    // A value that is no UTF-8, and no interest in how programs end.
    const words = `ODD=$(printf '\\377\\376') exec env --ignore-signal=CHLD`;
    const { stdout, stderr } = await apart(script, words);
    assertEquals([stdout, stderr], ["ff fe 3\n", ""]);
  },
  "linux",
);
