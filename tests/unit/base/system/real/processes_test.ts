// Covers realProcesses with small real programs: how they end, what they say, what they inherit.

import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import type { ProcessIdentity } from "../../../../../src/base/system/mod.ts";
import { realProcesses } from "../../../../../src/base/system/real/processes.ts";
import { temporaryDirectory } from "../../../_support.ts";
import { eventually, shell, test } from "./_support.ts";

const unknownTimes = (pid: number): ProcessIdentity => ({ pid, startedAt: null, bootId: null });

// How a program ends.

test("realProcesses.run() answers what a program said and how it ended", async () => {
  const result = await shell("echo out; echo err >&2; exit 7");
  assertEquals([result.exitCode, result.stdout, result.stderr], [7, "out\n", "err\n"]);
  assertEquals([
    result.signal,
    result.timedOut,
    result.cancelled,
    result.startError,
    result.truncated,
  ], [
    null,
    false,
    false,
    null,
    false,
  ]);
});

test("realProcesses.run() hands arguments over as they are", async () => {
  const args = ["a b", "$HOME", "`x`", "*", "", "-n", 'q"uote', "ä\nb"];
  const result = await realProcesses.run({
    command: "sh",
    args: ["-c", 'printf "%s|" "$@"', "sh", ...args],
  });
  assertEquals(result.stdout, args.map((arg) => `${arg}|`).join(""));
});

test("realProcesses.run() reports the signal that ended a program", async () => {
  const result = await shell("kill -9 $$");
  assertEquals([result.signal, result.exitCode, result.timedOut], ["SIGKILL", 137, false]);
});

test("realProcesses.run() reports a program that does not exist", async () => {
  const result = await realProcesses.run({ command: "amof-no-such-program", args: ["x"] });
  assertEquals([result.startError, result.exitCode, result.args], ["not_found", -1, ["x"]]);
});

test("realProcesses.run() reports a program that may not be run", async () => {
  await using directory = temporaryDirectory();
  const command = join(directory.path, "data");
  await Deno.writeTextFile(command, "x", { mode: 0o644 });
  assertEquals((await realProcesses.run({ command, args: [] })).startError, "not_allowed");
});

test("realProcesses.run() runs in the directory it is given", async () => {
  await using directory = temporaryDirectory();
  assertEquals((await shell("pwd -P", { cwd: directory.path })).stdout, `${directory.path}\n`);
});

test("realProcesses.run() ends a program when its time is over", async () => {
  const result = await shell("echo begun; exec sleep 60", { timeoutMs: 3_000 });
  assertEquals([result.timedOut, result.cancelled, result.signal], [true, false, "SIGTERM"]);
  assertEquals(result.stdout, "begun\n");
});

test("realProcesses.run() ends a program when it is cancelled", async () => {
  const controller = new AbortController();
  const result = await shell("echo begun; exec sleep 60", {
    signal: controller.signal,
    onLine: () => controller.abort(),
  });
  assertEquals([result.cancelled, result.timedOut, result.signal], [true, false, "SIGTERM"]);
});

test("realProcesses.run() starts nothing when it was cancelled before", async () => {
  await using directory = temporaryDirectory();
  const result = await shell("touch mark", { cwd: directory.path, signal: AbortSignal.abort() });
  assertEquals([result.cancelled, result.exitCode], [true, 130]);
  assertEquals(await Array.fromAsync(Deno.readDir(directory.path)), []);
});

test("realProcesses.run() ends a program's children with it when it has a group of its own", async () => {
  const controller = new AbortController();
  let child = 0;
  // The child does not even listen to the polite request.
  await shell(`sh -c 'trap "" TERM; echo $$; exec sleep 60' & wait`, {
    ownGroup: true,
    signal: controller.signal,
    onLine: (_stream, line) => {
      child = Number(line);
      controller.abort();
    },
  });
  assert(child > 1);
  await eventually(
    async () => !await realProcesses.isAlive(unknownTimes(child)),
    "the child is gone",
  );
});

// What a program is given.

test("realProcesses.run() closes standard input from the start", async () => {
  assertEquals((await shell("cat; echo end")).stdout, "end\n");
});

test("realProcesses.run() writes standard input and closes it", async () => {
  const stdin = "line\n".repeat(50_000);
  assertEquals((await shell("wc -c", { stdin })).stdout.trim(), String(stdin.length));
});

test("realProcesses.run() does not mind a program that reads no input", async () => {
  assertEquals((await shell("exit 3", { stdin: "x".repeat(1_000_000) })).exitCode, 3);
});

test("realProcesses.run() adds to the environment it inherits", async () => {
  Deno.env.set("AMOF_UNIT_TEST", "inherited");
  try {
    const script = 'echo "$AMOF_UNIT_TEST $AMOF_UNIT_ADDED"';
    assertEquals(
      (await shell(script, { env: { AMOF_UNIT_ADDED: "added" } })).stdout,
      "inherited added\n",
    );
    assertEquals((await shell(script, { env: { AMOF_UNIT_TEST: "other" } })).stdout, "other \n");
  } finally {
    Deno.env.delete("AMOF_UNIT_TEST");
  }
});

test("realProcesses.run() removes a variable that is null", async () => {
  Deno.env.set("AMOF_UNIT_TEST", "inherited");
  try {
    const env = { AMOF_UNIT_TEST: null, AMOF_UNIT_ADDED: "added" };
    const result = await shell('echo "${AMOF_UNIT_TEST-removed} $AMOF_UNIT_ADDED ${PATH:+kept}"', {
      env,
    });
    assertEquals(result.stdout, "removed added kept\n");
  } finally {
    Deno.env.delete("AMOF_UNIT_TEST");
  }
});

test("realProcesses.run() gives a cleared environment nothing else", async () => {
  Deno.env.set("AMOF_UNIT_TEST", "inherited");
  try {
    const result = await realProcesses.run({
      command: "/usr/bin/env",
      args: [],
      clearEnv: true,
      env: { ONLY: "this", NOT: null },
    });
    assertEquals(result.stdout, "ONLY=this\n");
  } finally {
    Deno.env.delete("AMOF_UNIT_TEST");
  }
});

// What a program says.

test("realProcesses.run() keeps output up to the limit and says that there was more", async () => {
  const result = await shell("printf 1234567890; printf 12345 >&2", { maxOutputBytes: 6 });
  assertEquals([result.stdout, result.stderr, result.truncated], ["123456", "12345", true]);
});

test("realProcesses.run() does not call output truncated that just fits", async () => {
  const result = await shell("printf 123456", { maxOutputBytes: 6 });
  assertEquals([result.stdout, result.truncated], ["123456", false]);
});

test("realProcesses.run() reads on past the limit, so that the program can end", async () => {
  const result = await shell("head -c 1000000 /dev/zero; echo end >&2", { maxOutputBytes: 10 });
  assertEquals([result.stdout.length, result.stderr, result.exitCode], [10, "end\n", 0]);
});

test("realProcesses.run() joins a character that arrives in two halves", async () => {
  const lines: string[] = [];
  const result = await shell("printf '\\303'; sleep 0.1; printf '\\251\\n'", {
    onLine: (_stream, line) => lines.push(line),
  });
  assertEquals([result.stdout, lines], ["é\n", ["é"]]);
});

test("realProcesses.run() delivers lines as they come, the last one without a newline too", async () => {
  const lines: string[] = [];
  await shell("printf 'one\\r\\n\\ntwo\\nthree'; printf 'wrong\\n' >&2", {
    onLine: (stream, line) => lines.push(`${stream} ${line}`),
  });
  assertEquals(lines.filter((line) => line.startsWith("stdout")), [
    "stdout one",
    "stdout ",
    "stdout two",
    "stdout three",
  ]);
  assertEquals(lines.filter((line) => line.startsWith("stderr")), ["stderr wrong"]);
});

test("realProcesses.run() delivers a line before the program goes on", async () => {
  await using directory = temporaryDirectory();
  const result = await shell("echo ready; while [ ! -e go ]; do sleep 0.02; done; echo went", {
    cwd: directory.path,
    timeoutMs: 20_000,
    onLine: (_stream, line) => {
      if (line === "ready") Deno.writeTextFileSync(join(directory.path, "go"), "");
    },
  });
  assertEquals([result.stdout, result.timedOut], ["ready\nwent\n", false]);
});

test("realProcesses.run() delivers an endless line in pieces", async () => {
  const pieces: string[] = [];
  await shell("head -c 300000 /dev/zero | tr '\\0' x", {
    onLine: (_stream, line) => pieces.push(line),
  });
  assertEquals(pieces.join(""), "x".repeat(300_000));
  assert(pieces.length > 1);
});

test("realProcesses.run() ends a program that prints nothing for too long", async () => {
  const result = await shell("echo one; sleep 60", { silenceMs: 200 });
  assertEquals([result.stdout, result.stalledMs, result.timedOut], ["one\n", 200, false]);
});

test("realProcesses.run() leaves a program alone that goes on printing", async () => {
  const result = await shell(
    "for i in 1 2 3 4 5 6 7 8; do printf 'x\\r' >&2; sleep 0.1; done; echo done",
    { silenceMs: 600 },
  );
  assertEquals([result.stdout, result.stalledMs, result.exitCode], ["done\n", undefined, 0]);
});

// Who is running.

test("realProcesses.me() is alive", async () => {
  const me = await realProcesses.me();
  assertEquals([me.pid, await realProcesses.isAlive(me)], [Deno.pid, true]);
});

test("realProcesses.detach() starts a program in its own group, alive until it is ended", async () => {
  const identity = await realProcesses.detach(["sh", "-c", "sleep 60 & wait"], { cwd: "/" });
  try {
    assertEquals(await realProcesses.isAlive(identity), true);
    const group = await shell(`ps -o pgid= -p ${identity.pid}`);
    assertEquals(Number(group.stdout), identity.pid);
  } finally {
    assertEquals(realProcesses.signal(identity.pid, "SIGKILL", true), true);
  }
  await eventually(async () => !await realProcesses.isAlive(identity), "the program is gone");
});

test("realProcesses.detach() gives the program its directory and environment", async () => {
  await using directory = temporaryDirectory();
  await realProcesses.detach(["sh", "-c", 'echo "$WORD" > new; mv new done'], {
    cwd: directory.path,
    env: { WORD: "hello" },
  });
  const read = () => Deno.readTextFile(join(directory.path, "done")).catch(() => "");
  await eventually(async () => await read() !== "", "the program has written");
  assertEquals(await read(), "hello\n");
});

test("realProcesses.detach() refuses to start nothing", async () => {
  await assertRejects(() => realProcesses.detach([], { cwd: "/" }), TypeError);
});

test("realProcesses.endOrphans() ends what a vanished leader left behind in its group", async () => {
  await using directory = temporaryDirectory();
  const leader = await realProcesses.detach(
    ["sh", "-c", "sleep 60 & echo $! > new; mv new pid; wait"],
    { cwd: directory.path },
  );
  const read = () => Deno.readTextFile(join(directory.path, "pid")).catch(() => "");
  await eventually(async () => await read() !== "", "the child has begun");
  const orphan = unknownTimes(Number(await read()));
  realProcesses.signal(leader.pid, "SIGKILL", false);
  await eventually(async () => !await realProcesses.isAlive(leader), "the leader is gone");
  // Before the last boot the same number belonged to another process.
  await realProcesses.endOrphans({ ...leader, bootId: "another boot" });
  assertEquals(await realProcesses.isAlive(orphan), true);
  await realProcesses.endOrphans(leader);
  await eventually(async () => !await realProcesses.isAlive(orphan), "the orphan is gone");
});

test("realProcesses.endOrphans() leaves the group of a living leader alone", async () => {
  const leader = await realProcesses.detach(["sleep", "60"], { cwd: "/" });
  try {
    await realProcesses.endOrphans(leader);
    assertEquals(await realProcesses.isAlive(leader), true);
  } finally {
    realProcesses.signal(leader.pid, "SIGKILL", true);
  }
});

test(
  "realProcesses.endMarked() ends whatever was started with a mark, wherever it went",
  async () => {
    const mark = `AMOF_TEST_MARK=${crypto.randomUUID()}`;
    const [name = "", value = ""] = mark.split("=");
    const start = (env: Record<string, string>) =>
      realProcesses.detach(["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"], {
        cwd: "/",
        env,
      });
    const marked = [await start({ [name]: value }), await start({ [name]: value })];
    const others = [await start({ [name]: `${value}x` }), await start({ OTHER: mark })];
    try {
      await realProcesses.endMarked(mark);
      for (const process of marked) {
        await eventually(async () => !await realProcesses.isAlive(process), "it is gone");
      }
      for (const process of others) assertEquals(await realProcesses.isAlive(process), true);
    } finally {
      for (const { pid } of [...marked, ...others]) realProcesses.signal(pid, "SIGKILL", true);
    }
  },
  "linux",
);

test(
  "realProcesses.findMarked() finds what was started with a mark, without what that has started",
  async () => {
    const value = crypto.randomUUID();
    const start = (env: Record<string, string>) =>
      realProcesses.detach(["sh", "-c", "sleep 60 & sleep 60 & wait"], { cwd: "/", env });
    const marked = await start({ AMOF_TEST_MARK: value });
    const other = await start({ AMOF_TEST_MARK: `${value}x` });
    try {
      const mark = `AMOF_TEST_MARK=${value}`;
      await eventually(async () => {
        const found = await realProcesses.findMarked(mark);
        return found.length === 1 && found[0]?.pid === marked.pid &&
          found[0].startedAt === marked.startedAt;
      }, "it alone is found");
      assertEquals(await realProcesses.findMarked(`${mark}y`), []);
    } finally {
      for (const { pid } of [marked, other]) realProcesses.signal(pid, "SIGKILL", true);
    }
  },
  "linux",
);

test("realProcesses.isAlive() is false for a process that has ended", async () => {
  const result = await shell("echo $$");
  assertEquals(await realProcesses.isAlive(unknownTimes(Number(result.stdout))), false);
});

test("realProcesses.isAlive() is false for another process with the same number", async () => {
  const me = await realProcesses.me();
  assertNotEquals(me.startedAt, null);
  assertEquals(await realProcesses.isAlive({ ...me, startedAt: "1" }), false);
  assertEquals(await realProcesses.isAlive({ ...me, bootId: "another boot" }), false);
}, "linux");

test("realProcesses.isAlive() believes the number where nothing else is known", async () => {
  assertEquals(await realProcesses.isAlive(unknownTimes(Deno.pid)), true);
});

test(
  "realProcesses.isAlive() is false for a process that ended and was not collected",
  async () => {
    const controller = new AbortController();
    let zombie = 0;
    let answer = true;
    const running = shell("sleep 0.1 & echo $!; exec sleep 60", {
      signal: controller.signal,
      onLine: (_stream, line) => void (zombie = Number(line)),
    });
    try {
      await eventually(() => Promise.resolve(zombie > 1), "the number is known");
      await eventually(
        async () => (await shell(`ps -o stat= -p ${zombie}`)).stdout.startsWith("Z"),
        "it is a zombie",
      );
      answer = await realProcesses.isAlive(unknownTimes(zombie));
    } finally {
      controller.abort();
      await running;
    }
    assertEquals(answer, false);
  },
  "linux",
);

test("realProcesses.isAlive() is false for numbers that mean no single process", async () => {
  for (const pid of [0, -1, 1.5, NaN]) {
    assertEquals(await realProcesses.isAlive(unknownTimes(pid)), false);
  }
});

test("realProcesses.signal() is false for numbers that mean more than one process", () => {
  for (const pid of [1, 0, -1, 1.5, NaN]) {
    assertEquals(realProcesses.signal(pid, "SIGTERM", true), false);
  }
});

test("realProcesses.signal() is false for a process that is gone", async () => {
  const result = await shell("echo $$");
  assertEquals(realProcesses.signal(Number(result.stdout), "SIGTERM", false), false);
});

test("realProcesses.self() begins with this program", () => {
  assertEquals(realProcesses.self()[0], Deno.execPath());
});
