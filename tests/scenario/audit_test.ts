// Covers `amof audit`: who asked for what, who decided in which way, and how to find it again.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pick, rows } from "../support/answers.ts";
import { World } from "../support/world.ts";

async function entries(world: World, ...args: string[]): Promise<Record<string, unknown>[]> {
  const ran = await world.amof(["audit", "--json", ...args]);
  assertEquals(ran.code, 0, ran.stdout);
  return rows(ran.json(), "entries");
}

const brief = (entry: Record<string, unknown>) =>
  `${entry["tool"]} ${entry["decision"]} ${entry["way"]} ${entry["outcome"]}`;

Deno.test("amof audit tells who asked, for what, how it was decided, and what came of it", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  assertStringIncludes((await world.amof(["audit"])).stdout, "Found no entries.");
  await world.install();
  await world.commitOnFeature("api");
  await world.amof(["push", "--mode", "ask"]);
  await world.amof(["push", "--dry-run"]);
  const refused = await world.amof([
    "push",
    "--json",
    "-m",
    "x token=ghp_abcdefghijklmnopqrstuvwx",
  ]);
  const token = String(pick(refused.json(), "confirmation", "token"));
  await world.amof(["confirm", "00000000-0000-4000-8000-000000000000"]);
  await world.amof(["confirm", token]);
  await world.amof(["push", "--yes"]);
  await world.amof(["ticket", "start", "T-1"]);
  await world.amof(["status"]);

  const all = await entries(world);
  assertEquals(all.map(brief).reverse(), [
    "amof_install_ecosystem accepted flag ok",
    "amof_push_ecosystem refused_mode none mode_insufficient",
    "amof_push_ecosystem previewed none ok",
    "amof_push_ecosystem unsupported prompt confirmation_required",
    "amof_confirm confirmation_invalid none confirmation_invalid",
    "amof_push_ecosystem accepted token ok",
    "amof_push_ecosystem nothing_to_do none ok",
    "amof_ticket_start executed none ok",
  ]);
  const [started, , pushed, , asked] = all;
  assertEquals(pick(pushed, "client"), "tester@cli");
  assertEquals(pick(pushed, "ecosystem"), "demo");
  assertEquals(pick(pushed, "mode"), "execute");
  assertEquals(pick(pushed, "root"), world.control);
  assertMatch(String(pick(pushed, "preview_hash")), /^[0-9a-f]{64}$/);
  assertEquals(pick(pushed, "preview_hash"), pick(asked, "preview_hash"), "what was previewed");
  assertEquals(pick(pushed, "run_status"), "success");
  assertEquals(
    pick(started, "run_status"),
    "success",
    "a run of the calling process counts as well",
  );
  assertEquals(String(pick(asked, "args", "message")), "x token=***");
  assert(!JSON.stringify(all).includes(token) && !JSON.stringify(all).includes("ghp_"));

  // Every filter finds what it should, and two together what both allow.
  const found = async (...args: string[]) => (await entries(world, ...args)).map(brief);
  assertEquals((await found("--tool", "push")).length, 5);
  assertEquals(await found("--decision", "unsupported"), [brief(asked ?? {})]);
  assertEquals((await found("--way", "token", "--tool", "push")).length, 1);
  assertEquals((await found("--run", String(pick(pushed, "run_id")).slice(0, 8))).length, 1);
  assertEquals((await found("--client", "TESTER", "--door", "cli")).length, 8);
  assertEquals(await found("--client", "claude"), []);
  assertEquals(await found("-e", "shop"), []);
  assertEquals(
    (await found("--since", "1h", "-e", "demo")).length,
    7,
    "the unknown token was about none",
  );
  assertEquals(await found("--until", "2020-01-01"), []);

  // Pages meet without a gap.
  const pages: unknown[] = [];
  let next: unknown = null;
  do {
    const ran = await world.amof([
      ...["audit", "--json", "--limit", "3"],
      ...(next === null ? [] : ["--before", String(next)]),
    ]);
    pages.push(...rows(ran.json(), "entries"));
    next = ran.json()["next_before"];
  } while (next !== null);
  assertEquals(pages, all);

  const text = (await world.amof(["audit", "--limit", "2"])).stdout;
  assertStringIncludes(text, "Found 2 entries and more.");
  assertMatch(text, /^TIME +CLIENT +TOOL +ECOSYSTEM +MODE +DECISION +WAY +OUTCOME +RUN$/m);
  assertMatch(text, /ticket_start .* [0-9a-f]{8} success$/m);
  assertMatch(text, /^Older ones: the same command with --before \d+$/m);

  for (const wrong of [["--since", "yesterday"], ["--until", "24"], ["--decision", "maybe"]]) {
    const ran = await world.amof(["audit", "--json", ...wrong]);
    assertEquals([ran.code, ran.json()["error"]], [2, "invalid_arguments"], wrong.join(" "));
  }
});

Deno.test("amof audit shows the entries of the control repository one stands in, elsewhere all", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await using other = await World.withEcosystem({ repos: [] });
  const env = { AMOF_HOME: world.env["AMOF_HOME"] ?? "" };
  await world.amof(["journal", "add", "Here"]);
  await other.amof(["journal", "add", "There"], { env });
  const titles = async (cwd: string) =>
    rows((await world.amof(["audit", "--json"], { cwd })).json(), "entries").map((entry) =>
      pick(entry, "args", "title")
    );
  assertEquals(await titles(world.control), ["Here"]);
  assertEquals(await titles(other.control), ["There"]);
  assertEquals(await titles(world.directory), ["There", "Here"]);
});

Deno.test("amof audit shows nothing of a client that could hide or forge a line", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const title = "a\u001b[2Kb\u202ec\r\nd";
  await world.amof(["journal", "add", title], { env: { USER: "eve\u001b[31m\u202e\nroot" } });
  const [entry] = await entries(world);
  assertEquals(entry?.["client"], "eve root@cli");
  assertEquals(pick(entry, "args", "title"), "abc\nd");
  assertEquals((await world.amof(["audit"])).stdout.split("\n").length, 5);
});
