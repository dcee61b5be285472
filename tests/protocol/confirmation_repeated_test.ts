/**
 * Hosts that repeat a refused call: nothing is carried out that nobody has seen.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { ahead } from "../support/ahead.ts";
import { pick } from "../support/answers.ts";
import { codeIn, commit, confirm, connected, PUSH, request, succeeded } from "./_confirmation.ts";
import { alter, lastAudit, query, requestIn, runCount } from "./_support.ts";

Deno.test("confirm=true alone is phase 1 again, unless an identical request lives", async () => {
  await using world = await ahead();
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
  await using world = await ahead();
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
  await using world = await ahead();
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
  await using world = await ahead();
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
  await using world = await ahead();
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
  await using world = await ahead();
  await using client = await connected(world);
  await request(client);
  await commit(world, "later.txt");
  assertEquals(
    codeIn(await client.call("amof_push_ecosystem", { ...PUSH, confirm: true })),
    "confirmation_required",
  );
});

Deno.test("a token without confirm=true starts nothing", async () => {
  await using world = await ahead();
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

Deno.test("an input that raises the confirmation to typing is settled by the typed name, not by confirm=true", async () => {
  await using world = await ahead();
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
  await using world = await ahead();
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
