// A person is told that something waits: by the desktop where there is one, and by a terminal that watches.

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { ahead } from "../support/ahead.ts";
import { exists, until } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
import { Screen } from "../support/screen.ts";
import { World } from "../support/world.ts";

const PUSH = { ecosystem: "demo", mode: "execute" };

/** A desktop whose program for notes writes down what it was asked to show. */
async function desktop(world: World): Promise<{ env: Record<string, string>; shown: string }> {
  const shown = join(world.directory, "shown");
  await world.script(
    "desktop/notify-send",
    `printf '%s\\n' "$@" > '${shown}.part'; mv '${shown}.part' '${shown}'; exit 1`,
  );
  const path = `${join(world.directory, "desktop")}:${world.env["PATH"] ?? ""}`;
  return { env: { PATH: path, DISPLAY: ":7" }, shown };
}

/** Asks for a push; waits until the desktop shows it where it is to. */
async function asks(
  world: World,
  env: Record<string, string>,
  { name = "test", shown = null }: { readonly name?: string; readonly shown?: string | null } = {},
): Promise<void> {
  await using client = new McpClient(world, ["--confirm", "human"], env);
  await client.initialize({ clientInfo: { name, version: "1" } });
  const answer = await client.call("amof_push_ecosystem", PUSH);
  assertEquals(answer.data["error"], "confirmation_required");
  if (shown !== null) await until("the desktop shows it", () => exists(shown));
}

Deno.test({
  name: "a desktop shows what waits as plain text, unless that is turned off",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using world = await ahead();
    const { env, shown } = await desktop(world);
    await asks(world, { ...env, AMOF_NOTIFY: "off" });
    await asks(world, { ...env, SSH_CONNECTION: "192.0.2.1 1 192.0.2.2 22" });
    assertEquals(await exists(shown), false);
    await asks(world, env, { name: "<b>evil</b>\u001b[31m", shown });
    const lines = (await Deno.readTextFile(shown)).split("\n");
    assertEquals(lines.slice(0, 3), ["--app-name=amof", "--", "amof waits for you"]);
    assertStringIncludes(lines[3] ?? "", "evil");
    assertStringIncludes(lines[3] ?? "", "Would push 1 repo.");
    assertStringIncludes(lines[3] ?? "", "amof approve ");
    // deno-lint-ignore no-control-regex -- what must not be there
    assertEquals(/[<>&\u001b]/.test(lines[3] ?? ""), false);
  },
});

Deno.test({
  name: "amof status --watch rings for what begins to wait, and names it",
  ignore: Deno.build.os === "windows", // a pseudo-terminal
  async fn() {
    await using world = await ahead();
    const screen = Screen.start(world, ["status", "--watch"], { columns: 120, rows: 14 });
    await screen.shows(/q quit/);
    await using client = new McpClient(world, ["--confirm", "human"]);
    await client.initialize();
    await client.call("amof_push_ecosystem", PUSH);
    await screen.shows(/waits: amof approve [0-9a-f]{8}/);
    assertEquals(screen.written.includes("\u0007"), true);
    await screen.types("q");
    assertEquals(await screen.ends(), 0);
  },
});
