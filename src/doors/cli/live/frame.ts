/** What the live area shows: pure, from what is known of the work to lines. */

import { paint, strong } from "../colors.ts";
import { padText, textWidth } from "../../../base/text/table.ts";
import type { RepoProgress } from "../../../contract/mod.ts";
import type { NewEvent } from "../../../state/store/mod.ts";
import { cleanLine } from "../../../base/text/sanitize.ts";

/** A repository in work. */
interface RepoAtWork {
  /** What is done to it, where that is something else than to the others. */
  readonly doing: string | null;
  /** What git is at, and how much of that is done. */
  readonly phase: string | null;
  readonly percent: number | null;
  /** Since when, in milliseconds since the epoch. */
  readonly since: number;
}

/** Work as far as it is. */
export interface LiveWork {
  /** What is done to repositories, such as "cloning"; null while nothing is. */
  readonly what: string | null;
  /** How many repositories, or steps, are done of how many; null while that is unknown. */
  readonly count: { readonly done: number; readonly total: number } | null;
  /** The repositories in work, in the order in which they were begun. */
  readonly repos: ReadonlyMap<string, RepoAtWork>;
  /** The step that goes on, or what a program said last; null while nothing does. */
  readonly said: string | null;
}

/** Before anything was heard. */
export const NOTHING: LiveWork = { what: null, count: null, repos: new Map(), said: null };

/** A name is no longer than this. */
const LONGEST = 80;

/** A number that JSON holds, or null. */
function numberIn(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A word that JSON holds, cleaned, or null. */
function wordIn(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? cleanLine(value, LONGEST) : null;
}

/** The repositories after an event about one of them. */
function reposAfter(
  repos: LiveWork["repos"],
  repo: string,
  told: RepoProgress,
  at: number,
): LiveWork["repos"] {
  const next = new Map(repos);
  const before = next.get(repo);
  if (told.ended === true) next.delete(repo);
  else if (before !== undefined || told.what !== undefined) {
    next.set(repo, {
      doing: wordIn(told.doing) ?? before?.doing ?? null,
      phase: wordIn(told.phase),
      percent: numberIn(told.percent),
      since: before?.since ?? at,
    });
  }
  return next;
}

function afterProgress(work: LiveWork, payload: unknown, at: number): LiveWork {
  // The event may have been written by another version of the program, so nothing is taken for granted.
  const told = (typeof payload === "object" && payload !== null ? payload : {}) as RepoProgress;
  const what = wordIn(told.what) ?? (told.repo === undefined ? null : work.what);
  const repo = wordIn(told.repo);
  const [done, total] = [numberIn(told.done), numberIn(told.total)];
  return {
    what,
    count: done === null || total === null ? work.count : { done, total },
    repos: repo === null
      ? new Map()
      : reposAfter(what === work.what ? work.repos : new Map(), repo, told, at),
    said: what === work.what ? work.said : null,
  };
}

/** The work after an event. */
export function hear(
  work: LiveWork,
  event: Pick<NewEvent, "at" | "level" | "type" | "message" | "payload">,
): LiveWork {
  switch (event.type) {
    case "progress":
      return afterProgress(work, event.payload, event.at);
    case "step":
      return {
        what: null,
        count: work.what === null ? work.count : null,
        repos: new Map(),
        said: cleanLine(event.message),
      };
    case "undo":
      return { ...NOTHING, said: cleanLine(event.message) };
    case "log":
      return event.level === "debug" ? work : { ...work, said: cleanLine(event.message) };
    default:
      return work;
  }
}

/** The signs of a terminal: those that need Unicode, or what stands for them. */
interface Signs {
  readonly arrow: string;
  readonly dot: string;
  readonly cut: string;
}

/** For terminals that show Unicode. */
export const UNICODE: Signs = { arrow: "▸", dot: "·", cut: "…" };
/** For all others. */
export const ASCII: Signs = { arrow: ">", dot: "-", cut: "..." };

/** What a frame is made for. */
export interface FrameOptions {
  readonly columns: number;
  readonly rows: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What the work is called while nothing is done to repositories, such as "install". */
  readonly action: string;
  /** Since when it goes on, in milliseconds since the epoch. */
  readonly since: number;
  readonly signs: Signs;
  /** Whether the last frame had a line for each repository: it stays so, because what jumps is hard to read. */
  readonly tall: boolean;
}

/** Lines, each narrower than the terminal, and whether each repository has one of its own. */
interface Frame {
  readonly lines: readonly string[];
  readonly tall: boolean;
}

/** How many repositories have a line at most. */
const MOST_LINES = 10;
/** A name is not cut to less than this. */
const SHORTEST_NAME = 4;
/** How long something must have been going on until that is worth telling, in milliseconds. */
const TELLING_MS = 1_000;

/** Time that has passed, in whole units. */
function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Text of at most `width` columns; what is too long loses its middle, where names differ least. */
function shortened(text: string, width: number, cut: string): string {
  if (textWidth(text) <= width) return text;
  const room = width - textWidth(cut);
  if (room < 2) return [...text].slice(0, Math.max(0, width)).join("");
  const characters = [...text];
  const take = (from: readonly string[], columns: number): string[] => {
    const taken: string[] = [];
    let used = 0;
    for (const character of from) {
      used += textWidth(character);
      if (used > columns) break;
      taken.push(character);
    }
    return taken;
  };
  const head = take(characters, Math.ceil(room / 2));
  const tail = take(characters.toReversed(), Math.floor(room / 2)).reverse();
  return `${head.join("")}${cut}${tail.join("")}`;
}

/** How far a repository is: what is done to it where that must be told, and its share or its time. */
function state({ doing, phase, percent, since }: RepoAtWork, now: number): string {
  // "Receiving" and "sending" say no more than "cloning" and "pushing" do.
  const plain = phase === null || phase === "receiving" || phase === "sending";
  const share = percent !== null
    ? `${percent} %`
    : now - since >= TELLING_MS
    ? elapsed(now - since)
    : "";
  return [plain ? doing ?? "" : phase, share].filter((part) => part !== "").join(" ");
}

/** One line: text that may be cut, behind what may not. */
function line(head: string, rest: string, { columns, signs }: FrameOptions): string {
  const kept = shortened(head, columns - 1, signs.cut);
  const room = columns - 1 - textWidth(kept);
  return `${strong(kept)}${paint(shortened(rest, Math.max(0, room), signs.cut), "quiet")}`;
}

/** A line for each repository, as many as there is room for. */
function tallLines(
  repos: readonly (readonly [string, string])[],
  { columns, rows, signs }: FrameOptions,
): string[] {
  // One row for the count, one for the cursor.
  const room = Math.max(1, Math.min(MOST_LINES, rows - 2));
  const shown = repos.slice(0, repos.length > room ? Math.max(1, room - 1) : room);
  const widest = Math.max(...shown.map(([, text]) => textWidth(text)));
  const most = Math.max(SHORTEST_NAME, columns - 1 - 4 - widest);
  const names = shown.map(([name]) => shortened(name, most, signs.cut));
  const width = Math.max(...names.map(textWidth));
  const more = repos.length - shown.length;
  return [
    ...shown.map(([, text], index) => {
      const name = `  ${padText(names[index] ?? "", width)}`;
      const left = Math.max(0, columns - 1 - textWidth(name) - 2);
      return `${name}  ${paint(shortened(text, left, signs.cut), "quiet")}`.trimEnd();
    }),
    ...(more > 0 && rows > 3 ? [paint(`  ${signs.cut} and ${more} more`, "quiet")] : []),
  ];
}

/** What the terminal shows of the work. */
export function frame(work: LiveWork, options: FrameOptions): Frame {
  const { now, signs, columns, action, since } = options;
  const { done, total } = work.count ?? { done: 0, total: 0 };
  const head = `${work.what ?? action.replaceAll("_", " ")}${
    work.count === null ? "" : ` ${done}/${total}`
  }`;
  const sinceBegin = elapsed(now - since);
  if (work.repos.size === 0) {
    const rest = work.said === null ? sinceBegin : work.said;
    const time = work.said === null ? "" : ` ${signs.dot} ${sinceBegin}`;
    const room = columns - 1 - textWidth(`${head} ${signs.arrow} ${time}`);
    return {
      lines: [
        line(
          head,
          ` ${signs.arrow} ${shortened(rest, Math.max(0, room), signs.cut)}${time}`,
          options,
        ),
      ],
      tall: options.tall,
    };
  }
  const repos = [...work.repos].map(([name, repo]) => [name, state(repo, now)] as const);
  const short = repos.map((parts) => parts.filter((part) => part !== "").join(" "))
    .join(` ${signs.dot} `);
  const tall = options.tall || textWidth(`${head} ${signs.arrow} ${short}`) > columns - 1;
  return tall
    ? {
      lines: [line(head, ` ${signs.dot} ${sinceBegin}`, options), ...tallLines(repos, options)],
      tall,
    }
    : { lines: [line(head, ` ${signs.arrow} ${short}`, options)], tall };
}

/** Text without the signs that a terminal may not have: whether its language says that it shows Unicode. */
export function signsFor(env: {
  readonly platform: string;
  get(name: string): string | undefined;
}): Signs {
  const language = env.get("LC_ALL") || env.get("LC_CTYPE") || env.get("LANG") || "";
  // Where nothing is set these two show Unicode all the same.
  if (language === "" && env.platform !== "linux") return UNICODE;
  return /utf-?8/i.test(language) ? UNICODE : ASCII;
}
