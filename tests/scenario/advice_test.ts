/**
 * Whatever an answer advises is carried out in the state in which it advises it, through each door: it must do
 * something, need no flag that it does not name, and not lead back (NEXT-6).
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import type { Server } from "../support/both_doors.ts";
import { third, THOROUGHLY } from "../support/sample.ts";
import { program, World } from "../support/world.ts";
import {
  changes,
  type Place,
  problemOf,
  serverIn,
  type Way,
  waysAtTerminal,
  waysOfJson,
  waysOverMcp,
} from "./_advice.ts";
import { ASKED, BEFORE_TICKET, OUTSIDE, STATES } from "./_advice_states.ts";

/** Where it happens, and how one gets there. */
const PLACES = {
  "on the base branch": () => Promise.resolve(),
  "in a ticket": async (world: World) => {
    const ran = await world.amof(["ticket", "start", "T-1", "--quiet"]);
    assertEquals(ran.code, 0, ran.stderr);
  },
} as const;

/** Asks the three doors, and carries out what each advises; what is wrong with it. */
async function advised(
  place: Place,
  server: Server,
  asked: readonly string[],
): Promise<string[]> {
  const { world, cwd, env = {} } = place;
  const found: string[] = [];
  const tried = new Set<string>();
  const attempt = async (door: string, through: Server | null, ways: readonly Way[]) => {
    for (const way of ways) {
      // What another door has advised in the same words does the same.
      const key = JSON.stringify([way.words, way.call]);
      if (tried.has(key)) continue;
      tried.add(key);
      const problem = await problemOf(place, through, way);
      if (problem !== null) found.push(`${asked.join(" ")}: ${door}: ${way.said}: ${problem}`);
    }
  };
  const answer = await world.amof([...asked, "--json"], { cwd, env });
  await attempt("json", null, answer.stdout === "" ? [] : waysOfJson(answer.json(), asked));
  await attempt("terminal", null, await waysAtTerminal(place, asked));
  await attempt("mcp", server, await waysOverMcp(server, asked) ?? []);
  return found;
}

/** How far advice is followed. */
const STEPS = 3;

/** Whether who follows the first advice of each refusal is asked to do what was refused, with nothing changed. */
async function leadsBack(place: Place, asked: readonly string[]): Promise<string[]> {
  const { world, cwd, env = {} } = place;
  const run = async (words: readonly string[]) => {
    const ran = await world.amof([...words, "--json"], { cwd, env });
    return { ran, ways: ran.stdout === "" ? [] : waysOfJson(ran.json(), words) };
  };
  const state = async () => {
    const ran = await world.amof(["status", "--json"], { cwd, env });
    return ran.code === 0 ? JSON.stringify(ran.json()["repos"]) : ran.stdout;
  };
  const before = await state();
  const walked: string[] = [];
  for (let way: Way = { said: "", words: asked }; walked.length < STEPS;) {
    const { words = [] } = way;
    const consent = walked.length > 0 && changes(way) ? ["--yes"] : [];
    walked.push(words.filter((word) => word !== "--yes").join(" "));
    const { ran, ways: [next] } = await run([...words, ...consent]);
    if (ran.code === 0 || next?.words === undefined || await state() !== before) return [];
    const line = next.words.filter((word) => word !== "--yes").join(" ");
    // What failed for what lies outside, such as a network, is to be done again as it was.
    if (line === walked.at(-1)) return [];
    if (walked.includes(line)) return [[...walked, line].join(", which leads to ")];
    way = next;
  }
  return [];
}

/** Asks all of it in one world. */
async function advisedAll(
  place: Place,
  asked: readonly (readonly string[])[],
): Promise<string[]> {
  await using server = await serverIn(place);
  const useless: string[] = [];
  for (const words of asked) useless.push(...await advised(place, server, words));
  for (const words of asked) useless.push(...await leadsBack(place, words));
  return useless;
}

for (const [turn, [state, make]] of Object.entries(STATES).entries()) {
  // A sample tries every state in one of the places.
  const places = [...Object.entries(PLACES).entries()]
    .filter(([at]) => THOROUGHLY || (turn + at) % 2 === 0);
  for (const [at, [name, enter]] of places) {
    Deno.test(`advice works ${name}: ${state}`, async () => {
      await using world = await World.installed({ readonly: ["docs"] });
      const clone = world.clone("api");
      await BEFORE_TICKET[state]?.(world, clone, "main");
      await enter(world);
      await make(world, clone, name === "in a ticket" ? "feature/T-1" : "main");
      // A status and a push everywhere; of the rest a sample.
      const asked = [...ASKED.slice(0, 2), ...third(ASKED.slice(2), turn + at)];
      assertEquals(await advisedAll({ world, cwd: world.control }, asked), []);
    });
  }
}

for (const [state, { make, cwd, env, asked }] of Object.entries(OUTSIDE)) {
  Deno.test(`advice works: ${state}`, async () => {
    await using world = await make();
    const place = { world, cwd: cwd?.(world) ?? world.control, ...(env ? { env } : {}) };
    assertEquals(await advisedAll(place, asked), []);
  });
}

/** Carries out a line of a hint as a shell does, where the hint was given. */
async function pasted(world: World, cwd: string, line: string): Promise<string> {
  const words = program().map((word) => `'${word}'`).join(" ");
  const ran = await world.command("sh", ["-c", `amof() { ${words} "$@"; }; ${line}`], { cwd });
  assertEquals(ran.code, 0, `${line}: ${ran.stderr}`);
  return ran.stdout;
}

/** What follows the colon in the first line of a hint, with a name filled in. */
function firstCommand(hint: unknown): string {
  return /: (.*)$/m.exec(String(hint))?.[1]?.replace("NAME", "fresh") ?? "";
}

Deno.test("who has nothing is told one line that begins, with the clones that lie there", async () => {
  await using world = await World.make();
  const names = async (root: string) =>
    rows((await world.amof(["ecosystem", "describe", "--json"], { cwd: root })).json(), "repos")
      .map(({ name }) => name);
  const empty = join(world.directory, "empty");
  await Deno.mkdir(empty);
  const alone = await world.amof(["status", "--json"], { cwd: empty });
  await pasted(world, empty, firstCommand(pick(alone.json(), "hint")));
  assertEquals(await names(empty), []);

  const code = join(world.directory, "my code");
  for (const repo of ["api", "web"]) {
    await world.addRemote(repo);
    await world.git(world.directory, "clone", "--quiet", world.url(repo), join(code, repo));
  }
  const beside = await world.amof(["status", "--json"], { cwd: join(code, "api") });
  await pasted(world, code, firstCommand(pick(beside.json(), "hint")));
  assertEquals(await names(join(code, "control")), ["api", "web"]);
});

Deno.test("a create outside of a git repository says how it goes on, and keeps what was asked for", async () => {
  await using world = await World.make();
  const code = join(world.directory, "code");
  for (const repo of ["api", "web"]) {
    await world.addRemote(repo);
    await world.git(world.directory, "clone", "--quiet", world.url(repo), join(code, repo));
  }
  const cwd = join(world.directory, "here");
  await Deno.mkdir(cwd);
  const ran = await world.amof(["ecosystem", "create", "shop", "--from", code], { cwd });
  const lines = ran.stderr.trim().split("hint: ")[1]?.split("\n") ?? [];
  assertEquals(lines.map((line) => line.replace(/^.*?: /, "")), [
    "git init",
    `amof ecosystem create shop --from ${code}`,
  ]);
  let answer = "";
  for (const line of lines) answer = await pasted(world, cwd, line.replace(/^.*?: /, ""));
  const shown = await world.amof(["ecosystem", "describe", "--json"], { cwd });
  assertEquals(rows(shown.json(), "repos").map(({ name }) => name), ["api", "web"]);
  // Without the commit there would be no workspace, so it is the first of what follows.
  const steps = [...answer.matchAll(/^(?: {2}(?=git )|Use these clones where they are: )(.*)$/gm)];
  assertEquals(steps.length, 3);
  for (const [, line = ""] of steps) {
    await pasted(world, cwd, line.startsWith("amof") ? `${line} --yes` : line);
  }
  assertEquals(rows((await world.amof(["status", "--json"], { cwd })).json(), "repos").length, 2);
});
