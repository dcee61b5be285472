/**
 * Confirmation by token: every way to redeem one, and every way to fail (CONFIRM-9).
 *
 * The clock of a server cannot be set from outside; the test of expiry ages the stored request instead.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { McpClient, type ToolAnswer } from "../support/mcp_client.ts";
import type { World } from "../support/world.ts";
import { alter, installed, lastAudit, query, requestIn, runCount } from "./_support.ts";

const PUSH = { ecosystem: "demo" };
const NOBODY = "3f0c6f4e-8a39-4a57-9d0f-2f6f6f7f8a90";

/** An installed world in which `api` has one commit to push. */
async function ready(): Promise<World> {
  const world = await installed();
  await world.commitOnFeature("api");
  return world;
}

/** A server whose session is in mode execute and whose client cannot be asked. */
async function connected(world: World, mode = "execute"): Promise<McpClient> {
  const client = new McpClient(world, ["--mode", mode]);
  await client.initialize();
  return client;
}

/** Asks for a push; answers the token of the request. */
async function request(client: McpClient, args: Record<string, unknown> = PUSH): Promise<string> {
  return requestIn(await client.call("amof_push_ecosystem", args)).token;
}

async function confirm(client: McpClient, token: string): Promise<ToolAnswer> {
  return await client.call("amof_confirm", { token });
}

/** Waits for the run an answer started, which must succeed. */
async function succeeded(client: McpClient, answer: ToolAnswer): Promise<void> {
  assert(!answer.isError, answer.text);
  const run = await client.finished(String(answer.data["run_id"]));
  assertEquals(run["status"], "success");
}

function codeIn(answer: ToolAnswer): unknown {
  assertEquals(answer.isError, answer.data["error"] !== undefined);
  return answer.data["error"];
}

/** Another commit, so that there is something to push again, or something that changes. */
async function commit(world: World, file: string): Promise<void> {
  const clone = world.clone("api");
  await Deno.writeTextFile(`${clone}/${file}`, "more\n");
  await world.git(clone, "add", ".");
  await world.git(clone, "commit", "--quiet", "-m", `Add ${file}`);
}

Deno.test("phase 1 changes nothing and answers with a preview and a token", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const before = await world.fingerprint();
  const runs = runCount(world);
  const answer = await client.call("amof_push_ecosystem", PUSH);
  assertEquals(codeIn(answer), "confirmation_required");
  assertEquals(answer.data["http"], 403);
  assertEquals(answer.data["repos_affected"], ["api"]);
  const asked = requestIn(answer);
  assertMatch(asked.token, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assertEquals([asked["type"], asked["tool"], asked["typed_value_required"]], [
    "simple",
    "amof_push_ecosystem",
    false,
  ]);
  assertEquals(rows(asked, "preview", "repos").map((repo) => repo["name"]), ["api"]);
  const lifetime = Date.parse(String(asked["expires_at"])) -
    Date.parse(String(pick(answer.data, "_context", "timestamp")));
  assert(Math.abs(lifetime - 5 * 60 * 1000) < 5_000, `${lifetime} ms`);
  // Hosts that show only the text must be able to go on.
  for (const part of [asked.token, "api", "⚠", "Expires:", "amof_confirm("]) {
    assertStringIncludes(answer.text, part);
  }
  assertEquals(
    rows(answer.data, "suggested_actions").slice(0, 2).map((
      action,
    ) => [action["tool"], pick(action, "args", "token")]),
    [["amof_confirm", asked.token], ["amof_cancel_confirm", asked.token]],
  );
  assertEquals(await world.fingerprint(), before);
  assertEquals(runCount(world), runs);
  assertEquals([lastAudit(world)["decision"], lastAudit(world)["outcome"]], [
    "unsupported",
    "confirmation_required",
  ]);
  assertEquals(
    query(world, "SELECT * FROM confirmations WHERE token_hash LIKE ?", `%${asked.token}%`),
    [],
    "only a hash is stored",
  );
});

Deno.test("a good token runs the call once, and is spent before the start", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const token = await request(client);
  const runs = runCount(world);
  const started = await confirm(client, token);
  assertEquals(started.data["action"], "push");
  assertEquals(
    codeIn(await confirm(client, token)),
    "confirmation_invalid",
    "it is spent while the run works",
  );
  await succeeded(client, started);
  assertEquals(codeIn(await confirm(client, token)), "confirmation_invalid");
  assertEquals(
    codeIn(
      await client.call("amof_push_ecosystem", {
        ...PUSH,
        confirm: true,
        confirmation_token: NOBODY,
      }),
    ),
    undefined,
    "there is nothing left to push",
  );
  assertEquals(runCount(world), runs + 1);
  const [audit] = query(
    world,
    "SELECT * FROM audit WHERE run_id = ?",
    String(started.data["run_id"]),
  );
  assertEquals([audit?.["decision"], audit?.["way"], audit?.["tool"], audit?.["outcome"]], [
    "accepted",
    "token",
    "amof_push_ecosystem",
    "ok",
  ]);
  const [run] = query(
    world,
    "SELECT confirmation, requested_by FROM runs WHERE run_id = ?",
    String(started.data["run_id"]),
  );
  assertEquals([pick(JSON.parse(String(run?.["confirmation"])), "way"), run?.["requested_by"]], [
    "token",
    "test/1.0.0",
  ]);
});

Deno.test("a token spent many times at once starts one run", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const token = await request(client);
  const runs = runCount(world);
  const answers = await Promise.all(
    Array.from(
      { length: 8 },
      (_, turn) =>
        turn % 2 === 0 ? confirm(client, token) : client.call("amof_push_ecosystem", {
          ...PUSH,
          confirm: true,
          confirmation_token: token,
        }),
    ),
  );
  const started = answers.filter((answer) => !answer.isError);
  assertEquals(started.length, 1);
  assertEquals(
    answers.filter((answer) => answer.isError).map(codeIn),
    Array(7).fill("confirmation_invalid"),
  );
  for (const answer of started) await succeeded(client, answer);
  assertEquals(runCount(world), runs + 1);
});

Deno.test("confirm=true alone is phase 1 again, unless an identical request lives", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const runs = runCount(world);
  const first = await client.call("amof_push_ecosystem", { ...PUSH, repos: ["api"] });
  assertEquals(codeIn(first), "confirmation_required");
  // A request for other arguments is none for these.
  const other = await client.call("amof_push_ecosystem", { ...PUSH, confirm: true });
  assertEquals(codeIn(other), "confirmation_required");
  const { token } = requestIn(await client.call("amof_push_ecosystem", PUSH));
  await client.call("amof_cancel_confirm", { token });
  assertEquals(
    codeIn(await client.call("amof_push_ecosystem", { ...PUSH, confirm: true })),
    "confirmation_required",
    "cancelled requests do not count",
  );
  assertEquals(runCount(world), runs);
  await request(client);
  await succeeded(client, await client.call("amof_push_ecosystem", { ...PUSH, confirm: true }));
  assertEquals(runCount(world), runs + 1);
});

Deno.test("a host that repeats a refused call with its confirm never carries it out", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const runs = runCount(world);
  const eager = { ...PUSH, confirm: true };
  for (let turn = 0; turn < 4; turn++) {
    const refused = await client.call("amof_push_ecosystem", eager);
    assertEquals(codeIn(refused), "confirmation_required");
    // Who has set it would set it for ever.
    assertEquals(
      refused.data["message"],
      "Push will modify remote state. Nobody has seen its preview yet: confirm by token.",
    );
  }
  const { token } = requestIn(await client.call("amof_push_ecosystem", eager));
  assertEquals(runCount(world), runs);
  await succeeded(client, await confirm(client, token));
});

Deno.test("a host that repeats a refused discard with the name in it keeps the workspace", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const named = { ecosystem: "demo", confirm_name: "demo" };
  for (let turn = 0; turn < 4; turn++) {
    assertEquals(
      codeIn(await client.call("amof_discard_ecosystem", named)),
      "confirmation_required",
    );
  }
  assert(await world.exists(world.clone("api")));
  const { token } = requestIn(await client.call("amof_discard_ecosystem", named));
  await succeeded(
    client,
    await client.call("amof_discard_ecosystem", { ...named, confirmation_token: token }),
  );
  assertEquals(await world.exists(world.workspace()), false);
});

Deno.test("a wrong name in a first call is told apart, and its fresh request needs the token", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const wrong = { ecosystem: "demo", confirm_name: "Demo" };
  const answer = await client.call("amof_discard_ecosystem", wrong);
  assertEquals(codeIn(answer), "type_to_confirm_failed");
  assertEquals(answer.data["message"], "To discard 'demo', set confirm_name='demo'.");
  assertEquals(lastAudit(world)["decision"], "wrong_name");
  const { token } = requestIn(answer);
  assertEquals(
    codeIn(
      await client.call("amof_discard_ecosystem", { ecosystem: "demo", confirm_name: "demo" }),
    ),
    "confirmation_required",
    "the right name alone does not spend it",
  );
  assert(await world.exists(world.clone("api")));
  await succeeded(client, await client.call("amof_confirm", { token, typed_value: "demo" }));
  assertEquals(await world.exists(world.workspace()), false);
});

Deno.test("the fresh request of an expired or stale one is spent by its token only", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const runs = runCount(world);
  const again = { ...PUSH, confirm: true };
  const expired = await request(client);
  alter(
    world,
    "UPDATE confirmations SET created_at = created_at - 300001, expires_at = expires_at - 300001 WHERE outcome IS NULL",
  );
  assertEquals(codeIn(await confirm(client, expired)), "confirmation_expired");
  assertEquals(codeIn(await client.call("amof_push_ecosystem", again)), "confirmation_required");
  const old = await request(client);
  await commit(world, "later.txt");
  const stale = await confirm(client, old);
  assertEquals(codeIn(stale), "confirmation_stale");
  assertEquals(codeIn(await client.call("amof_push_ecosystem", again)), "confirmation_required");
  assertEquals(runCount(world), runs);
  await succeeded(client, await confirm(client, requestIn(stale).token));
});

Deno.test("confirm=true alone never spends a request whose state has passed", async () => {
  await using world = await ready();
  await using client = await connected(world);
  await request(client);
  await commit(world, "later.txt");
  assertEquals(
    codeIn(await client.call("amof_push_ecosystem", { ...PUSH, confirm: true })),
    "confirmation_required",
  );
});

Deno.test("a token without confirm=true starts nothing", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const token = await request(client);
  const runs = runCount(world);
  // Refusals and missing answers must not count as consent.
  for (const confirm of [{ confirm: false }, { confirm: null }, {}]) {
    const answer = await client.call("amof_push_ecosystem", {
      ...PUSH,
      ...confirm,
      confirmation_token: token,
    });
    assertEquals(
      [answer.isError, answer.data["run_id"]],
      [true, undefined],
      JSON.stringify(confirm),
    );
  }
  assertEquals(runCount(world), runs);
});

Deno.test("an unknown, malformed, cancelled or foreign token is invalid and reveals nothing", async () => {
  await using world = await ready();
  await using client = await connected(world);
  await using other = await connected(world);
  const mine = await request(client);
  const theirs = await request(other);
  const cancelled = await request(client);
  assertEquals(
    (await client.call("amof_cancel_confirm", { token: cancelled })).data["cancelled"],
    true,
  );
  assertEquals(
    (await client.call("amof_cancel_confirm", { token: cancelled })).data["cancelled"],
    false,
  );
  assertEquals(
    (await client.call("amof_cancel_confirm", { token: theirs })).data["cancelled"],
    false,
    "nobody cancels another's",
  );
  const runs = runCount(world);
  const before = await world.fingerprint();
  const hash = String(
    query(world, "SELECT token_hash FROM confirmations ORDER BY rowid LIMIT 1")[0]?.["token_hash"],
  );
  for (
    const token of [
      NOBODY,
      "x",
      `${mine} `,
      mine.toUpperCase(),
      mine.slice(0, 8),
      hash,
      "%",
      theirs,
      cancelled,
    ]
  ) {
    const answers = [
      await confirm(client, token),
      await client.call("amof_push_ecosystem", {
        ...PUSH,
        confirm: true,
        confirmation_token: token,
      }),
    ];
    for (const answer of answers) {
      assertEquals(codeIn(answer), "confirmation_invalid", token);
      assertEquals(
        answer.data["confirmation"],
        undefined,
        "a wrong token is no request for a new one",
      );
      assertEquals(JSON.stringify([answer.data, answer.text]).includes(mine), false);
    }
  }
  assertEquals(runCount(world), runs);
  assertEquals(await world.fingerprint(), before);
  assertEquals(lastAudit(world)["decision"], "confirmation_invalid");
  // None of this has used up the valid token.
  await succeeded(client, await confirm(client, mine));
  const late = await confirm(other, theirs);
  assertEquals(
    late.data["run_id"],
    undefined,
    "nothing is left of what the other session was asked for",
  );
});

Deno.test("an expired token is refused with a fresh request", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const runs = runCount(world);
  for (
    const redeem of [
      (token: string) => confirm(client, token),
      (token: string) =>
        client.call("amof_push_ecosystem", { ...PUSH, confirm: true, confirmation_token: token }),
    ]
  ) {
    const old = await request(client);
    alter(
      world,
      "UPDATE confirmations SET created_at = created_at - 300001, expires_at = expires_at - 300001 WHERE outcome IS NULL",
    );
    assertEquals(rows((await client.call("amof_scope_info")).data, "pending_confirmations"), []);
    const late = await redeem(old);
    assertEquals(codeIn(late), "confirmation_expired");
    assertEquals(runCount(world), runs);
    const fresh = requestIn(late).token;
    assert(fresh !== old);
    assertEquals(codeIn(await confirm(client, old)), "confirmation_invalid", "the old one is void");
    assertEquals(
      (await client.call("amof_cancel_confirm", { token: fresh })).data["cancelled"],
      true,
      "the fresh one lives",
    );
  }
  // An expired request does not serve confirm=true either.
  await request(client);
  alter(world, "UPDATE confirmations SET expires_at = expires_at - 300001 WHERE outcome IS NULL");
  const again = await client.call("amof_push_ecosystem", { ...PUSH, confirm: true });
  assertEquals(codeIn(again), "confirmation_required");
  await succeeded(client, await confirm(client, requestIn(again).token));
});

Deno.test("a token is stale once the state changed, says what changed, and a fresh one works", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const runs = runCount(world);
  const old = await request(client);
  await commit(world, "later.txt");
  const stale = await confirm(client, old);
  assertEquals(codeIn(stale), "confirmation_stale");
  assertEquals(runCount(world), runs);
  const changed = rows(stale.data, "details", "changed");
  assertEquals(changed.find((change) => change["path"] === "repos[api].ahead"), {
    path: "repos[api].ahead",
    before: 1,
    after: 2,
  });
  assertMatch(stale.text, /repos\[api\]\.head: [0-9a-f]{40} → [0-9a-f]{40}/);
  assertStringIncludes(stale.text, "repos[api].ahead: 1 → 2");
  assertEquals(codeIn(await confirm(client, old)), "confirmation_invalid", "the old one is void");
  const fresh = requestIn(stale);
  assertEquals(rows(fresh, "preview", "repos")[0]?.["ahead"], 2);
  assertEquals(lastAudit(world)["decision"], "confirmation_invalid");
  assertEquals(
    query(world, "SELECT count(*) AS n FROM audit WHERE decision = 'confirmation_stale'")[0]?.["n"],
    1,
  );
  await succeeded(client, await confirm(client, fresh.token));
});

Deno.test("a file that changes after the preview makes a token for a commit stale", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const file = `${world.clone("api")}/draft.txt`;
  await Deno.writeTextFile(file, "one\n");
  const token = await request(client, { ...PUSH, commit: true, message: "Draft" });
  await Deno.writeTextFile(file, "one and two\n");
  assertEquals(codeIn(await confirm(client, token)), "confirmation_stale");
});

Deno.test("a change between the confirmation and the worker's start is not carried out", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const token = await request(client);
  // The manifest is read anew by the worker; what it finds must be what was confirmed.
  const started = await confirm(client, token);
  await commit(world, "race.txt").catch(() => {});
  const run = await client.finished(String(started.data["run_id"]));
  const error = pick(run, "run_error", "error");
  assert(run["status"] === "success" || error === "confirmation_stale", JSON.stringify(run));
  const pushed = await world.git(
    `${world.remotes}/api.git`,
    "rev-list",
    "--count",
    "main..feature/T-1",
  ).catch(() => "0");
  assert(
    pushed === "1" || pushed === "0",
    `exactly what was confirmed was pushed, or nothing; it was ${pushed}`,
  );
});

Deno.test("a mode that was lowered refuses and leaves the token alive", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const token = await request(client);
  const runs = runCount(world);
  for (const mode of ["ask", "plan"]) {
    await client.call("amof_set_mode", { mode });
    const refused = await confirm(client, token);
    assertEquals(codeIn(refused), "mode_insufficient");
    assertEquals(pick(refused.data, "details", "mode_required"), "execute");
    assertStringIncludes(refused.text, 'amof_set_mode(mode="execute")');
  }
  assertEquals(
    codeIn(await client.call("amof_confirm", { token, mode: "ask" })),
    "mode_insufficient",
  );
  const plan = await client.call("amof_push_ecosystem", {
    ...PUSH,
    confirm: true,
    confirmation_token: token,
  });
  assertEquals(
    [plan.isError, plan.data["would_execute"]],
    [false, false],
    "in plan the same call only previews",
  );
  await client.call("amof_set_mode", { mode: "ask" });
  assertEquals(
    codeIn(
      await client.call("amof_push_ecosystem", {
        ...PUSH,
        confirm: true,
        confirmation_token: token,
      }),
    ),
    "mode_insufficient",
  );
  assertEquals(runCount(world), runs);
  await client.call("amof_set_mode", { mode: "execute" });
  await succeeded(client, await confirm(client, token));
});

Deno.test("a token from a call with its own mode can be confirmed with that mode", async () => {
  await using world = await ready();
  await using client = await connected(world, "ask");
  const answer = await client.call("amof_push_ecosystem", { ...PUSH, mode: "execute" });
  const { token } = requestIn(answer);
  assertStringIncludes(answer.text, `amof_confirm(token="${token}", mode="execute")`);
  assertEquals(codeIn(await confirm(client, token)), "mode_insufficient");
  await succeeded(client, await client.call("amof_confirm", { token, mode: "execute" }));
});

Deno.test("a token used with other arguments or another tool is invalid and stays alive", async () => {
  await using world = await ready();
  await world.addEcosystem("shop", { repos: ["till"] });
  await using client = await connected(world);
  const token = await request(client);
  const runs = runCount(world);
  const others: [string, Record<string, unknown>][] = [
    ["amof_push_ecosystem", { ...PUSH, repos: ["api"] }],
    ["amof_push_ecosystem", { ...PUSH, allow_base: true }],
    ["amof_push_ecosystem", { ...PUSH, commit: true, message: "More" }],
    ["amof_install_ecosystem", { ecosystem: "shop" }],
  ];
  for (const [tool, args] of others) {
    const answer = await client.call(tool, { ...args, confirm: true, confirmation_token: token });
    assertEquals(codeIn(answer), "confirmation_invalid", JSON.stringify(args));
    assertEquals(answer.data["confirmation"], undefined);
  }
  assertEquals(runCount(world), runs);
  await succeeded(client, await confirm(client, token));
});

Deno.test("the same call with confirm=true and the token executes, in any order and with defaults spelt out", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const token = await request(client, { repos: ["api"], ecosystem: "demo" });
  await succeeded(
    client,
    await client.call("amof_push_ecosystem", {
      confirmation_token: token,
      confirm: true,
      allow_base: false,
      commit: false,
      ecosystem: "demo",
      repos: ["api"],
    }),
  );
});

Deno.test("two tokens for one call each work once at most", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const runs = runCount(world);
  const first = await request(client);
  const second = await request(client);
  assert(first !== second);
  await succeeded(client, await confirm(client, second));
  const late = await confirm(client, first);
  assert(late.data["run_id"] === undefined, "what was confirmed twice is done once");
  assertEquals(runCount(world), runs + 1);
  for (const token of [first, second]) {
    assertEquals((await confirm(client, token)).data["run_id"], undefined);
  }
  assertEquals(runCount(world), runs + 1);
});

Deno.test("an undeclared _dry_run is refused and spends nothing", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const token = await request(client);
  const before = await world.fingerprint();
  for (
    const args of [{ _dry_run: true }, {
      _dry_run: false,
      confirm: true,
      confirmation_token: token,
    }, { "confirm ": true }]
  ) {
    assertEquals(
      codeIn(await client.call("amof_push_ecosystem", { ...PUSH, ...args })),
      "invalid_arguments",
    );
  }
  assertEquals(
    codeIn(await client.call("amof_confirm", { token, _dry_run: true })),
    "invalid_arguments",
  );
  assertEquals(await world.fingerprint(), before);
  await succeeded(client, await confirm(client, token));
});

Deno.test("at most 20 requests live; the oldest goes", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const tokens: string[] = [];
  for (let turn = 0; turn < 21; turn++) tokens.push(await request(client));
  assertEquals(
    rows((await client.call("amof_scope_info")).data, "pending_confirmations").length,
    20,
  );
  assertEquals(codeIn(await confirm(client, tokens[0] ?? "")), "confirmation_invalid");
  await succeeded(client, await confirm(client, tokens[1] ?? ""));
});

Deno.test("a token dies with its server, and the command line cannot spend it", async () => {
  await using world = await ready();
  let token = "";
  {
    await using client = await connected(world);
    token = await request(client);
    await client.end();
  }
  const ran = await world.amof(["confirm", token, "--json"]);
  assertEquals([ran.code, ran.json()["error"]], [4, "confirmation_invalid"]);
  await using client = await connected(world);
  assertEquals(codeIn(await confirm(client, token)), "confirmation_invalid");
});

Deno.test("amof_confirm of a tool that this server does not offer is refused", async () => {
  await using world = await ready();
  await using client = new McpClient(world, [
    "--mode",
    "execute",
    "--max-mode",
    "execute",
    "--exclude-tools",
    "amof_push_ecosystem",
  ]);
  await client.initialize();
  const refused = await client.call("amof_push_ecosystem", PUSH);
  assertEquals(codeIn(refused), "tool_not_available");
  assertEquals(refused.data["confirmation"], undefined);
});

Deno.test("an input that raises the confirmation to typing is settled by the typed name, not by confirm=true", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const args = { ecosystem: "demo", discard_local: true };
  const asked = await client.call("amof_archive_ecosystem", args);
  const { token } = requestIn(asked);
  assertEquals(pick(asked.data, "confirmation", "type"), "type");
  const plain = await client.call("amof_archive_ecosystem", {
    ...args,
    confirm: true,
    confirmation_token: token,
  });
  assert(plain.isError, plain.text);
  assert(await world.exists(world.clone("api")));
  const wrong = await client.call("amof_archive_ecosystem", { ...args, confirm_name: "dem" });
  assert(wrong.isError, wrong.text);
  await succeeded(
    client,
    await client.call("amof_archive_ecosystem", { ...args, confirm_name: "demo" }),
  );
  assertEquals(await world.exists(world.workspace()), false);
});

Deno.test("a name consents to nothing that asks for no name", async () => {
  await using world = await ready();
  await using client = await connected(world);
  const push = { ...PUSH, allow_base: true };
  // push takes a name, because some of its inputs must be confirmed by typing.
  await client.call("amof_push_ecosystem", push);
  const named = await client.call("amof_push_ecosystem", { ...push, confirm_name: "wrong" });
  assertEquals(codeIn(named), "confirmation_required", named.text);
  const right = await client.call("amof_push_ecosystem", { ...push, confirm_name: "demo" });
  assertEquals(codeIn(right), "confirmation_required", right.text);
  assertEquals(query(world, "SELECT * FROM runs WHERE action = 'push'"), []);
  await succeeded(
    client,
    await client.call("amof_push_ecosystem", { ...push, confirm: true }),
  );
});
