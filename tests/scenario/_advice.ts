/**
 * Asks every door the same and carries out what each advises, as a preview, in the state in which it advises it.
 *
 * @module
 */

import { runCommandLine } from "../../src/doors/cli/start.ts";
import { actionLine } from "../../src/doors/cli/render.ts";
import { COMMAND_ENTRIES } from "../../src/pipeline/line/entries.ts";
import { parseInvocation } from "../../src/pipeline/line/parse.ts";
import { takeWords } from "../../src/pipeline/line/words.ts";
import { writtenLines } from "../../src/pipeline/tool_words.ts";
import { splitWords } from "../../src/base/text/shells.ts";
import { pick, rows } from "../support/answers.ts";
import { Server, systemIn } from "../support/both_doors.ts";
import type { World } from "../support/world.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Where somebody asks. */
export interface Place {
  readonly world: World;
  readonly cwd: string;
  readonly env?: Record<string, string>;
}

/** One way on that an answer named: a command line, or a call of a tool. */
export interface Way {
  readonly said: string;
  readonly words?: readonly string[];
  readonly call?: { readonly tool: string; readonly args: Fields };
  /** Where it has to be gone on, where that is not here. */
  readonly from?: string;
}

/** How a way on ended as a preview. */
interface Ended {
  /** Null where the command gave its answer; else what it failed with. */
  readonly failed: string | null;
  readonly data: unknown;
}

/** What the reader of a hint fills in. */
const FILLED: Readonly<Record<string, string>> = {
  "ID": "T-9",
  "TICKET-ID": "T-9",
  "NAME": "demo",
  "TEXT": "Words",
  "PROGRAM": "true",
};

/** What is settled by whoever is asked, not by another preview. */
const CONSENT = /^(?:confirm|cancel_confirm|amof_confirm)/;

/** A command line with what its reader fills in. */
function filled(words: readonly string[]): string[] {
  const isCreated = words.join(" ").startsWith("ecosystem create");
  return words.map((word) => isCreated && word === "NAME" ? "fresh" : FILLED[word] ?? word);
}

/** The lines of a text, each as the way on that it names; `asked` is what the same command with a flag means. */
function waysIn(text: string, asked: readonly string[]): Way[] {
  return text.split("\n").flatMap((said): Way[] => {
    const again = /\bthe same command with (--\S.*)$/.exec(said)?.[1];
    // Consent is given, not previewed.
    if (again !== undefined) {
      const flags = splitWords(again) ?? [];
      return /^--(?:yes|confirm-name)$/.test(flags[0] ?? "")
        ? []
        : [{ said, words: [...asked, ...flags] }];
    }
    // What comes behind another line, or goes on in another place, is carried out by tests of their own.
    if (said.includes(" && ") || said.startsWith("Then ")) return [];
    return writtenLines(said).filter(({ words }) => !CONSENT.test(words[0] ?? ""))
      .map(({ words }) => ({ said, words: filled(words) }));
  });
}

/** Where an action has to be carried out. */
function placed(from: unknown): Pick<Way, "from"> {
  return typeof from === "string" ? { from } : {};
}

/** What an answer as JSON advises. */
export function waysOfJson(answer: unknown, asked: readonly string[]): Way[] {
  const actions = rows(answer, "suggested_actions").filter(({ id }) => !CONSENT.test(String(id)));
  const hint = pick(answer, "hint") ?? pick(answer, "execute_hint");
  return [
    ...(typeof hint === "string" ? waysIn(hint, asked) : []),
    ...actions.flatMap(({ tool, args, from }) =>
      waysIn(actionLine(String(tool), args as Fields) ?? "amof no-such-command", asked)
        .map((way) => ({ ...way, ...placed(from) }))
    ),
  ];
}

/** Carries out a command line as somebody at a terminal who is asked nothing sees it; answers what is advised. */
export async function waysAtTerminal(place: Place, asked: readonly string[]): Promise<Way[]> {
  const system = systemIn({ ...place, env: place.env ?? {} });
  let [out, err] = ["", ""];
  await runCommandLine({
    ...system,
    terminal: {
      ...system.terminal,
      stdoutIsTerminal: true,
      stderrIsTerminal: true,
      columns: 200,
      size: () => ({ columns: 200, rows: 50 }),
      out: (text) => void (out += text),
      err: (text) => void (err += text),
      onInterrupt: () => () => {},
    },
  }, asked);
  // deno-lint-ignore no-control-regex -- colours are no words
  const shown = err.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]/g, "");
  const hint = /^hint: ((?:.|\n)*?)(?:\n\n|\n?$)/m.exec(shown)?.[1] ?? "";
  const next = /^Next:\n((?: {2}.*\n?)*)/m.exec(shown)?.[1] ?? "";
  // A line that goes elsewhere stands before the one that is carried out there.
  const steps = [...next.matchAll(/^ {2}(?:cd (\S+)\n {2})?(\S.*)$/gm)];
  return [
    ...waysIn(hint, asked),
    ...steps.flatMap(([, from, line = ""]) =>
      waysIn(line, asked).map((way) => ({ ...way, ...placed(from) }))
    ),
  ];
}

/** The call that a command line means over MCP; null where it is none of a tool. */
async function callOf(line: readonly string[]): Promise<Way["call"] | null> {
  const { words, rest } = takeWords(line, COMMAND_ENTRIES);
  const named = COMMAND_ENTRIES.find(({ path }) => path.join(" ") === words.join(" "));
  if (named === undefined || named.mcp === "never") return null;
  const entry = await named.load();
  const { args, flags } = await parseInvocation(entry, rest);
  return {
    tool: entry.name,
    args: {
      ...args,
      ...(entry.scope === "ecosystem" ? { ecosystem: flags.ecosystem ?? "demo" } : {}),
      ...(flags.mode === "plan" ? { dry_run: true } : {}),
    },
  };
}

/** The calls in a text: `amof_push_ecosystem(commit=true)`. */
function callsIn(text: string): Way[] {
  return [...text.matchAll(/\b(amof_[a-z_]+)\(([^()]*)\)/g)].flatMap(
    ([said, tool = "", inside = ""]) => {
      if (CONSENT.test(tool) || tool === "amof_set_mode") return [];
      const members = [...inside.matchAll(/([a-z_]+)=("(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^,\s]+)/g)];
      const args = members.map(([, name = "", value = ""]) => {
        const read: unknown = JSON.parse(value);
        return [name, typeof read === "string" ? FILLED[read] ?? read : read] as const;
      });
      return [{ said, call: { tool, args: Object.fromEntries(args) } }];
    },
  );
}

/** Makes a call over MCP; answers what is advised, or null where no tool stands for the command line. */
export async function waysOverMcp(
  server: Server,
  asked: readonly string[],
): Promise<Way[] | null> {
  const call = await callOf(asked);
  if (call === null || call === undefined) return null;
  const { data } = await server.call(call.tool, call.args);
  const hint = pick(data, "hint") ?? pick(data, "execute_hint");
  return [
    ...(typeof hint === "string" ? callsIn(hint) : []),
    ...rows(data, "suggested_actions").filter(({ id }) => !CONSENT.test(String(id)))
      .map(({ tool, args, from }) => {
        const given = Object.entries(args as Fields).map(([name, value]) =>
          [name, typeof value === "string" ? FILLED[value] ?? value : value] as const
        );
        return {
          said: `${tool}(${JSON.stringify(args)})`,
          call: { tool: String(tool), args: Object.fromEntries(given) },
          ...placed(from),
        };
      }),
  ];
}

/** The command of a line or call. */
function commandOf({ words, call }: Way) {
  if (call !== undefined) return COMMAND_ENTRIES.find(({ name }) => name === call.tool);
  const taken = takeWords(words ?? [], COMMAND_ENTRIES).words.join(" ");
  return COMMAND_ENTRIES.find(({ path }) => path.join(" ") === taken);
}

/** Whether a way on changes something. */
export function changes(way: Way): boolean {
  return commandOf(way)?.kind === "mutation";
}

/** Whether a look has answered although it failed: a check that found something, a server that does not run. */
function hasFound(data: unknown): boolean {
  return pick(data, "error") === "check_failed" || pick(data, "valid") === false ||
    pick(data, "running") === false;
}

/** A server that was started in a place, to call tools of. */
export async function serverIn({ world, cwd, env = {} }: Place): Promise<Server> {
  const server = new Server({ world, cwd, env }, ["--mode", "execute"]);
  await server.initialize();
  return server;
}

/** Carries out a way on: a look as it is, a change as a preview. */
async function carriedOut(place: Place, server: Server | null, way: Way): Promise<Ended> {
  const isChange = changes(way);
  if (way.call !== undefined && server !== null) {
    const { tool, args } = way.call;
    const asked = isChange ? { ...args, dry_run: true } : args;
    await using there = way.from === undefined ? null : await serverIn({ ...place, cwd: way.from });
    const { isError, data } = await (there ?? server).call(tool, asked);
    const failed = isError && !hasFound(data);
    return { failed: failed ? String(pick(data, "summary")) : null, data };
  }
  const { world, cwd, env = {} } = place;
  const words = (way.words ?? []).filter((word) => word !== "--dry-run");
  // What is behind "--" belongs to a program.
  const end = words.indexOf("--");
  const [own, rest] = end < 0 ? [words, []] : [words.slice(0, end), words.slice(end)];
  const flags = [...(isChange ? ["--dry-run"] : []), "--json"];
  const ran = await world.amof([...own, ...flags, ...rest], { cwd: way.from ?? cwd, env });
  const data = ran.stdout.startsWith("{") ? ran.json() : {};
  const failed = ran.code !== 0 && !hasFound(data);
  return { failed: failed ? `${pick(data, "summary") ?? ran.stderr}` : null, data };
}

/**
 * Whether it is about something that only its reader knows: then it may be refused for how things stand, where the
 * refusal says by its first line what helps.
 */
function isOwnWish({ said }: Way): boolean {
  return /\b(?:TICKET-ID|ID|T-9)\b|ticket[ _]start\b/.test(said);
}

/** Why a way on is of no use, or null. Programs of the command line alone are not carried out. */
export async function problemOf(
  place: Place,
  server: Server | null,
  way: Way,
): Promise<string | null> {
  if (commandOf(way) === undefined) return null;
  const { failed, data } = await carriedOut(place, server, way);
  if (failed !== null) {
    const [first = ""] = String(pick(data, "hint") ?? "").split("\n");
    return isOwnWish(way) && /: git |: amof |_\w+\(|same c\w+ with/.test(first) ? null : failed;
  }
  const later = String(pick(data, "execute_hint") ?? "");
  if (later.startsWith("As things stand it would fail")) return later;
  const affected = pick(data, "repos_affected");
  const isIdle = later.startsWith("There is nothing") ||
    Array.isArray(affected) && affected.length === 0;
  return isIdle ? `does nothing: ${pick(data, "summary")}` : null;
}
