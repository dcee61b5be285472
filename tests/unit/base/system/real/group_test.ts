// Covers process groups: a program that is to have one leads it, however the system makes it.

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { realProcesses } from "../../../../../src/base/system/real/processes.ts";
import { inOwnGroup } from "../../../../../src/base/system/real/group.ts";
import { temporaryDirectory } from "../../../_support.ts";
import { shell, test } from "./_support.ts";

/** Where a program of this system is. */
async function placeOf(name: string): Promise<string> {
  return (await shell(`command -v ${name}`)).stdout.trim();
}

test("a program in a group of its own leads it, and is given its arguments as they are", async () => {
  for (const ownGroup of [true, "soon"] as const) {
    const { stdout } = await realProcesses.run({
      command: "sh",
      args: ["-c", 'echo $$; ps -o pgid= -p $$; echo "$0" "$1"', "-x", "--"],
      ownGroup,
    });
    const [pid = "", group = "", ...rest] = stdout.split("\n").map((line) => line.trim());
    assertEquals([group, rest], [pid, ["-x --", ""]]);
  }
});

test("without setsid the runtime makes the group", () => {
  const request = { command: "sh", args: ["-c", "true"] };
  assertEquals(inOwnGroup(request, "/no/such/directory"), { ...request, detached: true });
});

test("only programs that are there are left to setsid", async () => {
  await using root = await temporaryDirectory();
  const program = join(root.path, "program");
  await Deno.writeTextFile(program, "#!/bin/sh\necho ran\n", { mode: 0o755 });
  for (
    const [name, first] of Object.entries({
      orphan: "/no/such/program",
      mine: `${root.path}/mine`,
    })
  ) {
    await Deno.writeTextFile(join(root.path, name), `#!${first}\n`, { mode: 0o755 });
  }
  await Deno.writeTextFile(join(root.path, "text"), "no program", { mode: 0o644 });
  await Deno.mkdir(join(root.path, "directory"));
  const PATH = root.path;
  const left = (command: string, env: Record<string, string | null> = { PATH }) =>
    inOwnGroup({ command, args: [], env }).command !== command;
  const has = await placeOf("setsid") !== "" && Deno.build.os === "linux";
  assertEquals(
    [left("program"), left(program), left("sh", {}), left("program", { PATH: `/gone:${PATH}` })],
    [has, has, has, has],
  );
  for (
    const name of [
      "text",
      "directory",
      "gone",
      "orphan",
      "mine",
      "./program",
      "",
      `${root.path}/gone`,
    ]
  ) {
    assertEquals(left(name), false, name);
  }
  assertEquals(left("program", { PATH: `.:${PATH}` }), false);
  assertEquals(left("program", { PATH: null }), false);
  assertEquals(inOwnGroup({ command: "sh", args: [], clearEnv: true }).command, "sh");
  await Deno.remove(program);
  assertEquals(left("program"), false);
  for (const command of [program, join(root.path, "orphan")]) {
    const gone = await realProcesses.run({ command, args: [], ownGroup: true });
    assertEquals(gone.startError, "not_found");
  }
});
