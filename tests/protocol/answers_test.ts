/**
 * The shape of every answer of every tool, over a world full of hostile text: names, subjects, logs and
 * arguments that carry escape sequences, line ends and bidirectional marks.
 *
 * The calls come out of the registry: a new tool is tried without a line about it here.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { parseArguments } from "../../src/pipeline/common.ts";
import { membersOf } from "../../src/pipeline/line/parse.ts";
import type { Command } from "../../src/contract/mod.ts";
import * as z from "../../src/contract/zod.ts";
import { pick, rows } from "../support/answers.ts";
import { McpClient, type ToolAnswer } from "../support/mcp_client.ts";
import { HttpMcpClient } from "../support/mcp_http_client.ts";
import type { McpSession } from "../support/mcp_session.ts";
import { third } from "../support/sample.ts";
import { ServerOf } from "../support/server.ts";
import { World } from "../support/world.ts";
import { COMMANDS, findCommand } from "../support/loaded.ts";

/** What moves a cursor, recolours, hides, reorders or forges, in a name that git allows. */
const BIDI = "\u202egnp\u2066\u200b";
/** The same where control characters are allowed. */
const EVIL = `\u001b[2J\u001b]0;title\u0007${BIDI}\r\nerror: forged\u0085\u2028`;
const UNSAFE = /[^\P{Cc}\t\n]|[\p{Cf}\u2028\u2029]/u;

/** Words a summary begins with, besides those in "-ed": it tells an outcome (ANSWER-3). */
const OUTCOMES = ["Found", "Read", "Wrote", "Went", "Kept", "Stood", "Took", "Forgot", "Left"];

/** The wording of answers that are no outcome yet: previews, refusals, requests. */
const TEMPLATES =
  /^(?:\[plan\] Would |[A-Z][A-Za-z ]+ (?:needs|will|still waits) |Things changed |Nobody )/;

/** A world in which everything others can write is hostile. */
async function hostile(): Promise<World> {
  const world = await World.withEcosystem({
    repos: ["api"],
    extra: `description2: ${JSON.stringify(EVIL)}\n${JSON.stringify(EVIL)}: 1\n`,
  });
  await world.addEcosystem("shop", { repos: [] });
  const manifest = "control/ecosystems/shop/ecosystem.yaml";
  await world.write(
    manifest,
    `name: shop\ndescription: ${JSON.stringify(EVIL)}\nrepos: []\nprovisioner: here\n`,
  );
  await world.script("control/provisioners/here/spin.sh", `printf '${"\\033[2J"}%s' x`);
  await world.install();
  const clone = world.clone("api");
  await world.git(clone, "switch", "--quiet", "-c", `feature/${BIDI}`);
  await world.git(clone, "commit", "--quiet", "--allow-empty", "-m", EVIL);
  await Deno.writeTextFile(`${clone}/${BIDI}\u001b[31m.txt`, "x");
  await world.git(world.control, "tag", "-a", "v1.0.0", "-m", EVIL);
  await world.hook(
    `${clone}/.git`,
    "pre-push",
    `printf '\\033[2Jno \\342\\200\\256\\n' >&2; exit 1`,
  );
  await world.amof(["push", "--yes", "--quiet"]);
  return world;
}

/** Arguments with which a call gets far; every other text is hostile. */
const GOOD: Readonly<Record<string, unknown>> = {
  ecosystem: "demo",
  ticket_id: "T-1",
  name: "fresh",
  repos: ["api"],
};

/** A value for each member a schema has: known ones where `good`, hostile text otherwise. */
function argumentsOf(command: Command, good: boolean, runId: string): Record<string, unknown> {
  const members = membersOf(command.input(z));
  const value = (name: string, type: string, choices: readonly string[]): unknown => {
    if (good && name === "run_id") return runId;
    if (good && Object.hasOwn(GOOD, name)) return GOOD[name];
    if (choices.length > 0) return good ? choices[0] : EVIL;
    return type === "boolean" ? false : type === "integer" ? 3 : type === "array" ? [EVIL] : EVIL;
  };
  const optional = (name: string) => command.input(z).shape[name]?.safeParse(undefined).success;
  return {
    ...Object.fromEntries(
      members.filter(({ name }) =>
        !good || !optional(name) || name === "run_id" || name === "message"
      )
        .map(({ name, type, choices }) => [name, value(name, type, choices)]),
    ),
    ...(command.scope === "ecosystem" && good ? { ecosystem: "demo" } : {}),
  };
}

/** Everything that must be so of every answer. */
async function assertWellFormed(
  answer: ToolAnswer,
  listed: ReadonlySet<string>,
  told: string,
): Promise<void> {
  const { data, text, isError } = answer;
  assert(!UNSAFE.test(text), `${told}: ${JSON.stringify(text)}`);
  // Every string of the structured content, decoded.
  const walk = (value: unknown): void => {
    if (typeof value === "string") assert(!UNSAFE.test(value), `${told}: ${JSON.stringify(value)}`);
    else if (value !== null && typeof value === "object") {
      Object.keys(value).forEach(walk);
      Object.values(value).forEach(walk);
    }
  };
  walk(data);
  assertEquals(Object.hasOwn(data, "error"), isError, told);
  for (const member of ["scope", "ecosystem", "breadcrumb", "run_id", "mode", "session_id"]) {
    assert(pick(data, "_context", member) !== undefined, `${told}: ${member}`);
  }
  const summary = String(data["summary"]);
  assert(summary.length > 0 && summary.length <= 80 && !summary.includes("\n"), summary);
  const [word = ""] = summary.replace(/^✅ /, "").split(/[^A-Za-z]/);
  assert(
    /ed$/.test(word) || OUTCOMES.includes(word) || TEMPLATES.test(summary),
    `${told}: ${summary}`,
  );
  assertMatch(text, /^\[[^\]\n]+\] /, told);
  assert(text.split("\n")[0]?.endsWith(summary), `${told}: ${text}`);
  // No text of others begins a line that looks like one of the program's own.
  assert(!/^error: forged/m.test(text), `${told}: ${text}`);
  for (const member of ["message", "hint"]) {
    if (isError) assert(String(data[member] ?? "") !== "", `${told}: ${member}`);
  }
  const actions = rows(data, "suggested_actions");
  assert(actions.length <= 5, told);
  assertEquals(new Set(actions.map((action) => action["id"])).size, actions.length, told);
  for (const action of actions) {
    const name = String(action["tool"]);
    assert(listed.has(name), `${told} suggests ${name}, which is not offered`);
    const command = findCommand(name);
    assert(command !== null);
    await parseArguments(command, action["args"] as Record<string, unknown>);
    assert(String(action["label"]).length <= 30);
  }
}

Deno.test({
  name: "every answer of every tool is well formed and clean, whatever others wrote",
  ignore: Deno.build.os === "windows", // hostile file names and shell scripts
  async fn(t) {
    await using world = await hostile();
    const env = { USER: `eve${EVIL}` };
    await using server = await ServerOf.start(world, 0, { ...env, AMOF_TOOLSETS: "all" });
    const over = (flags: readonly string[]) => () =>
      Promise.resolve<McpSession>(new McpClient(world, flags, env));
    const selections: readonly (readonly [string, () => Promise<McpSession>])[] = [
      ["--toolsets all", over(["--toolsets", "all"])],
      ["--read-only", over(["--read-only"])],
      ["--tools", over(["--tools", "amof_get_ecosystem_status,amof_push_ecosystem"])],
      ["all tools over HTTP", () => HttpMcpClient.open(server)],
    ];
    for (const [turn, [named, connect]] of selections.entries()) {
      await t.step(named, async () => {
        await using client = await connect();
        await client.initialize({ clientInfo: { name: `eve${EVIL}`, version: EVIL } });
        const tools = rows(await client.request("tools/list"), "result", "tools");
        const listed = new Set(tools.map((tool) => String(tool["name"])));
        const runs = (await client.call("amof_list_runs", {})).data["runs"];
        const runId = String(pick(runs, 0, "run_id") ?? "00000000");
        const offered = COMMANDS.filter(({ name }) => listed.has(name));
        // Who makes an answer is the same everywhere: a sample asks for all of them once.
        const tried = turn === 0 ? offered : third(offered, turn);
        let calls = 0;
        for (const command of tried) {
          for (const good of [true, false]) {
            const args = argumentsOf(command, good, runId);
            const modes = command.kind === "mutation" && good
              ? ["ask", "plan", "execute"]
              : ["plan"];
            for (const mode of modes) {
              // Setting the mode or going back would change what the calls after it mean.
              const own = command.kind === "navigation" ? {} : { mode };
              const answer = await client.call(command.name, { ...args, ...own });
              const told = `${command.name} ${good ? "good" : "evil"} ${mode}`;
              await assertWellFormed(answer, listed, told);
              calls++;
            }
          }
        }
        assert(calls >= tried.length * 2 && tried.length >= Math.floor(offered.length / 3));
      });
    }
  },
});

Deno.test({
  name: "every command line is clean, whatever others wrote",
  ignore: Deno.build.os === "windows", // hostile file names and shell scripts
  async fn() {
    await using world = await hostile();
    const env = { USER: `eve${EVIL}` };
    const runs = rows((await world.amof(["runs", "list", "--json"])).json(), "runs");
    const runId = String(runs[0]?.["run_id"]);
    for (const command of COMMANDS) {
      const args = argumentsOf(command, true, runId);
      const words = Object.entries(args).filter(([name]) => name !== "ecosystem").flatMap(
        ([name, value]) => {
          if (typeof value === "boolean" || command.positionals?.includes(name)) return [];
          const flag = `--${command.flags?.[name] ?? name.replaceAll("_", "-")}`;
          return [value].flat().map((each) => `${flag}=${each}`);
        },
      );
      const named = (command.positionals ?? []).flatMap((name) => [args[name] ?? []].flat())
        .map(String);
      const mode = command.kind === "mutation" ? ["--mode", "plan"] : [];
      const line = [...command.path, ...named, ...words, ...mode, "--verbose"];
      const ran = await world.amof(line, { env });
      const shown = `${JSON.stringify(line)}: ${JSON.stringify(ran.stdout + ran.stderr)}`;
      assert(!UNSAFE.test(ran.stdout) && !UNSAFE.test(ran.stderr), shown);
      assert(!/^error: forged/m.test(ran.stdout + ran.stderr), shown);
    }
  },
});
