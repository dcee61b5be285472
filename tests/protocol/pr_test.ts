/**
 * The pull requests of a ticket over MCP, by the official client: opened, landed and taken back, each step with a
 * person's consent and most of them as the answer before has offered.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { beginTicket, forgeWorld } from "../support/forge/world.ts";
import { sdkClient, SdkConnection } from "./_sdk.ts";

const TICKET = { ecosystem: "demo", ticket_id: "P-1" };

type Called = Awaited<ReturnType<SdkConnection["call"]>>;

/** Calls an action that an answer has offered, as it stands there. */
async function follow(connection: SdkConnection, { data }: Called, id: string): Promise<Called> {
  const action = rows(data, "suggested_actions").find((each) => each["id"] === id);
  assert(action !== undefined, JSON.stringify(data));
  const args = pick(action, "args") as Record<string, unknown>;
  return await connection.call(String(action["tool"]), args);
}

/** Spends the token of a call that asked for consent; answers its run when that has ended. */
async function confirmed(
  connection: SdkConnection,
  asked: Called,
  typed?: string,
): Promise<Record<string, unknown>> {
  assertEquals(asked.data["error"], "confirmation_required", JSON.stringify(asked.data));
  const token = pick(asked.data, "confirmation", "token");
  const { data } = await connection.call("amof_confirm", {
    ...{ token, mode: "execute" },
    ...(typed === undefined ? {} : { typed_value: typed }),
  });
  return data["run_id"] === undefined ? data : await connection.finished(data["run_id"]);
}

Deno.test("over MCP pull requests are opened, landed by the ticket's name, and taken back", async () => {
  await using at = await forgeWorld("github", ["lib", "api"]);
  const { world, forge } = at;
  await beginTicket(world, "P-1", ["lib", "api"]);
  await using connection = await SdkConnection.open(world, sdkClient(), [
    ...["--root", world.control, "--toolsets", "default,change", "--mode", "execute"],
  ]);
  const none = await connection.call("amof_pr_status", TICKET);
  const opening = await follow(connection, none, "pr_open");
  assertEquals(forge.pulls.length, 0);
  const opened = await confirmed(connection, opening);
  assertEquals(opened["status"], "success", JSON.stringify(opened));
  assertEquals(forge.pulls.map(({ repo }) => repo).toSorted(), ["api", "lib"]);

  const ready = await connection.call("amof_pr_status", TICKET);
  assertEquals(pick(ready.data, "change_set", "state"), "ready");
  const landing = await follow(connection, ready, "pr_land");
  const text = JSON.stringify(landing.data);
  for (const repo of ["lib", "api"]) {
    const head = await world.git(world.clone(repo), "rev-parse", "HEAD");
    assertStringIncludes(text, `- ${head.slice(0, 7)} ${repo} learns something`);
  }
  const wrong = await confirmed(connection, landing, "P-2");
  assertEquals(typeof wrong["error"], "string");
  assertEquals(forge.pulls.map(({ state }) => state), ["open", "open"]);
  const landed = await confirmed(connection, await follow(connection, ready, "pr_land"), "P-1");
  assertEquals(pick(landed, "result", "change_set", "state"), "landed", JSON.stringify(landed));
  assertEquals(forge.pulls.map(({ state }) => state), ["merged", "merged"]);

  const back = await connection.call("amof_pr_revert", TICKET);
  const reverted = await confirmed(connection, back);
  assertEquals(reverted["status"], "success", JSON.stringify(reverted));
  assertEquals(
    forge.pulls.slice(2).map(({ repo, head }) => [repo, head]),
    [["api", "revert/P-1-1"], ["lib", "revert/P-1-1"]],
  );
});
