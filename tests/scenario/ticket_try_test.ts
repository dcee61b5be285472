/**
 * `amof ticket try`: a program in the joint result of tickets, from outside.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows, until } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { ownClone } from "../support/own_ticket.ts";
import { World } from "../support/world.ts";
import { requestIn } from "../protocol/_support.ts";

const POSIX = Deno.build.os !== "windows";

/** Commits a file in a clone. */
async function write(world: World, clone: string, file: string, text: string): Promise<void> {
  await Deno.writeTextFile(join(clone, file), text);
  await world.git(clone, "add", file);
  await world.git(clone, "commit", "--quiet", "-m", `Write ${file}`);
}

/**
 * T-1 and T-2 with workspaces of their own, T-3 in the base workspace. They change different files, but T-2 and T-3 both
 * `same.txt` of `web`.
 */
function three(): Promise<World> {
  return World.like("three tickets to try", async (world) => {
    await world.makeInstalled();
    for (const id of ["T-1", "T-2"]) {
      assertEquals((await world.amof(["ticket", "start", id, "--workspace"])).code, 0);
    }
    assertEquals((await world.amof(["ticket", "start", "T-3"])).code, 0);
    await write(world, ownClone(world, "T-1", "api"), "one.txt", "one\n");
    await write(world, ownClone(world, "T-2", "api"), "two.txt", "two\n");
    await write(world, ownClone(world, "T-2", "web"), "same.txt", "two\n");
    await write(world, world.clone("api"), "three.txt", "three\n");
    await write(world, world.clone("web"), "same.txt", "three\n");
  });
}

const TRY = ["ticket", "try"];

async function names(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).sort();
}

/** Everything about the repositories that nobody may change. */
async function stand(world: World): Promise<unknown> {
  const clones = ["api", "web"].flatMap((repo) => [
    world.clone(repo),
    ...["T-1", "T-2"].map((id) => ownClone(world, id, repo)),
  ]);
  return [
    await names(join(world.control, "worktrees")),
    ...await Promise.all(clones.map(async (clone) => [
      await world.git(clone, "for-each-ref"),
      await world.git(clone, "status", "--porcelain", "--branch"),
    ])),
  ];
}

const ENTRIES = ["demo", "demo@T-1", "demo@T-2"];

Deno.test("amof ticket try runs a program in what tickets come to together, and leaves nothing behind", async () => {
  await using world = await three();
  const before = await stand(world);
  const plan = await world.amof([...TRY, "T-1", "T-3", "--dry-run", "--", "true"]);
  assertMatch(plan.stdout, /Merge T-1 \([0-9a-f]{7}\) and T-3 \([0-9a-f]{7}\) over main of api/);
  // What would be done stands line below line.
  assertMatch(plan.stdout, /of api, in a clone of its own\n\S/);
  assertEquals(await stand(world), before);

  const line =
    'ls repos/api; cat repos/web/same.txt; ls repos/docs; echo "for $AMOF_TICKETS [$AMOF_TICKET]"';
  const ran = await world.amof([...TRY, "T-1", "T-3", "--shell", line]);
  assertEquals(ran.code, 0, ran.stderr);
  for (const text of ["one.txt", "three.txt", "three\n", "README.md", "for T-1 T-3 []"]) {
    assertStringIncludes(ran.stdout, text);
  }
  assertEquals(ran.stdout.includes("two.txt"), false);
  assertEquals(await stand(world), before);

  const failed = await world.amof([...TRY, "T-1", "T-2", "--json", "--", "sh", "-c", "exit 7"]);
  assertEquals([failed.code, failed.json()["error"]], [7, "subprocess_failed"]);
  assertEquals(
    rows(failed.json(), "repos").map(({ name, tickets }) => [name, tickets]),
    [["api", ["T-1", "T-2"]], ["web", ["T-1", "T-2"]], ["docs", []]],
  );
  const nothing = await world.amof([...TRY, "T-1", "--", "no-such-program"]);
  assertEquals(nothing.code, 127);
  const slow = await world.amof([...TRY, "T-1", "--time-limit", "1", "--", "sleep", "60"]);
  assertEquals(slow.code, 124);
  assertEquals(await stand(world), before);
});

Deno.test("amof ticket try names what conflicts and runs nothing, unless what conflicts is left out", async () => {
  await using world = await three();
  const before = await stand(world);
  const mark = join(world.directory, "ran");
  const args = [...TRY, "T-2", "T-3"];
  const ran = await world.amof([...args, "--json", "--", "touch", mark]);
  assertEquals([ran.code, ran.json()["error"]], [3, "check_failed"]);
  const web = rows(ran.json(), "repos").find(({ name }) => name === "web");
  assertEquals([web?.["tickets"], web?.["conflicts"]], [
    ["T-2"],
    [{ ticket: "T-3", files: ["same.txt"] }],
  ]);
  assertEquals(await world.exists(mark), false);
  const told = await world.amof([...args, "--", "touch", mark]);
  assertStringIncludes(told.stdout + told.stderr, "✗ web: T-3 conflicts in same.txt");

  const went = await world.amof([
    ...args,
    "--keep-going",
    "--",
    "cat",
    "repos/web/same.txt",
    "repos/api/three.txt",
  ]);
  assertEquals(went.code, 0, went.stderr);
  assertStringIncludes(went.stdout, "two\nthree\n");
  // Only what conflicts is left out.
  const only = await world.amof([...args, "--repo", "api", "--", "ls", "repos/api"]);
  assertEquals(only.code, 0, only.stderr);
  assertEquals(await stand(world), before);
});

Deno.test("amof ticket try --keep leaves clones that need nobody", async () => {
  await using world = await three();
  const ran = await world.amof([...TRY, "T-1", "T-2", "--keep", "--json", "--", "true"]);
  assertEquals(ran.code, 0, ran.stdout);
  const kept = String(ran.json()["kept"]);
  await Deno.remove(join(world.env["AMOF_HOME"] ?? "", "share", "mirrors"), { recursive: true });
  for (const id of ["T-1", "T-2"]) {
    await Deno.remove(join(`${world.workspace()}@${id}`), { recursive: true });
  }
  await world.git(join(kept, "repos", "api"), "fsck", "--full", "--strict");
  assertEquals(
    await world.git(join(kept, "repos", "api"), "branch", "--show-current"),
    "joint/T-1+T-2",
  );
  assertEquals(await world.git(world.control, "status", "--porcelain"), "");
  const doctor = await world.amof(["doctor", "--repair", "--yes"]);
  assert(await world.exists(join(kept, "repos", "api")), doctor.stdout);
});

Deno.test("amof ticket try refuses what cannot be tried", async () => {
  await using world = await three();
  const error = async (...args: string[]) => {
    const ran = await world.amof([...TRY, ...args]);
    return [ran.code, ran.stderr.split("\n")[0]];
  };
  assertEquals(await error("T-1", "--json"), [2, ""]);
  assertMatch(String((await error("T-9", "--", "true"))[1]), /Cannot find the open ticket "T-9"/);
  assertMatch(
    String((await error("T-1", "--shell", "true", "--", "true"))[1]),
    /Cannot run several things at once/,
  );
  assertMatch(
    String((await error("T-1", "--repo", "docs", "--", "true"))[1]),
    /none of the selected repositories is worked on/,
  );
});

Deno.test({
  name:
    "a ticket try that is interrupted or killed leaves nothing that doctor --repair does not remove",
  ignore: !POSIX,
  async fn() {
    await using world = await three();
    const before = await stand(world);
    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      const pids = join(world.directory, `pids-${signal}`);
      const script = `echo $$ > '${pids}.new' && mv '${pids}.new' '${pids}' && exec sleep 300`;
      const running = world.start([...TRY, "T-1", "T-2", "--", "sh", "-c", script]);
      await until("the program runs", () => world.exists(pids));
      const pid = Number(await Deno.readTextFile(pids));
      running.kill(signal);
      await running.output();
      const repaired = await world.amof(["doctor", "--repair", "--yes"]);
      assertEquals(await names(join(world.control, "worktrees")), ENTRIES, repaired.stdout);
      const alive = await world.command("ps", ["-o", "stat=", "-p", String(pid)]);
      assert(alive.code !== 0 || alive.stdout.trim().startsWith("Z"), `${signal}: it goes on`);
    }
    assertEquals(await stand(world), before);
  },
});

Deno.test("amof_ticket_try runs only what a person has approved, and never in plan or ask", async () => {
  await using world = await three();
  const mark = join(world.directory, "ran");
  const call = { tickets: ["T-1", "T-2"], command: ["touch", mark] };
  const flags = ["--toolsets", "all", "--ecosystem", "demo"];
  await using client = new McpClient(world, [...flags, "--mode", "execute"]);
  await client.initialize();
  const refused = await client.call("amof_ticket_try", call);
  assertEquals(refused.data["error"], "task_untrusted", refused.text);
  const trust = ["exec", "trust", "--", "touch", mark];
  const seen = await world.amof([...trust.slice(0, 2), "--dry-run", "--json", ...trust.slice(2)]);
  const hash = String(pick(seen.json(), "preview", "hash"));
  const trusted = await world.amof([
    ...trust.slice(0, 2),
    "--hash",
    hash,
    "--yes",
    ...trust.slice(2),
  ]);
  assertEquals(trusted.code, 0, trusted.stderr);
  for (const mode of ["plan", "ask"]) {
    const planned = await client.call("amof_ticket_try", { ...call, mode });
    assertEquals(await world.exists(mark), false, planned.text);
  }
  const asked = await client.call("amof_ticket_try", call);
  const { token } = requestIn(asked);
  const run = await client.call("amof_confirm", { token });
  const ended = await client.finished(String(run.data["run_id"]));
  assertEquals(ended["status"], "success", JSON.stringify(ended));
  assert(await world.exists(mark));
  assertEquals(await names(join(world.control, "worktrees")), ENTRIES);
});
