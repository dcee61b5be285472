/**
 * Real AI hosts, as npm has them today, with the file that `amof mcp install` writes: each is started, and what it says
 * to the server is what is told. No part of CI, because it fetches gigabytes.
 *
 * `deno task hosts [HOST …] [--write]`; needs `bin/amof`. Packages stay in `bin/hosts`.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { fieldsOf } from "../../src/base/object.ts";
import { standIn } from "./model.ts";
import { type Trial, TRIALS } from "./hosts.ts";

const ROOT = dirname(dirname(import.meta.dirname ?? "."));
const PACKAGES = join(ROOT, "bin", "hosts");

/** Runs a program to its end, at most for a minute; answers what it printed. */
async function run(
  words: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const [command = "", ...args] = words;
  const { success, stdout, stderr } = await new Deno.Command(command, {
    args,
    cwd: options.cwd,
    ...options.env === undefined ? {} : { clearEnv: true, env: options.env },
    stdin: "null",
    signal: AbortSignal.timeout(600_000),
  }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  return success ? text : `${text}\n[failed]`;
}

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
  /** Its first messages, each a JSON object. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly printed: string;
}

/** Starts a host in a world of its own, with the file that an installation wrote. */
async function connect({ host, program, ...trial }: Trial, model: string): Promise<Seen> {
  const world = await Deno.makeTempDir({ prefix: `amof-host-${host}-` });
  try {
    const home = join(world, "home");
    const bin = join(world, "bin");
    const control = join(world, "control");
    for (const directory of [home, bin, control]) await Deno.mkdir(directory);
    const said = (text: string) => text.replaceAll("URL", model);
    const env = {
      HOME: home,
      PATH: `${bin}:${Deno.env.get("PATH") ?? ""}`,
      TERM: "dumb",
      NO_COLOR: "1",
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@example.org",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@example.org",
      ...Object.fromEntries(
        Object.entries(trial.env ?? {}).map(([name, value]) => [name, said(value)]),
      ),
    };
    const amof = join(bin, "amof");
    await Deno.symlink(join(ROOT, "bin", "amof"), amof);
    for (const [name, text] of Object.entries(trial.files ?? {})) {
      await Deno.mkdir(dirname(join(home, name)), { recursive: true });
      await Deno.writeTextFile(join(home, name), said(text));
    }
    const within = { cwd: control, env };
    await run(["git", "init", "-q"], within);
    await run([amof, "ecosystem", "create", "demo", "--yes"], within);
    const installed = await run([amof, "mcp", "install", host, "--yes", "--json"], within);
    const { file } = JSON.parse(installed) as { readonly file: string };
    // From here on the link that the file names writes down what comes in.
    await Deno.remove(amof);
    const log = join(world, "log");
    const words = `#!/bin/sh\ntee -a '${log}' | '${join(ROOT, "bin", "amof")}' "$@"\n`;
    await Deno.writeTextFile(amof, words, { mode: 0o755 });
    const real = join(PACKAGES, host, "node_modules", program);
    for (const before of trial.before ?? []) await run([real, ...before.map(said)], within);
    const printed = await run([real, ...trial.start.map(said)], within);
    const lines = (await Deno.readTextFile(log).catch(() => "")).split("\n").filter(Boolean);
    const messages = lines.flatMap((line) => {
      try {
        return [fieldsOf(JSON.parse(line))];
      } catch {
        return [];
      }
    });
    return { file: file.replace(home, "~"), messages, printed };
  } finally {
    await Deno.remove(world, { recursive: true });
  }
}

/** A row of the table: what a host was, where its file is, and how it greeted. */
function rowOf({ host }: Trial, version: string, { file, messages }: Seen): string[] {
  // Newer revisions have no greeting: every message says who calls, and how.
  const [first] = messages;
  const greeting = messages.find(({ method }) => method === "initialize");
  const params = fieldsOf((greeting ?? first)?.["params"]);
  const said = (member: string) =>
    params[member] ?? fieldsOf(params["_meta"])[`io.modelcontextprotocol/${member}`];
  const capabilities = said("capabilities") ?? said("clientCapabilities");
  const connected = messages.some(({ method }) =>
    method === "notifications/initialized" || method === "tools/list"
  );
  return [
    host,
    version,
    `\`${file}\``,
    connected ? "yes" : "no",
    String(fieldsOf(said("clientInfo"))["name"] ?? ""),
    String(said("protocolVersion") ?? ""),
    Object.keys(fieldsOf(capabilities)).sort().join(", "),
  ];
}

const DOCUMENT = join(ROOT, ".github", "docs", "hosts.md");
const HEAD = ["host", "version", "file", "connects", "calls itself", "revision", "capabilities"];

/** Puts the table into the document, in the place of the one that is there. */
async function write(rows: readonly (readonly string[])[]): Promise<void> {
  const text = await Deno.readTextFile(DOCUMENT);
  const lines = [HEAD, HEAD.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  const day = new Date().toISOString().slice(0, 10);
  const section = `## Tried\n\nOn ${day}, on ${Deno.build.os}, by \`deno task hosts --write\`:\n\n${
    lines.join("\n")
  }\n\n`;
  await Deno.writeTextFile(
    DOCUMENT,
    text.replace(/## Tried\n[^]*?(?=\n## |$)/, () => section.trimEnd() + "\n"),
  );
  await run([Deno.execPath(), "fmt", "--quiet", DOCUMENT], { cwd: ROOT });
}

/** Tries the hosts that are named, or all; answers whether each one connected. */
async function main(args: readonly string[]): Promise<boolean> {
  const named = args.filter((word) => !word.startsWith("--"));
  const rows: string[][] = [];
  const model = standIn();
  for (const trial of TRIALS) {
    if (named.length > 0 && !named.includes(trial.host)) continue;
    const version = await fetched(trial);
    const seen = version === null ? null : await connect(trial, model.url);
    const row = seen === null
      ? [trial.host, "none for this system", "", "", "", "", ""]
      : rowOf(trial, version ?? "", seen);
    rows.push(row);
    const told = row[3] === "no" ? `${seen?.printed}${JSON.stringify(seen?.messages)}\n` : "";
    await Deno.stderr.write(new TextEncoder().encode(`${row.join("  ")}\n${told}`));
  }
  await model.stop();
  if (args.includes("--write")) await write(rows);
  return rows.every(([, , , connects]) => connects !== "no");
}

if (import.meta.main) Deno.exit(await main(Deno.args) ? 0 : 1);
