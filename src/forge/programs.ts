/**
 * The ways to forges: the user's own `gh` and `glab`, which have the sign-in, and curl with what git's credential helper
 * knows. What lets somebody in never stands in arguments, and of gh and glab it is never seen here.
 */

import { jsonIn } from "../base/object.ts";
import { AmofError } from "../base/error.ts";
import type { Git } from "../git/mod.ts";
import type { ProcessRequest, ProcessResult, System } from "../base/system/mod.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import type { ForgeAnswer, ForgeKind, ForgeRequest, ForgeTransport, Slug } from "./port.ts";

/** What stands before the body of an answer. */
const HEAD = /^HTTP\/[0-9.]+ +([0-9]{3})[^\n]*\n((?:[^\s:][^\n:]*:[^\n]*\n)*)\r?\n/;

/** The answer in a text; null where none stands there, which is to say that the host has not answered. */
export function parseAnswer(text: string): ForgeAnswer | null {
  const found = HEAD.exec(text);
  if (found === null) return null;
  const [head, code = "0", lines = ""] = found;
  const rest = text.slice(head.length);
  const status = Number(code);
  // What is said on the way, such as "go on", is no answer yet.
  if (status < 200) return parseAnswer(rest);
  const headers = new Map(
    lines.split("\n").flatMap((line): [string, string][] => {
      const at = line.indexOf(":");
      return at < 1 ? [] : [[line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]];
    }),
  );
  return { status, headers, body: bodyOf(rest) };
}

/** A body as JSON; as its text where it is none, null where it is empty. */
function bodyOf(text: string): unknown {
  if (text.trim() === "") return null;
  const value = jsonIn(text);
  return value === undefined ? text : value;
}

const LIMIT_MS = 60_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** What the programs are started with: nobody is there to be asked, and nothing but the answer is printed. */
const ENVIRONMENT = {
  GH_PROMPT_DISABLED: "1",
  GH_NO_UPDATE_NOTIFIER: "1",
  GH_PAGER: "cat",
  NO_PROMPT: "1",
  GLAB_CHECK_UPDATE: "false",
  NO_COLOR: "1",
} as const;

/** What ways are made with. */
export interface Tools {
  readonly system: System;
  readonly git: Git;
  readonly signal: AbortSignal;
}

type Program = "gh" | "glab";

/** The header of a question for nothing but what is new. */
const IF_NEW = "If-None-Match: ";

/** The arguments with which either program is asked; the same for both. */
function apiArguments(host: string, { method, path, body, known }: ForgeRequest): string[] {
  return [
    "api",
    "--hostname",
    host,
    "--include",
    "--method",
    method,
    ...(body === undefined ? [] : ["--input", "-", "--header", "Content-Type: application/json"]),
    ...(known === undefined ? [] : ["--header", `${IF_NEW}${known}`]),
    path,
  ];
}

/** The arguments with which curl is asked; who asks, and with what, comes on its standard input. */
function curlArguments(method: ForgeRequest["method"], url: string): string[] {
  return [
    "--disable",
    "--silent",
    "--show-error",
    "--include",
    "--suppress-connect-headers",
    "--proto",
    "=http,https",
    "--max-time",
    `${LIMIT_MS / 1000}`,
    "--request",
    method,
    "--config",
    "-",
    "--",
    url,
  ];
}

/** Whether a program asks a forge for something, and changes nothing there. */
export function isForgeLook({ command, args }: ProcessRequest): boolean {
  if (command === "curl") {
    const url = args.at(-1) ?? "";
    const words = curlArguments("GET", url);
    return args.length === words.length && words.every((word, at) => args[at] === word);
  }
  if (command !== "gh" && command !== "glab") return false;
  const [, , host = ""] = args;
  const path = args.at(-1) ?? "";
  const header = args.at(-2) ?? "";
  const known = header.startsWith(IF_NEW) ? { known: header.slice(IF_NEW.length) } : {};
  const words = apiArguments(host, { method: "GET", path, ...known });
  return args.length === words.length && words.every((word, at) => args[at] === word);
}

function run(
  { system, signal }: Tools,
  request: Pick<ProcessRequest, "command" | "args" | "stdin">,
): Promise<ProcessResult> {
  return system.processes.run({
    ...request,
    // The configuration of a working copy must not decide which host is asked.
    ...(system.env.home === null ? {} : { cwd: system.env.home }),
    env: ENVIRONMENT,
    timeoutMs: LIMIT_MS,
    signal,
    maxOutputBytes: MOST_BYTES,
  });
}

/** Where a question went. */
interface Asked {
  /** The host, and how its sign-in is called: `gh auth login --hostname HOST`. */
  readonly host: string;
  readonly signIn: string;
}

/** The error of a host at which nobody is signed in. */
function signedOut({ host, signIn }: Asked): AmofError {
  return new AmofError("auth_failed", `Cannot ask ${host}: you are not signed in there`, {
    hint: `Sign in: ${signIn}`,
    details: { host },
  });
}

/** The answer that a program has printed; throws where there is none, or it says that nobody is signed in. */
function answerOf(
  result: ProcessResult,
  { asked, from, aboutRights = false }: {
    readonly asked: Asked;
    readonly from: string;
    readonly aboutRights?: boolean | undefined;
  },
): ForgeAnswer {
  const { host } = asked;
  const { command } = result;
  if (result.cancelled) throw new AmofError("cancelled", `Stopped while asking ${host}`);
  if (result.startError !== null) {
    throw new AmofError("program_missing", `Cannot ask ${host}: ${command} is not installed`, {
      hint: `Install it from ${from}\nPushing works without it, and shows the link: amof push`,
      details: { host, program: command },
    });
  }
  const answer = parseAnswer(result.stdout);
  if (answer?.status === 401 && !aboutRights) throw signedOut(asked);
  if (answer !== null) return answer;
  if (result.exitCode === 4 || /auth login|not logged in|unauthenticated/i.test(result.stderr)) {
    throw signedOut(asked);
  }
  const said = result.timedOut
    ? `it gave no answer in ${LIMIT_MS / 1000} s`
    : cleanLine(result.stderr.trim().split("\n").at(0) ?? "", 200);
  throw new AmofError(
    "forge_failed",
    `Cannot ask ${host}: ${said === "" ? `${command} ended with ${result.exitCode}` : said}`,
    {
      hint: `See what it says by itself: ${command} auth status`,
      details: { host, program: command, exit_code: result.exitCode },
    },
  );
}

const GET_FROM: Readonly<Record<Program, string>> = {
  gh: "https://cli.github.com",
  glab: "https://gitlab.com/gitlab-org/cli",
};

/** The way through the user's own program. */
class OwnProgram implements ForgeTransport {
  readonly #tools: Tools;
  readonly #program: Program;
  readonly #host: string;

  constructor(tools: Tools, program: Program, host: string) {
    this.#tools = tools;
    this.#program = program;
    this.#host = host;
  }

  async call(request: ForgeRequest): Promise<ForgeAnswer> {
    const { body } = request;
    const result = await run(this.#tools, {
      command: this.#program,
      args: apiArguments(this.#host, request),
      ...(body === undefined ? {} : { stdin: JSON.stringify(body) }),
    });
    const signIn = `${this.#program} auth login --hostname ${this.#host}`;
    return answerOf(result, {
      asked: { host: this.#host, signIn },
      from: GET_FROM[this.#program],
      aboutRights: request.aboutRights,
    });
  }
}

/** A value as curl's configuration writes it. */
function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;
}

/** The way by curl. */
class Curl implements ForgeTransport {
  readonly #tools: Tools;
  readonly #slug: Slug;
  readonly #root: string;
  #who: Promise<string> | null = null;

  constructor(tools: Tools, slug: Slug, root: string) {
    this.#tools = tools;
    this.#slug = slug;
    this.#root = root;
  }

  async call({ method, path, body, known, aboutRights }: ForgeRequest): Promise<ForgeAnswer> {
    const { site, host } = this.#slug;
    this.#who ??= this.#signIn();
    const lines = [
      await this.#who,
      'header = "Accept: application/json"',
      ...(known === undefined ? [] : [`header = ${quoted(`${IF_NEW}${known}`)}`]),
      ...(body === undefined ? [] : [
        'header = "Content-Type: application/json"',
        `data-raw = ${quoted(JSON.stringify(body))}`,
      ]),
    ];
    const result = await run(this.#tools, {
      command: "curl",
      args: curlArguments(method, `${site}${this.#root}/${path}`),
      stdin: `${lines.join("\n")}\n`,
    });
    const signIn = `git ls-remote ${site}/${this.#slug.owner}/${this.#slug.name}.git`;
    return answerOf(result, { asked: { host, signIn }, from: "https://curl.se", aboutRights });
  }

  /** What lets the user in, as a line for curl; an empty one where nobody has it. */
  async #signIn(): Promise<string> {
    const { site, owner, name } = this.#slug;
    const known = await this.#tools.git.credential(`${site}/${owner}/${name}.git`);
    return known === null ? "" : `user = ${quoted(`${known.username}:${known.password}`)}`;
  }
}

/** The way to the forge of a repository, `root` being where its interface begins there. */
export async function forgeProgram(
  tools: Tools,
  kind: ForgeKind,
  slug: Slug,
): Promise<ForgeTransport> {
  if (kind === "github") return new OwnProgram(tools, "gh", slug.host);
  if (kind === "gitea") return new Curl(tools, slug, "/api/v1");
  const { findProgram } = await import("../base/system/find_program.ts");
  return await findProgram(tools.system, "glab") === null
    ? new Curl(tools, slug, "/api/v4")
    : new OwnProgram(tools, "glab", slug.host);
}
