/**
 * `amof mcp install`: puts amof's servers into the configuration of an AI host, or takes them out of it.
 *
 * Only the command line has it: a model that edits what its host starts could give itself more than it was given
 * (HOST-2).
 */

import { join, relative } from "@std/path";
import {
  type CommandContext,
  type InputOf,
  mutation,
  TOOLSET_WORDS,
  type ZodNamespace,
} from "../../contract/mod.ts";
import type { EntryChanges } from "../../state/entries/types.ts";
import { AmofError } from "../../base/error.ts";
import {
  backupPath,
  consentBy,
  consentFlags,
  documentOf,
  entryOf,
  factsOf,
  hasOwnConsent,
  type Host,
  HOST_SCOPES,
  type HostChange,
  HOSTS,
  planChange,
  projectFile,
  readHostFile,
  serveFlags,
  type Server,
  SERVERS,
  sharedRoot,
  startWords,
  textHash,
  userFile,
  writeChange,
} from "../../machine/hosts/mod.ts";
import type { Fields } from "../../base/object.ts";
import { MODES } from "../../base/policy/mode.ts";
import { takeTurn } from "../../base/system/turn.ts";
import { type Part, patch, verbatim } from "../../base/text/parts.ts";
import { didYouMean, list, meantText } from "../../base/text/words.ts";

/**
 * How a server that is started with these flags gets the consent of a person in a host, and why so. Null where
 * the server does not ask for consent.
 */
export function consentNote(
  host: Host,
  server: string,
  flags: readonly string[] | null,
): string | null {
  if (flags === null || hasOwnConsent(server) || flags.includes("--read-only")) return null;
  const title = factsOf(host).title;
  if (flags.some((flag, at) => flag === "human" && flags[at - 1] === "--confirm")) {
    return consentBy(host) === "form"
      ? `${server}: a person approves what is confirmed, in a terminal (amof approve ID).`
      : `${server}: a person approves what is confirmed, in a terminal (amof approve ID), because ${title} shows no forms and its model could agree by itself.`;
  }
  return consentBy(host) === "form"
    ? `${server}: ${title} asks you in a form before anything is confirmed.`
    : `⚠ ${server}: ${title} shows no forms, so its model can agree by itself. Leave it to a person: the same command with --confirm human`;
}

/** Throws `invalid_arguments` for a name that is no toolset, and where the servers have toolsets of their own. */
export function requireToolsets(toolsets: string, servers: readonly string[]): void {
  const other = servers.find((server) => server !== "amof");
  if (other !== undefined) {
    throw new AmofError(
      "invalid_arguments",
      `Cannot choose toolsets for the server ${other}: it has its own`,
      { hint: "Leave out --toolsets, which only amof's own server takes" },
    );
  }
  const names = toolsets.split(",").map((name) => name.trim());
  for (const name of names) {
    const word = name.replace(/^-/, "");
    if (TOOLSET_WORDS.includes(word)) continue;
    throw new AmofError(
      "invalid_arguments",
      `Cannot use the toolset "${word}"${meantText(didYouMean(word, TOOLSET_WORDS))}`,
      { hint: `Known: ${list(TOOLSET_WORDS)}` },
    );
  }
}

const inputOf = (z: ZodNamespace) =>
  z.strictObject({
    host: z.enum(HOSTS).describe("The host"),
    server: z.array(z.enum(SERVERS)).max(3).default(["amof"]).describe(
      "Which server; stocktrim takes its credentials from the environment",
    ),
    scope: z.enum(HOST_SCOPES).default("user").describe(
      "For you everywhere, or for everybody in the project you stand in",
    ),
    toolsets: z.string().max(500).optional().describe("Toolsets of the server amof"),
    read_only: z.boolean().default(false).describe("Offer only tools that change nothing"),
    max_mode: z.enum(MODES).optional().describe("Highest mode any call of the server may use"),
    confirm_by: z.enum(["token", "human"]).optional().describe(
      "human: only a person at a terminal can agree",
    ),
    remove: z.boolean().default(false).describe("Take the entry out again"),
    print: z.boolean().default(false).describe("Only print what would be written"),
  });
type Input = InputOf<ReturnType<typeof inputOf>>;

interface InstallData {
  readonly host: Host;
  readonly scope: Input["scope"];
  readonly file: string;
  readonly servers: readonly string[];
  /** What was done to the file. */
  readonly change: "installed" | "removed" | "none";
  /** What the file held before, or null. */
  readonly backup: string | null;
  /** How each server gets the consent of a person, and why so. */
  readonly consent: readonly string[];
  /** What would be written, where only that was asked for. */
  readonly text?: string;
}

/** What a preview is bound to. */
interface InstallFacts extends Pick<InstallData, "host" | "scope" | "file" | "servers"> {
  readonly before: string | null;
  readonly after: string | null;
}

interface Planned {
  readonly change: HostChange;
  readonly facts: InstallFacts;
  readonly effects: readonly string[];
  readonly current: string;
  /** How each server gets a person's consent. */
  readonly consent: readonly string[];
}

/** The flags of the server that a call names; null where it names none. */
function flagsOf(input: Input): readonly string[] | null {
  const given = { toolsets: input.toolsets, max_mode: input.max_mode, confirm: input.confirm_by };
  const flags = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name.replaceAll("_", "-")}`, value]
  );
  if (input.read_only) flags.push("--read-only");
  return flags.length === 0 ? null : flags;
}

/** The flags that an entry is written with; null where those stay that it has. */
function flagsFor(
  { host }: Input,
  server: Server,
  given: readonly string[] | null,
  there: unknown,
): readonly string[] | null {
  if (given === null && serveFlags(host, there) !== null) return null;
  const flags = [...given ?? [], ...consentFlags(host, server, given ?? [])];
  return flags.length === 0 ? null : flags;
}

/** The file that is meant; throws `invalid_arguments` for a host that has none of a project. */
function fileOf(ctx: CommandContext, { host, scope }: Input): string {
  const { env } = ctx.system;
  const path = scope === "user" ? userFile(host, env) : projectFile(host, env.cwd, env);
  if (path !== null) return path;
  throw new AmofError(
    "invalid_arguments",
    `Cannot install for a project: ${factsOf(host).title} has no servers of projects`,
    { hint: `Install it for yourself: amof mcp install ${host}` },
  );
}

/** The control repository that the server shall be for. */
function rootOf(ctx: CommandContext, input: Input): string | null {
  if (!input.server.includes("amof") || input.remove) return null;
  if (ctx.root !== "") {
    if (input.scope === "user") return ctx.root;
    const way = relative(ctx.system.env.cwd, ctx.root).replaceAll("\\", "/");
    return sharedRoot(input.host, way === "" ? "." : way);
  }
  throw new AmofError(
    "root_not_found",
    "Cannot tell which control repository the server is for: there is none here",
    { hint: `Name it: amof --root DIR mcp install ${input.host}` },
  );
}

/** The entries as they shall be; undefined for those that go. */
async function changesOf(
  ctx: CommandContext,
  input: Input,
  there: ReadonlyMap<string, unknown>,
): Promise<EntryChanges> {
  const given = flagsOf(input);
  if (input.toolsets !== undefined) requireToolsets(input.toolsets, input.server);
  const root = rootOf(ctx, input);
  const words = await startWords(ctx.system, input.scope);
  return new Map(input.server.map((server): [string, Fields | undefined] => [
    server,
    input.remove ? undefined : entryOf(
      input.host,
      server,
      { words, root, flags: flagsFor(input, server, given, there.get(server)) },
      there.get(server),
    ),
  ]));
}

async function plan(ctx: CommandContext, input: Input): Promise<Planned> {
  const { host, scope, remove } = input;
  const title = factsOf(host).title;
  const shared = factsOf(host).file;
  const path = fileOf(ctx, input);
  const file = await readHostFile(ctx.system, path, shared);
  const { entries } = file.table;
  const servers = [...new Set(input.server)].filter((name) => !remove || entries.has(name));
  const changes = await changesOf(ctx, { ...input, server: servers }, entries);
  const change = await planChange(ctx.system, file, { shared, ours: SERVERS, changes });
  const present = servers.filter((name) => entries.has(name));
  const foreign = present.filter((name) => serveFlags(host, entries.get(name)) === null);
  const effects = servers.map((name) =>
    remove
      ? `Take the server ${name} out of ${title}, in ${path}`
      : `${
        present.includes(name) ? "Change the entry of" : "Add"
      } the server ${name} in ${title}, in ${path}`
  );
  return {
    change,
    facts: {
      host,
      scope,
      file: path,
      servers,
      before: textHash(file.text),
      after: textHash(change.after),
    },
    consent: [...changes].flatMap(([name, entry]) =>
      consentNote(host, name, serveFlags(host, entry)) ?? []
    ),
    effects: [
      ...effects,
      ...(typeof change.backup === "string" ? [`Keep what is there as ${backupPath(path)}`] : []),
      ...(change.after === null ? [`Delete ${path}, which holds nothing else`] : []),
    ],
    current: present.length === 0
      ? `${title} has no such entry`
      : foreign.length === 0
      ? `${title} has ${list(present)}`
      : `${title} has ${list(foreign)}, which starts something else now`,
  };
}

function dataOf({ facts, change, consent }: Planned, what: InstallData["change"]): InstallData {
  const { host, scope, file, servers } = facts;
  const backup = what !== "none" && typeof change.backup === "string" ? backupPath(file) : null;
  return { host, scope, file, servers, change: what, backup, consent };
}

/** What a reader should know besides the change. */
function notesOf(input: Input, isNew: boolean): readonly Part[] {
  const fresh = isNew && !input.remove ? factsOf(input.host).fresh ?? null : null;
  return [
    ...(fresh === null ? [] : [`⚠ ${fresh}`]),
    ...(input.scope === "project" && !input.remove
      ? ["For everybody in the project, on whose PATH there has to be amof."]
      : []),
    ...(input.server.includes("stocktrim") && !input.remove
      ? [
        "⚠ A host with a window has no variables of your shell: add the credentials of StockTrim to env by hand.",
      ]
      : []),
  ];
}

/** `amof mcp install`. */
export const mcpInstall = mutation({
  name: "amof_mcp_install",
  path: ["mcp", "install"],
  mcp: "never",
  toolset: "session",
  scope: "global",
  needs: "nothing",
  safety: "dangerous-write",
  confirm: "preview",
  asks: { deed: "installation", verb: "install", will: "change what an AI host starts" },
  idempotent: true,
  title: "Install server",
  summary: "Put amof's server into the configuration of an AI host, or take it out with --remove.",
  description:
    "Shows the change before it asks. Everything else in the file stays as it is to the byte, and what was there lies beside it. An entry that is there keeps its variables, and its flags where none are given.",
  positionals: ["host"],
  flags: { confirm_by: "confirm" },
  examples: [
    "mcp install cursor --dry-run",
    "mcp install claude-code --root ~/control",
    "mcp install vscode --scope project --read-only",
    "mcp install zed --server amof --server agentpack",
    "mcp install codex --remove",
  ],
  input: inputOf,
  async preview(ctx, input) {
    const planned = await plan(ctx, input);
    const { change, facts, effects, current, consent } = planned;
    const title = factsOf(input.host).title;
    const names = list(facts.servers.length === 0 ? input.server : facts.servers);
    const settled = input.print
      ? { data: { ...dataOf(planned, "none"), text: await textOf(ctx, input) } }
      : change.after === change.file.text
      ? { data: dataOf(planned, "none") }
      : null;
    return {
      facts,
      subject: { name: `${names} in ${title}`, typed: { what: "host", value: input.host } },
      summary: input.remove
        ? `Would take ${names} out of ${title}.`
        : `Would install ${names} in ${title}.`,
      effects,
      details: [
        ...effects,
        "",
        patch(change.diff),
        ...consent,
        ...notesOf(input, change.file.text === null),
      ],
      current,
      ...(input.remove
        ? { asks: { deed: "removal", verb: "remove", will: "change what an AI host starts" } }
        : {}),
      alternatives: [
        `Print it, and write it yourself: amof mcp install ${input.host} --print`,
        "A server that changes nothing: the same command with --read-only",
      ],
      ...(settled === null ? {} : { settled }),
    };
  },
  async execute(ctx, input, agreed: InstallFacts) {
    const { system, layout } = ctx;
    const lock = await takeTurn(system, join(layout.state, "hosts.lock"));
    try {
      const planned = await plan(ctx, input);
      const { before, after } = planned.facts;
      if (before !== agreed.before || after !== agreed.after) {
        throw new AmofError(
          "confirmation_stale",
          `Cannot change ${agreed.file}: something else has changed it since you saw the preview`,
        );
      }
      await writeChange(system, planned.change);
      return { data: dataOf(planned, input.remove ? "removed" : "installed") };
    } finally {
      await lock?.release();
    }
  },
  render(data: InstallData, input) {
    const title = factsOf(data.host).title;
    const names = list(data.servers.length === 0 ? input.server : data.servers);
    if (data.text !== undefined) {
      return {
        summary: `${title} reads this in ${data.file}:`,
        details: verbatim(data.text),
      };
    }
    const allowed = data.scope === "project" && data.change === "installed"
      ? factsOf(data.host).allow ?? null
      : null;
    const summary = data.change === "none"
      ? input.remove ? `${title} has no ${names} to remove.` : `${title} has ${names} already.`
      : input.remove
      ? `Removed ${names} from ${title}.`
      : `Installed ${names} in ${title}.`;
    return {
      summary,
      details: [
        ...data.consent,
        ...(data.change === "none" ? [] : [`Restart ${title}, or reload its servers.`]),
        ...(allowed === null ? [] : [allowed]),
        ...(data.backup === null ? [] : [`What was there: ${data.backup}`]),
      ],
    };
  },
});

/** What a file holds that has nothing but these servers. */
async function textOf(ctx: CommandContext, input: Input): Promise<string> {
  const entries = await changesOf(ctx, { ...input, remove: false }, new Map());
  return await documentOf(input.host, entries as ReadonlyMap<string, Fields>);
}
