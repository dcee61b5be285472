/**
 * Tokens that are worth nothing: unknown, expired, stale, foreign, or used for something else.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ahead } from "../support/ahead.ts";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import {
  codeIn,
  commit,
  confirm,
  connected,
  NOBODY,
  PUSH,
  request,
  succeeded,
} from "./_confirmation.ts";
import { alter, lastAudit, query, requestIn, runCount } from "./_support.ts";

Deno.test("an unknown, malformed, cancelled or foreign token is invalid and reveals nothing", async () => {
  await using world = await ahead();
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
  await using world = await ahead();
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
  await using world = await ahead();
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
  assertMatch(stale.text, /api, head: [0-9a-f]{40} → [0-9a-f]{40}/);
  assertStringIncludes(stale.text, "api, ahead: 1 → 2");
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
  await using world = await ahead();
  await using client = await connected(world);
  const file = `${world.clone("api")}/draft.txt`;
  await Deno.writeTextFile(file, "one\n");
  const token = await request(client, { ...PUSH, commit: true, message: "Draft" });
  await Deno.writeTextFile(file, "one and two\n");
  assertEquals(codeIn(await confirm(client, token)), "confirmation_stale");
});

Deno.test("a change between the confirmation and the worker's start is not carried out", async () => {
  await using world = await ahead();
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
  await using world = await ahead();
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
  await using world = await ahead();
  await using client = await connected(world, "ask");
  const answer = await client.call("amof_push_ecosystem", { ...PUSH, mode: "execute" });
  const { token } = requestIn(answer);
  assertStringIncludes(answer.text, `amof_confirm(token="${token}", mode="execute")`);
  assertEquals(codeIn(await confirm(client, token)), "mode_insufficient");
  await succeeded(client, await client.call("amof_confirm", { token, mode: "execute" }));
});

Deno.test("a token used with other arguments or another tool is invalid and stays alive", async () => {
  await using world = await ahead();
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

Deno.test("an undeclared _dry_run is refused and spends nothing", async () => {
  await using world = await ahead();
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
  await using world = await ahead();
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
  await using world = await ahead();
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
  await using world = await ahead();
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
