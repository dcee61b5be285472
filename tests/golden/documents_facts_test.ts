// Tables and numbers of the documents repeat what the program holds, so that neither changes without the other.

import { assert, assertEquals, assertThrows } from "@std/assert";
import { z } from "zod";
import { AGENTPACK_CODES } from "../../src/apps/agentpack/error.ts";
import { outputTable } from "../../src/apps/agentpack/target/table.ts";
import { GLOBAL_FLAGS } from "../../src/pipeline/line/flags.ts";
import { PAGE_CHARACTERS } from "../../src/pipeline/page.ts";
import { COMMANDS, loadCommand } from "../../src/pipeline/registry.ts";
import { TOOLSETS } from "../../src/contract/mod.ts";
import { AmofError, EXIT } from "../../src/base/error.ts";
import { MAX_LIFETIME_MS } from "../../src/doors/agentpack/mcp/consent.ts";
import { MAX_RESULT } from "../../src/doors/mcp/result.ts";
import { PAGE_SIZE } from "../../src/doors/mcp/pages.ts";
import { MAX_LINE_BYTES } from "../../src/doors/mcp/serving.ts";
import { modeRequired } from "../../src/base/policy/mode.ts";
import { APPROVAL_LIFETIME_MS, MOST_LIVE_REQUESTS, MOST_WRONG_TRIES, TOKEN_LIFETIME_MS } from "../../src/base/policy/consent.ts";
import { nextVersion, parseVersion, type Step, tagOf } from "../../src/commands/release/ladder.ts";
import { SHORTEST_PREFIX } from "../../src/commands/runs/which.ts";
import { type Setting, SETTINGS } from "../../src/state/settings/mod.ts";
import { DECISIONS, EVENT_TYPES, PROBLEMS, STATUSES } from "../../src/state/store/mod.ts";
import { DEFINITIONS } from "../../src/pipeline/suggest/definitions.ts";
import { offersOf, type SetName } from "../../src/pipeline/suggest/offer.ts";
import { LIST_KINDS } from "../../src/workspace/import/mod.ts";
import { manifestSchema } from "../../src/workspace/manifest/schema.ts";
import { MODULES, rule, tableIn } from "../support/documents.ts";
import { TOOLS } from "../support/tools.ts";

Deno.test("tables of commands and modes say what is declared", () => {
  const { text } = rule("CONFIRM-1");
  assertEquals(
    new Map(tableIn(text, "command").map(([path = "", ...facts]) => [path, facts])),
    new Map(
      COMMANDS.flatMap((command) =>
        command.kind === "mutation"
          ? [[command.path.join(" "), [command.safety, command.confirm]]]
          : []
      ),
    ),
  );
  for (const [safety = "", needs] of tableIn(rule("MODE-5").text, "safety")) {
    assertEquals(modeRequired(safety as Parameters<typeof modeRequired>[0]), needs);
  }
});

Deno.test("the table of locks says what is declared", async () => {
  const told = new Map(tableIn(rule("RUN-6").text, "command").map(([path, takes]) => [path, takes]));
  const words = { ecosystem: "the ecosystem", scope: "its workspace" };
  const declared = new Map<string | undefined, string | undefined>();
  for (const { path, kind, name, scope } of COMMANDS) {
    const command = kind === "mutation" && scope === "ecosystem" ? await loadCommand(name) : null;
    if (command?.kind !== "mutation") continue;
    const raised = command.raised?.({ repair: true });
    const { locks = null } = { ...command, ...raised };
    if (locks === null) continue;
    const line = path.join(" ");
    // What depends on the input is told in words.
    declared.set(line, typeof locks === "string" ? words[locks] : told.get(line) ?? "nothing");
  }
  assertEquals(told, declared);
});

Deno.test("the rules of files and flags name every one there is", () => {
  const names = (label: string) =>
    new Set(
      [...rule(label).text.matchAll(/`(?:--|-|repos\[\]\.)?([\w-]+)(?:\.[\w.]+)?`/g)].map((
        [, name],
      ) => name),
    );
  const { shape } = manifestSchema(z);
  const members = [...Object.keys(shape), ...Object.keys(shape.repos.element.shape)];
  assertEquals(members.filter((name) => !names("WORKSPACE-5").has(name)), []);
  const flags = GLOBAL_FLAGS.flatMap(({ name, short }) =>
    short === undefined ? [name] : [name, short]
  );
  assertEquals(flags.filter((name) => !names("EXIT-3").has(name)), []);
});

Deno.test("the table of settings names every one there is, with what it can be", () => {
  const values = ({ kind, choices, most }: Setting) => {
    if (kind === "number") return `1 to ${most}`;
    if (kind === "choice") return choices?.join(", ");
    if (kind === "directories") return kind;
    return kind === "directory" ? "a directory" : kind === "command" ? "a command" : "words";
  };
  assertEquals(
    tableIn(rule("SETTING-4").text, "setting").map(([name, value = "", ...others]) =>
      [name, value.split(/, or | and /)[0], ...others]
    ),
    SETTINGS.map((setting: Setting) => [
      setting.name,
      values(setting),
      setting.variable ?? "",
      setting.flag ?? "",
      setting.otherwise,
    ]),
  );
});

Deno.test("the table of lists has a row for each kind", () => {
  const lists = tableIn(rule("WORKSPACE-13").text, "from").map(([from = ""]) => from)
    .filter((from) => !from.includes("--from"));
  const rows = LIST_KINDS.map((kind) =>
    lists.findIndex((from) =>
      kind.split("-").every((word) => from.toLowerCase().includes(word))
    )
  );
  assertEquals(rows.toSorted((one, other) => one - other), [...lists.keys()]);
});

Deno.test("tables of suggested actions say what is offered", () => {
  assertEquals(
    tableIn(rule("NEXT-2").text, "id"),
    Object.entries(DEFINITIONS).map(([id, { tool, needs, priority }]) => {
      const { scope, safety } = TOOLS.get(tool) ?? {};
      return [
        id,
        tool,
        needs.join(", "),
        scope === "session" ? "tool" : scope,
        safety,
        String(priority),
      ];
    }),
  );
  for (const [set = "", ids] of tableIn(rule("NEXT-3").text, "set")) {
    assertEquals(offersOf(set as SetName).map(({ id }) => id).join(", "), ids, set);
  }
});

Deno.test("tables of words say which there are", () => {
  const first = (label: string, header: string) =>
    tableIn(rule(label).text, header).flatMap(([words = ""]) => words.split(" "));
  assertEquals(first("CONFIRM-14", "decision").sort(), [...DECISIONS].sort());
  assertEquals(first("AUDIT-2", "problem"), [...PROBLEMS]);
  assertEquals(first("RUN-2", "status").sort(), [...STATUSES].sort());
  assertEquals(first("RUN-3", "type"), [...EVENT_TYPES]);
  assertEquals(first("EXIT-1", "code").map(Number), Object.values(EXIT).sort((a, b) => a - b));
});

/** The text of a module of the source. */
function source(name: string): string {
  return MODULES.find((module) => module.name === name)?.text ?? "";
}

Deno.test("tables of gates and conditions name every one there is", () => {
  const gates = source("src/commands/release/gates.ts").split("const GATES")[1] ?? "";
  assertEquals(
    tableIn(rule("RELEASE-4").text, "gate").map(([gate]) => gate),
    [...gates.matchAll(/^ {2}(\w+)\(/gm)].map(([, gate]) => gate),
  );
  assertEquals(
    tableIn(rule("NEXT-4").text, "condition").flatMap(([names = ""]) => names.split(" ")),
    [...source("src/pipeline/suggest/conditions.ts").matchAll(/^ {2}"([\w.]+)":/gm)].map(([, name]) => name),
  );
});

Deno.test("every step of the ladder leads where its example says", () => {
  for (const [, , , example = ""] of tableIn(rule("RELEASE-3").text, "step")) {
    const [from = "", word = "", option = "", to = ""] =
      /^(\S+) (\w+)(?: (?:--)?(\w+))? → (\S+)$/.exec(example)?.slice(1) ?? [];
    const current = parseVersion(from);
    assert(current !== null, example);
    const step = word === "promote"
      ? { kind: "promote", target: option || "stable" }
      : { kind: "bump", part: word, stage: option || null };
    const next = () => tagOf(nextVersion(current, step as Step));
    if (to === "refused") assertThrows(next, AmofError);
    else assertEquals(next(), to, example);
  }
});

Deno.test("numbers in rules are those of the program", () => {
  const minutes = (ms: number) => ms / 60_000;
  const words = ["no", "one", "two", "three", "four", "five"];
  const facts: readonly (readonly [string, string])[] = [
    ["CONFIRM-8", `${words[minutes(TOKEN_LIFETIME_MS)]} minutes`],
    ["CONFIRM-8", `at most ${MOST_LIVE_REQUESTS} live requests`],
    ["CONFIRM-10", `after ${words[MOST_WRONG_TRIES]} it is void`],
    ["CONFIRM-12", `${minutes(APPROVAL_LIFETIME_MS)} minutes`],
    ["MCP-2", `${MAX_LINE_BYTES / 1024 / 1024} MiB`],
    ["MCP-6", `${MAX_RESULT.toLocaleString("en")} characters`],
    ["MCP-7", `${PAGE_CHARACTERS.toLocaleString("en")} characters`],
    ["MCP-7", `pages of ${PAGE_SIZE}`],
    ["RUN-1", `at least ${words[SHORTEST_PREFIX]} characters`],
    ["PACK-47", `${minutes(MAX_LIFETIME_MS) === 10 ? "ten" : "?"} minutes`],
    ...TOOLSETS.map((name) => ["MCP-8", `\`${name}\``] as const),
  ];
  const spaced = (text: string) => text.replaceAll(/\s+/g, " ");
  const missing = facts.filter(([label, words]) => !spaced(rule(label).text).includes(words));
  assertEquals(missing, []);
});

Deno.test("tables of agentpack say what it writes and answers", () => {
  assertEquals(
    tableIn(rule("PACK-23").text, "target"),
    outputTable().map((row) => [
      row.target,
      row.type,
      row.scope,
      row.output,
      row.root,
      row.option ?? "–",
      row.default ? "on" : "off",
    ]),
  );
  assertEquals(
    tableIn(rule("PACK-41").text, "code"),
    Object.entries(AGENTPACK_CODES).map((
      [code, { reason, next }],
    ) => [code, reason, next.join(", ")]),
  );
});
