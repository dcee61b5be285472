/** Hooks in the files of coding tools: what each calls their members, and the way back (PACK-67). */

import { originOf } from "./layout.ts";
import { canonicalJson } from "../../../base/policy/fingerprint.ts";
import { defined, type Fields, fieldsOf } from "../../../base/object.ts";
import { list } from "../../../base/text/words.ts";
import { bytesOf, decodeText } from "../content.ts";
import { skillDirectory } from "../config/metadata.ts";
import type { ComposedModule } from "../module/compose.ts";
import {
  DIRECTORY,
  type Hook,
  HOOK_EVENTS,
  type HookEvent,
  hookFileOf,
  type HookHost,
  hooksText,
  readHooks,
  scriptsOf,
} from "../shared.ts";
import { commandsOf, listedName, type SharedFile } from "../../../state/entries/types.ts";
import { withoutSecrets } from "../../../state/entries/shown.ts";
import {
  type EntriesPlace,
  entriesRule,
  entryOf,
  secretWarnings,
  SHARED_FILES,
} from "./shared_files.ts";
import type { OutputRule, RenderedEntry, RenderedFile, Rendering } from "./target.ts";

/** How a tool writes hooks. */
interface Dialect {
  readonly shared: SharedFile;
  /** Whether an entry is a group of hooks with one matcher. */
  readonly grouped: boolean;
  /** How many of its units of time a second has. */
  readonly second: number;
  /** How commands reach the directory of the tool, by scope. */
  readonly directory: Readonly<Record<"user" | "project", string>>;
}

/** How each tool writes hooks, as its documentation says. */
const DIALECTS: Readonly<Record<HookHost, Dialect>> = {
  // code.claude.com/docs/en/hooks: timeouts are seconds; the project's directory is a variable.
  claude_code: {
    shared: SHARED_FILES.claude_code.hooks,
    grouped: true,
    second: 1,
    directory: { user: '"$HOME"/.claude', project: '"$CLAUDE_PROJECT_DIR"/.claude' },
  },
  // developers.openai.com/codex/hooks: timeouts are seconds; hooks run in the directory of the session (PACK-70).
  codex: {
    shared: SHARED_FILES.codex.hooks,
    grouped: true,
    second: 1,
    directory: {
      user: '"${CODEX_HOME:-$HOME/.codex}"',
      project: '"$(git rev-parse --show-toplevel)"/.codex',
    },
  },
  // cursor.com/docs/agent/hooks: timeouts are seconds; hooks of a project run in its root.
  cursor: {
    shared: SHARED_FILES.cursor.hooks,
    grouped: false,
    second: 1,
    directory: { user: '"$HOME"/.cursor', project: ".cursor" },
  },
  // geminicli.com/docs/hooks/reference: timeouts are milliseconds; Gemini CLI itself puts the project's directory in.
  gemini: {
    shared: SHARED_FILES.gemini.servers,
    grouped: true,
    second: 1000,
    directory: { user: '"$HOME"/.gemini', project: "$GEMINI_PROJECT_DIR/.gemini" },
  },
};

/** The directory below a tool's own one in which the scripts of hooks are. */
const SCRIPTS = "hooks";

/** A hook of a tool: its event, and its entry in the list of that event. */
interface Entry {
  readonly event: string;
  readonly value: Fields;
}

/** The entry of a hook for a tool; null where the hook is not for it, a text where it cannot be. */
function entryFor(target: HookHost, hook: Hook): Entry | string | null {
  const { grouped, second } = DIALECTS[target];
  const host = hook.hosts[target];
  if (host === null) return null;
  const event = host?.event ?? (hook.event === undefined ? null : HOOK_EVENTS[hook.event][target]);
  if (event === null) return hook.event === undefined ? null : `it has no event ${hook.event}`;
  if (host?.entry !== undefined) return { event, value: host.entry };
  if (hook.command === undefined) return null;
  const matcher = host?.matcher === undefined ? hook.matcher : host.matcher ?? undefined;
  const timeout = hook.timeout === undefined ? undefined : hook.timeout * second;
  const value = grouped
    ? defined({
      matcher,
      hooks: [defined({ type: "command", command: hook.command, timeout })],
    })
    : defined({ command: hook.command, matcher, timeout });
  return { event, value };
}

/** The same value with another text in every command. */
function withCommands(entry: Fields, change: (command: string) => string): Fields {
  const own = (one: Fields): Fields =>
    typeof one["command"] === "string" ? { ...one, command: change(one["command"]) } : one;
  const group: unknown = entry["hooks"];
  return {
    ...own(entry),
    ...(Array.isArray(group)
      ? { hooks: group.map((one: unknown) => typeof one === "object" ? own(fieldsOf(one)) : one) }
      : {}),
  };
}

function same(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}

/** The hook that an entry describes, in plain words where these say all of it. */
function hookFrom(target: HookHost, { event, value }: Entry): Hook {
  const { grouped, second } = DIALECTS[target];
  const group: unknown = value["hooks"];
  const handler = grouped ? fieldsOf(Array.isArray(group) ? group[0] : undefined) : value;
  const { command, timeout } = handler;
  const plain = (Object.keys(HOOK_EVENTS) as HookEvent[])
    .find((name) => HOOK_EVENTS[name][target] === event);
  const hook = defined({
    event: plain,
    matcher: value["matcher"],
    command,
    timeout: typeof timeout === "number" ? timeout / second : undefined,
    hosts: plain === undefined ? { [target]: { event } } : {},
  }) as Hook;
  const again = typeof command === "string" ? entryFor(target, hook) : null;
  return again !== null && typeof again === "object" && same(again.value, value)
    ? hook
    : { hosts: { [target]: { event, entry: value } } };
}

/** The file of a module that gives an entry again; a text after `problem` says why there is none. */
export function hookTextOf(
  target: HookHost,
  event: string,
  entry: unknown,
): { readonly text: string } | { readonly problem: string } {
  const value = fieldsOf(entry);
  const text = hooksText(hookFrom(target, { event, value }));
  const read = readHooks(text);
  if (typeof read === "string") return { problem: `it ${read}` };
  const [hook] = read;
  const again = hook === undefined ? null : entryFor(target, hook);
  const gives = again !== null && typeof again === "object" && again.event === event &&
    same(again.value, entry) && !commandsOf(value).some((command) => command.includes(DIRECTORY));
  return gives ? { text } : { problem: "no module can say the same" };
}

/** What a tool does because of an entry, in full but for secrets. */
export function whatHookRuns(event: string, entry: Fields): string {
  const commands = commandsOf(entry);
  const { matcher } = entry;
  const what = commands.length === 0
    ? `does: ${JSON.stringify(entry)}`
    : `runs: ${commands.join("; ")}`;
  const when = typeof matcher === "string" && matcher !== "" ? `${event} of ${matcher}` : event;
  return withoutSecrets(`${what} (at ${when})`, entry);
}

/** Whether a path can stand in a command as it is. */
function isPlainPath(path: string): boolean {
  return /^[\w.@+/-]+$/.test(path);
}

/** Where the scripts of a module are for a tool, and how its commands reach them. */
interface Scripts {
  readonly folder: string;
  readonly directory: string;
}

/** An entry with commands that reach their scripts, with warnings; a text where it has to be left out. */
function placed(
  { value: written }: Entry,
  module: ComposedModule,
  { folder, directory }: Scripts,
): { readonly value: Fields; readonly warnings: readonly string[] } | string {
  const commands = commandsOf(written);
  if (commands.some((command) => command.includes(DIRECTORY)) && !isPlainPath(folder)) {
    return "a directory of scripts has letters, digits, . _ - only; metadata.output names another";
  }
  const run = scriptsOf(commands).filter((script) =>
    module.files.get(script)?.executable === false &&
    commands.some((command) => command.startsWith(`${DIRECTORY}/${script}`))
  );
  return {
    value: withCommands(
      written,
      (command) => command.replaceAll(DIRECTORY, `${directory}/${folder}`),
    ),
    warnings: run.length === 0
      ? []
      : [`"${module.config.id}" runs ${list(run)}, which is not executable`],
  };
}

/** The files of a module that hooks run; `path` is the file of the hooks themselves. */
function scriptFiles(module: ComposedModule, path: string, folder: string) {
  return [...module.files].flatMap(([name, { bytes, executable }]): RenderedFile[] =>
    name === path ? [] : [{
      path: `${folder}/${name}`,
      bytes,
      executable,
      origins: [originOf(module, name)],
      wayBack: { kind: "whole" },
    }]
  );
}

function rendered(target: HookHost, scope: "user" | "project", module: ComposedModule): Rendering {
  const { shared, directory } = DIALECTS[target];
  const { id } = module.config;
  const path = hookFileOf([...module.files.keys()]);
  const bytes = path === null ? null : bytesOf(module.files.get(path)?.bytes ?? new Uint8Array());
  const hooks = readHooks(decodeText(bytes ?? new Uint8Array()) ?? "");
  if (path === null || typeof hooks === "string") return { files: [] };
  const folder = `${SCRIPTS}/${skillDirectory(module.config)}`;
  const warnings: string[] = [];
  const entries: RenderedEntry[] = [];
  for (const hook of hooks) {
    const made = entryFor(target, hook);
    if (made === null) continue;
    const there = typeof made === "string"
      ? made
      : placed(made, module, { folder, directory: directory[scope] });
    if (typeof made === "string" || typeof there === "string") {
      warnings.push(`"${id}" is left out of ${target}: ${there}`);
      continue;
    }
    const { value } = there;
    warnings.push(...there.warnings, ...secretWarnings(id, value, shared.file));
    const name = listedName(made.event, value);
    entries.push(
      entryOf(module, path, { shared, name, value, runs: whatHookRuns(made.event, value) }),
    );
  }
  return {
    files: entries.length === 0 ? [] : scriptFiles(module, path, folder),
    entries,
    warnings,
  };
}

/** The rule by which a tool gets hooks with their scripts. */
export function hooks(target: HookHost, place: EntriesPlace): OutputRule {
  const { shared } = DIALECTS[target];
  return entriesRule(
    "hook",
    { kind: "entries", shared, listed: true },
    place,
    (module) => rendered(target, place.scope, module),
  );
}
