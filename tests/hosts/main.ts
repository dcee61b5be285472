/**
 * Real AI hosts, as npm has them today, with the file that `amof mcp install` writes: each is started, and what it says
 * to the server is what is told, whether a push works from there, and which of agentpack's assets it has. No part of
 * CI, because it fetches gigabytes.
 *
 * `deno task hosts [HOST …] [--write]`; needs `bin/amof`. Packages stay in `bin/hosts`.
 *
 * @module
 */

import { join } from "@std/path";
import { fieldsOf } from "../../src/base/object.ts";
import { look, SEEN_HEAD } from "./assets.ts";
import { standIn } from "./model.ts";
import { CALLERS, LISTINGS, type Trial, TRIALS } from "./hosts.ts";
import { push, PUSHED_HEAD } from "./push.ts";
import { AMOF, HostPlace, isConnected, type Messages, PACKAGES, ROOT, run } from "./place.ts";

/** Brings a package; answers its version, or null where npm has none for this system. */
async function fetched({ host, npm }: Trial): Promise<string | null> {
  const place = join(PACKAGES, host);
  await Deno.mkdir(place, { recursive: true });
  await Deno.writeTextFile(join(place, "package.json"), "{}");
  await run(["npm", "install", "--no-audit", "--no-fund", `${npm}@latest`], { cwd: place });
  try {
    const text = await Deno.readTextFile(join(place, "node_modules", npm, "package.json"));
    return String(fieldsOf(JSON.parse(text))["version"]);
  } catch {
    return null;
  }
}

/** What one host said to the server. */
interface Seen {
  readonly file: string;
  readonly messages: Messages;
  /** The tools that it was told. */
  readonly tools: readonly string[];
  readonly printed: string;
}

/** Starts a host in a place of its own, with the file that an installation wrote. */
async function connect(trial: Trial, model: string): Promise<Seen> {
  await using place = await HostPlace.make(trial, model);
  const within = { cwd: place.project, env: place.env };
  await run(["git", "init", "-q"], within);
  await run([AMOF, "ecosystem", "create", "demo", "--yes"], within);
  const installed = await run(
    [place.server, "mcp", "install", trial.host, "--yes", "--json"],
    within,
  );
  const { file } = JSON.parse(installed) as { readonly file: string };
  await place.listen();
  for (const before of trial.before ?? []) await place.start(before);
  const printed = await place.start(trial.start);
  const [messages, tools] = [await place.heard(), await place.listed()];
  return { file: file.replace(place.home, "~"), messages, tools, printed };
}

/** A row of the table: what a host was, where its file is, and how it greeted. */
function rowOf({ host }: Trial, version: string, { file, messages, tools }: Seen): string[] {
  // Newer revisions have no greeting: every message says who calls, and how.
  const [first] = messages;
  const greeting = messages.find(({ method }) => method === "initialize");
  const params = fieldsOf((greeting ?? first)?.["params"]);
  const said = (member: string) =>
    params[member] ?? fieldsOf(params["_meta"])[`io.modelcontextprotocol/${member}`];
  const capabilities = said("capabilities") ?? said("clientCapabilities");
  return [
    host,
    version,
    `\`${file}\``,
    isConnected(messages) ? "yes" : "no",
    tools.length === 0 ? "" : String(tools.length),
    String(fieldsOf(said("clientInfo"))["name"] ?? ""),
    String(said("protocolVersion") ?? ""),
    Object.keys(fieldsOf(capabilities)).sort().join(", "),
  ];
}

const DOCUMENT = join(ROOT, ".github", "docs", "hosts.md");
const HEAD = [
  "host",
  "version",
  "file",
  "connects",
  "tools",
  "calls itself",
  "revision",
  "capabilities",
];

type Rows = readonly (readonly string[])[];

/** Puts the tables into the document, in the place of those that are there. */
async function write(tried: Rows, pushed: Rows, seen: Rows): Promise<void> {
  const text = await Deno.readTextFile(DOCUMENT);
  const table = (head: readonly string[], rows: Rows) =>
    [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
  const day = new Date().toISOString().slice(0, 10);
  const section = `## Tried

On ${day}, on ${Deno.build.os}, by \`deno task hosts --write\`:

${table(HEAD, tried)}

An empty number of tools is a host that lists none in this. Those of newer revisions are told three
fewer, which only move a session; mcporter is no coding host and is told all.

A push over SSH that a model asked for, with the entry as it is installed. The host ran without a
person; one approved the push then, at a terminal. Told is whether the work came to the remote as
one person's, what became of the form where there is one, and which variables of a shell the server
did not get:

${table(PUSHED_HEAD, pushed)}

What agentpack deploys, and whether the host has it: in what it lists or sends to its model, in the
server that it starts, or the hook that it runs (in Codex as after a person has trusted it). An empty
cell is nothing that the target writes there, or that this program reads.

${table(SEEN_HEAD, seen)}
`;
  await Deno.writeTextFile(DOCUMENT, text.replace(/## Tried\n[^]*?(?=\n## |$)/, () => section));
  await run([Deno.execPath(), "fmt", "--quiet", DOCUMENT], { cwd: ROOT });
}

async function tell(row: readonly string[], printed: string | undefined): Promise<void> {
  const why = row.includes("no") ? `${printed ?? ""}\n` : "";
  await Deno.stderr.write(new TextEncoder().encode(`${row.join("  ")}\n${why}`));
}

/** Tries the hosts that are named, or all; answers whether each one connected, and saw what was deployed. */
async function main(args: readonly string[]): Promise<boolean> {
  const named = args.filter((word) => !word.startsWith("--"));
  const isMeant = ({ host }: { readonly host: string }) =>
    named.length === 0 || named.includes(host);
  const tried: string[][] = [];
  const pushed: string[][] = [];
  const seen: string[][] = [];
  const model = standIn();
  for (const trial of TRIALS.filter(isMeant)) {
    const version = await fetched(trial);
    if (version === null) {
      tried.push([trial.host, "none for this system", "", "", "", "", "", ""]);
      continue;
    }
    const connection = await connect(trial, model.url);
    const row = rowOf(trial, version, connection);
    tried.push(row);
    await tell(row, connection.printed + JSON.stringify(connection.messages));
    for (const caller of CALLERS.filter(({ host }) => host === trial.host)) {
      const done = await push(caller, { version, model });
      pushed.push(done.row);
      await tell(done.row, done.printed);
    }
    for (const listing of LISTINGS.filter(({ host }) => host === trial.host)) {
      for (const scope of ["user", "project"] as const) {
        const found = await look(listing, scope, { version, model });
        if (found === null) continue;
        seen.push(found.row);
        await tell(found.row, found.printed);
      }
    }
  }
  await model.stop();
  if (args.includes("--write")) await write(tried, pushed, seen);
  return ![...tried, ...pushed, ...seen].some((row) => row.includes("no"));
}

if (import.meta.main) Deno.exit(await main(Deno.args) ? 0 : 1);
