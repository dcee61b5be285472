// Covers `mcp serve --confirm human`: requests wait for a person at a terminal, and nobody else's word counts.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ahead } from "../support/ahead.ts";
import { pick, rows } from "../support/answers.ts";
import { McpClient, type ToolAnswer } from "../support/mcp_client.ts";
import { END_OF_INPUT, INTERRUPT, Typist } from "../support/terminal.ts";
import { approve, worldWithProvisioner } from "../support/provisioner.ts";
import { World } from "../support/world.ts";
import { alter, lastAudit, query, requestIn, runCount, says } from "./_support.ts";

/** Terminals are POSIX matters. */
const POSIX = Deno.build.os !== "windows";

const PUSH = { ecosystem: "demo", mode: "execute" };

async function connected(world: World, ...args: string[]): Promise<McpClient> {
  const client = new McpClient(world, ["--confirm", "human", ...args]);
  await client.initialize();
  return client;
}

interface Waiting {
  readonly id: string;
  readonly token: string;
}

function waitingIn(answer: ToolAnswer): Waiting {
  const { token, approval } = requestIn(answer);
  return { token, id: String(pick(approval, "id")) };
}

async function push(client: McpClient): Promise<Waiting> {
  const answer = await client.call("amof_push_ecosystem", PUSH);
  assertEquals(answer.data["error"], "confirmation_required");
  return waitingIn(answer);
}

function poll(client: McpClient, token: string): Promise<ToolAnswer> {
  return client.call("amof_confirm", { token, mode: "execute" });
}

/** The last entries of the audit log, oldest first: tool, decision, way, outcome. */
function audit(world: World, most: number): string[] {
  return query(
    world,
    "SELECT tool, decision, way, outcome FROM audit ORDER BY id DESC LIMIT ?",
    most,
  ).map((row) => `${row["tool"]} ${row["decision"]} ${row["way"]} ${row["outcome"]}`).reverse();
}

Deno.test({
  name: "a request waits until a person approves it in a terminal, and is carried out once",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await ahead();
    await using client = await connected(world);
    const before = await world.fingerprint();
    const runs = runCount(world);
    const asked = await client.call("amof_push_ecosystem", PUSH);
    assert(asked.isError);
    const { id, token } = waitingIn(asked);
    assertMatch(id, /^[0-9a-f]{8}$/);
    assertStringIncludes(asked.text, `amof approve ${id}`);
    assertEquals(requestIn(asked)["typed_value_required"], false);
    const lifetime = Date.parse(String(requestIn(asked)["expires_at"])) -
      Date.parse(String(pick(asked.data, "_context", "timestamp")));
    assert(lifetime > 14 * 60_000 && lifetime <= 15 * 60_000);

    const waits = await poll(client, token);
    assertEquals(waits.data["error"], "approval_pending");
    assertEquals(requestIn(waits).token, token, "the same token asks again");
    assertEquals(
      rows(waits.data, "suggested_actions").map((action) => [action["tool"], action["args"]])[0],
      ["amof_confirm", { token, mode: "execute" }],
    );
    const same = await client.call("amof_push_ecosystem", { ...PUSH, confirm: true });
    assertEquals(same.data["error"], "approval_pending");
    assertEquals(await world.fingerprint(), before);
    assertEquals(runCount(world), runs);

    const listed = (await world.amof(["approvals", "--json"])).json();
    assertEquals(rows(listed, "approvals").map((entry) => [entry["id"], entry["status"]]), [
      [id, "pending"],
    ]);
    assertEquals(pick(listed, "approvals", 0, "requested_by"), "test/1.0.0");
    assertStringIncludes((await world.amof(["approvals"])).stdout, "Would push 1 repo.");

    const end = await says(world, id.slice(0, 5), "y\n");
    assertEquals(end.code, 0, end.screen);
    for (const part of ["test/1.0.0", "amof_push_ecosystem", "Would push 1 repo.", "api", "⚠ "]) {
      assertStringIncludes(end.screen, part);
    }
    assertMatch(end.stdout, /^Approved push ecosystem/);
    assertEquals(await world.fingerprint(), before, "approving alone changes nothing");

    const started = await poll(client, token);
    assert(!started.isError, started.text);
    assertEquals((await client.finished(String(started.data["run_id"])))["status"], "success");
    assertEquals((await poll(client, token)).data["error"], "confirmation_invalid");
    assertEquals(runCount(world), runs + 1);
    assertEquals(audit(world, 6), [
      "amof_push_ecosystem requested human confirmation_required",
      "amof_push_ecosystem pending human approval_pending",
      "amof_push_ecosystem pending human approval_pending",
      "amof_push_ecosystem accepted human approved",
      "amof_push_ecosystem accepted human ok",
      "amof_confirm confirmation_invalid none confirmation_invalid",
    ]);
    const run = (await world.amof(["runs", "list", "--action", "push", "--json"])).json();
    assertEquals(rows(run, "runs").length, 1);
  },
});

Deno.test({
  name:
    "the same call again waits by the id that a person was given, and only its last token counts",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await ahead();
    await using client = await connected(world);
    const first = await push(client);
    const again = await push(client);
    assertEquals(again.id, first.id);
    assertEquals((await says(world, first.id, "y\n")).code, 0);
    assertEquals((await poll(client, first.token)).data["error"], "confirmation_invalid");
    const started = await poll(client, again.token);
    assert(!started.isError, started.text);
    assertEquals((await client.finished(String(started.data["run_id"])))["status"], "success");
  },
});

Deno.test({
  name: "no, nothing, the end of input and an interrupt approve nothing",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await ahead();
    await using client = await connected(world);
    const before = await world.fingerprint();
    const runs = runCount(world);
    const { id, token } = await push(client);
    for (const [typed, code] of [[END_OF_INPUT, 4], [INTERRUPT, 130]] as const) {
      const end = await says(world, id, typed);
      assertEquals(end.code, code, end.screen);
      assertStringIncludes(end.screen, "was left undecided");
      assertEquals(lastAudit(world)["decision"], "cancelled");
      assertEquals((await poll(client, token)).data["error"], "approval_pending");
    }
    for (const typed of ["n\n", "\n", "yep\n"]) {
      const asked = await push(client);
      const end = await says(world, asked.id, typed);
      assertEquals(end.code, 4, end.screen);
      assertEquals([lastAudit(world)["decision"], lastAudit(world)["way"]], ["declined", "human"]);
      const refused = await poll(client, asked.token);
      assertEquals(refused.data["error"], "confirmation_declined");
      assertEquals(pick(refused.data, "details", "way"), "human");
      assertEquals((await isTold(world, asked.id)).code, 1, "it was settled");
    }
    assertEquals(await world.fingerprint(), before);
    assertEquals(runCount(world), runs);
  },
});

/** A person tries, and is told why there is nothing to ask. */
async function isTold(world: World, id: string) {
  return await (await Typist.start(world, ["approve", id])).ends();
}

Deno.test("nothing but a person at a terminal approves: no pipe, no flag, no JSON, no token, no form", async () => {
  await using world = await ahead();
  await using client = new McpClient(world, [], { AMOF_CONFIRM: "human" });
  await client.initialize({ capabilities: { elicitation: {} } });
  const before = await world.fingerprint();
  const runs = runCount(world);
  const { id, token } = await push(client);
  const tries = [
    { args: [], stdin: "y\ny\n" },
    { args: ["--yes"], stdin: "y\n" },
    { args: ["--json"], stdin: "y\n" },
    { args: ["--json", "--yes"] },
    { args: ["--no-input"] },
    { args: ["--confirm-name", "demo"] },
  ];
  for (const { args, stdin } of tries) {
    const ran = await world.amof(["approve", id, ...args], stdin === undefined ? {} : { stdin });
    assertEquals(ran.code, 4, args.join(" "));
    assertEquals(
      [lastAudit(world)["decision"], lastAudit(world)["way"], lastAudit(world)["client"]],
      ["unsupported", "human", "tester@cli"],
    );
    if (args.includes("--json")) assertEquals(ran.json()["error"], "confirmation_required");
  }
  if (POSIX) {
    for (const args of [["--yes"], ["--json"], ["--no-input"]]) {
      const end = await (await Typist.start(world, ["approve", id, ...args])).ends();
      assertEquals(end.code, 4, args.join(" "));
    }
    const inCi = await Typist.start(world, ["approve", id], { env: { CI: "true" } });
    assertEquals((await inCi.ends()).code, 4);
  }
  for (
    const args of [
      { confirm: true, confirmation_token: token },
      { confirm: true },
    ]
  ) {
    const answer = await client.call("amof_push_ecosystem", { ...PUSH, ...args });
    assertEquals(answer.data["error"], "approval_pending");
  }
  assertEquals(
    (await world.amof(["confirm", token, "--json"])).json()["error"],
    "confirmation_invalid",
  );
  assertEquals((await poll(client, token)).data["error"], "approval_pending");
  assert(!client.lines.some((line) => line.includes("elicitation/create")), "no form is shown");
  assertEquals(await world.fingerprint(), before);
  assertEquals(runCount(world), runs);
});

Deno.test({
  name: "an approval is worth only what was shown, for five minutes, in its session",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await ahead();
    await using client = await connected(world);
    const runs = runCount(world);
    const commit = (message: string) =>
      world.git(world.clone("api"), "commit", "--quiet", "--allow-empty", "-m", message);

    // The state moves while the request waits: the person sees what changed, and so does the caller.
    const first = await push(client);
    await commit("Unseen");
    const seen = await isTold(world, first.id);
    assertEquals(seen.code, 4);
    assertStringIncludes(seen.screen, "Things changed since this was asked for");
    assertStringIncludes(seen.screen, "api, ahead: 1 → 2");
    assertStringIncludes(seen.screen, `Take this one off the list: amof deny ${first.id}`);
    const told = await poll(client, first.token);
    assertEquals(told.data["error"], "confirmation_stale");
    assertEquals(
      rows(told.data, "details", "changed").find((change) => change["path"] === "repos[api].ahead"),
      { path: "repos[api].ahead", before: 1, after: 2 },
    );

    // It moves after the approval.
    const second = waitingIn(told);
    assertEquals((await says(world, second.id, "y\n")).code, 0);
    await commit("Unseen again");
    const stale = await poll(client, second.token);
    assertEquals(stale.data["error"], "confirmation_stale");
    assertStringIncludes(stale.text, "api, ahead: 2 → 3");

    // The approval expires.
    const third = waitingIn(stale);
    assertEquals((await says(world, third.id, "y\n")).code, 0);
    const [row] = query(
      world,
      "SELECT expires_at - decided_at AS lifetime FROM confirmations JOIN approvals USING (token_hash) WHERE id = ?",
      third.id,
    );
    assertEquals(row?.["lifetime"], 5 * 60 * 1000);
    alter(world, "UPDATE confirmations SET expires_at = created_at WHERE settled_at IS NULL");
    const late = await poll(client, third.token);
    assertEquals(late.data["error"], "confirmation_expired");
    assertEquals([lastAudit(world)["decision"], lastAudit(world)["way"]], ["timed_out", "human"]);

    // Nobody decides in time.
    const fourth = waitingIn(late);
    alter(world, "UPDATE confirmations SET expires_at = created_at WHERE settled_at IS NULL");
    assertEquals((await isTold(world, fourth.id)).code, 1);
    const never = await poll(client, fourth.token);
    assertEquals(never.data["error"], "confirmation_expired");
    assertStringIncludes(String(never.data["message"]), "Nobody approved it in time");

    // Another session, and this one's after its end.
    const fifth = waitingIn(never);
    assertEquals((await says(world, fifth.id, "y\n")).code, 0);
    await using other = await connected(world);
    assertEquals((await poll(other, fifth.token)).data["error"], "confirmation_invalid");
    await client.end();
    assertEquals((await isTold(world, fifth.id)).code, 1);
    assertEquals((await world.amof(["approvals", "--json"])).json()["approvals"], []);
    const all = (await world.amof(["approvals", "--all", "--json"])).json();
    assertEquals(rows(all, "approvals").length, 5);
    assertEquals(runCount(world), runs);
  },
});

Deno.test({
  name: "the name is typed by the person in the terminal, and by nobody else",
  ignore: !POSIX, // terminals
  async fn() {
    await using world = await worldWithProvisioner("exit 0");
    await approve(world);
    await using client = await connected(world);
    const asked = await client.call("amof_spin_destroy", PUSH);
    const { id, token } = waitingIn(asked);
    assertStringIncludes(asked.text, `A person decides in a terminal: amof approve ${id}`);
    const typed = await client.call("amof_confirm", {
      token,
      typed_value: "demo",
      mode: "execute",
    });
    assertEquals(typed.data["error"], "approval_pending");

    const types = async (words: string) => {
      const typist = await Typist.start(world, ["approve", id]);
      await typist.sees("Type the ecosystem name to proceed: ");
      await typist.types(`${words}\n`);
      return await typist.ends();
    };
    for (const wrong of ["y", "Demo"]) {
      assertEquals((await types(wrong)).code, 4, wrong);
      assertEquals([lastAudit(world)["decision"], lastAudit(world)["way"]], [
        "wrong_name",
        "human",
      ]);
    }
    assertEquals((await poll(client, token)).data["error"], "approval_pending");
    assertEquals((await types("demo")).code, 0);
    const started = await poll(client, token);
    assert(!started.isError, started.text);
    assertEquals((await client.finished(String(started.data["run_id"])))["status"], "success");

    const again = waitingIn(await client.call("amof_spin_destroy", PUSH));
    for (let tries = 0; tries < 3; tries++) {
      const typist = await Typist.start(world, ["approve", again.id]);
      await typist.sees("to proceed: ");
      await typist.types("wrong\n");
      assertEquals((await typist.ends()).code, 4);
    }
    assertEquals((await isTold(world, again.id)).code, 1, "three wrong names are a no");
    assertEquals((await poll(client, again.token)).data["error"], "confirmation_declined");
  },
});

Deno.test("amof deny refuses without a terminal, and the caller is told", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const { id, token } = await push(client);
  const ran = await world.amof(["deny", id, "--json"]);
  assertEquals([ran.code, ran.json()["decision"], ran.json()["id"]], [0, "declined", id]);
  const refused = await poll(client, token);
  assertEquals(refused.data["error"], "confirmation_declined");
  assertEquals((await world.amof(["deny", id])).code, 1, "once");
  for (const wrong of ["00000000", "abc", "nonsense", "../x"]) {
    const lost = await world.amof(["deny", wrong, "--json"]);
    assertEquals([lost.code, lost.json()["error"]], [2, "approval_not_found"], wrong);
  }
  assertEquals((await world.amof(["approvals", "--json"])).json()["approvals"], []);
});

Deno.test("asking again replaces the request that waits, and cancelling takes it from the list", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const first = await push(client);
  const second = await push(client);
  const waiting = async () =>
    rows((await world.amof(["approvals", "--json"])).json(), "approvals").map((entry) =>
      entry["id"]
    );
  assertEquals(await waiting(), [second.id]);
  assertEquals((await poll(client, first.token)).data["error"], "confirmation_invalid");
  await client.call("amof_cancel_confirm", { token: second.token });
  assertEquals([lastAudit(world)["decision"], lastAudit(world)["way"]], ["cancelled", "token"]);
  assertEquals(await waiting(), []);
  assertEquals((await poll(client, second.token)).data["error"], "confirmation_invalid");
});

Deno.test("what needs no consent goes through, and a wrong --confirm is refused at the start", async () => {
  await using world = await ahead();
  await using client = await connected(world);
  const synced = await client.call("amof_sync_ecosystem", PUSH);
  assert(!synced.isError, synced.text);
  const planned = await client.call("amof_push_ecosystem", { ...PUSH, mode: "plan" });
  assert(!planned.isError, planned.text);
  assertEquals((await world.amof(["mcp", "serve", "--confirm", "nobody"])).code, 2);
  assertEquals((await world.amof(["mcp", "serve"], { env: { AMOF_CONFIRM: "nobody" } })).code, 2);
});
