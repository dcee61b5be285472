/**
 * Whatever is offered in any case can be called as a tool and pasted as a command line.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { modeRequired } from "../../../../src/base/policy/mode.ts";
import { actionLine } from "../../../../src/doors/cli/render.ts";
import { parseArguments } from "../../../../src/pipeline/common.ts";
import { parseInvocation } from "../../../../src/pipeline/line/parse.ts";
import { takeWords } from "../../../../src/pipeline/line/words.ts";
import { suggest } from "../../../../src/pipeline/suggest/mod.ts";
import { situation } from "./_support.ts";
import { CASES } from "./cases/mod.ts";
import { listedTools, TOOLSETS_SERVED } from "../../../support/listed_tools.ts";
import { splitWords } from "../../../../src/base/text/shells.ts";
import { COMMANDS, findCommand } from "../../../support/loaded.ts";

Deno.test("suggest() offers only calls that the registered tools accept", async () => {
  const checked = new Set<string>();
  for (const { given } of CASES) {
    for (const action of suggest(situation(given))) {
      const command = findCommand(action.tool);
      if (command === null) continue;
      await parseArguments(command, action.args);
      checked.add(action.tool);
    }
  }
  assert(checked.has("amof_push_ecosystem") && checked.has("amof_confirm"));
});

Deno.test("suggest() offers only tools that are listed, with arguments that their schemas list", async () => {
  const wrong = new Set<string>();
  const checked = new Set<string>();
  for (const toolsets of TOOLSETS_SERVED) {
    const { offers, problem } = await listedTools(toolsets);
    const find = (name: string) => {
      const command = findCommand(name);
      return command !== null && offers(command) ? command : null;
    };
    for (const { given } of CASES) {
      for (const lasts of [true, false]) {
        for (const ticket of [null, "PROJ-1"]) {
          const where = { ...given, find, lasts, ...ticket === null ? {} : { ticket } };
          for (const { id, tool, args } of suggest(situation(where))) {
            const found = problem(tool, args);
            if (found !== null) wrong.add(`${toolsets.join()}: ${id} ${found}`);
            for (const name of Object.keys(args)) checked.add(`${tool} ${name}`);
          }
        }
      }
    }
  }
  assertEquals([...wrong], []);
  for (
    const each of [
      "amof_ticket_end only",
      "amof_sync_ecosystem only",
      "amof_push_ecosystem ticket",
    ]
  ) assert(checked.has(each), each);
});

Deno.test("suggest() says what each call may do, in which mode, and whether it asks or consents", () => {
  const asking = new Set<string>();
  for (const { given } of CASES) {
    for (const action of suggest(situation({ ...given, find: findCommand }))) {
      const command = findCommand(action.tool);
      if (command === null) continue;
      const raised = command.kind === "mutation" ? command.raised?.(action.args) : null;
      const asks = (raised?.confirm ?? command.confirm) !== "none" || command.kind === "redeem";
      const safety = raised?.safety ?? command.safety;
      assertEquals(
        [action.confirm, action.safety, action.mode_required],
        [asks, safety, modeRequired(safety)],
        `${action.id} ${JSON.stringify(action.args)}`,
      );
      if (asks) asking.add(action.id);
    }
  }
  for (const id of ["server_start", "server_restart", "ticket_end", "push_ecosystem", "confirm"]) {
    assert(asking.has(id), id);
  }
});

/** What was typed, with the ids of runs as they are meant: eight characters name one. */
function withWholeRuns(typed: unknown, meant: unknown): unknown {
  const whole = JSON.stringify(meant).match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];
  return JSON.parse(
    JSON.stringify(typed).replace(
      /(?<=["=])[0-9a-f]{8}(?=")/g,
      (id) => whole.find((each) => each.startsWith(id)) ?? id,
    ),
  );
}

Deno.test("suggest() offers only calls that can be pasted as command lines and mean the same", async () => {
  const entries = COMMANDS;
  const pasted = new Set<string>();
  for (const { given } of CASES) {
    for (const action of suggest(situation(given))) {
      const line = actionLine(action.tool, action.args);
      if (line === null) continue;
      const { words, rest } = takeWords(splitWords(line)?.slice(1) ?? [], entries);
      const entry = entries.find((command) => command.path.join(" ") === words.join(" "));
      assert(entry !== undefined, line);
      assertEquals(entry.name, findCommand(action.tool)?.name, line);
      const { args, flags } = await parseInvocation(entry, rest);
      const { ecosystem, mode, ...own } = action.args;
      assertEquals([flags.ecosystem ?? args["ecosystem"], flags.mode], [
        ecosystem,
        mode ?? null,
      ], line);
      const { ecosystem: _ecosystem, ...given } = args;
      assertEquals(withWholeRuns(given, own), own, line);
      pasted.add(action.id);
    }
  }
  assert(pasted.size > 15, [...pasted].join(", "));
});
