/**
 * Runs the official inspector, client and conformance suite against the server, and prints what
 * passed. Exit code 1 when anything did not that is not expected to fail.
 *
 * The suite speaks HTTP only: it is let loose on the HTTP server directly, and, with a bridge between, on the server
 * on standard input and output.
 *
 * @module
 */

import { join } from "@std/path";
import { hostConfig } from "../../src/doors/cli/programs/mcp/config.ts";
import { World } from "../support/world.ts";
import { ServerOf } from "../support/server.ts";
import { clients } from "./client.ts";
import { conformDirectly, FixtureServer, inspectDirectly } from "./http.ts";
import { fetchTools, FOLDER, ROOT, run, say, type Tools } from "./tools.ts";

/** One line of the report. */
interface Check {
  readonly what: string;
  readonly passed: boolean;
  /** What a person needs to know about a failure. */
  readonly detail: string;
}

/** What the inspector asks the program itself; each must end with 0. */
const INSPECTIONS: readonly (readonly string[])[] = [
  ["--method", "initialize", "--protocol-era", "legacy"],
  ["--method", "initialize", "--protocol-era", "auto"],
  ["--method", "tools/list", "--protocol-era", "modern"],
  ["--method", "tools/call", "--tool-name", "amof_list_ecosystems", "--protocol-era", "modern"],
  ["--method", "tools/list", "--strict"],
  ["--method", "tools/call", "--tool-name", "amof_list_ecosystems"],
  ["--method", "resources/list"],
  ["--method", "resources/templates/list"],
  ["--method", "resources/read", "--uri", "amof://ecosystems"],
  ["--method", "skills/list", "--verify"],
  ["--method", "prompts/list"],
  ["--method", "prompts/get", "--prompt-name", "daily_status"],
  ["--method", "logging/setLevel", "--log-level", "debug"],
];

/** Scenarios that need no fixtures, for the program itself. */
const OF_THE_PROGRAM = [
  "server-initialize",
  "ping",
  "tools-list",
  "logging-set-level",
  "resources-list",
  "prompts-list",
];

/** Bundles an entry point; answers the file. */
async function bundle(entry: string, name: string): Promise<string> {
  const directory = join(FOLDER, name);
  const ran = await run(
    [Deno.execPath(), "bundle", "--quiet", "--code-splitting", "--outdir", directory, entry],
    { cwd: ROOT },
  );
  if (ran.code !== 0) throw new Error(`Cannot bundle ${entry}:\n${ran.stderr}`);
  return join(directory, entry.replace(/^.*\//, "").replace(/\.ts$/, ".js"));
}

function tail(text: string): string {
  return text.trim().split("\n").slice(-15).join("\n");
}

async function inspect(
  tools: Tools,
  server: readonly string[],
  world: World,
): Promise<Check[]> {
  const inspector = [...tools.inspector, "--cli", "-q", "--format", "json"];
  const checks: Check[] = [];
  const check = async (what: string, argv: readonly string[]) => {
    const ran = await run(argv, { cwd: world.directory, env: world.env });
    const detail = tail(`${ran.stderr}\n${ran.stdout}`);
    checks.push({ what: `inspector ${what}`, passed: ran.code === 0, detail });
  };
  for (const words of INSPECTIONS) {
    await check(words.join(" "), [...inspector, ...words, "--", ...server]);
  }
  // What `amof mcp config` prints is what the inspector, as any host, must be able to start.
  const [command = "", ...rest] = server;
  const before = rest.slice(0, rest.indexOf("mcp"));
  const file = join(world.directory, "hosts.json");
  await Deno.writeTextFile(
    file,
    await hostConfig("claude-code", [command, ...before], world.control),
  );
  await check("with the configuration of amof mcp config", [
    ...inspector,
    "--config",
    file,
    "--server",
    "amof",
    "--method",
    "tools/list",
  ]);
  return checks;
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

async function reachable(port: number): Promise<void> {
  for (let turn = 0; turn < 300; turn++) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error("The bridge did not come up");
}

/** Lets the suite loose on a server behind the bridge. */
async function conform(
  tools: Tools,
  server: readonly string[],
  world: World,
  argv: readonly string[],
): Promise<{ readonly code: number; readonly text: string }> {
  const port = freePort();
  const [node = "", ...bridge] = tools.bridge;
  const child = new Deno.Command(node, {
    args: [
      ...bridge,
      "--stdio",
      server.map((word) => `'${word}'`).join(" "),
      "--outputTransport",
      "streamableHttp",
      "--stateful",
      "--port",
      String(port),
      "--logLevel",
      "none",
    ],
    cwd: world.directory,
    env: world.env,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    await reachable(port);
    const ran = await run([
      ...tools.conformance,
      "server",
      "--url",
      `http://127.0.0.1:${port}/mcp`,
      ...argv,
    ]);
    return { code: ran.code, text: `${ran.stdout}\n${ran.stderr}` };
  } finally {
    child.kill("SIGTERM");
    await child.status;
  }
}

/** How the suite is let loose on a server with some arguments. */
type Conform = (
  server: readonly string[],
  argv: readonly string[],
) => Promise<{ readonly code: number; readonly text: string }>;

/** What fails for the sake of the bridge: it listens itself, and looks at no `Host`. */
const OF_THE_BRIDGE = "dns-rebinding-protection";

/** Writes what may fail for clients of a revision; answers the file. */
async function baseline(revision: string, isBridged: boolean): Promise<string> {
  const own = ["2025-03-26", "2026-07-28"].includes(revision) ? `-${revision}` : "";
  const known = join(ROOT, "tests", "conformance", `expected-failures${own}.yml`);
  // The suite for the revisions before has no such scenario.
  if (!isBridged || revision < "2025-11-25") return known;
  const path = join(FOLDER, `expected-failures-${revision}.yml`);
  await Deno.writeTextFile(path, `${await Deno.readTextFile(known)}  - ${OF_THE_BRIDGE}\n`);
  return path;
}

/** Scenarios that failed and are not expected to, of those that the suite runs and does not score. */
async function unexplained(summary: string, expected: string): Promise<readonly string[]> {
  const explained = await Deno.readTextFile(expected);
  return [...summary.matchAll(/^\s+✗ (\S+) \(/gm)].map(([, name = ""]) => name)
    .filter((name) => !explained.includes(`- ${name}\n`));
}

/** The whole suite over the fixtures, for clients of one revision. */
async function suite(
  how: string,
  conforming: Conform,
  fixtures: readonly string[],
  revision: string,
): Promise<Check> {
  const older = revision === "2025-03-26";
  const required = revision === "2025-11-25" || revision === "2026-07-28";
  const expected = await baseline(revision, conforming === bridged);
  const { code, text } = await conforming([...fixtures, ...(older ? [revision] : [])], [
    // The scenarios of 2025-06-18 are the oldest there are; the server makes the client speak the one before.
    ...(required ? ["--requirements", revision] : ["--spec-version", "2025-06-18"]),
    ...["--expected-failures", expected],
  ]);
  const summary = text.slice(text.indexOf("=== SUMMARY ==="));
  const total = /Total: .*/.exec(summary)?.[0] ?? "no total";
  const more = await unexplained(summary, expected);
  return {
    what: `conformance suite ${how}, ${revision}: ${total}`,
    passed: code === 0 && total.includes("passed") && more.length === 0,
    detail: `${summary}\nNot expected: ${more.join(", ")}`,
  };
}

/** The server of the program that listens itself, as `amof server start` leaves it. */
async function overHttp(tools: Tools, world: World): Promise<Check[]> {
  await using server = await ServerOf.start(world);
  const checks: Check[] = [];
  for (const words of INSPECTIONS) {
    const ran = await inspectDirectly(tools, server, words);
    checks.push({
      what: `inspector over HTTP ${words.join(" ")}`,
      passed: ran.code === 0,
      detail: tail(`${ran.stderr}\n${ran.stdout}`),
    });
  }
  for (const scenario of [...OF_THE_PROGRAM, "dns-rebinding-protection"]) {
    const { code, text } = await conformDirectly(tools, server, ["--scenario", scenario]);
    checks.push({
      what: `conformance over HTTP ${scenario}`,
      passed: code === 0,
      detail: tail(text),
    });
  }
  return checks;
}

const tools = await fetchTools();
const program = [
  Deno.execPath(),
  "run",
  "--quiet",
  "--allow-all",
  await bundle("main.ts", "program"),
];
const bundled = async (entry: string, name: string) => [
  ...[Deno.execPath(), "run", "--quiet", "--allow-all"],
  await bundle(entry, name),
];
const fixtures = await bundled("tests/conformance/server.ts", "fixtures");
const httpFixtures = await bundled("tests/conformance/http_server.ts", "http-fixtures");
await using world = await World.withEcosystem();
const server = [...program, "mcp", "serve", "--root", world.control];

const checks = await inspect(tools, server, world);
const pack = await run([
  ...tools.inspector,
  "--cli",
  "-q",
  "--method",
  "tools/list",
  "--strict",
  "--",
  ...server,
  "--toolsets",
  "agentpack",
], { cwd: world.directory, env: world.env });
checks.push({
  what: "inspector --method tools/list --strict, server agentpack",
  passed: pack.code === 0,
  detail: tail(pack.stderr),
});
checks.push(...await clients(tools, program));
for (const scenario of OF_THE_PROGRAM) {
  const { code, text } = await conform(tools, server, world, ["--scenario", scenario]);
  checks.push({ what: `conformance ${scenario}`, passed: code === 0, detail: tail(text) });
}
checks.push(...await overHttp(tools, world));
const bridged: Conform = (argv, words) => conform(tools, argv, world, words);
const direct: Conform = async (argv, words) => {
  await using server = await FixtureServer.start(argv);
  return await conformDirectly(tools, server.address, words);
};
for (const revision of ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]) {
  checks.push(await suite("over HTTP", direct, httpFixtures, revision));
  checks.push(await suite("over standard input and output", bridged, fixtures, revision));
}

for (const { what, passed, detail } of checks) {
  say(`${passed ? "✓" : "✗"} ${what}`);
  if (!passed) say(detail.replace(/^/gm, "    "));
}
const failed = checks.filter((check) => !check.passed).length;
say(`\n${checks.length - failed} passed, ${failed} failed`);
Deno.exitCode = failed === 0 ? 0 : 1;
