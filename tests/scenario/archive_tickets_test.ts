/**
 * `amof archive --tickets` and `archive restore --tickets` from outside: workspaces of tickets come back to the byte.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { mirrorsDirectory } from "../../src/workspace/mirrors/mod.ts";
import { McpClient } from "../support/mcp_client.ts";
import { settingOf } from "../support/mirrors.ts";
import { commitIn, ownClone, ownDirectory } from "../support/own_ticket.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { World } from "../support/world.ts";

async function must(world: World, ...args: string[]): Promise<Record<string, unknown>> {
  const ran = await world.amof([...args, "--json"]);
  assertEquals(ran.code, 0, `${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
  return ran.json();
}

/** Every file below a directory with its kind, permissions and bytes. */
async function bytesOf(directory: string, at = ""): Promise<string[]> {
  const lines: string[] = [];
  for await (const { name, isDirectory, isSymlink } of Deno.readDir(join(directory, at))) {
    const path = `${at}/${name}`;
    const place = join(directory, path);
    const { mode } = await Deno.lstat(place);
    if (isSymlink) lines.push(`${path} link ${await Deno.readLink(place)}`);
    else if (isDirectory) lines.push(`${path} ${mode}`, ...await bytesOf(directory, path));
    else {
      const hash = await crypto.subtle.digest("SHA-256", await Deno.readFile(place));
      lines.push(`${path} ${mode} ${new Uint8Array(hash).toHex()}`);
    }
  }
  return lines.sort();
}

/** Two tickets that borrow from mirrors; in the first all kinds of work that is only there. */
function atWork(): Promise<World> {
  return World.like("two tickets at work", async (world) => {
    await world.makeInstalled({ repos: ["api", "web"] });
    await must(world, "ticket", "start", "T-1", "--workspace");
    await must(world, "ticket", "start", "T-2", "--workspace", "--repo", "web");
    const api = ownClone(world, "T-1", "api");
    await Deno.writeTextFile(join(api, "stashed.txt"), "stashed\n");
    await world.git(api, "stash", "push", "--quiet", "--include-untracked");
    await commitIn(api, world, "committed.txt");
    await Deno.writeTextFile(join(api, "staged.txt"), "staged\n");
    await world.git(api, "add", "staged.txt");
    await Deno.writeTextFile(join(api, "staged.txt"), "staged, then changed\n");
    await Deno.writeTextFile(join(api, "untracked.txt"), "untracked\n");
    await Deno.writeTextFile(join(api, ".git", "info", "exclude"), ".env\n");
    await Deno.writeTextFile(join(api, ".env"), "SECRET=1\n");
    await Deno.writeTextFile(join(ownDirectory(world, "T-1"), "notes.md"), "notes\n");
  });
}

async function mirrorsOf(world: World): Promise<string[]> {
  const listed = (await world.amof(["mirror", "list", "--json"])).json();
  return rows(listed, "mirrors").map(({ name, state }) => `${name} ${state}`);
}

Deno.test("archive --tickets puts tickets away as they are, and restore --tickets brings every byte back", async () => {
  await using world = await atWork();
  const tickets = ["T-1", "T-2"].map((id) => ownDirectory(world, id));
  const before = await Promise.all(tickets.map((directory) => bytesOf(directory)));
  // What is repeated with a flag more keeps what was typed.
  const refused = await world.amof(["archive", "-m", "Until spring"]);
  assertStringIncludes(
    refused.stderr,
    "Put them away, too: amof archive -m 'Until spring' --tickets\n",
  );
  const plan = await must(world, "archive", "--tickets", "--dry-run");
  const effects = JSON.stringify(plan);
  for (
    const line of [
      "Put worktrees/demo@T-1 away as it is, with 2 clones: nothing of it is deleted or pushed",
      "Keep T-1/api: 1 unpushed commit",
      "Keep T-1/api: 1 stash",
      "staged.txt",
      "untracked.txt",
      "notes.md",
      "Put worktrees/demo@T-2 away",
    ]
  ) assertStringIncludes(effects, line);
  const done = await must(world, "archive", "--tickets", "--yes");
  const away = rows(done, "result", "ticket_workspaces").map(({ away }) => String(away));
  for (const directory of [world.workspace(), ...tickets]) {
    assert(!await world.exists(directory), directory);
  }
  for (const place of away) assert(await world.exists(join(world.control, place)), place);
  assertEquals(await world.git(world.control, "status", "--porcelain", "worktrees"), "");
  const refs = await world.git(join(world.remotes, "api.git"), "for-each-ref", "refs/heads");
  assert(!refs.includes("T-1"), "a ticket was pushed");
  // Nobody takes away meanwhile what they borrow.
  await must(world, "mirror", "prune", "--yes");
  assertEquals((await mirrorsOf(world)).length, 2);
  const doctor = await world.amof(["doctor"]);
  assertStringIncludes(doctor.stdout, "archive restore --tickets");
  const list = await must(world, "archive", "list");
  assertEquals(pick(list, "archives", 0, "ticket_workspaces"), ["T-1", "T-2"]);

  const back = await must(world, "archive", "restore", "--tickets", "--yes");
  assertEquals(
    rows(back, "result", "ticket_workspaces").map((row) => [
      row["ticket_id"],
      pick(row, "ports", "base"),
      pick(row, "ports", "kept"),
      row["missing"],
    ]),
    [["T-1", 20000, true, []], ["T-2", 20020, true, []]],
  );
  const after = await Promise.all(tickets.map((directory) => bytesOf(directory)));
  assertEquals(after, before);
  const status = await must(world, "status", "--ticket", "T-1");
  assertEquals(rows(status, "repos").map(({ untrusted }) => untrusted ?? null), [null, null]);
  await must(world, "doctor");
});

Deno.test("restore --tickets makes a mirror again that is gone, and gives new ports where others have the old", async () => {
  await using world = await atWork();
  await must(world, "archive", "--tickets", "--yes");
  await Deno.remove(mirrorsDirectory(settingOf(world).ctx.layout), { recursive: true });
  // A ticket of the same id has come and gone, and its ports with it; another one has them now.
  await must(world, "install", "--yes");
  await must(world, "ticket", "start", "T-1", "--workspace", "--repo", "web");
  await must(world, "ticket", "end", "T-1", "--yes");
  await must(world, "ticket", "start", "T-3", "--workspace", "--repo", "web");
  const plan = await must(world, "archive", "restore", "--tickets", "--dry-run");
  assert(!JSON.stringify(plan).includes("Make worktrees/demo on branch"), "the workspace is there");
  const ran = await world.amof(["archive", "restore", "--tickets", "--yes", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  const [first, second] = rows(ran.json(), "result", "ticket_workspaces");
  assertEquals([pick(first, "ports", "kept"), pick(second, "ports", "kept")], [false, true]);
  const port = String(pick(first, "ports", "base"));
  assertStringIncludes(
    await Deno.readTextFile(join(ownDirectory(world, "T-1"), ".amof", "env")),
    `AMOF_PORT_BASE=${port}\n`,
  );
  const env = await world.amof(["ticket", "env", "T-1", "--shell", "dotenv"]);
  assertStringIncludes(env.stdout, `AMOF_PORT_BASE=${port}\n`);
  await world.git(ownClone(world, "T-1", "api"), "fsck", "--connectivity-only");
  const stashes = await world.git(ownClone(world, "T-1", "api"), "stash", "list", "--format=%s");
  assertStringIncludes(stashes, "WIP on feature/T-1");
  // Nothing is left to bring back.
  const again = await world.amof(["archive", "restore", "--tickets", "--yes", "--json"]);
  assertEquals([again.code, pick(again.json(), "error")], [2, "archive_not_found"], again.stdout);
});

Deno.test("restore without --tickets leaves tickets put away and says so; a taken id is left out", async () => {
  await using world = await atWork();
  await must(world, "archive", "--tickets", "--yes");
  const base = await world.amof(["archive", "restore", "--yes"]);
  assertEquals(base.code, 0, base.stdout + base.stderr);
  assertStringIncludes(base.stdout, "Still put away: T-1 and T-2");
  await must(world, "ticket", "start", "T-2", "--repo", "web");
  const ran = await world.amof(["archive", "restore", "--tickets", "--yes", "--json"]);
  assertEquals([ran.code, pick(ran.json(), "error")], [5, "partial_failure"], ran.stdout);
  assertStringIncludes(ran.stdout, "a ticket of that id is worked on in the base workspace");
  assert(await world.exists(ownDirectory(world, "T-1")));
  assert(!await world.exists(ownDirectory(world, "T-2")));
  // It comes back as soon as the id is free.
  await must(world, "ticket", "end", "T-2");
  await must(world, "archive", "restore", "--tickets", "--yes");
  assert(await world.exists(ownClone(world, "T-2", "web")));
});

Deno.test("a record that leads elsewhere brings nothing back", async () => {
  await using world = await atWork();
  const done = await must(world, "archive", "--tickets", "--yes");
  const file = join(world.control, String(pick(done, "result", "file")));
  const record = JSON.parse(await Deno.readTextFile(file));
  for (const away of ["../../elsewhere", ".demo@T-2.amof-archived-00000000", "repos"]) {
    record.ticket_workspaces = [{ ticket_id: "T-1", away, repos: [] }, { away: 3 }];
    await Deno.writeTextFile(file, JSON.stringify(record));
    const plan = await world.amof(["archive", "restore", "--tickets", "--dry-run", "--json"]);
    assertEquals(plan.code, 0, plan.stdout);
    assertStringIncludes(plan.stdout, "Leave out T-1: its workspace is not on this machine");
    assertStringIncludes(plan.stdout, "a workspace of a ticket that is not said which");
  }
});

Deno.test("archive --tickets refuses while the caller stands in a ticket, or its record cannot be used", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await makeTicket(world, "T-1");
  const inside = await world.amof(["archive", "--tickets", "--yes", "--json", "-e", "demo"], {
    cwd: ownClone(world, "T-1", "api"),
  });
  assertEquals(inside.code, 1, inside.stdout);
  await Deno.writeTextFile(join(ownDirectory(world, "T-1"), ".amof", "ticket.json"), "{}");
  const ran = await world.amof(["archive", "--tickets", "--yes", "--json"]);
  assertEquals([ran.code, pick(ran.json(), "error")], [1, "state_corrupt"], ran.stdout);
  assert(await world.exists(ownDirectory(world, "T-1")));
  assert(await world.exists(world.workspace()));
});

Deno.test("amof_archive_ecosystem and amof_restore_archive take tickets along over MCP", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await makeTicket(world, "T-1");
  const before = await bytesOf(ownDirectory(world, "T-1"));
  await using client = await McpClient.executing(world, "ecosystem");
  const both = async (tool: string) => {
    const asked = await client.call(tool, { tickets: true });
    const token = /amof_confirm\(token="([^"]+)"\)/.exec(asked.text)?.[1];
    assert(token !== undefined, asked.text);
    const confirmed = await client.call("amof_confirm", { token });
    assert(!confirmed.isError, confirmed.text);
    return await client.finished(String(confirmed.data["run_id"]));
  };
  const refused = await client.call("amof_archive_ecosystem", {});
  assertEquals(refused.data["error"], "workspace_in_use");
  assertStringIncludes(refused.text, "tickets");
  assertEquals((await both("amof_archive_ecosystem"))["status"], "success");
  assert(!await world.exists(ownDirectory(world, "T-1")));
  assertEquals((await both("amof_restore_archive"))["status"], "success");
  assertEquals(await bytesOf(ownDirectory(world, "T-1")), before);
});
