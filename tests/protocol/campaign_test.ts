/**
 * A campaign from its beginning to its end over MCP, by the official client: every step is previewed, and a person's
 * consent is spent with its token (CAMP-1, CAMP-6).
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import { approveExec } from "../support/exec.ts";
import { World } from "../support/world.ts";
import { sdkClient, SdkConnection } from "./_sdk.ts";

const LINE = 'test "$AMOF_REPO" = docs || echo tidy >> README.md';
const CAMPAIGN = { ecosystem: "demo", campaign: "tidy" };
const REPOS = ["api", "core", "docs"];

type Called = Awaited<ReturnType<SdkConnection["call"]>>;

function offered({ data }: Called): unknown[] {
  return rows(data, "suggested_actions").map(({ id }) => id);
}

/** The name of the first action of an answer, called as it stands there, in execute mode. */
async function follow(connection: SdkConnection, answer: Called, id: string): Promise<Called> {
  const action = rows(answer.data, "suggested_actions").find((each) => each["id"] === id);
  assert(action !== undefined, JSON.stringify(answer.data["suggested_actions"]));
  const args = pick(action, "args") as Record<string, unknown>;
  return await connection.call(String(action["tool"]), args);
}

/** Spends the token of a call that asked for consent. */
async function confirmed(
  connection: SdkConnection,
  asked: Called,
  typed: { readonly typed_value?: string } = {},
): Promise<Called> {
  assertEquals(asked.data["error"], "confirmation_required", JSON.stringify(asked.data));
  const token = pick(asked.data, "confirmation", "token");
  return await connection.call("amof_confirm", { token, mode: "execute", ...typed });
}

/** How many commits the branch of the campaign has on a remote; null where there is none. */
async function commits(world: World, repo: string): Promise<number | null> {
  const ran = await world.command("git", [
    ...["-C", join(world.remotes, `${repo}.git`)],
    ...["rev-list", "--count", "main..campaign/tidy"],
  ]);
  return ran.code === 0 ? Number(ran.stdout) : null;
}

Deno.test({
  name:
    "over MCP a campaign is run, shown, approved, pushed and closed, each with a person's consent",
  ignore: Deno.build.os === "windows", // shell lines
  async fn() {
    await using world = await World.withEcosystem({ repos: REPOS });
    await using connection = await SdkConnection.open(world, sdkClient(), [
      ...["--root", world.control, "--toolsets", "default,exec,run", "--mode", "execute"],
    ]);
    const start = { ...CAMPAIGN, shell: LINE, engine: "local", message: "Tidy up" };
    const untrusted = await connection.call("amof_start_campaign", start);
    assertEquals(untrusted.data["error"], "task_untrusted");
    await approveExec(world, ["--engine", "local", "--shell", LINE]);

    const planned = await connection.call("amof_start_campaign", { ...start, mode: "plan" });
    assertEquals(planned.isError, false);
    const asked = await connection.call("amof_start_campaign", start);
    const begun = await confirmed(connection, asked);
    assertEquals(begun.isError, false, JSON.stringify(begun.data));
    const run = await connection.finished(begun.data["run_id"]);
    assertEquals(run["status"], "success", JSON.stringify(run));
    assertEquals(rows(run, "result", "repos").map(({ state }) => state), [
      "changed",
      "changed",
      "unchanged",
    ]);

    // From here on each step is one that the answer before has offered.
    const looked = await connection.call("amof_get_run_status", { run_id: run["run_id"] });
    assertEquals(offered(looked)[0], "campaign_show");
    const shown = await follow(connection, looked, "campaign_show");
    assertEquals(rows(shown.data, "shapes").map(({ repos }) => repos), [["api", "core"]]);
    const early = await connection.call("amof_push_campaign", CAMPAIGN);
    assertEquals([early.isError, early.data["outcome"]], [false, "nothing"]);
    const approval = await follow(connection, shown, "campaign_approve");
    assertStringIncludes(JSON.stringify(approval.data), "+tidy");
    const approved = await confirmed(connection, approval);
    assertEquals(approved.data["repos"], ["api", "core"]);
    assertEquals(offered(approved)[0], "campaign_push");
    const pushing = await confirmed(
      connection,
      await follow(connection, approved, "campaign_push"),
    );
    const pushed = await connection.finished(pushing.data["run_id"]);
    assertEquals(pushed["status"], "success", JSON.stringify(pushed));
    for (const repo of REPOS) assertEquals(await commits(world, repo), repo === "docs" ? null : 1);

    const status = await connection.call("amof_get_campaign_status", {
      ...CAMPAIGN,
      remotes: true,
    });
    const [row] = rows(status.data, "campaigns");
    assertEquals([row?.["changed"], row?.["pushed"], row?.["gone"]], [2, 2, 0]);
    const again = await connection.call("amof_push_campaign", CAMPAIGN);
    assertEquals([again.isError, again.data["outcome"]], [false, "nothing"]);
    const close = { ...CAMPAIGN, delete_branches: true };
    const closing = await confirmed(
      connection,
      await connection.call("amof_close_campaign", close),
      { typed_value: "tidy" },
    );
    assertEquals((await connection.finished(closing.data["run_id"]))["status"], "success");
    for (const repo of REPOS) assertEquals(await commits(world, repo), null);
  },
});
