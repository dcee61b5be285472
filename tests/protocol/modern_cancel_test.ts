/**
 * What is cancelled while it acts, by a client without a session: nothing is left half done, and the record says so.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { until } from "../support/answers.ts";
import { metaOf } from "../support/modern_call.ts";
import { World } from "../support/world.ts";
import { codeOf, ModernClient } from "./_modern.ts";
import { holdGit, lastAudit, query } from "./_support.ts";

const START = { ecosystem: "demo", ticket_id: "T-1", mode: "execute" };

/** Where each clone stands, with its branches. */
function clonesOf(world: World): Promise<readonly string[]> {
  return Promise.all(["api", "web"].map(async (repo) => {
    const at = await world.git(world.clone(repo), "symbolic-ref", "HEAD");
    return `${at} ${await world.git(world.clone(repo), "for-each-ref")}`;
  }));
}

/** How a client gives up a call that it sent with the id `slow`. */
const WAYS: Readonly<Record<string, (client: ModernClient) => Promise<unknown>>> = {
  "cancelled": (client) =>
    client.notify("notifications/cancelled", { requestId: "slow", _meta: metaOf({}) }),
  "left by the end of its input": (client) => client.end(),
};

for (const [how, giveUp] of Object.entries(WAYS)) {
  Deno.test(`a ticket whose start is ${how} while it acts is not half begun`, async () => {
    await using world = await World.installed({ repos: ["api", "web"] });
    const before = await clonesOf(world);
    const git = await holdGit(world, "switch", "/web");
    {
      await using client = new ModernClient(world, [], {}, git.env);
      const params = { name: "amof_ticket_start", arguments: START, _meta: metaOf({}) };
      await client.send({ jsonrpc: "2.0", id: "slow", method: "tools/call", params });
      await git.reached();
      const head = join(world.clone("api"), ".git", "HEAD");
      await until(
        "the other repository has its branch",
        async () => (await Deno.readTextFile(head)).includes("T-1"),
      );
      await giveUp(client);
      await until(
        "the call is recorded",
        () => lastAudit(world)["tool"] === "amof_ticket_start",
      );
      assertEquals(client.lines.filter((line) => line.includes('"slow"')), []);
    }
    const runs = query(world, "SELECT run_id, status FROM runs WHERE action = 'ticket_start'");
    const { decision, outcome, run_id } = lastAudit(world);
    assertEquals([decision, outcome], ["executed", "cancelled"]);
    assertEquals(runs.map(({ run_id, status }) => [run_id, status]), [[run_id, "cancelled"]]);
    assertEquals(await clonesOf(world), before);
    await git.release();
    await using client = new ModernClient(world, [], {}, git.env);
    const done = await client.made("amof_ticket_start", START);
    assertEquals(codeOf(done), "ok", JSON.stringify(done));
  });
}
