// Covers `amof audit`: who asked for what, who decided in which way, and how to find it again.

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { pick, rows } from "../support/answers.ts";
import { McpClient } from "../support/mcp_client.ts";
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
  assertMatch(text, /^Older ones: amof audit --limit 2 --before \d+$/m);

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

Deno.test("amof audit verify and export: the log, an export, and what was done to either", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  for (const title of ["One", "Two", "Three", "Four", "Five"]) {
    await world.amof(["journal", "add", title]);
  }
  const verify = async (...args: string[]) => {
    const ran = await world.amof(["audit", "verify", "--json", ...args]);
    return { code: ran.code, json: ran.json() };
  };
  const fine = await verify();
  assertEquals([fine.code, pick(fine.json, "in_order"), pick(fine.json, "entries")], [0, true, 5]);
  const head = String(pick(fine.json, "head", "hash"));
  assertMatch(head, /^[0-9a-f]{64}$/);

  // An export of all, of a part, and to a file that is new.
  const all = await world.amof(["audit", "export"]);
  const lines = all.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.map((line) => pick(line, "args", "title")), [
    "One",
    "Two",
    "Three",
    "Four",
    "Five",
  ]);
  assertEquals([lines.at(-1)?.hash, lines[1]?.previous], [head, lines[0]?.hash]);
  const [newest] = await entries(world, "--limit", "1");
  assertEquals([newest?.["hash"], newest?.["signed"]], [head, false]);
  assertStringIncludes(all.stderr, `Exported 5 entries; entry 5 is the last: ${head}.`);
  const printed = await world.amof(["audit", "export", "--output", "-"]);
  assertEquals(printed.stdout, all.stdout);
  const part = await world.amof([
    ...["audit", "export", "--after", "1", "--since", "1h", "--until", "2099-01-01"],
    ...["--output", "part.jsonl"],
  ]);
  assertEquals([part.code, part.stdout], [0, ""]);
  const file = `${world.control}/part.jsonl`;
  assertEquals(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o600);
  const text = await Deno.readTextFile(file);
  assertEquals(text, `${all.stdout.split("\n").slice(1, 5).join("\n")}\n`);
  assertEquals((await world.amof(["audit", "export", "--output", "part.jsonl"])).code, 2);
  assertEquals(await Deno.readTextFile(file), text, "what is there is not overwritten");
  const checked = await verify("--file", "part.jsonl", "--head", head.slice(0, 16));
  assertEquals([checked.code, pick(checked.json, "entries"), pick(checked.json, "first_id")], [
    0,
    4,
    2,
  ]);
  await Deno.writeTextFile(file, text.replace("Three", "Threw"));
  const threw = await verify("--file", "part.jsonl");
  assertEquals([threw.code, pick(threw.json, "error")], [1, "check_failed"]);
  assertEquals(pick(threw.json, "findings", 0, "id"), 3);
  assertEquals(pick(threw.json, "findings", 0, "tool"), "amof_create_journal");

  // Nothing that could be read as an export, and no hash.
  await Deno.writeTextFile(file, "\n");
  for (
    const args of [["--file", "none.jsonl"], ["--file", "part.jsonl"], ["--file", "."], [
      "--head",
      "x",
    ]]
  ) {
    const ran = await verify(...args);
    assertEquals([ran.code, pick(ran.json, "error")], [2, "invalid_arguments"], args.join(" "));
  }
  for (const args of [["--since", "yesterday"], ["--after", "-1"], ["--until", ""]]) {
    assertEquals((await world.amof(["audit", "export", ...args])).code, 2, args.join(" "));
  }
  assertEquals((await verify("--head", "0".repeat(16))).code, 1);

  // One changed byte, and the end cut off.
  const database = new DatabaseSync(`${world.env["AMOF_HOME"]}/state/amof.db`);
  database.exec(`UPDATE audit SET args = replace(args, 'Two', 'Twp') WHERE id = 2`);
  const found = await world.amof(["audit", "verify"]);
  assertEquals(found.code, 1);
  assertMatch(
    found.stdout,
    /^✗ changed: entry 2 \([^()]+, create_journal\): What it says was changed/m,
  );
  database.exec(`UPDATE audit SET args = replace(args, 'Twp', 'Two') WHERE id = 2`);
  database.exec("DELETE FROM audit WHERE id > 3");
  database.close();
  await using client = new McpClient(world, ["--tools", "amof_audit_verify"]);
  await client.initialize();
  const { data: answer } = await client.call("amof_audit_verify");
  assertEquals(pick(answer, "error"), "check_failed");
  assertEquals(pick(answer, "findings", 0, "problem"), "cut_off");
  assertMatch(
    String(pick(answer, "message")),
    /^Found 1 problem in the audit log: cut off: entry 4: .*2 entries more stood behind entry 3/,
  );
  assertEquals(
    pick((await client.call("amof_audit_verify", { file: "/etc/hosts" })).data, "error"),
    "tool_not_available",
  );
});

Deno.test({
  name: "a command that is killed while it changes something is in the audit log",
  ignore: Deno.build.os === "windows", // kills by signal
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    const env = await world.wrapGit('case "$*" in *"switch "*) kill -9 "$PPID" ;; esac');
    await world.amof(["ticket", "start", "T-1"], { env });
    const start = async () =>
      (await entries(world, "--tool", "ticket_start")).map((entry) => [
        brief(entry),
        entry["mode"],
        entry["client"],
        entry["run_status"],
      ]);
    // Once, however often somebody looks for what was left.
    for (let time = 0; time < 2; time++) {
      assertEquals((await world.amof(["doctor", "--repair"])).code, 0);
      assertEquals(await start(), [
        ["amof_ticket_start executed none interrupted", "execute", "tester@cli", "failed"],
      ]);
    }
    assertEquals((await world.amof(["audit", "verify"])).code, 0);
    // The run of a repair goes back to what was agreed to before, and has no entry of its own beside that of the call.
    await world.amof(["ticket", "start", "T-2"], { env });
    assertEquals((await world.start(["doctor", "--repair"]).output()).code, 0);
    await world.amof(["runs", "list"]);
    const repaired = await entries(world, "--tool", "doctor", "--limit", "1000");
    assertEquals(repaired.map((entry) => entry["run_id"]), repaired.map(() => null));
  },
});

Deno.test({
  name: "what a worker did for a command that was killed meanwhile is in the audit log",
  ignore: Deno.build.os === "windows", // kills by signal
  async fn() {
    await using world = await World.installed({ repos: ["api"] });
    await world.commitOnFeature("api");
    const flag = join(world.directory, "go");
    const env = await world.wrapGit(
      `case "$*" in *" push "*) touch '${flag}.here'; until [ -e '${flag}' ]; do sleep 0.05; done ;; esac`,
    );
    const push = world.start(["push", "--yes"], { env });
    for (let turn = 0; turn < 400 && !await world.exists(`${flag}.here`); turn++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    push.kill("SIGKILL");
    await push.status;
    // As if it had been killed a moment before, between the start of its run and its entry.
    const file = join(world.env["AMOF_HOME"] ?? "", "state", "amof.db");
    using database = new DatabaseSync(file);
    database.exec("DELETE FROM audit WHERE tool = 'amof_push_ecosystem'");
    await Deno.writeTextFile(flag, "");
    let found: Record<string, unknown>[] = [];
    for (let turn = 0; turn < 200 && found.length === 0; turn++) {
      found = await entries(world, "--tool", "push");
    }
    assertEquals(found.map((entry) => [brief(entry), entry["run_status"]]), [
      ["amof_push_ecosystem accepted flag ok", "success"],
    ]);
  },
});

Deno.test("what the log did not take at the end of a call is in it after the next look", async () => {
  await using world = await World.installed({ repos: ["api"] });
  using database = new DatabaseSync(join(world.env["AMOF_HOME"] ?? "", "state", "amof.db"));
  database.exec(
    "CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END",
  );
  // In a process of its own: one that lives on writes the entry itself as soon as there is room.
  const started = await world.start(["ticket", "start", "T-1"]).output();
  assertEquals(started.code, 0);
  assertStringIncludes(
    new TextDecoder().decode(started.stderr),
    "The audit log could not be written",
  );
  database.exec("DROP TRIGGER full");
  assertEquals((await world.amof(["runs", "list"])).code, 0);
  // Once, however many look at the same time.
  await Promise.all([1, 2, 3].map(() => world.amof(["runs", "list"])));
  const found = await entries(world, "--tool", "ticket_start");
  assertEquals(found.map((entry) => [brief(entry), entry["client"], entry["run_status"]]), [
    ["amof_ticket_start executed none ok", "tester@cli", "success"],
  ]);
  assertEquals((await world.amof(["audit", "verify"])).code, 0);
});
