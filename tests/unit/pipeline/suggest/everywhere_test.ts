/**
 * From every answer there is a way on: every tool of the registry, from every place, in every mode.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { Fields } from "../../../../src/base/object.ts";
import { commandOfRun } from "../../../../src/pipeline/registry.ts";
import { AmofError } from "../../../../src/base/error.ts";
import { allows, type Mode, MODES } from "../../../../src/base/policy/mode.ts";
import type { Command } from "../../../../src/contract/mod.ts";
import { Session } from "../../../../src/pipeline/session.ts";
import { type Place, placeIn } from "../../../../src/contract/place.ts";
import { type Situation, suggest } from "../../../../src/pipeline/suggest/mod.ts";
import { COMMANDS, findCommand } from "../../../support/loaded.ts";

const RUN = "4e8c1d72-0000-4000-8000-000000000001";
const TOKEN = "3f0c6f4e-8a39-4a57-9d0f-2f6f6f7f8a90";

const PLACES: readonly Place[] = [
  placeIn(""),
  placeIn("demo"),
  placeIn("demo", "PROJ-1"),
  { ...placeIn("demo"), scope: "run", runId: RUN },
  { ...placeIn("demo"), scope: "release", releaseTag: "v1.0.3-rc.1" },
];

/** The tools of the registry that a server offers unless it is told otherwise. */
const OFFERED = COMMANDS.filter((command) =>
  command.mcp !== "never" && command.mcp !== "asked for"
);

function find(name: string): Command | null {
  const command = findCommand(name);
  return command !== null && OFFERED.includes(command) ? command : null;
}

type Answer = Pick<Situation, "phase" | "data" | "failure">;

function refused(code: AmofError["code"], data: Fields = {}): Answer {
  return { phase: "refused", data, failure: new AmofError(code, "Cannot do it") };
}

/** How a call may be answered in a mode, its facts left out, so that the rules have the least to go by. */
function answersOf(command: Command, mode: Mode): Answer[] {
  const wrong = [
    refused("invalid_arguments"),
    refused("scope_required"),
    refused("internal_error"),
  ];
  if (command.kind === "query" || command.kind === "navigation") {
    return [{ phase: "result", data: {}, failure: null }, ...wrong];
  }
  const run = { run_id: RUN, action: "push" };
  if (mode === "ask") return [refused("mode_insufficient"), ...wrong];
  const preview: Answer = { phase: "preview", data: {}, failure: null };
  if (mode === "plan") return [preview, ...wrong];
  const confirmation = { token: TOKEN, typed_value_required: command.confirm === "type" };
  return [
    preview,
    refused("confirmation_required", { confirmation }),
    { phase: "started", data: { ...run, status: "queued" }, failure: null },
    { phase: "result", data: run, failure: null },
    ...wrong,
  ];
}

function situation(command: Command, place: Place, mode: Mode, answer: Answer): Situation {
  const session = new Session({ id: "sess_1", owner: "test", mode, maxMode: "execute" });
  session.enter(place);
  const { ecosystem, ticket } = place;
  const ofRun = commandOfRun;
  return { ...answer, command, session, mode, ecosystem, ticket, installed: null, find, ofRun };
}

Deno.test("suggest() offers a way on from every tool, place and mode", () => {
  const without: string[] = [];
  let counted = 0;
  for (const command of OFFERED) {
    for (const place of PLACES) {
      for (const mode of MODES) {
        const silent = answersOf(command, mode).filter((answer) =>
          suggest(situation(command, place, mode, answer)).length === 0
        );
        if (silent.length === 0) counted++;
        without.push(
          ...silent.map(({ phase, failure }) =>
            [command.name, place.scope, mode, phase, failure?.code ?? ""].join(" ")
          ),
        );
      }
    }
  }
  assertEquals(without, []);
  assertEquals(counted, OFFERED.length * PLACES.length * MODES.length);
  assert(OFFERED.length >= 30, "the catalogue has thirty tools besides those of the session");
});

Deno.test("suggest() offers nothing above the mode, whatever the registry holds", () => {
  for (const command of OFFERED) {
    for (const place of PLACES) {
      for (const mode of MODES) {
        for (const answer of answersOf(command, mode)) {
          for (const action of suggest(situation(command, place, mode, answer))) {
            assert(
              action.id === "confirm" || allows(mode, action.mode_required),
              `${command.name} in ${mode}: ${action.id}`,
            );
          }
        }
      }
    }
  }
});
