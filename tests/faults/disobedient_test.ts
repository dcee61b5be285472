/**
 * Programs that are asked to end and do not.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { realProcesses } from "../../src/base/system/real/processes.ts";
import { eventually, shell, test } from "../unit/base/system/real/_support.ts";
import { temporaryDirectory } from "../unit/_support.ts";
import { writeProgram } from "../support/program.ts";

test("realProcesses.run() kills a program that does not obey", async () => {
  const result = await shell("trap '' TERM; echo begun; while :; do sleep 1; done", {
    timeoutMs: 3_000,
    ownGroup: true,
  });
  assertEquals([result.timedOut, result.signal], [true, "SIGKILL"]);
});

test(
  "realProcesses.endMarked() asks first, and spares what made itself independent and is no git",
  async () => {
    await using directory = temporaryDirectory();
    const mark = `AMOF_TEST_MARK=${crypto.randomUUID()}`;
    const [name = "", value = ""] = mark.split("=");
    const loop = "while :; do sleep 0.1; done";
    const git = join(directory.path, "git");
    await writeProgram(
      git,
      `#!/bin/sh\ntrap 'echo asked > asked; exit' TERM\necho > ready\n${loop}\n`,
    );
    const options = { cwd: directory.path, env: { [name]: value } };
    const daemon = await realProcesses.detach(["sh", "-c", loop], options);
    const ours = await realProcesses.detach([git], options);
    try {
      const there = (file: string) =>
        Deno.stat(join(directory.path, file)).then(() => true, () => false);
      await eventually(() => there("ready"), "git listens");
      await realProcesses.endMarked(mark, { graceMs: 5_000, spareDaemons: true });
      assertEquals([await realProcesses.isAlive(ours), await there("asked")], [false, true]);
      assertEquals(await realProcesses.isAlive(daemon), true);
    } finally {
      for (const { pid } of [daemon, ours]) realProcesses.signal(pid, "SIGKILL", true);
    }
  },
  "linux",
);
