/** Lets the person at the terminal write the messages of commits in their editor, as git would. */

import { join } from "@std/path";
import type { App } from "../../pipeline/app.ts";
import type { Call } from "../../pipeline/preview.ts";
import type { GlobalFlags } from "../../pipeline/line/flags.ts";
import { carryOut } from "../../pipeline/pipeline.ts";
import { readMessages } from "../../commands/commit/plan.ts";
import type { Known } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { Git } from "../../git/mod.ts";
import { editorCommand } from "../../state/settings/changing.ts";
import { list } from "../../base/text/words.ts";
import { isInteractive } from "./prompt.ts";

/** A repository with something to commit. */
interface Planned {
  readonly name: string;
  readonly branch: string;
  readonly commit_files: number;
  readonly files: readonly { readonly path: string; readonly change: string }[];
}

interface SheetStart {
  readonly repos: readonly Planned[];
  /** What an empty message leads to: "stops the push". */
  readonly empty: string;
  /** The messages that are there already, by repository, that of all others under ""; absent where only one is taken. */
  readonly messages?: ReadonlyMap<string, string>;
  /** What begins comments; see {@linkcode commentStart}. */
  readonly comment: string;
}

/** Characters that may begin a comment, as those that git tries. */
const COMMENTS = ["#", ";", "@", "!", "$", "%", "^", "&", "|", ":"] as const;

/**
 * What begins comments: what git is told to take, or else a character, with which no line of the messages begins. `wish`
 * is git's setting; with `auto` or null there is none.
 */
export function commentStart(messages: Iterable<string> = [], wish: string | null = null): string {
  const lines = [...messages].flatMap((text) => text.split("\n"));
  const isFree = (start: string) => !lines.some((line) => line.startsWith(start));
  const wished = wish === null || wish === "auto" || /[\n\r]/.test(wish) ? [] : [wish];
  return [...wished, ...COMMENTS].find(isFree) ?? COMMENTS[0];
}

/** The line above the message of one repository. */
function heading(repo: string): string {
  return `[${repo}]`;
}

/** What stands in the editor at first: the messages that are there, and nothing but comments besides. */
export function sheetText({ repos, empty, messages, comment }: SheetStart): string {
  const line = (text = "") => text === "" ? comment : `${comment} ${text}`;
  const common = messages?.get("");
  const own = [...messages ?? []].filter(([repo]) => repo !== "");
  const example = repos[0]?.name ?? "";
  return [
    ...(common === undefined && own.length > 0 ? [] : [common?.trimEnd() ?? ""]),
    ...own.flatMap(([repo, message]) => ["", heading(repo), message.trimEnd()]),
    ...(own.length > 0 || common !== undefined ? [""] : []),
    line(`Write the message of the commits below. Lines that begin with ${comment} are left out;`),
    line(`an empty message ${empty}.`),
    ...(messages !== undefined && repos.length > 1
      ? [
        line(),
        line("A repository gets a message of its own behind a line with its name in brackets:"),
        line(),
        line(`  ${heading(example)}`),
        line(`  What changed in ${example}`),
        line(),
        line("What stands above the first such line is for all others."),
      ]
      : []),
    ...repos.flatMap(({ name, branch, commit_files, files }) => [
      line(),
      line(`${name} on ${branch}:`),
      ...files.map(({ path, change }) => line(`  ${change.padEnd(9)}  ${path}`)),
      ...(commit_files > files.length ? [line(`  … and ${commit_files - files.length} more`)] : []),
    ]),
    "",
  ].join("\n");
}

/** The message without comments, blank lines around it, and blanks at the ends of lines. */
function cleaned(lines: readonly string[]): string {
  return lines.map((line) => line.trimEnd()).join("\n").replace(/^\n+|\n+$/g, "");
}

/** The lines of a sheet that are no comments. */
function written(text: string, comment: string): string[] {
  return text.split(/\r?\n/).filter((line) => !line.startsWith(comment));
}

/** The one message of a sheet; empty where there is none. */
export function messageIn(text: string, comment: string): string {
  return cleaned(written(text, comment));
}

/**
 * The messages of a sheet by repository, that of all others under "". A line with a name in brackets begins a message
 * only where that is one of `names`.
 */
export function messagesIn(
  text: string,
  names: readonly string[],
  comment: string,
): ReadonlyMap<string, string> {
  const parts = new Map<string, string[]>([["", []]]);
  let current = "";
  for (const line of written(text, comment)) {
    const name = names.find((repo) => line.trim() === heading(repo));
    if (name !== undefined) {
      current = name;
      // A second part for the same repository goes on with the first.
      if (!parts.has(name)) parts.set(name, []);
    } else parts.get(current)?.push(line);
  }
  return new Map(
    [...parts].map(([repo, lines]): [string, string] => [repo, cleaned(lines)])
      .filter(([repo, message]) => repo !== "" || message !== ""),
  );
}

/** What the preview tells of the repositories of a push or commit. */
interface Plan {
  readonly repos?: readonly (Planned & { readonly message?: string | null })[];
  readonly skipped?: readonly { readonly name: string }[];
}

/** Whether a command is the one of this word. */
function isCalled({ path }: Known, word: string): boolean {
  return path.join(" ") === word;
}

/**
 * Whether a call may commit with a message that nobody has given, and somebody sits there to write one. Throws
 * `invalid_arguments` where the editor is asked for and nobody sits there.
 */
export function wantsMessage({ system }: App, call: Call, flags: GlobalFlags): boolean {
  const { command, args, attended, session } = call;
  if (session.mode !== "execute" || args["mode"] !== undefined || args["dry_run"] === true) {
    return false;
  }
  if (isCalled(command, "commit") && args["edit"] === true) {
    if (isInteractive(system.terminal, system.env, flags)) return true;
    throw new AmofError("invalid_arguments", "Cannot use --edit where nobody sits at a terminal", {
      hint: "Give the message with the command: amof commit -m TEXT",
      details: { field: "edit" },
    });
  }
  const asked = isCalled(command, "push") && args["commit"] === true || isCalled(command, "commit");
  return asked && args["message"] === undefined && attended === true && flags.confirmName === null;
}

/** What a call would do, as its preview says; null if there is none, which the call itself will report. */
async function planOf(app: App, call: Call): Promise<Plan | null> {
  const plan = await carryOut(app, { ...call, args: { ...call.args, mode: "plan" } });
  return plan.isError ? null : (plan.envelope["preview"] ?? {}) as Plan;
}

/**
 * The call with the messages that the person wrote; as it is where nothing would be committed, or no message is
 * missing. Throws when they wrote none. The messages are part of what is previewed and agreed to afterwards.
 */
export function composed(app: App, call: Call): Promise<Call> {
  return isCalled(call.command, "push") ? composedPush(app, call) : composedCommit(app, call);
}

async function composedPush(app: App, call: Call): Promise<Call> {
  const going = (await planOf(app, call))?.repos?.filter((repo) => repo.commit_files > 0) ?? [];
  if (going.length === 0) return call;
  const stopped = (why: string) =>
    new AmofError("confirmation_cancelled", `Pushed nothing: ${why}`, {
      hint: "Give the message with the command: the same command with --message TEXT",
    });
  const comment = commentStart([], await commentSetting(app));
  const text = sheetText({ repos: going, empty: "stops the push", comment });
  const message = messageIn(await edited(app, text, stopped), comment);
  if (message === "") throw stopped("the message is empty");
  return { ...call, args: { ...call.args, message } };
}

async function composedCommit(app: App, call: Call): Promise<Call> {
  const { edit, message: _message, message_for: _own, ...rest } = call.args;
  const plan = await planOf(app, call);
  const repos = plan?.repos ?? [];
  const complete = repos.every(({ message }) => typeof message === "string");
  if (repos.length === 0 || complete && edit !== true) return call;
  const stopped = (why: string) =>
    new AmofError("confirmation_cancelled", `Committed nothing: ${why}`, {
      hint: "Give the message with the command: the same command with --message TEXT",
    });
  const names = repos.map(({ name }) => name);
  const others = plan?.skipped?.map(({ name }) => name) ?? [];
  const given = readMessages(call.args, [...names, ...others]);
  const comment = commentStart(given.values(), await commentSetting(app));
  const text = sheetText({ repos, empty: "commits nothing", messages: given, comment });
  const messages = messagesIn(
    await edited(app, text, stopped),
    [...names, ...others],
    comment,
  );
  if ([...messages.values()].every((message) => message === "")) {
    throw stopped("the message is empty");
  }
  const idle = others.filter((name) => messages.has(name) && !given.has(name));
  if (idle.length > 0) throw stopped(`there is nothing to commit in ${list(idle)}`);
  const without = names.filter((name) => (messages.get(name) ?? messages.get("") ?? "") === "");
  if (without.length > 0) throw stopped(`the message of ${list(without)} is empty`);
  const common = messages.get("");
  const own = [...messages].filter(([repo]) => repo !== "")
    .map(([repo, message]) => ({ repo, message }));
  return {
    ...call,
    args: {
      ...rest,
      ...(common === undefined ? {} : { message: common }),
      ...(own.length === 0 ? {} : { message_for: own }),
    },
  };
}

/** What git is told to begin comments with where the caller stands; null where it is told nothing. At most two processes. */
async function commentSetting({ system }: App): Promise<string | null> {
  const git = new Git(system).at(system.env.cwd);
  return await git.configured("core.commentString") ?? await git.configured("core.commentChar");
}

/** Lets the person write in the editor; answers what they left in the file. */
async function edited(
  { system, layout, settings }: App,
  text: string,
  stopped: (why: string) => Error,
): Promise<string> {
  const editor = await editorCommand(system, settings);
  if (editor === null) throw stopped("there is no editor for its message");
  const directory = join(layout.state, "edit", system.ids.hex(12));
  // Editors recognise a commit message by this file name.
  const file = join(directory, "COMMIT_EDITMSG");
  try {
    await system.files.write(file, text, { mode: 0o600 });
    const code = await system.processes.attach([...editor, file]);
    if (code !== 0) {
      throw stopped(
        code === null ? "the editor could not be started" : `the editor ended with ${code}`,
      );
    }
    return await system.files.readText(file) ?? "";
  } finally {
    await system.files.removeTree(directory);
  }
}
