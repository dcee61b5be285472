// Covers ERROR_CODES: the table of the document is this one, every code is raised somewhere and has a hint and a
// way out, and nothing else is raised (ERROR-5).

import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { commandOfRun, COMMANDS, findCommand } from "../../../src/pipeline/registry.ts";
import { AGENTPACK_CODES } from "../../../src/apps/agentpack/error.ts";
import {
  AmofError,
  ERROR_CODES,
  type ErrorCode,
  errorObject,
  NEXT_ACTIONS,
} from "../../../src/base/error.ts";
import { Session } from "../../../src/pipeline/session.ts";
import { suggest } from "../../../src/pipeline/suggest/mod.ts";
import { rule, tableIn } from "../../support/documents.ts";

/** Folders that name codes without raising them, or have codes of their own. */
const ELSEWHERE = /^(?:pipeline\/suggest\/|apps\/agentpack\/|pipeline\/agentpack\/)/;

async function sources(directory: string, below = ""): Promise<(readonly [string, string])[]> {
  const found: (readonly [string, string])[] = [];
  for await (const entry of Deno.readDir(join(directory, below))) {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory) found.push(...await sources(directory, name));
    else if (/\.tsx?$/.test(name)) {
      found.push([name, await Deno.readTextFile(join(directory, name))]);
    }
  }
  return found;
}

const SOURCES = (await sources(fromFileUrl(new URL("../../../src", import.meta.url))))
  .filter(([name]) => !ELSEWHERE.test(name))
  // What only asks for a code does not raise it.
  .map(([name, text]) =>
    [name, text.replace(/case "\w+"/g, "").replace(/[!=]== "\w+"/g, "")] as const
  );

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

Deno.test("ERROR_CODES is the table of the document, with its status and exit code", () => {
  assertEquals(
    tableIn(rule("ERROR-5").text, "code"),
    CODES.map((
      code,
    ) => [code, String(ERROR_CODES[code].http || "–"), String(ERROR_CODES[code].exit)]),
  );
});

Deno.test("every code of ERROR_CODES is raised in the source", () => {
  const text = SOURCES.map(([, source]) => source).join("\n");
  assertEquals(CODES.filter((code) => !text.includes(`"${code}"`)), []);
});

Deno.test("every code that is raised in the source is in ERROR_CODES", () => {
  const raised = SOURCES.flatMap(([name, text]) =>
    [...text.matchAll(/new AmofError\(\s*"(\w+)"/g)].map((match) => [name, match[1] ?? ""] as const)
  );
  assert(raised.length > 100, "the pattern finds what it looks for");
  assertEquals(raised.filter(([, code]) => !(CODES as string[]).includes(code)), []);
});

Deno.test("every error tells a program why and what next, as those of agentpack do", () => {
  for (const code of CODES) {
    const { details } = errorObject(new AmofError(code, "Cannot do it", { details: { x: 1 } }));
    assertEquals([details.reason_code, details["x"]], [code, 1]);
    assert(details.next_actions.length > 0, code);
    for (const word of details.next_actions) assertMatch(word, /^[a-z]+(?:_[a-z]+)*$/);
  }
  const conflict = new AmofError("git_failed", "Cannot do it", { details: { kind: "conflict" } });
  assertEquals(errorObject(conflict).details.reason_code, "git_conflict");
  // The same next action has the same word in both contracts.
  const words: readonly string[] = Object.values(AGENTPACK_CODES).flatMap(({ next }) => next);
  for (const word of ["retry_command", "retry_later", "fix_arguments", "raise_mode"]) {
    assert(words.includes(word), word);
    assert(CODES.some((code) => (NEXT_ACTIONS[code] as readonly string[]).includes(word)), word);
  }
});

for (const code of CODES) {
  Deno.test(`an error ${code} says what to do`, () => {
    const { hint } = new AmofError(code, "Cannot do it");
    for (const line of hint.split("\n")) assert(/^[A-Z].*[^.]$/.test(line), line);
    assertEquals(new AmofError(code, "Cannot do it", { hint: "Better" }).hint, "Better");
    // What somebody has to fill in is what nobody else can know.
    const free = hint.replaceAll(/(?:--ecosystem|create) NAME|--root DIR/g, "");
    assertEquals(free.match(/: (?:amof|git) .*\b[A-Z]{2,}\b/)?.[0], undefined);
    // A hint names commands that exist.
    for (const [, words = ""] of hint.matchAll(/amof ((?:[a-z]+ ?)+)/g)) {
      const [first = ""] = words.trim().split(" ");
      const known = [
        ...COMMANDS.map((command) => command.path[0]),
        "mcp",
        "approve",
        "deny",
        "config",
      ];
      assert(known.includes(first), hint);
    }
  });

  Deno.test(`an error ${code} offers a way out, in ask mode as well`, () => {
    const command = findCommand("amof_push_ecosystem");
    assert(command !== null);
    const session = new Session({ id: "s", owner: "o", mode: "ask", maxMode: "execute" });
    session.enter({ scope: "ecosystem", ecosystem: "demo" });
    const actions = suggest({
      command,
      phase: "refused",
      data: {},
      failure: new AmofError(code, "Cannot do it"),
      session,
      mode: "ask",
      ecosystem: "demo",
      ticket: null,
      installed: null,
      find: findCommand,
      ofRun: commandOfRun,
    });
    assert(actions.length > 0);
  });
}
