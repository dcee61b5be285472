// A newest run that undo cannot take back: it is named, with the way back, before any older one may be undone, through
// both doors; `amof operations` tells the same.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { CHANGELOG, giveRemote } from "../support/release_world.ts";
import { World } from "../support/world.ts";
import { writeProgram } from "../support/program.ts";

async function must(world: World, ...args: string[]): Promise<Record<string, unknown>> {
  const ran = await world.amof([...args, "--json"]);
  assertEquals(ran.code, 0, `${args.join(" ")}: ${ran.stdout}${ran.stderr}`);
  return ran.json();
}

/** The id of the run of an answer. */
function runOf(answer: Record<string, unknown>): string {
  return String(pick(answer, "run_id"));
}

/** A ticket that was moved, after a program wrote a file into another repository: what it wrote could be undone. */
async function moved(): Promise<{ world: World; wrote: string; move: string }> {
  const world = await World.installed({ repos: ["api", "web"] });
  await must(world, "ticket", "start", "T-1", "--repo", "api");
  const wrote = runOf(await must(world, "exec", "--repo", "web", "--shell", "echo made > made"));
  const move = runOf(await must(world, "ticket", "move", "T-1", "--workspace", "--yes"));
  return { world, wrote, move };
}

Deno.test("undo names a newest run that cannot be undone and the way back, and undoes an older one only by its name", async () => {
  const { world, wrote, move } = await moved();
  await using _world = world;
  const made = join(world.clone("web"), "made");
  const refused = await world.amof(["undo", "--yes", "--json"]);
  assertEquals([refused.code, pick(refused.json(), "error")], [4, "undo_impossible"]);
  assertEquals(
    pick(refused.json(), "message"),
    `Cannot undo the newest run, ticket move ${move.slice(0, 8)}: there is no undo for it`,
  );
  assertEquals(
    pick(refused.json(), "hint"),
    `Move the ticket again: amof ticket move T-1 --in-place\nUndo the newest that can be undone, exec: amof undo ${
      wrote.slice(0, 8)
    }`,
  );
  assertEquals(pick(refused.json(), "details", "older"), wrote);
  assert(await world.exists(made));

  const listed = await must(world, "operations");
  const [newest, older] = rows(listed, "operations");
  assertEquals(
    [newest?.["run_id"], newest?.["ticket"], newest?.["undoable"], newest?.["fix"]],
    [move, "T-1", false, "Move the ticket again: amof ticket move T-1 --in-place"],
  );
  assertEquals([older?.["run_id"], older?.["undoable"]], [wrote, true]);
  const told = await world.amof(["operations"]);
  assertStringIncludes(
    told.stdout,
    `⚠ The newest run, ticket move ${
      move.slice(0, 8)
    }, cannot be undone: there is no undo for it. An older one has to be named.`,
  );
  // In the ticket it is the newest run, too, whatever ran at that place before.
  const inside = await world.amof(["undo", "--ticket", "T-1", "--yes", "--json"]);
  assertEquals(pick(inside.json(), "details", "run_id"), move, inside.stdout);
  const shown = await world.amof(["operations", "show", move.slice(0, 8)]);
  assertStringIncludes(shown.stdout, "Found ticket_move, not to be undone.");
  assertStringIncludes(shown.stdout, "Move the ticket again: amof ticket move T-1 --in-place");

  const plan = await must(world, "undo", wrote, "--dry-run");
  assertStringIncludes(
    JSON.stringify(pick(plan, "effects")),
    `Leave ticket move ${move.slice(0, 8)} as it is, which came after it`,
  );
  assertEquals(pick(await must(world, "undo", wrote, "--yes"), "undone"), wrote);
  assert(!await world.exists(made));
  // The undo is the newest run now, and is done again as ever.
  assertEquals((await world.amof(["undo", "--yes"])).code, 0);
  assert(await world.exists(made));
});

Deno.test("over MCP the newest run that cannot be undone is named in the words of tools", async () => {
  const { world, wrote, move } = await moved();
  await using _world = world;
  await using client = await McpClient.executing(world, "run", ["--tools", "amof_ticket_move"]);
  const asked = await client.call("amof_undo", {});
  assert(asked.isError, asked.text);
  assertStringIncludes(asked.text, `the newest run, ticket move ${move.slice(0, 8)}`);
  assertStringIncludes(asked.text, "amof_ticket_move(");
  assertStringIncludes(asked.text, wrote.slice(0, 8));
  const listed = await client.call("amof_operations", {});
  assertStringIncludes(listed.text, `The newest run, ticket move ${move.slice(0, 8)}, cannot`);
});

Deno.test("what a push sent, and what a killed run did, stand before older runs as well; what failed whole does not", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await must(world, "ticket", "start", "T-1");
  await Deno.writeTextFile(join(world.clone("api"), "new"), "new\n");
  const commit = runOf(await must(world, "commit", "-m", "New", "--yes"));
  const refusedMove = await world.amof(["ticket", "move", "T-9", "--workspace", "--yes", "--json"]);
  assert(refusedMove.code !== 0);
  assertStringIncludes(JSON.stringify(await must(world, "undo", "--dry-run")), "Would undo commit");
  const push = runOf(await must(world, "push", "--yes"));
  const refused = await world.amof(["undo", "--yes", "--json"]);
  assertEquals(
    pick(refused.json(), "message"),
    `Cannot undo the newest run, push ${push.slice(0, 8)}: undo cannot take back what is pushed`,
  );
  assertStringIncludes(
    String(pick(refused.json(), "hint")),
    `\nUndo the newest that can be undone, commit: amof undo ${commit.slice(0, 8)}`,
  );
  // A run whose process was killed leaves its record as it was while it went on.
  const file = join(world.env["AMOF_HOME"] ?? "", "state", "undo", commit, "operation.json");
  const kept = JSON.parse(await Deno.readTextFile(file));
  const note = join(world.env["AMOF_HOME"] ?? "", "state", "undo", push);
  await Deno.remove(note, { recursive: true });
  await Deno.writeTextFile(file, JSON.stringify({ ...kept, ended: false }));
  const unknown = await world.amof(["undo", "--yes", "--json"]);
  assertStringIncludes(
    String(pick(unknown.json(), "message")),
    `the newest run, commit ${commit.slice(0, 8)}: nobody saw how it ended`,
  );
});

Deno.test("a release stands before older runs as well, whichever command made or pushed it", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const { control } = world;
  await Deno.writeTextFile(join(control, "CHANGELOG.md"), CHANGELOG);
  await world.git(control, "add", ".");
  await world.git(control, "commit", "--quiet", "-m", "Add a changelog");
  await giveRemote(world, control, "control");
  const wrote = runOf(await must(world, "exec", "--shell", "echo made > made"));
  const head = () => world.git(control, "rev-parse", "--short=7", "HEAD");
  const sent = ["undo cannot take back what is pushed", "See what it did: amof runs status RUN"];
  const here = (after: string) => [
    "undo cannot take back a release",
    `As nothing is pushed, git can: the tag v0.2.0-beta.1, and on main what comes after ${after}`,
  ];
  const table = [
    ["release init 0.1.0", "release init"],
    ["release minor --alpha", "release bump"],
    ["release promote beta --no-push", "release promote"],
    ["release push", "release push"],
  ] as const;
  for (const [words, action] of table) {
    const instead = words.includes("--no-push") ? here((await head()).trim()) : sent;
    const release = runOf(await must(world, ...words.split(" "), "--yes"));
    const short = release.slice(0, 8);
    const refused = (await world.amof(["undo", "--yes", "--json"])).json();
    assertEquals(
      [pick(refused, "message"), pick(refused, "hint"), pick(refused, "details", "older")],
      [
        `Cannot undo the newest run, ${action} ${short}: ${instead[0]}`,
        `${
          instead[1]?.replace("RUN", short)
        }\nUndo the newest that can be undone, exec: amof undo ${wrote.slice(0, 8)}`,
        wrote,
      ],
    );
    const [newest] = rows(await must(world, "operations"), "operations");
    assertEquals(
      [newest?.["run_id"], newest?.["undoable"], newest?.["why_not"]],
      [release, false, instead[0]],
    );
  }
  assert(await world.exists(join(world.clone("api"), "made")));
  // It is of no ticket's workspace, and what was done in the repositories can still go back.
  assertEquals(pick(await must(world, "undo", wrote, "--yes"), "undone"), wrote);
});

Deno.test("the older run that a refusal names is the newest that can be undone as things are, or none is", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  const wrote = (repo: string) =>
    must(world, "exec", "--repo", repo, "--shell", "echo made > made").then(runOf);
  const older = await wrote("api");
  const newer = await wrote("web");
  const made = runOf(await must(world, "release", "init", "--no-push", "--yes"));
  const named = async () => {
    const refused = (await world.amof(["undo", "--yes", "--json"])).json();
    assertEquals(pick(refused, "details", "run_id"), made, JSON.stringify(refused));
    const [, line = ""] = String(pick(refused, "hint")).split("\n");
    const shown = rows(await must(world, "operations"), "operations");
    const first = shown.find(({ undoable }) => undoable)?.["run_id"] ?? null;
    assertEquals(pick(refused, "details", "older"), first);
    return line;
  };
  const line = (id: string) =>
    `Undo the newest that can be undone, exec: amof undo ${id.slice(0, 8)}`;
  assertEquals(await named(), line(newer));
  await Deno.writeTextFile(join(world.clone("web"), "made"), "edited\n");
  assertEquals(await named(), line(older));
  await Deno.writeTextFile(join(world.clone("api"), "made"), "edited\n");
  const install = await named();
  assert(!install.includes("exec"), install);
});

Deno.test("operations judges a run by how its repositories are now: arrived since, moved on or edited by somebody", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await must(world, "ticket", "start", "T-1");
  const api = world.clone("api");
  const said = async () =>
    rows(await must(world, "operations"), "operations").map((row) => [
      row["action"],
      row["why_not"],
      String(row["fix"]).replaceAll(String(row["run_id"]).slice(0, 8), "RUN"),
    ]);
  const started = "ticket T-1 was started in the workspace since";
  const install = [
    "install",
    started,
    "End it first: amof ticket end T-1\nTake all of it away: amof discard",
  ];
  assertEquals(await said(), [["ticket_start", null, "null"], install]);
  await Deno.writeTextFile(join(api, "new"), "new\n");
  await must(world, "commit", "-m", "New", "--yes");
  const left = "Leave them as they are: amof ticket end T-1 --repo web --cleanup-local";
  const start = [
    "ticket_start",
    "HEAD and refs/heads/feature/T-1 changed since in api",
    left,
  ];
  assertEquals(await said(), [["commit", null, "null"], start, install]);
  await Deno.writeTextFile(join(api, "new"), "newer\n");
  assertEquals((await said())[0], ["commit", "new changed since in api", "null"]);
  // A push that was cut off commits, and what it sent may arrive all the same.
  const hook = join(world.remotes, "api.git", "hooks", "pre-receive");
  await writeProgram(hook, "#!/bin/sh\nexit 1\n");
  const ran = await world.amof(["push", "--commit", "-m", "Newer", "--yes", "--json"]);
  assertEquals(ran.code, 1, ran.stdout);
  assertEquals((await said())[0], ["push", null, "null"]);
  await Deno.remove(hook);
  await world.git(api, "push", "--quiet", "origin", "feature/T-1");
  const head = (await world.git(api, "rev-parse", "HEAD")).slice(0, 8);
  assertEquals((await said())[0], ["push", `commit ${head} was pushed in api`, "null"]);
  const refused = await world.amof(["undo", "--yes", "--json"]);
  assertEquals(pick(refused.json(), "error"), "undo_impossible");
  // There is no older one to be named, either.
  assertEquals((await said()).every(([, why]) => why !== null), true);
  assertEquals((await world.amof(["operations"])).stdout.includes("An older one"), false);
});

Deno.test("undo in the base workspace names what came last in the workspace of a ticket, and how that goes back", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await must(world, "ticket", "start", "T-1", "--workspace", "--repo", "api", "--yes");
  const wrote = runOf(await must(world, "exec", "--repo", "web", "--shell", "echo made > made"));
  const its = ["--ticket", "T-1"];
  const there = runOf(await must(world, "exec", ...its, "--shell", "echo theirs > theirs"));
  const last = `what came last, exec ${
    there.slice(0, 8)
  } in the workspace of T-1: amof undo --ticket T-1`;
  const preview = await world.amof(["undo", "--dry-run"]);
  assertEquals(preview.code, 0, preview.stderr);
  assertStringIncludes(preview.stdout, `Leave ${last}`);
  // By its name it is meant, whatever came after it.
  assertEquals(
    (await world.amof(["undo", wrote, "--dry-run"])).stdout.includes("came last"),
    false,
  );
  await Deno.writeTextFile(join(world.clone("web"), "made"), "more\n");
  const refused = await world.amof(["undo", "--yes"]);
  assertEquals(refused.code, 4, refused.stdout);
  assertStringIncludes(refused.stderr, `Undo ${last}`);
  await must(world, "undo", ...its, "--yes");
  // An undo is a run, too, and the one that came last.
  assertStringIncludes((await world.amof(["undo", "--dry-run"])).stderr, "what came last, undo ");
});

/** What an undo without a run says. */
async function refusal(world: World): Promise<readonly [string, string[]]> {
  const refused = (await world.amof(["undo", "--yes", "--json"])).json();
  return [String(pick(refused, "message")), String(pick(refused, "hint")).split("\n")];
}

Deno.test({
  name: "a release whose push failed is not called pushed, and no undo of the workspace is offered",
  ignore: Deno.build.os === "windows", // a hook
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const { control } = world;
    await giveRemote(world, control, "control");
    await writeProgram(join(control, ".git", "hooks", "pre-push"), "#!/bin/sh\nexit 1\n");
    const head = (await world.git(control, "rev-parse", "--short=7", "HEAD")).trim();
    const made = await world.amof(["release", "init", "0.1.0", "--yes", "--json"]);
    assertEquals(made.json()["error"], "partial_failure", made.stdout);
    const [message, hints] = await refusal(world);
    assertStringIncludes(message, "the newest run, release init ");
    assert(message.endsWith(": undo cannot take back a release"), message);
    assertEquals(hints, [
      `As nothing is pushed, git can: the tag v0.1.0, and on main what comes after ${head}`,
      "See what can be undone: amof operations",
    ]);
  },
});

Deno.test("undo of what is discarded says which run took it away", async () => {
  await using world = await World.installed({ repos: ["api"] });
  const gone = runOf(await must(world, "discard", "--confirm-name", "demo"));
  const [message, hints] = await refusal(world);
  assertEquals(
    message,
    `Cannot use the workspace of "demo": it is not installed; undo cannot take back what is deleted (discard ${
      gone.slice(0, 8)
    })`,
  );
  assertEquals(hints, ["Install it: amof install"]);
});

Deno.test("undo brings a ticket back of which no repository had anything left", async () => {
  await using world = await World.installed({ repos: ["api", "web"] });
  await must(world, "ticket", "start", "T-1");
  const before = await must(world, "ticket", "list");
  for (const name of ["api", "web"]) {
    await world.git(world.clone(name), "switch", "--quiet", "main");
  }
  await must(world, "ticket", "end", "T-1", "--yes");
  assertEquals(rows(await must(world, "ticket", "list"), "tickets"), []);
  const told = await world.amof(["undo", "--yes"]);
  assertEquals(told.code, 0, told.stdout + told.stderr);
  assertStringIncludes(told.stdout, "Undid ticket end: the tickets are as they were.");
  assertEquals(
    rows(await must(world, "ticket", "list"), "tickets").map(({ id, ticket_id }) =>
      id ?? ticket_id
    ),
    rows(before, "tickets").map(({ id, ticket_id }) => id ?? ticket_id),
  );
});

Deno.test("a started ticket with work in one repository is left by the others, not undone in them", async () => {
  await using world = await World.installed({ repos: ["api", "docs", "web"] });
  await must(world, "ticket", "start", "T-1");
  await world.git(world.clone("api"), "commit", "--quiet", "--allow-empty", "-m", "Work");
  // A repository with changes would not leave it.
  await Deno.writeTextFile(join(world.clone("docs"), "new"), "new\n");
  const [, [hint = ""]] = await refusal(world);
  assertEquals(
    hint,
    "Leave them as they are: amof ticket end T-1 --repo web --cleanup-local",
  );
  await must(world, ...hint.slice(hint.indexOf("amof ") + 5).split(" "), "--yes");
  const status = await must(world, "status");
  assertEquals(rows(status, "repos").map(({ name, branch }) => [name, branch]), [
    ["api", "feature/T-1"],
    ["docs", "feature/T-1"],
    ["web", "main"],
  ]);
  assert(!JSON.stringify(status).includes("WRONG_BRANCH"), JSON.stringify(status));
});
